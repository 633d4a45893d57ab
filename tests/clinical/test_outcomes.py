"""Outcomes and negative controls; a third code of an event asked about, then an incidence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.clinical.concerns import concerns
from mapdp_studio.core.clinical.outcomes import overall, printed, refused_shares, survival_curves
from mapdp_studio.core.schema.schema import Schema
from mapdp_studio.core.schema.spec import ColumnSpec
from tests.clinical.studies import studied


@pytest.fixture(scope="module")
def found():
    """Two groups; who is transplanted (1) no longer dies (2) before the transplant."""
    random = np.random.default_rng(6)
    group = np.repeat([0, 1], [60, 50])
    died, moved, left = (random.exponential(mean, group.size) for mean in (4, 3, 6))
    columns = {f"a{j}": random.normal(6 * group, 1) for j in range(3)}
    columns["time"] = np.min([left, moved, died], axis=0).round(2)
    return pd.DataFrame(columns | {"status": np.argmin([left, moved, died], axis=0)})


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
    codes = {"event": "status", "event_codes": event, "censored_codes": censored}
    time = ColumnSpec("time", "time_to_event", "validator", **codes)
    specs = [*(ColumnSpec(f"a{j}", "normal") for j in range(3)), time]
    schema = Schema([*specs, ColumnSpec("status", "categorical", "ignore")])
    one = studied(found, schema, covariates=("a0",))
    made, groups = one.validation.validators, one.groups
    nothing, survival, incidence = (read == of for of in ("nothing", "survival", "incidence"))
    assert ["nobody said which" in reason for reason in refused_shares(made)] == [True] * nothing
    curves = [curve.is_incidence for curve in survival_curves(made, groups.labels)]
    assert curves == ([] if nothing else [incidence])
    said = overall(made, groups.labels, groups.titles).loc[0]
    assert said["Test"] == ("Gray's test" if incidence else "log-rank test")
    pairs, html = printed(made), one.written().html
    effects = pairs["Effect (95 % interval)"][0] + pairs.get("Also (95 % interval)", [""])[0]
    for is_so, words, where in (
        (survival, "median", said[groups.titles[0]]),
        (incidence, "another first in", said[groups.titles[0]]),
        (True, "cause-specific hazard ratio" if incidence else "hazard ratio", effects),
        (survival, "mean times", effects),
        (incidence, "shares with the event", effects),
        (nothing, "Nobody said which", pairs["Remark"][0]),
        (survival, "Kaplan-Meier curves, with", html),
        (incidence, "another event may come first, with", html),
        (nothing, "tell too many events", html),
        (True, "Median follow-up", html),
        (True, "a0 made the groups", html),
    ):
        assert (words in where) == is_so, words
    assert bool(concerns(found, one.lock.schema)) == (censored is None and event == (2,))
