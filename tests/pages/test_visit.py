"""A visit: undo, settings, snapshots, links, projects, forgetting: nothing is lost or left."""

from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest

from mapdp_studio.core import ReadOptions
from mapdp_studio.core.clinical.lock import Plan
from mapdp_studio.core.exports.settings_file import save_settings
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.session.project_file import save_project
from mapdp_studio.pages import NotYet, Session
from mapdp_studio.pages.parts.data import source
from mapdp_studio.pages.parts.shared import loading
from tests.pages.conftest import framed, page, press, run, until, visit_of, words
from tests.tables.holed import FRAME

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
    visit.change({"visits": {"role": "ignore"}})
    run(at)
    assert (visit.history.steps[-1], visit.settings.penalty == suggested) == (1, False)
    for key, role in (("undo", "cluster"), ("redo", "ignore"), ("undo", "cluster")):
        run(at.button(key=key).click())
        assert visit.schema["visits"].role == role
        assert (visit.settings.concentration, visit.settings.n_clusters) == (10.0, 5)
    visit.project.turn_to(visit.history.go(1))  # the first of two presses on a busy page
    run(at.button(key="redo").click())
    assert visit.schema["visits"].role == "ignore"
    visit.naming[visit.project.tasks()["MAPDP"]] = Naming(names={0: "tall"})
    run(run(at).button(key="undo").click())
    assert visit.naming == {}
    run(at.button(key="forget").click())
    assert at.session_state["visit"] is visit  # so is it in every tab that shows the visit
    assert (visit.table, visit.history.states, at.query_params) == (None, [], {})
    for key in ("lambda", "n0", "shown_tasks"):
        assert key not in at.session_state


def test_settings_are_taken_up_by_their_table_alone_and_a_locked_one_stays(visit, monkeypatch):
    at = framed("compare", visit)
    visit.change({"height": {"transform": "log"}})
    visit.algorithm = "DPMeans"
    run(at)
    between = {"concentration": 4.0, "penalty": 12.345, "likelihood_power": 0.315}
    visit.settings = replace(visit.settings, **between)  # where no slider stands by itself
    run(at)
    visit.compared = ("MAPDP", "DPMeans")
    text = save_settings(visit.project.saved()).encode()
    assert source.is_settings(text)
    monkeypatch.setattr(loading, "session", lambda: other)
    other = visit_of(FRAME)
    source.open_settings(text)
    for name in ("schema", "settings", "algorithm", "compared"):
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
        other, before = another, another.schema
        source.open_settings(text)
        assert sentence in another.failure
        assert another.schema is before
    other = locked
    monkeypatch.setattr(source, "session", lambda: locked)
    locked.settings = Settings(concentration=50.0)
    source.take_table(source._open, "other.csv", csv)
    assert "are locked" in locked.failure
    assert (locked.table.name, locked.study.lock is None) == ("table.csv", False)
    locked.study.unlock()
    source.take_table(source._open, "other.csv", csv)
    assert (locked.table.name, locked.failure, locked.settings) == ("other.csv", "", Settings())


def test_snapshots_stand_side_by_side(visit):
    at = framed("snapshots", visit)
    for name in ("with ![x](http://a/b)", "without"):
        until(at, lambda at: at.text_input)
        at.text_input[0].set_value(name)
        press(at, "Keep it")
        visit.change({"visits": {"role": "ignore"}})
        run(at)
    assert list(visit.snapshots) == ["with ![x](http://a/b)", "without"]
    assert "without visits" in words(at)
    assert {metric.label for metric in at.metric} == {"ARI", "AMI", "Rows apart"}
    # A name that is taken is not proposed: it would be written over.
    visit.snapshots["Result 3"] = kept = visit.snapshots.pop("without")
    for taken, proposed in (("Result 1", "Result 2"), ("Result 2", "Result 4")):
        visit.snapshots[taken] = kept
        assert run(at).text_input[0].placeholder == proposed
    assert list(at.dataframe[0].value["Name"]) == list(visit.snapshots)
    run(at.button(key="remove 0").click())
    assert list(visit.snapshots) == ["Result 3", "Result 1", "Result 2"]


def test_a_link_sets_the_sliders_and_a_project_is_the_same_page_elsewhere(visit, monkeypatch):
    page("compare", empty := Session(), **{"n0": "10", "lambda": "100"})
    empty.take(visit.table, visit.schema)
    assert (empty.settings.concentration, empty.settings.penalty) == (10.0, 100.0)
    handed_out = []
    monkeypatch.setattr(source.kit, "download", lambda *given, **kwargs: handed_out.append(given))
    at = framed("compare", visit)
    at.select_slider(key="n0").set_value(10.0)
    at.select_slider(key="lambda").set_value(100.0)
    run(at.slider(key="k").set_value(5))
    before = visit.results.get(visit.project.tasks()["MAPDP"])
    _, make, name = handed_out[-1]
    assert name == "table.mapdp"
    monkeypatch.setattr(loading, "session", lambda: other)
    other = Session()
    source.open_project(make())
    shown = framed("compare", other)
    assert (shown.select_slider(key="n0").value, shown.slider(key="k").value) == (10.0, 5)
    assert shown.select_slider(key="lambda").value == at.select_slider(key="lambda").value
    again = other.results.get(other.project.tasks()["MAPDP"])
    np.testing.assert_array_equal(again.labels_, before.labels_)
    table = other.table
    source.open_project(make()[:-30])
    assert other.table is table
    assert "damaged" in other.failure


def test_what_the_server_was_started_with_is_opened_once(tmp_path, monkeypatch, visit):
    path = tmp_path / "mine.mapdp"
    path.write_bytes(save_project(visit.project))
    state = {"tab_key": "x"}
    monkeypatch.setattr("streamlit.session_state", state)
    with monkeypatch.context() as patch:  # a click meanwhile ends the run
        patch.setattr(source, "open_project", Mock(side_effect=NotYet))
        with pytest.raises(NotYet):
            source.open_once(str(path))
    assert state["visit"].table is None
    assert source.open_once(str(path))
    assert state["visit"].table.name == "table.csv"
    state["visit"] = Session()
    assert not source.open_once(str(path))
    assert state["visit"].table is None  # forgotten: it is not opened again
    (path := tmp_path / "mine.csv").write_text("a,b\n1,2\n3,5\n4,4\n")
    state["tab_opened"] = False
    assert source.open_once(str(path)), "which leads to Data"
    assert (state["visit"].table.name, state["visit"].asks_table) == ("mine.csv", True)
