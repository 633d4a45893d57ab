"""Columns that made the groups print no interval between the groups shown."""

from __future__ import annotations

from mapdp_studio.core import infer_schema
from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.clinical.outcomes import validate
from mapdp_studio.core.clinical.report import package
from mapdp_studio.core.clinical.small_counts import OFF
from mapdp_studio.core.clinical.t_tests import Choice, TTests
from tests.clinical.run_study import study_of
from tests.tables.deaths import deaths_frame


def test_only_what_was_kept_out_has_an_interval_between_the_groups():
    frame = deaths_frame(missing=0.1)
    schema = infer_schema(frame).with_column("age", role="validator")
    study, groups = study_of(frame, schema, restarts=1)
    made = set(study.lock.columns("cluster"))
    tests = TTests.of(frame, study.lock, groups)
    lines = tests.lines([(0, 1)], Choice())
    assert made <= set(lines["column"])
    assert not {"low", "high"} & set(lines)
    # The only interval is that of groups found without the column, and nothing was left out here.
    assert lines.loc[lines["column"].isin(made), "low_left_out"].isna().all()
    validation = validate(frame, study.lock, groups.labels)
    tables = package(study, Checks(groups, tests=tests), validation, "a.csv", OFF).tables
    ends = ("low", "high", "second low", "second high")
    for name, table in tables.items():
        has_interval = [one for one in table if one in ends or "interval" in one]
        of = next((one for one in ("column", "Column") if one in table), None)
        assert not has_interval or not made & set(table[of]), name
