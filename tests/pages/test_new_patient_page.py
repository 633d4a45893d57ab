"""A new patient and a second cohort on the Clinical page, without a browser."""

from __future__ import annotations

import pandas as pd
import pytest

from core.clinical.study import SecondTable
from tests.clinical.two_cohorts import cohort_of
from tests.pages.test_clinical_page import COHORT, finish, locked, page_on, press, said, visit


@pytest.fixture(scope="module")
def page(ready):
    roles = {name: {"role": "validator"} for name in ("score", "died")}
    page = locked(page_on(cohort_of((80, 60, 50), 1), roles))
    page.session_state["patient_view"] = "A new patient"
    return page


def _form(page):
    page.session_state["new_patient_how"] = "A few questions"
    page = visit(page, "patient")
    finish(page)
    return page.run()


def _box(page, label: str):
    return next(box for box in page.text_input if box.label == label)


def test_answers_are_typed_and_the_groups_told(page):
    page = _form(page)
    assert "Answer one question or more" in said(page)
    _box(page, "gait").set_value("26,1").run()
    assert "Group 3, with a probability of" in said(page)
    assert "Of 10 patients who were told this" in said(page)
    assert "1 of 3 questions answered" in said(page)
    _box(page, "falls").set_value("2,5").run()
    assert "whole number of 0 or more" in page.error[0].value
    assert "with a probability of" not in said(page)
    page = press(page, "Clear")
    assert not page.error
    assert "Answer one question or more" in said(page)
    assert "The form on paper (HTML, one sheet)" in [
        button.label for button in page.get("download_button")
    ]


def test_the_form_follows_the_threshold_of_the_report(page):
    page.session_state["clinical_least"] = 20
    assert "No count of patients below 20" in said(_form(page))
    page.session_state["clinical_least"] = 5


def test_a_second_cohort_is_searched_on_its_own_when_asked(page):
    table = cohort_of((70, 60, 0, 50), 7)
    page.session_state["studio"].study.second = SecondTable("b.csv", table)
    page.session_state["more_view"] = "A second cohort"
    page = visit(page, "more")
    finish(page)
    assert "found again" not in said(page.run())
    page = press(page, "Search it on its own")
    finish(page)
    page.run()
    finish(page)
    assert "2 of 3 groups were found again" in said(page.run())
    assert "Groups found again (CSV)" in [b.label for b in page.get("download_button")]
    page.session_state["new_patient_how"] = "A whole row"
    assert "What spoke for Group 1" in said(visit(page, "patient"))


def test_too_few_patients_for_a_form_are_said_to_be():
    page = locked(page_on(pd.concat([COHORT[:40], COHORT[-3:]])))
    page.session_state["patient_view"] = "A new patient"
    words = said(visit(page, "patient"))
    assert "No groups found" in words or "A form needs two groups" in words
