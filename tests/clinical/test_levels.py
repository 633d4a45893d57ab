"""A yes/no outcome names the level it counts, wherever it leaves: deaths coded 1 died, 2 lived."""

from __future__ import annotations

import json
import re

import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.clinical.outcomes import overall, printed, validate
from mapdp_studio.core.clinical.report import package
from mapdp_studio.core.clinical.small_counts import OFF
from mapdp_studio.core.clinical.t_tests import Choice, TTests
from tests.clinical.run_study import study_of
from tests.tables.deaths import deaths_frame


@pytest.fixture(scope="module")
def study():
    frame = deaths_frame(missing=0.1)
    schema = infer_schema(frame).with_column("age", role="validator")
    for name in ("tremor", "deaths"):
        schema = schema.with_column(name, family="bernoulli", levels=(2, 1))
    schema = schema.with_column("deaths", role="validator")
    made, groups = study_of(frame, schema, restarts=1, covariates=("age",))
    assert groups.sizes.tolist() == [90, 70]
    return frame, made, groups


def written(study, least: int):
    frame, made, groups = study
    tests = TTests.of(frame, made.lock, groups)
    validation = validate(frame, made.lock, groups.labels)
    return package(made, Checks(groups, tests=tests), validation, "a.csv", least)


def test_every_table_screen_and_export_names_the_level(study):
    frame, made, groups = study
    found = validate(frame, made.lock, groups.labels).validators
    for screen in (printed(found), overall(found, groups.labels, groups.titles)):
        assert "deaths = 1" in screen["Column"].tolist()
    died = printed(found).set_index("Column").loc["deaths = 1", "Second"]
    of_second = frame["deaths"][groups.labels == 1]
    assert died.startswith(f"1: {(of_second == 1).sum()} of {of_second.notna().sum()}")
    lines = TTests.of(frame, made.lock, groups).lines([(0, 1)], Choice()).set_index("column")
    assert "deaths" not in lines.index  # one p-value a column: under Outcomes
    assert lines.loc["tremor", "title"] == "tremor = 1"
    report = written(study, OFF)
    assert "adjusted for age" in report.html
    tables = report.tables
    assert "deaths = 1" in tables["validators"]["column"].tolist()
    assert "tremor = 1" in set(tables["t-tests"]["title"])
    assert {"deaths = 1", "tremor = 1"} <= set(tables["table-1"]["Column"])
    assert "deaths = 1" in tables["adjusted"]["Column"].tolist()
    own = report.html.partition("<script>")[0]
    figures = re.findall(r'<script type="application/json">(.*?)</script>', own, flags=re.DOTALL)
    forest = next(figure for figure in figures if "deaths = 1" in figure)
    assert "more frequent in the first group" in json.dumps(json.loads(forest), ensure_ascii=False)
    bare = own.replace("deaths = 1", "")
    # What is left is the list of cells that are missing.
    assert all("deaths" not in part for part in re.findall(r'"text": ?"[^"]*"', bare))


def test_off_hides_nothing_and_a_threshold_hides_lines(study):
    everything, some = written(study, OFF), written(study, 10)
    assert everything.tables["t-tests"]["n_1"].notna().all()
    assert "not hidden" in everything.html
    hidden = some.tables["t-tests"]["remark"].str.startswith("hidden")
    assert hidden.any()
    assert not hidden.all()
    lines = some.tables["t-tests"]
    assert lines.loc[hidden, ["difference", "t", "g"]].isna().all(axis=None)
    # The line stays, with its p-value and the group that is not small.
    assert lines.loc[hidden, "p"].notna().any()
    assert lines.loc[hidden, ["mean_1", "mean_2"]].notna().any(axis=None)


def test_settings_hold_no_least_and_no_largest_value(study):
    frame = study[0]
    settings = written(study, 5).settings
    assert "reason" not in json.loads(settings)["schema"]["columns"][0]
    for name in ("walk", "stiffness", "age"):
        for end in (frame[name].min(), frame[name].max()):
            assert f"{end:.1f}" not in settings
