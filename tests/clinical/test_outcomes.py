"""Outcomes and negative controls; a third code of an event asked about, then an incidence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.clinical.concerns import unnamed_events
from mapdp_studio.core.clinical.outcomes import printed, refused_shares, survival_curves
from mapdp_studio.core.plots.clinical import forest_figure
from mapdp_studio.core.schema.schema import Schema
from mapdp_studio.core.schema.spec import ColumnSpec
from mapdp_studio.core.statistics.survival import cumulative_incidence, kaplan_meier
from tests.clinical.studies import studied


def test_outcomes_differ_and_negative_controls_do_not(cohort):
    by_name = {c.variable.name: c for c in cohort.validation.validators.columns}
    assert len(by_name) == 6
    assert by_name["Motor decline a year (points)"].overall.adjusted < 0.001
    assert all(c.overall.adjusted > 0.05 for c in cohort.validation.controls.columns)


@pytest.fixture(scope="module")
def found():
    """Two groups; who is transplanted (1) no longer dies (2) before the transplant."""
    random = np.random.default_rng(6)
    group = np.repeat([0, 1], [60, 50])
    died, moved, left = (random.exponential(mean, group.size) for mean in (4, 3, 6))
    first = np.argmin([left, moved, died], axis=0)
    columns = {f"a{j}": random.normal(6 * group, 1) for j in range(3)}
    columns |= {"time": np.min([left, moved, died], axis=0).round(2), "status": first}
    return pd.DataFrame(columns)


def schema(censored: tuple[int, ...] | None = None, event: tuple[int, ...] = (2,)) -> Schema:
    time = {"event": "status", "event_codes": event, "censored_codes": censored}
    return Schema(
        [
            *(ColumnSpec(f"a{j}", "normal") for j in range(3)),
            ColumnSpec("time", "time_to_event", "validator", **time),
            ColumnSpec("status", "categorical", "ignore"),
        ]
    )


@pytest.mark.parametrize(
    ("censored", "event", "read"),
    [
        (None, (2,), "nothing"),
        ((0,), (2,), "incidence"),
        ((0, 1), (2,), "survival"),
        (None, (1, 2), "survival"),
    ],
)
def test_a_third_code_is_asked_about_then_read_as_another_event(found, censored, event, read):
    one = studied(found, schema(censored, event), covariates=("a0",))
    tested, groups = one.validation, one.groups
    column = tested.validators.columns[0]
    reasons = refused_shares(tested.validators)
    assert ["nobody said which" in reason for reason in reasons] == [True] * (read == "nothing")
    curves = survival_curves(tested.validators, groups.labels)
    assert [curve.is_incidence for curve in curves] == (
        [] if read == "nothing" else [read == "incidence"]
    )
    assert ("median" in column.groups[0].text) == (read == "survival")
    assert ("another first in" in column.groups[0].text) == (read == "incidence")
    assert column.overall.test.name == ("Gray's test" if read == "incidence" else "log-rank test")
    effects = {one for pair in column.pairs for one in (pair.effect.name, pair.second.name)}
    ratio = "cause-specific hazard ratio" if read == "incidence" else "hazard ratio"
    assert ratio in effects
    drawn = [axis.type for axis in forest_figure(tested.validators.columns).select_xaxes()]
    assert sorted(drawn) == (["log"] if read == "nothing" else ["linear", "log"])
    assert any("mean times" in name for name in effects) == (read == "survival")
    assert any("shares with the event" in name for name in effects) == (read == "incidence")
    assert ("Nobody said which" in printed(tested.validators)["Remark"][0]) == (read == "nothing")
    asked = unnamed_events(found, one.lock.schema)
    assert bool(asked) == (censored is None and event == (2,))
    html = one.written().html
    assert ("Kaplan-Meier curves, with" in html) == (read == "survival")
    assert ("another event may come first, with" in html) == (read == "incidence")
    assert ("tell too many events" in html) == (read == "nothing")
    assert "Median follow-up" in html
    assert "a0 made the groups" in html


def test_the_incidence_of_both_events_is_not_more_than_all(found):
    """1 minus Kaplan and Meier's curves of both events would be."""
    column = studied(found, schema((0,))).validation.validators.columns[0].variable
    both = [
        cumulative_incidence(column.values, *(e, o)).share[-1]
        for e, o in ((column.events, column.others), (column.others, column.events))
    ]
    turned = [1 - kaplan_meier(column.values, e).share[-1] for e in (column.events, column.others)]
    assert sum(both) <= 1 < sum(turned)


def test_what_the_codes_mean_is_kept(found):
    again = Schema.from_dict(schema((0,)).to_dict())
    assert again["time"].censored_codes == (0,)
    assert "censored_codes" not in schema().to_dict()["columns"][3]
