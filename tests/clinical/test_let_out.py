"""Two reports of one study tell nothing of those who are in one of them only."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from core import infer_schema
from core.clinical.checks import Checks
from core.clinical.releases import Refused
from core.clinical.report import package
from core.clinical.seen_rows import SeenRows
from core.clinical.study import Plan, Study
from core.clinical.subgroups import find_subgroups
from core.clinical.t_test_lines import TTests
from core.clinical.validation import validate
from tests.clinical.run_study import Work

RANDOM = np.random.default_rng(3)


@pytest.fixture(scope="module")
def frame():
    """Two groups; 20 of the second lack an age, and of those and one more a weight is missing."""
    group = np.repeat([0, 1], [110, 90])
    frame = pd.DataFrame({f"x{j}": 9.0 * group + RANDOM.normal(size=200) for j in range(3)})
    frame["died"] = np.arange(200) % 3 == 0
    frame["age"], frame["weight"] = RANDOM.normal(60, 9, 200), RANDOM.normal(80, 9, 200)
    away = np.flatnonzero(group)[:21]
    frame.loc[away[:20], "age"] = np.nan
    frame.loc[away, "weight"] = np.nan
    return frame


def report(study, frame, covariates=(), least=5, earlier=(), made=("x0", "x1", "x2")):
    schema = infer_schema(frame)
    for name in frame:
        schema = schema.with_column(name, role="cluster" if name in made else "validator")
    study.unlock()
    study.lock_in(frame, schema, Plan(restarts=1, covariates=covariates))
    groups = find_subgroups(frame, study.lock, Work())
    tests = TTests.of(frame, study.lock, groups)
    about = Checks(groups), validate(frame, study.lock, groups.labels), "t.csv", (), least, tests
    return package(study, *about, earlier=earlier)


def test_of_one_patient_s_outcome_in_two_reports_the_second_is_refused(frame):
    """Of nested covariates: deaths of 70 complete cases less those of 69 are one patient's."""
    study = Study()
    first = report(study, frame, ("age",))
    assert first.tables["adjusted"]["Complete cases"].str.contains("110 and 70").any()
    with pytest.raises(Refused, match=r"of 1 patient in whom they differ.*Keep the table"):
        report(study, frame, ("age", "weight"))
    assert len(study.let_out) == 1
    report(Study(), frame, ("age", "weight"))  # by itself it may leave
    # Nor when the study was put away in between.
    again = Study.from_dict(json.loads(json.dumps(study.to_dict())))
    with pytest.raises(Refused):
        report(again, frame, ("age", "weight"))


def test_more_may_differ_but_not_where_few_of_them_died(frame):
    """Ten more have an age in the second report, of whom two died."""
    away = np.flatnonzero(frame["age"].isna())
    own = frame.assign(weight=frame["age"])
    own.loc[away[:10], "weight"] = 80.0
    own["died"] = np.arange(200) % 2 == 0
    study = Study()
    report(study, own, ("weight",))
    report(study, own, ("age",))
    own.loc[away[:10], "died"] = False
    own.loc[away[:2], "died"] = True
    own.loc[away[10:20], "died"] = np.arange(10) % 2 == 0
    study = Study()
    report(study, own, ("weight",))
    with pytest.raises(Refused, match="a count below 5 among the 10 patients"):
        report(study, own, ("age",))


def test_the_same_report_leaves_again_under_any_threshold_and_an_old_project_opens(frame):
    study = Study()
    for least in (10, 5, 10):
        report(study, frame, ("age",), least)
    assert [one.least for one in study.let_out] == [10, 5]
    saved = study.to_dict()
    restored = Study.from_dict(json.loads(json.dumps(saved)))
    assert [one.to_dict() for one in restored.let_out] == saved["let out"]
    del saved["let out"]
    assert Study.from_dict(saved).let_out == []


@pytest.mark.parametrize("change", ["a row less", "a cell edited", "a column more", "other rows"])
def test_a_table_that_differs_in_one_patient_is_known_again_in_the_same_visit(frame, change):
    study, seen = Study(), SeenRows()
    report(study, frame, ("age",))
    seen.add(frame, study.let_out)
    again = frame.drop(index=150).reset_index(drop=True)
    if change == "a cell edited":
        again = frame.copy()
        again.loc[150, "died"] = not frame.loc[150, "died"]
    elif change == "a column more":
        again = frame.assign(new=RANDOM.normal(size=200)).sample(frac=1.0, random_state=0)
        again = again.reset_index(drop=True)
    elif change == "other rows":
        again = frame + 0.0
        again["x0"] += RANDOM.normal(size=200)
        again[["age", "weight"]] += 1.0
        again["died"] = frame["died"]
    earlier = seen.earlier(again)
    assert len(earlier) == (0 if change == "other rows" else 1)
    if change in ("a row less", "a cell edited"):
        with pytest.raises(Refused, match=r"of [12] patients? in whom they differ"):
            report(Study(), again, ("age",), earlier=earlier)
    else:
        assert (earlier == []) or (earlier[0].places >= 0).all()
        report(Study(), again, ("age",), earlier=earlier)


def test_groups_made_of_other_columns_that_differ_in_few_patients_are_refused(frame):
    study, moved = Study(), frame.assign(y0=frame["x0"], y1=frame["x1"])
    moved.loc[[120, 130], ["y0", "y1"]] = 0.0
    report(study, moved)
    with pytest.raises(Refused, match="of 2 patients in whom they differ"):
        report(study, moved, made=("y0", "y1"))
