"""A third code in an event column: asked about, and no share read from a Kaplan-Meier curve."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core.clinical.checks import Checks
from core.clinical.concerns import unnamed_events
from core.clinical.report import package
from core.clinical.t_test_lines import TTests
from core.clinical.validation import printed, refused_shares, survival_curves, validate
from core.schema.schema import Schema
from core.schema.spec import ColumnSpec
from tests.clinical.run_study import study_of


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
    ("censored", "event", "said"),
    [
        (None, (2,), "nobody said which"),
        ((0,), (2,), "'status' = 1 is another event"),
        ((0, 1), (2,), ""),
        (None, (1, 2), ""),
    ],
)
def test_no_share_is_told_where_another_event_may_come_first(found, censored, event, said):
    study, groups = study_of(found, schema(censored, event), restarts=1)
    tested = validate(found, study.lock, groups.labels)
    column = tested.validators.columns[0]
    reasons = refused_shares(tested.validators)
    assert [said in reason for reason in reasons] == [True] * bool(said)
    assert bool(survival_curves(tested.validators, groups.labels)) == (not said)
    assert ("median" in column.groups[0].text) == (not said)
    assert column.overall.test.p is not None  # the hazards of the one event still compare
    remark = printed(tested.validators)["Remark"][0]
    assert ("Another event may come first" in remark) == bool(said)
    asked = unnamed_events(found, study.lock.schema)
    assert bool(asked) == (censored is None and event == (2,))
    tests = TTests.of(found, study.lock, groups)
    html = package(study, Checks(groups), tested, "t.csv", tests=tests).html
    for words in ("patients at risk", "share without the event at", "restricted mean times"):
        assert (words in html) == (not said)
    assert ("tell too many events" in html) == bool(said)


def test_what_the_codes_mean_is_kept(found):
    again = Schema.from_dict(schema((0,)).to_dict())
    assert again["time"].censored_codes == (0,)
    assert "censored_codes" not in schema().to_dict()["columns"][3]
