"""A form for a new patient, and how often it is right."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from sklearn.model_selection import StratifiedKFold

from core import infer_schema
from core.clinical.bedside import FOLDS, MODEL, POINTS, TREE, make_form
from core.clinical.point_score import MOST_QUESTIONS, PointScore, fit_points
from core.clinical.questions import places_of
from core.clinical.small_tree import fit_tree
from tests.clinical.run_study import study_of


@pytest.fixture(scope="module")
def form(cohort):
    return make_form(cohort["groups"], least=0)


def test_five_questions_give_the_cohort_s_groups_back(form):
    trial = form.trial
    assert len(form.columns) <= MOST_QUESTIONS
    assert trial.accuracy >= 0.84
    assert trial.accuracy > trial.largest + 0.2
    assert set(form.tried) == {POINTS, TREE, MODEL}
    assert trial.accuracy == max(form.tried[form.rule_name].accuracy, form.tried[MODEL].accuracy)
    assert trial.brier < 0.5 * trial.brier_of_shares
    assert f"{100 * trial.accuracy:.0f} %" in form.sentence
    assert set(form.points["Column"]) == {"to start with", *(q.title for q in form.asked)}


def test_the_agreement_is_what_points_added_by_hand_give(form, cohort):
    """Patient by patient and part by part, from points counted in the others."""
    groups, kept = cohort["groups"], list(form.kept)
    places = places_of(form.questions, groups.model.columns_.encoded)
    rows = np.flatnonzero(np.isin(groups.labels, kept))
    labels = np.array([kept.index(k) for k in groups.labels[rows]])
    right, said = 0, np.empty((rows.size, len(kept)))
    parts = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(rows, labels)
    for train, test in parts:
        rule = fit_points(form.questions, places[rows[train]], labels[train], 0, 0)
        tables = [_counted(form, j, places[rows[train]], labels[train]) for j in rule.asked]
        for i in test:
            total = rule.start.copy()
            for table, j in zip(tables, rule.asked, strict=True):
                if places[rows[i], j] >= 0:
                    total = total + table[places[rows[i], j]]
            said[i] = softmax(rule.slope * total)
            right += said[i].argmax() == labels[i]
    assert isinstance(form.rule, PointScore)
    assert form.on_paper.accuracy == pytest.approx(right / rows.size)
    np.testing.assert_allclose(form.on_paper.probabilities[rows, :-1], said)


def _counted(form, j: int, places: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Twice the log odds of every answer to a question against all groups together, rounded."""
    known = places[:, j] >= 0
    n_answers, n_groups = len(form.questions[j].words), len(form.kept)
    counts = pd.crosstab(places[known, j], labels[known])
    counts = counts.reindex(range(n_answers), columns=range(n_groups), fill_value=0) + 0.5
    share = counts / counts.sum()
    return np.rint(
        2 * np.log(share.div(counts.sum(axis=1) / counts.to_numpy().sum(), axis=0))
    ).to_numpy()


def test_probabilities_are_probabilities_and_about_right(form, cohort):
    for trial in form.tried.values():
        np.testing.assert_allclose(trial.probabilities.sum(axis=1), 1.0)
        sure = trial.probabilities.max(axis=1)
        assert sure.mean() == pytest.approx((trial.called == trial.truth).mean(), abs=0.05)
    atypical = np.isin(cohort["groups"].labels, form.kept, invert=True)
    assert (form.trial.truth[atypical] == len(form.kept)).all()
    assert form.trial.confusion.sum() == atypical.size


def test_sensitivity_and_predictive_value_are_wilson_s(form):
    crossed = form.trial.confusion
    table, right = form.of_groups(), int(crossed[0, 0])
    n, z = int(crossed[0].sum()), 1.959963985
    middle = (right + z**2 / 2) / (n + z**2)
    reach = z / (n + z**2) * np.sqrt(right * (n - right) / n + z**2 / 4)
    ends = 100 * right / n, 100 * (middle - reach), 100 * (middle + reach)
    said = "{:.0f} % ({:.0f} % to {:.0f} %)".format(*ends)
    assert table["Sensitivity (95 % interval)"][0] == said
    assert table["Told to be there"][0] == crossed[:, 0].sum()


def test_a_tree_leads_where_its_printed_lines_lead():
    random, group = np.random.default_rng(3), np.repeat([0, 1, 2], 60)
    frame = pd.DataFrame(
        {"a": random.normal(6.0 * (group > 0)), "b": random.normal(6.0 * (group > 1))}
    )
    groups = study_of(frame, infer_schema(frame), restarts=1)[1]
    form = make_form(groups)
    places = places_of(form.questions, groups.model.columns_.encoded)
    tree = fit_tree(form.questions, places, groups.labels, 0, 0)
    said = tree.probabilities(places)
    assert (said.argmax(axis=1) == groups.labels).mean() > 0.9
    lines = tree.lines(form.questions, groups.titles)
    for row in range(0, len(frame), 7):
        at = lines[0]
        while True:
            name, end = at[0].split("?")[0].split(": up to ")
            goal = at[1] if frame.loc[row, name] <= float(end) else at[2]
            if not goal.startswith("question"):
                break
            at = lines[int(goal.split()[1]) - 1]
        assert goal.startswith(groups.titles[said[row].argmax()])


def test_columns_that_say_nothing_are_not_asked():
    random, group = np.random.default_rng(0), np.repeat([0, 1], 60)
    frame = pd.DataFrame(random.normal(size=(120, 8)), columns=list("abcdefgh"))
    frame["a"] += 9.0 * group
    frame["b"] -= 9.0 * group
    form = make_form(study_of(frame, infer_schema(frame), restarts=1)[1])
    assert set(form.columns) <= {"a", "b"}
    assert form.trial.accuracy > 0.98


def test_without_two_groups_large_enough_there_is_no_form(noise, cohort):
    assert make_form(noise["groups"]) is None
    # Twenty patients or more each where counts below ten are hidden.
    assert make_form(cohort["groups"], least=10).kept == (0, 1, 2)
    assert make_form(cohort["groups"], least=20).kept == (0, 1)
