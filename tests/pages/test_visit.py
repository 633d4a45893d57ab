"""A visit: undo, settings, snapshots, links, projects, forgetting: nothing is lost or left."""

import sys
from dataclasses import replace

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
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.data import source
from tests.pages.conftest import drawn, framed, page, press, run, until, visit_of, words

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
def visit() -> Session:
    return visit_of(FRAME, source=FRAME.to_csv(index=False).encode(), options=ReadOptions())


@pytest.mark.parametrize("name", ALL)
def test_without_a_table_no_page_fails_and_most_lead_to_one(name):
    at = framed(name, Session())
    assert "Something went wrong" not in words(at)
    assert name == "new_rows" or any(button.label == "Go to Data" for button in at.button)


def test_decisions_are_undone_and_done_again_and_sliders_stay(visit):
    at = framed("compare", visit)
    run(at.select_slider(key="n0").set_value(10.0))
    run(at.slider(key="k").set_value(5))
    assert at.button(key="undo").disabled  # sliders belong to the address
    suggested = visit.settings.penalty
    visit.change({"weight": {"role": "ignore"}})
    run(at)
    assert (visit.history.steps[-1], visit.settings.penalty == suggested) == (1, False)
    for key, role in (("undo", "cluster"), ("redo", "ignore"), ("undo", "cluster")):
        run(at.button(key=key).click())
        assert visit.schema["weight"].role == role
        assert (visit.settings.concentration, visit.settings.n_clusters) == (10.0, 5)
    visit.project.turn_to(visit.history.go(1))  # the first of two presses on a busy page
    run(at.button(key="redo").click())
    assert visit.schema["weight"].role == "ignore"
    visit.naming[visit.project.tasks()["MAPDP"]] = Naming(names={0: "tall"})
    run(run(at).button(key="undo").click())
    assert visit.naming == {}
    run(at.button(key="forget").click())
    assert at.session_state["visit"] is visit  # so is it in every tab that shows the visit
    assert (visit.table, visit.history.states) == (None, [])
    for key in ("lambda", "n0", "shown_tasks"):
        assert key not in at.session_state


def test_settings_saved_are_taken_up_again_by_the_same_table_alone(visit):
    at = framed("compare", visit)
    visit.change({"weight": {"transform": "log"}})
    visit.algorithm = "DPMeans"
    run(at)
    between = {"concentration": 4.0, "penalty": 12.345, "likelihood_power": 0.315}
    visit.settings = replace(visit.settings, **between)  # where no slider stands by itself
    text = save_settings(run(at).session_state["visit"].project.saved())

    def take() -> None:
        import streamlit as st

        from mapdp_studio.pages.parts.data.source import is_settings, open_settings

        assert is_settings(st.session_state["text"])
        open_settings(st.session_state["text"])

    fresh = drawn(take, visit=(other := visit_of(FRAME)), text=text.encode())
    for name in ("schema", "settings", "algorithm"):
        assert getattr(other, name) == getattr(visit, name)
    assert other.algorithm == "DPMeans"
    assert other.notices == ["The settings saved with table.csv are in use now."]
    at = framed("compare", other)
    stands = [at.select_slider(key=key).value for key in ("n0", "lambda", "tolerance")]
    assert stands == [*between.values()]
    page("compare", other, n0="4", tolerance="0.315")  # as after a reload
    assert other.settings == visit.settings
    run(at.select_slider(key="n0").set_value(5.0))
    assert other.settings == replace(visit.settings, concentration=5.0)
    csv = FRAME.to_csv(index=False).encode()
    locked = visit_of(FRAME, source=csv, options=ReadOptions(decimal="."))
    locked.study.lock_in(FRAME, locked.schema, Plan())
    for another, sentence in (
        (locked, "roles are locked"),  # of which the file would be read otherwise
        (visit_of(FRAME.rename(columns=str.upper)), "another table"),
        (Session(), "load 'table.csv' first"),
    ):
        fresh.session_state["visit"], before = another, another.schema
        run(fresh)
        assert sentence in another.failure
        assert another.schema is before


def test_snapshots_stand_side_by_side(visit):
    at = framed("snapshots", visit)
    for name in ("with ![x](http://a/b)", "without"):
        until(at, lambda at: at.text_input)
        at.text_input[0].set_value(name)
        press(at, "Keep it")
        visit.change({"weight": {"role": "ignore"}})
        run(at)
    assert list(visit.snapshots) == ["with ![x](http://a/b)", "without"]
    assert "without weight" in words(at)
    assert {metric.label for metric in at.metric} == {"ARI", "AMI", "Rows apart"}
    # A name that is taken is not proposed: it would be written over.
    visit.snapshots["Result 3"] = kept = visit.snapshots.pop("without")
    visit.snapshots["Result 1"] = kept
    run(at)
    assert at.text_input[0].placeholder == "Result 2"
    visit.snapshots["Result 2"] = kept
    run(at)
    assert at.text_input[0].placeholder == "Result 4"


def test_a_link_sets_the_sliders_of_the_table_that_is_there_or_comes(visit):
    asked = {"n0": "10", "lambda": "100"}
    page("compare", visit, **asked)
    assert (visit.settings.concentration, visit.settings.penalty) == (10.0, 100.0)
    page("compare", empty := Session(), **asked)
    empty.take(visit.table, visit.schema)
    assert empty.settings == visit.settings


def opened(content: bytes, visit: Session | None = None) -> AppTest:
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

    return drawn(script, content=content, visit=visit or Session())


def test_a_project_is_the_same_page_in_another_visit(visit, monkeypatch):
    handed_out = []
    monkeypatch.setattr(source.kit, "download", lambda *given, **kwargs: handed_out.append(given))
    at = framed("compare", visit)
    at.select_slider(key="n0").set_value(10.0)
    at.select_slider(key="lambda").set_value(100.0)
    run(at.slider(key="k").set_value(5))
    before = visit.results.get(visit.project.tasks()["MAPDP"])
    _, make, name, _ = handed_out[-1]
    assert name == "table.mapdp"
    shown = opened(make())
    other = shown.session_state["visit"]
    assert (shown.select_slider(key="n0").value, shown.slider(key="k").value) == (10.0, 5)
    assert shown.select_slider(key="lambda").value == at.select_slider(key="lambda").value
    again = other.results.get(other.project.tasks()["MAPDP"])
    np.testing.assert_array_equal(again.labels_, before.labels_)
    assert opened(make()[:-30], other).session_state["visit"].table is other.table
    assert "damaged" in other.failure


def test_the_command_opens_a_project_or_a_table_once(tmp_path, monkeypatch, visit):
    path = tmp_path / "mine.mapdp"
    path.write_bytes(save_project(visit.project))
    called = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda **kwargs: called.append(sys.argv))
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
    at = drawn(script, path=str(path), tab_key="x")
    assert at.session_state["visit"].table is None  # a click meanwhile ends the run
    assert run(at).session_state["visit"].table.name == "table.csv"
    at.session_state["visit"] = Session()
    assert run(at).session_state["visit"].table is None  # forgotten: it is not opened again
    at.session_state["path"] = str(tmp_path / "mine.csv")
    (tmp_path / "mine.csv").write_text("a,b\n1,2\n3,5\n4,4\n")
    at.session_state["tab_opened"] = False
    visit = run(at).session_state["visit"]
    assert (visit.table.name, visit.asks_table) == ("mine.csv", True)
    assert at.session_state["was_opened"], "which leads to Data"
    assert not run(at).session_state["was_opened"]
