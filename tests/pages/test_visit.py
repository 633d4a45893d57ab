"""A visit: undo, settings, snapshots, links, projects, forgetting: nothing is lost or left."""

import sys

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import app
from mapdp_studio.core import ReadOptions
from mapdp_studio.core.clinical.lock import Plan
from mapdp_studio.core.exports.settings_file import save_settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.session.project_file import save_project
from mapdp_studio.core.session.table import Table, example_digest
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.data import source
from mapdp_studio.pages.parts.shared.loading import read_example
from tests.pages.conftest import framed, in_store, page, press, run, studio_of, until, words

pytestmark = pytest.mark.usefixtures("ready")
RANDOM = np.random.default_rng(11)
GROUP = np.repeat([0, 1, 2], 20)
FRAME = pd.DataFrame(
    {
        "patient": [f"=P{i}" for i in range(60)],
        "height": RANDOM.normal(160.0, 3.0, 60) + 15.0 * GROUP,
        "weight": RANDOM.normal(60.0, 3.0, 60) + 12.0 * GROUP,
        "kind": np.array(["a", "b", "c"])[GROUP],
    }
)
FRAME.loc[::7, "height"] = np.nan
ALL = ("snapshots", "views", "missing", "new_rows", "take_away", "compare", "clusters", "stability")


@pytest.fixture
def studio() -> Session:
    return studio_of(FRAME, source=FRAME.to_csv(index=False).encode(), options=ReadOptions())


@pytest.mark.parametrize("name", ALL)
def test_without_a_table_no_page_fails_and_most_lead_to_one(name):
    at = framed(name, Session())
    assert "Something went wrong" not in words(at)
    assert name == "new_rows" or any(button.label == "Go to Data" for button in at.button)


def test_decisions_are_undone_and_done_again_and_sliders_stay(studio):
    at = framed("compare", studio)
    run(at.select_slider(key="n0").set_value(10.0))
    run(at.slider(key="k").set_value(5))
    assert at.button(key="undo").disabled  # sliders belong to the address
    suggested = studio.settings.penalty
    studio.change({"weight": {"role": "ignore"}})
    run(at)
    assert (studio.history.steps[-1], studio.settings.penalty == suggested) == (1, False)
    for key, role in (("undo", "cluster"), ("redo", "ignore"), ("undo", "cluster")):
        run(at.button(key=key).click())
        assert studio.schema["weight"].role == role
        assert (studio.settings.concentration, studio.settings.n_clusters) == (10.0, 5)
    studio.work.turn_to(studio.history.go(1))  # the first of two presses on a busy page
    run(at.button(key="redo").click())
    assert studio.schema["weight"].role == "ignore"
    studio.naming[studio.work.tasks()["MAPDP"]] = Naming(names={0: "tall"})
    run(run(at).button(key="undo").click())
    assert studio.naming == {}
    run(at.button(key="forget").click())
    assert at.session_state["studio"] is studio  # so is it in every tab that shows the visit
    assert (studio.table, studio.history.states) == (None, [])
    for key in ("lambda", "lambda_about", "n0", "shown_tasks"):
        assert key not in at.session_state


def test_settings_saved_are_taken_up_again_by_the_same_table_alone(studio):
    at = framed("compare", studio)
    run(at.select_slider(key="n0").set_value(10.0))
    studio.change({"weight": {"transform": "log"}})
    studio.algorithm = "DPMeans"
    text = save_settings(run(at).session_state["studio"].work.saved())

    def take() -> None:
        import streamlit as st

        from mapdp_studio.pages.parts.data.source import is_settings, open_settings

        assert is_settings(st.session_state["text"])
        open_settings(st.session_state["text"])

    other, fresh = studio_of(FRAME), AppTest.from_function(take, default_timeout=60)
    fresh.session_state["studio"], fresh.session_state["text"] = other, text.encode()
    run(fresh)
    for name in ("schema", "settings", "algorithm"):
        assert getattr(other, name) == getattr(studio, name)
    assert other.algorithm == "DPMeans"
    assert other.notices == ["The settings saved with table.csv are in use now."]
    at = framed("compare", other)
    stands = at.select_slider(key="n0").value, at.select_slider(key="lambda").value
    assert stands == (10.0, studio.settings.penalty)
    csv = FRAME.to_csv(index=False).encode()
    locked = studio_of(FRAME, source=csv, options=ReadOptions(decimal="."))
    locked.study.lock_in(FRAME, locked.schema, Plan())
    for another, said in (
        (locked, "roles are locked"),  # of which the file would be read otherwise
        (studio_of(FRAME.rename(columns=str.upper)), "another table"),
        (Session(), "load 'table.csv' first"),
    ):
        fresh.session_state["studio"], before = another, another.schema
        run(fresh)
        assert said in another.failure
        assert another.schema is before


def test_snapshots_stand_side_by_side(studio):
    at = framed("snapshots", studio)
    for name in ("with ![x](http://a/b)", "without"):
        until(at, lambda at: at.text_input)
        at.text_input[0].set_value(name)
        press(at, "Keep it")
        studio.change({"weight": {"role": "ignore"}})
        run(at)
    assert list(studio.snapshots) == ["with ![x](http://a/b)", "without"]
    assert "without weight" in words(at)
    assert {metric.label for metric in at.metric} == {"ARI", "AMI", "Rows apart"}


@pytest.mark.parametrize(
    ("asked", "said", "n"),
    [
        ({"scenario": "5.2", "rows": "300"}, {"scenario": "5.2", "rows": "300"}, 300),
        ({"scenario": "Unequal radii", "rows": "1"}, {"scenario": "5.1", "rows": "150"}, 150),
        ({"example": "iris", "rows": "300"}, {"example": "iris"}, 150),
        # As in links of earlier versions.
        ({"example": "5.1", "rows": "600"}, {"scenario": "5.1", "rows": "600"}, 600),
    ],
    ids=["as on Teach", "title", "table", "earlier"],
)
def test_a_link_opens_its_example_with_its_sliders(asked, said, n):
    at = page("compare", studio := Session(), **asked, n0="10", **{"lambda": "100"})
    assert studio.table.example in (*said.values(),)
    assert len(studio.table.frame) == n
    assert (studio.settings.concentration, studio.settings.penalty) == (10.0, 100.0)
    assert {k: v for k, v in at.query_params.items() if k in {*asked, *said}} == said


def test_a_link_to_an_example_takes_another_one_s_place_and_no_table_of_one_s_own(studio):
    own = studio.table
    at = page("compare", studio, scenario="5.2", rows="300")
    assert studio.table is own
    assert "scenario" not in at.query_params
    shown = Session()
    page("compare", shown, example="iris")
    page("compare", shown, scenario="5.2", rows="300")
    assert (shown.table.example, len(shown.table.frame)) == ("5.2", 300)
    drawn, work = shown.table, shown.work
    page("compare", shown, scenario="5.2", rows="300")
    assert (shown.table, shown.work) == (drawn, work), "a reload loses what was decided"
    shown.study.lock_in(drawn.frame, drawn_schema := shown.schema, Plan())
    page("compare", shown, example="iris")
    assert (shown.table, shown.schema) == (drawn, drawn_schema), "a locked study stays"


def test_the_glossary_is_searched():
    at = framed("about", Session())
    run(at.text_input(key="word").set_value("lambda"))
    assert "λ (lambda)" in at.markdown[0].value
    assert "Jaccard" not in at.markdown[0].value


def opened(content: bytes, studio: Session | None = None) -> AppTest:
    """A fresh visit, or one with a table, that opens a project on Compare."""

    def script() -> None:
        import runpy

        import streamlit as st

        from mapdp_studio.pages import frame, session
        from mapdp_studio.pages.parts.data.source import open_project

        with frame():
            if "content" in st.session_state:  # a project is opened once
                open_project(st.session_state.pop("content"))
            if session().table is not None:
                runpy.run_path("pages/compare.py")

    at = AppTest.from_function(script, default_timeout=60)
    at.session_state["content"] = content
    at.session_state["lambda_about"] = "the table before"
    if studio is not None:
        at.session_state["studio"] = studio
    return run(at)


def test_a_project_is_the_same_page_in_another_visit(studio, monkeypatch):
    handed_out = []
    monkeypatch.setattr(source.kit, "download", lambda *given, **looks: handed_out.append(given))
    at = framed("compare", studio)
    at.select_slider(key="n0").set_value(10.0)
    at.select_slider(key="lambda").set_value(100.0)
    run(at.slider(key="k").set_value(5))
    studio.marked = np.array([2, 5])
    task = studio.work.tasks()["MAPDP"]
    studio.naming[task] = Naming(((0, 1),), {0: "tall"})
    studio.study.lock_in(studio.table.frame, studio.schema, Plan())
    before = studio.results.get(task)
    run(at)
    _, make, name, _ = handed_out[-1]
    assert name == "table.mapdp"
    shown = opened(make())
    other = shown.session_state["studio"]
    assert other.settings == studio.settings
    assert other.study.lock == studio.study.lock
    assert (shown.select_slider(key="n0").value, shown.slider(key="k").value) == (10.0, 5)
    assert shown.select_slider(key="lambda").value == at.select_slider(key="lambda").value
    (again,) = other.results._kept["fit of MAPDP"]
    np.testing.assert_array_equal(in_store(other.results, "fit of MAPDP").labels_, before.labels_)
    assert "tall" in other.naming[again].apply(before.labels_).titles
    np.testing.assert_array_equal(other.marked, [2, 5])


def test_a_project_that_is_damaged_leaves_the_table_in_place(studio):
    content = save_project(studio.work)
    at = opened(content[:-30], studio)
    assert at.session_state["studio"].table is studio.table
    assert "damaged" in studio.failure


@pytest.mark.parametrize("example", [("iris",), ("5.2", 300)], ids=["table", "scenario"])
def test_an_example_comes_back_as_the_example(example):
    studio = Session()
    frame, schema = read_example(*example)
    studio.take(Table(frame, "Example", example_digest(example[0], len(frame))), schema)
    studio.rename({frame.columns[0]: "first"})
    content = save_project(studio.work)
    table = opened(content).session_state["studio"].table
    assert (table.example, len(table.frame)) == (example[0], len(frame))
    assert table.digest == studio.table.digest
    assert table.frame.columns[0] == "first"


def test_the_command_opens_a_project_or_a_table_once(tmp_path, monkeypatch, studio):
    path = tmp_path / "mine.mapdp"
    path.write_bytes(save_project(studio.work))
    called = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda **told: called.append(sys.argv))
    monkeypatch.setattr(sys, "argv", ["mapdp-studio", str(path), "--server.port", "8600"])
    with pytest.raises(SystemExit, match="0"):
        app.main()
    assert called[0][1:2] + called[0][3:] == ["run", "--server.port", "8600", "--", str(path)]

    def script() -> None:
        import streamlit as st

        from mapdp_studio.pages.parts.data.source import open_once

        st.session_state["was_opened"] = open_once(st.session_state["path"])

    def stopped(content: bytes) -> None:
        monkeypatch.setattr(source, "open_project", in_full)
        st.stop()

    in_full = source.open_project
    monkeypatch.setattr(source, "open_project", stopped)
    at = AppTest.from_function(script, default_timeout=60)
    at.session_state["path"], at.session_state["tab_key"] = str(path), "x"
    assert run(at).session_state["studio"].table is None  # a click meanwhile ends the run
    assert run(at).session_state["studio"].table.name == "table.csv"
    at.session_state["studio"] = Session()
    assert run(at).session_state["studio"].table is None  # forgotten: it is not opened again
    at.session_state["path"] = str(tmp_path / "mine.csv")
    (tmp_path / "mine.csv").write_text("a,b\n1,2\n3,5\n4,4\n")
    at.session_state["tab_opened"] = False
    studio = run(at).session_state["studio"]
    assert (studio.table.name, studio.asks_table) == ("mine.csv", True)
    assert at.session_state["was_opened"], "which leads to Data"
    assert not run(at).session_state["was_opened"]
