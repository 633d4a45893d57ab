"""The Teach page: its lessons say what happens, its script gives the labels of its panels."""

from __future__ import annotations

import numpy as np
import pytest

from core.methods.settings import Settings
from core.teaching.row_costs import row_costs
from core.teaching.steps import procedures
from demo_datasets import SCENARIOS
from pages.parts.compare.settings import CONCENTRATIONS, PENALTIES
from pages.parts.teach.lessons import BEGINNING, LESSONS
from pages.parts.teach.script import scenario_script
from pages.parts.teach.settings import ROWS
from tests.classroom import agreement, fitted, room


def test_every_stop_sets_what_is_there():
    assert list(LESSONS) == list(SCENARIOS)
    for key, lesson in LESSONS.items():
        knob = SCENARIOS[key].knob
        assert 3 <= len(lesson.stops) <= 4
        for stop in lesson.stops:
            assert set(stop.sets) <= {*BEGINNING, knob.name, "penalty"}
            assert knob.low <= stop.sets.get(knob.name, knob.default) <= knob.high
            assert stop.sets.get("count", 3.0) in CONCENTRATIONS
            assert stop.sets.get("penalty", PENALTIES[0]) in PENALTIES
            assert stop.sets.get("walk", "MAPDP") in procedures()
    assert BEGINNING["rows"] in ROWS


@pytest.mark.parametrize(
    ("key", "knob", "right"),
    [
        ("5.1", {"radius_ratio": 1.0}, True),
        ("5.1", {"radius_ratio": 5.0}, False),
        ("5.2", {"imbalance": 0.0}, True),
        ("5.2", {"imbalance": 1.0}, False),
        ("5.3", {"outlier_distance": 10.0}, True),
        ("5.3", {"outlier_distance": 72.0}, False),
        ("5.4", {"rotation": 60.0}, False),
        ("5.5", {"separation": 1.0}, True),
        ("5.6", {"overlap": 0.4}, True),
        ("5.6", {"overlap": 1.0}, False),
    ],
)
def test_k_means_is_right_or_wrong_where_the_lessons_say(key, knob, right):
    found = agreement(room(key, 2000, **knob))
    assert (found["KMeansBIC"] > 0.9) == right
    assert found["MAPDP"] > 0.87


def test_the_rows_of_the_lessons_are_what_they_say():
    for key, row, said in (
        ("5.1", 14, "The centre of cluster"),
        ("5.2", 65, "against the count term (2.7)"),
        ("5.6", 126, "0.3 nats below"),
    ):
        here = room(key, 2000, Settings(3.0, 5.21, 3, 3, bic=False))
        found = row_costs(fitted(here), here.tasks, here.encoded, row - 1, here.truth.classes)
        assert said in found[2 if key == "5.1" else 0].words
    assert here.truth.classes[row - 1] == 2


def test_the_script_gives_the_panels_labels_in_a_fresh_process(run, ellipses):
    here, results = ellipses
    for algorithm in ("MAPDP", "CollapsedGibbs"):
        text = scenario_script(here, algorithm)
        assert len(text.splitlines()) <= 16
        np.testing.assert_array_equal(run(text), results.get(here.tasks[algorithm]).labels_)
