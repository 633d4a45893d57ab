"""The Teach page: its lessons say what happens, its script gives the labels of its panels."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import ADDRESSES
from mapdp_studio.core.teaching.lessons import LESSONS
from mapdp_studio.core.teaching.steps import procedures
from mapdp_studio.core.wording import unbroken
from mapdp_studio.demo_datasets import GENERATED, START_ROWS, TAUGHT
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.settings import CONCENTRATIONS, PENALTIES
from mapdp_studio.pages.parts.teach.controls import (
    BIC,
    LAMBDA,
    N_0,
    N_ROWS,
    ROWS,
    SCENARIO,
    SEED,
    STOP,
    VIEW,
    VIEWS,
    K,
    controls,
    keyed,
    last_stop,
    set_at,
)
from mapdp_studio.pages.parts.teach.script import scenario_script
from mapdp_studio.pages.parts.teach.settings import shared_results
from mapdp_studio.pages.parts.teach.stage import Stage
from tests.classroom import room
from tests.pages.conftest import until


def test_every_stop_sets_what_is_there():
    assert list(LESSONS) == list(TAUGHT)
    known = {*controls()}
    for key, stops in LESSONS.items():
        for number, stop in enumerate(stops, start=1):
            sets = set_at(key, str(number))
            assert set(sets) <= known
            assert keyed(stop.sets).items() <= sets.items()
            if key in GENERATED:
                knob = GENERATED[key].knob
                assert knob.low <= sets[knob.name] <= knob.high
            assert sets[N_0] in CONCENTRATIONS
            assert sets[N_ROWS] in ROWS
            assert sets.get(LAMBDA, PENALTIES[0]) in PENALTIES
            assert sets["walk"] in procedures()


def test_a_stop_s_row_is_ringed_and_axes_are_alike_or_have_names():
    named = Stage(1200, is_projected=True)
    for key, stops in LESSONS.items():
        for number, stop in enumerate(stops, start=1):
            assert ("row" in stop.sets) == ("ringed" in f"{stop.question} {stop.answer}")
            assert stop.asks_of_row == ("ringed" in stop.question)
            sets = set_at(key, str(number))
            knobs = [GENERATED[key].knob.name] if key in GENERATED else []
            view = room(key, 150, **{name: sets[name] for name in knobs}).view
            # Income beside age, and flavanoids beside a colour.
            assert named.has_axes(view) == (key in ("units", "wine"))


def test_the_script_gives_the_panels_labels_in_a_fresh_process(run, ellipses):
    here, results = ellipses
    for algorithm in ("MAPDP", "CollapsedGibbs"):
        text = scenario_script(here, algorithm)
        assert len(text.splitlines()) <= 19
        np.testing.assert_array_equal(run(text), results.get(here.tasks[algorithm]).labels_)


PLAIN = {"scenario": "5.2", "rows": "150", "n0": "10", "lambda": "0.5", "k": "4"}
PLAIN |= {"bic": "true", "seed": "7"}


def visit(**asked: str) -> AppTest:
    at = AppTest.from_file(str(Path(__file__).parents[2] / "pages" / "teach.py"))
    at.session_state["studio"] = Session()
    at.query_params.update(asked)
    at.run(timeout=60)
    assert not at.exception
    return at


@pytest.mark.usefixtures("ready")
def test_an_address_says_where_the_sliders_stand_under_compare_s_names():
    at = visit(**PLAIN)
    stand = {
        SCENARIO: "5.2",
        N_ROWS: 150,
        N_0: 10.0,
        LAMBDA: 0.501,
        K: 4,
        BIC: True,
        SEED: 7,
    }
    assert stand == {key: at.session_state[key] for key in stand}
    assert at.query_params == PLAIN | {"lambda": "0.501"}
    assert {*at.query_params} - {"scenario", "rows"} <= {*ADDRESSES.values()}


@pytest.mark.usefixtures("ready")
def test_an_address_with_numbers_as_they_are_shown_or_with_none_at_all():
    at = visit(rows="1,000", n0="never", k="99", scenario="9.9", **{"lambda": "-1"})
    assert at.session_state[N_ROWS] == 1000
    assert at.session_state[N_0] == 3.0
    assert at.query_params["rows"] == "1000"
    assert {*at.query_params} == {"rows"}


@pytest.mark.usefixtures("ready")
def test_sliders_are_in_the_address_and_the_way_back_moves_them(monkeypatch):
    at = visit(rows="150")
    at.select_slider(key=N_0).set_value(100.0).run(timeout=60)
    assert at.query_params["n0"] == "100"
    at.select_slider(key=N_0).set_value(0.1).run(timeout=60)
    del at.query_params["n0"]  # as a browser asks that has heard of neither
    at.run(timeout=60)
    assert at.session_state[N_0] == 0.1
    assert at.query_params["n0"] == "0.1"
    monkeypatch.setattr("mapdp_studio.pages.parts.teach.controls.is_new_here", lambda: True)
    del at.query_params["n0"]
    at.run(timeout=60)
    assert at.session_state[N_0] == 3.0
    at.select_slider(key=N_0).set_value(0.1).run(timeout=60)
    at.query_params.clear()  # as on a visit to another page
    at.run(timeout=60)
    assert at.session_state[N_0] == 0.1
    assert at.query_params["n0"] == "0.1"


@pytest.mark.parametrize("key", TAUGHT)
def test_the_address_of_every_stop_leads_to_its_controls(key):
    for number, _ in enumerate(LESSONS[key], start=1):
        at = at_address(scenario=key, lesson=str(number))
        wanted = set_at(key, str(number))
        assert {name: at.session_state[name] for name in wanted} == wanted
        assert at.session_state[SCENARIO] == key


def test_what_an_address_names_goes_before_what_its_stop_sets():
    at = at_address(lesson="2", rows="150", scenario="shapes")
    assert (at.session_state[N_ROWS], at.session_state[K]) == (150, 2)
    assert at.session_state["ring_share"] == 1.0
    answered = at_address(lesson="Question", prediction="1", scenario="shapes")
    assert answered.session_state[STOP] == last_stop("shapes")
    assert answered.session_state[N_ROWS] == set_at("shapes", last_stop("shapes"))[N_ROWS]
    assert at_address(lesson="9").session_state[N_ROWS] == START_ROWS


@pytest.mark.parametrize(
    "asked",
    [{"view": "One derivation", "switches": "2"}, {"view": "Tables", "experiment": "KJ12"}],
)
def test_a_link_to_a_view_that_is_gone_opens_the_page_without_it(asked):
    at = at_address(scenario="5.2", **asked)
    assert (at.session_state[VIEW], at.session_state[SCENARIO]) == (VIEWS[0], "5.2")


@pytest.mark.usefixtures("ready")
def test_the_answer_is_not_seen_before_a_prediction_and_a_class_shares_it():
    """It is worked out while the class thinks, once."""
    shared_results.clear()
    asked = {"scenario": "wine", "lesson": "2"}
    at, stop = visit(**asked), LESSONS["wine"][1]
    said = " ".join(one.value for one in [*at.markdown, *at.caption])
    assert unbroken(stop.question) in said
    assert unbroken(stop.answer) not in said
    until = time.monotonic() + 60
    while time.monotonic() < until and len(shared_results().fitted) < len(METHODS.first):
        time.sleep(0.05)
    fitted = dict(shared_results().fitted)
    assert fitted == dict.fromkeys(METHODS.first, 1)
    answered = visit(**asked, prediction="2")
    said = " ".join(one.value for one in answered.markdown)
    assert unbroken(f"Not “{stop.choices[1]}” but “{stop.rightly}”") in said
    assert unbroken(stop.answer) in said
    visit(**asked, prediction="1")
    assert shared_results().fitted == fitted
    assert answered.query_params == asked | {"prediction": "2"}


@pytest.mark.usefixtures("ready")
def test_the_panels_are_drawn_under_the_model_that_the_table_chose():
    at = visit(scenario="dependence", lesson="3", prediction="2")
    until(at, lambda at: at.session_state["shown_tasks"]["MAPDP"].columns[1])
    tasks = at.session_state["shown_tasks"]
    blocks = tasks["MAPDP"].columns[1]
    assert [block.columns for block in blocks] == [("x", "y")]
    assert shared_results().get(tasks["MAPDP"]).n_clusters_ == 3


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("width", [640, 1200])
def test_the_published_algorithm_stands_beside_or_below_on_pages_of_any_width(width):
    at = AppTest.from_file(str(Path(__file__).parents[2] / "pages" / "teach.py"))
    at.session_state["studio"], at.session_state["page_width_told"] = Session(), width
    at.query_params.update({"scenario": "5.1", "rows": "600", "published": "true"})
    at.run(timeout=60)
    assert not at.exception
    assert "The published algorithm" in [one.value for one in at.subheader]


def test_a_row_is_asked_about_while_no_method_has_run(monkeypatch):
    monkeypatch.setattr("mapdp_studio.pages.parts.teach.watch.row_costs", lambda *_: [])
    at = visit(scenario="5.1", row="3")
    assert not at.exception
    assert "What do they weigh for row 3?" in [one.value for one in at.subheader]
    assert "No method has run yet: there is nothing to weigh." in [c.value for c in at.caption]


@pytest.mark.parametrize(("k", "then"), [(None, 2), (3, 2), (5, 5)])
def test_another_data_set_brings_its_k_unless_k_was_moved(k, then):
    def leave() -> None:
        from mapdp_studio.pages.parts.teach.lesson import leave_lesson

        leave_lesson("5.1")

    at = AppTest.from_function(leave)
    at.session_state[SCENARIO], at.session_state[STOP] = "shapes", "2"
    if k is not None:
        at.session_state[K] = k
    at.run()
    assert (at.session_state[K], at.session_state[STOP]) == (then, None)
    assert at_address(scenario="shapes").session_state[K] == 2


def test_a_lesson_stays_where_the_control_of_its_data_set_was_only_drawn_otherwise():
    def leave() -> None:
        from mapdp_studio.pages.parts.teach.lesson import leave_lesson

        leave_lesson("shapes")

    at = AppTest.from_function(leave)
    at.session_state[SCENARIO], at.session_state[STOP] = "shapes", "2"
    assert at.run().session_state[STOP] == "2"


def at_address(**asked: str) -> AppTest:
    """What the page's state is after an address was read."""
    at = AppTest.from_function(read_address)
    at.query_params.update(asked)
    at.run()
    assert not at.exception
    return at


def read_address() -> None:
    from mapdp_studio.pages.parts.teach.controls import follow_address

    follow_address()
