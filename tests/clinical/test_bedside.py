"""A few questions that give the groups back."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core import infer_schema
from core.clinical.bedside import MOST_COLUMNS, bedside_rule
from tests.clinical.run_study import study_of


def test_five_questions_give_the_cohort_s_groups_back(cohort):
    rule = bedside_rule(cohort["groups"])
    assert len(rule.columns) <= MOST_COLUMNS
    assert rule.accuracy >= 0.85
    assert rule.accuracy > rule.largest + 0.2
    assert 0.5 < rule.balanced_accuracy < rule.accuracy
    crossed = rule.confusion.to_numpy()
    assert np.trace(crossed) / crossed.sum() == rule.accuracy
    assert set(rule.points["Column"]) == {"to start with", *rule.columns}
    assert f"{100 * rule.accuracy:.0f} %" in rule.sentence


def test_columns_that_say_nothing_are_not_asked():
    random, group = np.random.default_rng(0), np.repeat([0, 1], 60)
    frame = pd.DataFrame(random.normal(size=(120, 8)), columns=list("abcdefgh"))
    frame["a"] += 9.0 * group
    frame["b"] -= 9.0 * group
    rule = bedside_rule(study_of(frame, infer_schema(frame), restarts=1)[1])
    assert set(rule.columns) <= {"a", "b"}
    assert rule.accuracy > 0.98


def test_without_two_groups_of_ten_there_is_no_rule(noise):
    assert bedside_rule(noise["groups"]) is None
