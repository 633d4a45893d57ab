"""The Teach page: its address, how a data set opens, a lecture, a drawing, the numbers."""

from itertools import pairwise

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.teaching.drawing import write_points
from mapdp_studio.core.teaching.lessons import LESSONS
from mapdp_studio.core.teaching.steps import procedures
from mapdp_studio.demo_datasets import GENERATED, TAUGHT
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.controls import CONCENTRATIONS
from mapdp_studio.pages.parts.teach import room
from mapdp_studio.pages.parts.teach.watch import STRIPS
from tests.pages.conftest import press, run, settle, shown, until, words

STOPS = [(key, number) for key, stops in LESSONS.items() for number in range(1, len(stops) + 1)]
PLAIN = {"scenario": "5.2", "rows": "300", "n0": "10", "lambda": "0.5", "k": "4"}
PLAIN |= {"bic": "true", "seed": "7"}


def visit(**asked: str) -> AppTest:
    return shown("teach", Session(), **asked)


def stands(at: AppTest, *names: str) -> list:
    return [at.session_state[room.key_of(name)] for name in names]


def test_every_stop_sets_what_is_there_and_its_address_leads_there():
    for key, number in STOPS:
        sets = room.set_at(key, number)
        assert set(sets) == set(room.controls())
        assert LESSONS[key][number - 1].sets.items() <= sets.items()
        if key in GENERATED:
            knob = GENERATED[key].knob
            assert knob.low <= sets[knob.name] <= knob.high
            if number == 1 and key in ("units", "high"):  # what the lesson shows to fail
                assert sets[knob.name] == knob.default
        assert sets["n0"] in CONCENTRATIONS
        assert sets["rows"] in room.ROWS
        assert {sets["walk"], sets["beside"]} <= {"nothing", *procedures()}
        at = at_address(scenario=key, lesson=str(number))
        assert {name: at.session_state[room.key_of(name)] for name in sets} == sets


def at_address(**asked: str) -> AppTest:
    def read_address() -> None:
        from mapdp_studio.pages.parts.teach.room import follow_address

        follow_address()

    at = AppTest.from_function(read_address)
    at.query_params.update(asked)
    return run(at)


@pytest.mark.parametrize(
    ("asked", "stand"),
    [
        ({"scenario": "5.2", "rows": "1,000"}, {"rows": 1000, "lesson": None, "k": 3}),
        ({"scenario": "shapes"}, {"k": 2, "lesson": None}),
        ({"scenario": "starts"}, {"k": 9, "view": "Step", "walk": "chance", "rows": 600}),
        # As lessons with these numbers show, K-means fails there, and DP-means with it.
        ({"scenario": "units"}, {"lesson": None, "rows": 600, "k": 3, "top_incomes": 4.0}),
        ({"scenario": "high"}, {"lesson": None, "rows": 300, "k": 3, "n_columns": 12.0}),
        ({"lesson": "2", "rows": "150", "scenario": "shapes"}, {"rows": 150, "ring_share": 1.0}),
        ({"lesson": "9"}, {"lesson": None, "rows": 2000}),
        ({"n0": "never", "k": "99", "scenario": "9.9", "lambda": "-1"}, {"n0": 3.0, "k": 3}),
        ({"view": "One derivation", "points": "??"}, {"view": "Watch", "points": None}),
        ({"tolerance": "1"}, {"tolerance": 1.0}),
        ({"scenario": "shapes", "ring_share": "nan", "k": "inf"}, {"ring_share": 0.0, "k": 2}),
        ({"lit": "false", "view": "Restaurant"}, {"lit": False, "view": "Restaurant"}),
    ],
)
def test_an_address_is_read_as_far_as_it_says_something(asked, stand):
    at = at_address(**asked)
    assert {name: at.session_state[room.key_of(name)] for name in stand} == stand


@pytest.mark.usefixtures("small_room")
def test_an_address_says_where_the_sliders_stand_and_the_way_back_and_a_data_set_move_them():
    at = visit(**PLAIN)
    assert stands(at, "rows", "n0", "lambda", "k", "bic", "seed") == [300, 10.0, 0.501, 4, True, 7]
    assert at.query_params == PLAIN | {"lambda": "0.501"}
    assert run(at.select_slider(key=room.key_of("n0")).set_value(0.1)).query_params["n0"] == "0.1"
    del at.query_params["n0"]  # as a browser asks that has not heard of it
    assert run(at).query_params["n0"] == "0.1"
    del at.query_params["n0"]
    at.session_state["page_drawn_before"] = "about"
    assert stands(run(at), "n0") == [3.0]
    at.query_params.clear()  # as on a visit to another page
    assert stands(run(at), "rows", "seed") == [300, 7]
    at = visit(scenario="5.3", rows="300", n0="30", lesson="2", prediction="1")
    assert at.slider(key=room.key_of("outlier_distance")).step == 2.0
    penalty = stands(at, "lambda")
    assert stands(run(at.slider(key=room.key_of("k")).set_value(7)), "lambda") == penalty
    press(at, TAUGHT["none"].title)
    assert stands(at, "scenario", "lesson", "n0", "rows", "k") == ["none", None, 3.0, 150, 3]


@pytest.mark.usefixtures("small_room")
def test_a_lecture_goes_on_over_the_data_sets_and_shows_before_it_does():
    at = press(visit(), "Lesson")
    assert at.query_params["lesson"] == "1"
    order = list(LESSONS)
    for key, following in pairwise(order[:3]):
        stop = LESSONS[key][0]
        assert stands(at, "scenario", "lesson", "prediction") == [key, 1, None]
        assert stop.question in words(at)
        assert stop.answer not in words(at)
        assert f"It is: {stop.rightly}" in words(press(at, "Show"))
        press(at, "Next")
        assert stands(at, "scenario") == [following]
    press(at, "Back")
    assert stands(at, "scenario") == [order[1]]
    press(at, "End")
    assert stands(at, "scenario", "lesson") == [order[1], None]


def test_the_answer_is_not_seen_before_a_prediction_and_a_class_shares_it():
    """It is worked out while the class thinks, once."""
    room.shared_results.clear()
    at, stop = visit(scenario="wine", lesson="1"), LESSONS["wine"][0]
    done = dict.fromkeys(METHODS.first, 1)
    until(at, lambda at: room.shared_results().fitted == done)
    press(at, stop.choices[0])
    assert f"Not “{stop.choices[0]}” but “{stop.rightly}”" in words(at)
    assert stop.answer in words(at)
    assert f"As you said: {stop.rightly}" in words(
        visit(scenario="wine", lesson="1", prediction=str(stop.right + 1))
    )
    assert room.shared_results().fitted == done


@pytest.mark.usefixtures("small_room")
def test_on_a_projector_one_bar_is_left_and_its_data_set_stays_when_it_is_left():
    at = visit(scenario="5.4", projector="true")
    assert not at.title
    press(at, "→")
    assert stands(at, "scenario", "lesson", "projector") == ["5.5", None, True]
    press(at, "Exit")
    assert at.title
    assert stands(at, "scenario", "projector") == ["5.5", False]
    assert run(at).query_params == {"scenario": "5.5"}
    assert {"←", "→", "Exit"} <= {one.label for one in visit(view="Draw", projector="1").button}


def test_the_panels_are_drawn_under_the_model_that_the_table_chose():
    at = visit(scenario="dependence", lesson="2", prediction="2")
    until(at, lambda at: at.session_state["shown_tasks"]["MAPDP"].columns[1])
    task = at.session_state["shown_tasks"]["MAPDP"]
    assert [block.columns for block in task.columns[1]] == [("x", "y")]
    assert room.shared_results().get(task).n_clusters_ == 3


@pytest.mark.usefixtures("small_room")
def test_every_number_is_there_for_every_kind_of_data():
    points = np.random.default_rng(0).normal([[900], [3000]], 200, (2, 60)).reshape(-1, 2)
    drawn = {"points": write_points(points.astype(int))}
    for key, kept in {"5.1": {}, "mixed": {}, room.DRAWN: drawn}.items():
        at = visit(scenario=key, rows="300", numbers="true", row="3", **kept)
        for tab, text in {
            "Scores": "lower is better",
            "Row": "What do they weigh for row 3?",
            "How sure is K?": "MAP-DP finds K",
        }.items():
            at.session_state["teach_tab"] = tab
            assert text in words(settle(run(at))), key


def test_a_drawing_is_kept_in_its_own_visit_has_its_strips_and_is_walked_without_a_truth():
    room.shared_results.clear()
    points = write_points(np.random.default_rng(1).integers(0, 4000, (40, 2)))
    at = visit(scenario=room.DRAWN, points=points, numbers="true")
    assert at.session_state["visit"].teaching.fitted["MAPDP"] == 1
    until(at, lambda at: at.session_state["visit"].jobs._newest[STRIPS].result)
    assert not room.shared_results().fitted
    at = settle(visit(view="Step", scenario=room.DRAWN, points=points, walk="truth"))
    assert not procedures()[stands(at, "walk")[0]].needs_truth
    assert "space plays" in words(at)
