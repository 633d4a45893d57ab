"""No small count of patients follows from a printed form for a new patient."""

from __future__ import annotations

import pytest

from core import infer_schema
from core.clinical.bedside import POINTS, TREE, make_form
from core.clinical.paper_form import paper_form
from tests.benchmarks import form_attack
from tests.benchmarks.form_disclosure import table
from tests.clinical.run_study import study_of


@pytest.fixture(scope="module")
def found():
    frame = table("five groups, two of them tiny")
    return study_of(frame, infer_schema(frame), restarts=1)


@pytest.mark.parametrize(("least", "rule"), [(10, POINTS), (20, TREE)])
def test_the_sheet_leaves_as_many_whole_numbers_as_the_threshold(found, least, rule):
    study, groups = found
    form = make_form(groups, least=least)
    assert form.rule_name == rule
    small = list(form_attack.attack_sheet(form, paper_form(form, study.lock, "cohort.csv")))
    assert len(small) > 20
    assert [one for one in small if one[1] < least] == []
