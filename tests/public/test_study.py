"""A study in one object: the steps of the page, and small counts are hidden in what leaves."""

import re

import numpy as np
import pytest

from mapdp_studio.core import SchemaError, Study
from tests.tables.cohorts import table


def test_the_steps_are_on_record_in_the_order_of_the_page(cohort, no_checks):
    study = Study(cohort, {"visits": "poisson"}, outcomes="died", controls=["pressure"], restarts=1)
    lock = study.lock
    assert (lock.columns("validator"), lock.columns("control")) == (("died",), ("pressure",))
    assert lock.schema["visits"].family == "poisson"
    with pytest.raises(AttributeError, match=r"call run\(\) first"):
        _ = study.groups
    study.run()
    assert not study.groups_seen
    assert study.groups["Patients"].sum() == len(cohort) == study.labels_.size
    assert study.groups_seen
    assert not study.validators_seen
    lines = study.t_tests
    assert {*lines["column"]} == {"age", "visits"}
    assert study.validators_seen
    assert study.verdict.provisional
    study.run()
    assert study.fits_after_validators == 1
    assert "sought once after the validators had been seen" in study.reservation


def test_no_small_count_leaves_with_the_report_nor_with_a_notebook(cohort, no_checks, tmp_path):
    cohort["died"] = np.where(np.arange(60) < 3, "yes", "no")
    study = Study(cohort, outcomes=["died"], restarts=1).run()
    n_1, n_2 = np.bincount(study.labels_)
    assert re.search("yes: [123] of", " ".join(study.outcomes.iloc[0].astype(str)))
    assert "below 10" in study.report(tmp_path / "report.html", least=10)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"{n_1:,}" in page
    assert (
        study.tables(least=10)["table-1"].set_index("Column").loc["died = yes", "All"] == "hidden"
    )
    shown = re.sub("<script.*?</script>", "", page, flags=re.DOTALL)
    assert not any(patient in shown for patient in cohort["patient"])
    _, after_the_time = repr(study).split(" UTC: ")  # a minute may be such a number
    assert not re.search(rf"\b({n_1}|{n_2})\b", after_the_time)


@pytest.mark.parametrize(
    ("name", "schema", "outcomes", "said", "validators"),
    [
        ("gbsg", {}, ["rfstime", "status"], "as a time to an event", ["rfstime"]),
        ("veteran", {}, [], "as a time to an event", ["time"]),  # and made no groups
        ("melanoma", {}, ["status"], "1 is the event, 3 rules it out", ["time"]),
        ("gbsg", {"rfstime": "validator"}, ["status"], "each by itself", ["rfstime", "status"]),
        ("gbsg", {"rfstime": "ignore"}, ["status"], "", ["status"]),
        ("rossi", {}, ["arrest"], "by “week”.*make one its time to the event", ["arrest"]),
    ],
)
def test_a_censored_time_is_no_measurement_without_a_word(
    name, schema, outcomes, said, validators, recwarn
):
    study = Study(table(name), schema, outcomes=outcomes)
    found = [str(warning.message) for warning in recwarn]
    assert [*study.lock.columns("validator")] == validators
    assert len(found) == bool(said)
    assert re.search(said, " ".join(found))
    assert found == [event.what for event in study.log[1:]]
    is_taken = study.lock.schema[validators[0]].event == "status"
    assert is_taken == ("event" in said and name != "rossi")
    assert not is_taken or not {"status", *validators} & {*study.lock.columns("cluster")}


def test_what_cannot_be_a_study_gets_a_sentence(cohort, tmp_path):
    with pytest.raises(SchemaError, match="There is no column 'dead'"):
        Study(cohort, outcomes=["dead"])
    twice = cohort.assign(patient=np.repeat(np.arange(30), 2))
    with pytest.raises(SchemaError, match="A row is not a patient here"):
        Study(twice, {"patient": "id"})
    with pytest.raises(ValueError, match="give preview or full"):
        Study(cohort).run("much")
    with pytest.raises(ValueError, match=r"end it in \.html"):
        Study(cohort).report(tmp_path / "report.pdf")
