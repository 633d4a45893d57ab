"""A patient who is not in the cohort."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core import SchemaError, infer_schema
from core.clinical.bedside import make_form
from core.clinical.new_patient import NONE, answer, choices, place_row, read_answer
from core.clinical.paper_form import paper_form
from tests.clinical.run_study import study_of
from tests.clinical.two_cohorts import cohort_of

KNOWN = {"gait": 26.0, "sleep": 50.0, "tremor": "yes", "falls": 11.0, "noise": 0.1}


@pytest.fixture(scope="module")
def study():
    frame = cohort_of((80, 60, 50), 1).drop(columns=["score", "died"])
    return study_of(frame, infer_schema(frame), restarts=4)


@pytest.fixture(scope="module")
def form(study):
    return make_form(study[1])


def test_a_patient_like_a_group_is_put_there_and_one_like_none_is_not(form):
    like = answer(form, KNOWN)
    assert like.title == "Group 3"
    assert like.probabilities.sum() == pytest.approx(1.0)
    assert like.n_right <= like.n_like <= 50
    assert "Of 10 patients who were told this" in like.sentence
    far = answer(form, KNOWN | {"sleep": 5.0})
    assert far.title == NONE
    assert "No patient of the cohort has such a value of sleep" in far.warnings[0]
    # Most patients of a group that it was not taught are told that they are in none.
    n, away = form.untaught
    assert n == 190
    assert away > 0.6 * n
    assert (form.trial.called == len(form.kept)).mean() < 0.02


def test_what_is_not_known_says_nothing(form, study):
    """The model's own probabilities with the other columns missing, exactly."""
    one = answer(form, {"gait": 18.0})
    assert (one.n_answered, one.n_asked) == (1, len(form.columns))
    row = pd.DataFrame(
        {"gait": [18.0], "sleep": np.nan, "tremor": None, "falls": np.nan, "noise": np.nan}
    )
    np.testing.assert_allclose(one.probabilities, study[1].model.predict_proba(row)[0], atol=1e-9)
    nothing = answer(form, {})
    sizes = np.append(study[1].sizes, 3.0)
    np.testing.assert_allclose(nothing.probabilities, sizes / sizes.sum())


@pytest.mark.parametrize(
    ("column", "text", "value"),
    [("gait", "12,5", 12.5), ("gait", " 12.5 ", 12.5), ("falls", "3", 3.0), ("gait", " ", None)],
)
def test_numbers_are_read_as_people_type_them(form, column, text, value):
    assert read_answer(form, _question(form, column), text) == value


@pytest.mark.parametrize(
    ("column", "text", "words"),
    [
        ("gait", "abc", "is no number"),
        ("gait", "1,234", "could be 1234 or 1.234"),
        ("falls", "2,5", "whole number of 0 or more"),
        ("falls", "-1", "whole number of 0 or more"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(form, column, text, words):
    with pytest.raises(SchemaError, match=words):
        read_answer(form, _question(form, column), text)


def test_levels_are_chosen_in_the_table_s_words(form):
    assert choices(form, _question(form, "tremor")) == {"no": "no", "yes": "yes"}
    assert choices(form, _question(form, "gait")) == {}


def test_a_whole_row_is_placed_by_the_whole_model(study):
    row = pd.DataFrame({name: [value] for name, value in KNOWN.items()})
    placed = place_row(study[1], row)
    assert placed.titles[placed.named] == "Group 3"
    assert placed.stranger > 0.1
    assert list(placed.reasons["value"][placed.reasons["column"] == "gait"]) == ["26"]
    assert place_row(study[1], row.assign(sleep=5.0)).titles[-1] == NONE
    with pytest.raises(SchemaError, match="gait"):
        place_row(study[1], row.drop(columns="gait"))


def test_the_sheet_has_boxes_points_and_no_exact_figure(form, study):
    page = paper_form(form, study[0].lock, "A & <b>.csv")
    assert "A &amp; &lt;b&gt;.csv" in page
    assert "not for diagnosis or treatment" in page
    assert page.count("\u2610") == sum(len(question.words) for question in form.asked)
    assert "src=" not in page
    assert "http" not in page.replace("http-equiv", "")
    crossed = form.on_paper.confusion
    for k in range(3):
        exact = f"{100 * crossed[k, k] / crossed[k].sum():.1f}"
        assert exact == "100.0" or exact not in page


def test_a_group_whose_size_tells_that_of_a_small_one_has_no_figures_on_the_sheet():
    """Beside three patients in no group, the smaller of two sizes is hidden, too."""
    frame = cohort_of((45, 40, 3), 0)
    study, groups = study_of(frame, infer_schema(frame), restarts=2)
    form = make_form(groups)
    assert len(form.kept) == 2
    page = paper_form(form, study.lock, "a.csv")
    line = page[page.index("How often that is right") :].split("<tr>")
    assert "Group 1" in line[2]
    assert "hidden" not in line[2]
    assert line[3].count("hidden") == 2


def _question(form, column: str):
    return next(question for question in form.questions if question.name == column)
