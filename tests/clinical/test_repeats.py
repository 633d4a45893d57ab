"""A table of visits: several rows a patient, a row number first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import SchemaError, infer_schema
from mapdp_studio.core.clinical.checks import Checks, patient_ids
from mapdp_studio.core.clinical.concerns import MARK, Repeats, marked, repeats_of
from mapdp_studio.core.clinical.groups import find_subgroups
from mapdp_studio.core.clinical.outcomes import validate
from mapdp_studio.core.clinical.report import package
from mapdp_studio.core.clinical.small_counts import OFF
from mapdp_studio.core.clinical.study import Lock, Plan, Study
from mapdp_studio.core.clinical.t_tests import TTests
from mapdp_studio.core.exports.tables import as_csv
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.profiling.suggestions import suggestions
from mapdp_studio.core.session.project_file import load_project, save_project
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.session.work import Work
from tests.clinical.run_study import Work as Unwatched
from tests.clinical.run_study import study_of
from tests.clinical.visits import visits


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return visits()


@pytest.fixture(scope="module")
def schema(frame):
    return infer_schema(frame).with_column("relapse", role="validator")


@pytest.fixture(scope="module")
def study(frame, schema):
    made = Study()
    made.lock_in(frame, schema, Plan(restarts=1, purpose="Every patient counts."), as_rows=True)
    return made


def test_a_study_of_visits_is_not_locked_without_a_choice(frame, schema):
    study = Study()
    with pytest.raises(SchemaError, match=r"“id” recurs, [\d,]+ rows belong to 300 patients"):
        study.lock_in(frame, schema, Plan())
    assert study.lock is None
    once = frame.drop_duplicates("id").reset_index(drop=True)
    study.lock_in(once, infer_schema(once), Plan())
    assert study.reservation == ""
    study.lock_in(once, infer_schema(once), Plan(), as_rows=True)
    assert study.lock.repeats is None


def test_one_row_a_patient_by_prepare_counts_patients_everywhere(frame, schema):
    """What Prepare suggests leads to a study, and a report, of 300 patients without reservation."""
    (suggested,) = [s for s in suggestions(frame, schema) if s.step.key == "one row per"]
    assert suggested.step.unit == "id"
    once = Recipe().with_step(suggested.step).apply(frame).frame
    study, groups = study_of(once, infer_schema(once).with_column("relapse", role="validator"))
    assert study.lock.n_rows == groups.labels.size == len(once) == 300
    assert study.lock.repeats is None
    tested = validate(once, study.lock, groups.labels)
    tests = TTests.of(once, study.lock, groups)
    written = package(study, Checks(groups), tested, tests, "visits.csv")
    text = written.html[: written.html.index("<script>")]
    assert "among 300 patients" in text
    assert "Made one row per" in text
    assert f"{len(frame):,} patients" not in text
    assert MARK not in text
    sizes = pd.to_numeric(written.tables["groups"]["Patients"])
    assert sizes.max() == sizes.sum() - sizes.max() == 300  # the line of all, and the groups


def test_the_id_that_recurs_is_the_patients(frame, study):
    assert study.lock.columns("id")[0] == "rownames"
    assert study.lock.repeats == Repeats("id", len(frame), 300, 12)
    assert np.array_equal(patient_ids(frame, study.lock), frame["id"])
    assert Lock.from_dict(study.lock.to_dict()) == study.lock


def test_a_project_of_a_version_that_did_not_ask_is_marked(frame, study):
    old = Study(replace(study.lock, repeats=None))
    assert MARK not in old.reservation
    work = Work(Table(frame, "visits.csv", "1"), study.lock.schema, study=old)
    back = load_project(save_project(work)).work()
    assert back.study.lock == study.lock
    assert back.study.lock.hash == old.lock.hash
    assert MARK in back.study.reservation


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ({"patient": range(60)}, None),
        ({"row": range(60), "patient": np.arange(60) // 2}, "patient"),
        ({"patient": np.arange(60) // 2, "subject visit": range(60)}, "patient"),
        ({"patient visit": range(60), "id": np.arange(60) // 2}, "id"),
        ({"household": np.arange(60) // 10, "id": np.arange(60) // 3}, "id"),
        ({"patient": range(60), "address": np.arange(60) // 2}, None),
        ({"row": range(60), "hospital": np.arange(60) % 4}, None),
        ({"hospital number": np.repeat(np.arange(40), [2] * 20 + [1] * 20)}, "hospital number"),
        ({"id": [None] * 58 + [1, 2]}, None),
        ({"zip": np.arange(60) // 2}, None),
        ({"zip": np.arange(60) // 2, "id": np.arange(60) // 3}, "id"),
        ({"staff id": np.arange(60)[::-1] + 900, "manager id": np.arange(60) // 2}, None),
        ({"order id": np.arange(60)[::-1] + 900, "client id": np.arange(60) // 2}, "client id"),
    ],
)
def test_which_id_is_a_patients(ids, expected):
    frame = pd.DataFrame(ids)
    guessed = infer_schema(frame)
    for name in ids:
        guessed = guessed.with_column(name, role="id", family=None)
    found = repeats_of(frame, guessed)
    assert (found and found.name) == expected


def test_every_p_value_is_marked_and_rows_are_counted_as_rows(frame, study):
    groups = find_subgroups(study.lock.cohort(frame), study.lock, Unwatched())
    assert groups.found_any
    tests = TTests.of(frame, study.lock, groups)
    tested = validate(frame, study.lock, groups.labels)
    # A group of twelve rows may be one patient: with anything hidden no pair would be shown.
    written = package(study, Checks(groups), tested, tests, "visits.csv", OFF)
    for name in ("validators", "t-tests"):
        table = written.tables[name]
        assert table["p"].notna().any()
        assert (table["Note"] == MARK).all()
        assert as_csv(table).decode().count(MARK) == len(table)
    text = written.html[: written.html.index("<script>")]
    for said in (study.reservation, f"{len(frame):,} rows of 300 patients"):
        assert said in text
    assert f"{len(frame):,} patients" not in text
    assert text.count(MARK) == 2  # at the top, and with the methods
    assert MARK in written.settings


def test_a_count_of_rows_is_hidden_that_may_be_of_fewer_patients_than_are_shown(study, frame):
    """Twelve rows may be one patient's: sixty are of five at least."""
    assert study.lock.repeats.rows_of(5) == 60
    groups = find_subgroups(study.lock.cohort(frame), study.lock, Unwatched())
    tested = validate(frame, study.lock, groups.labels)
    tests = TTests.of(frame, study.lock, groups)
    written = package(study, Checks(groups), tested, tests, "visits.csv", 5)
    assert "below 60" in written.sentence or "fewer than 60" in written.sentence
    assert Repeats("id", 9, 3, 4).rows_of(OFF) == OFF


def test_only_tables_of_p_values_are_marked():
    assert (marked(pd.DataFrame({"p_left_out": [0.1, None]}))["Note"] == MARK).all()
    assert "Note" not in marked(pd.DataFrame({"Patients": [1], "Prior": ["x"]}))
