"""The session on the pages: undo, settings files, snapshots, forgetting, a stopped run."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import ReadOptions, infer_schema
from mapdp_studio.core.exports.settings_file import SettingsFileError, load_settings, save_settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.pages import Session, Table
from mapdp_studio.pages.parts.visit.reload_settings import apply_settings
from tests.pages.conftest import PAGES, until
from tests.pages.conftest import page as alone

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
# As app.py draws a page: the bar comes after the page, whose sliders are decisions, too.
SCRIPT = """
import runpy
import streamlit as st
from mapdp_studio.pages import frame, session
from mapdp_studio.pages.parts.visit.session_bar import session_bar

place = st.container()
with frame():
    runpy.run_path({path!r})
session_bar(session(), place)
"""


@pytest.fixture
def studio() -> Session:
    studio, content = Session(), FRAME.to_csv(index=False).encode()
    studio.take(Table(FRAME, "t.csv", "digest", content, ReadOptions()), infer_schema(FRAME))
    return studio


def page(name: str, studio: Session) -> AppTest:
    at = AppTest.from_string(SCRIPT.format(path=str(PAGES / f"{name}.py")), default_timeout=60)
    at.session_state["studio"] = studio
    at.run()
    assert not at.exception
    return at


@pytest.mark.parametrize("name", ["snapshots", "views", "missing", "new_rows", "take_away"])
def test_without_a_table_no_page_fails(name):
    assert not any("Something went wrong" in said.value for said in page(name, Session()).error)


def test_columns_are_undone_and_done_again_and_sliders_stay(studio):
    at = page("compare", studio)
    at.select_slider(key="n0").set_value(10.0).run()
    at.slider(key="k").set_value(5).run()
    assert at.button(key="undo").disabled  # sliders belong to the address
    suggested = studio.settings.penalty
    studio.change({"weight": {"role": "ignore"}})
    at.run()
    assert studio.history.steps_back == 1
    assert studio.settings.penalty != suggested
    at.button(key="undo").click().run()
    assert studio.schema["weight"].role == "cluster"
    assert (studio.settings.concentration, studio.settings.n_clusters) == (10.0, 5)
    at.button(key="redo").click().run()
    assert studio.schema["weight"].role == "ignore"
    at.button(key="undo").click().run()
    studio.work.turn_to(studio.history.go(1))  # the first of two presses on a busy page
    at.button(key="redo").click().run()
    assert not at.exception
    assert studio.schema["weight"].role == "ignore"


def test_names_of_groups_are_undone(studio):
    at = page("take_away", studio)
    (task,) = studio.results._kept["fit of MAPDP"]
    studio.naming[task] = Naming(names={0: "tall"})
    at.run()
    at.button(key="undo").click().run()
    assert not at.exception
    assert studio.naming == {}


def test_forgetting_leaves_nothing(studio):
    at = page("compare", studio)
    at.select_slider(key="n0").set_value(10.0).run()
    at.button(key="forget").click().run()
    assert not at.exception
    assert at.session_state["studio"] is studio  # so is it in every tab that shows the visit
    assert studio.table is None
    assert studio.history.present is None
    for key in ("lambda", "lambda_about", "n0", "shown_tasks"):
        assert key not in at.session_state


def test_settings_saved_are_taken_up_again(studio):
    at = page("compare", studio)
    at.select_slider(key="n0").set_value(10.0).run()
    studio.change({"weight": {"transform": "log"}})
    studio.algorithm = "DPMeans"
    at.run()
    wanted = studio.work.saved()
    text = save_settings(wanted)
    other = Session()
    other.take(studio.table, infer_schema(FRAME))
    at = page("data", other)
    assert at.exception == at.error == []

    def take() -> None:
        import streamlit as st

        from mapdp_studio.core.exports.settings_file import load_settings
        from mapdp_studio.pages import session
        from mapdp_studio.pages.parts.visit.reload_settings import apply_settings

        st.write(apply_settings(session(), load_settings(st.session_state["text"])))

    app = AppTest.from_function(take, default_timeout=60)
    app.session_state["studio"], app.session_state["text"] = other, text
    app.run()
    assert not app.exception
    assert (other.schema, other.settings, other.algorithm) == (
        studio.schema,
        studio.settings,
        "DPMeans",
    )
    assert app.session_state["n0"] == 10.0
    assert app.session_state["lambda"] == studio.settings.penalty


def test_settings_of_another_table_change_nothing(studio):
    text = save_settings(studio.work.saved())
    other = Session()
    frame = pd.DataFrame({"x": RANDOM.normal(size=20), "y": RANDOM.normal(size=20)})
    other.take(Table(frame, "other.csv", "other"), infer_schema(frame))
    before = other.schema
    with pytest.raises(SettingsFileError, match="another table"):
        apply_settings(other, load_settings(text))
    assert other.schema is before


def test_snapshots_stand_side_by_side(studio):
    at = page("snapshots", studio)
    for name in ("with ![x](http://a/b)", "without"):
        until(at, lambda at: at.text_input)
        at.text_input[0].set_value(name)
        next(b for b in at.button if b.label == "Keep it").click().run()
        assert not at.exception
        studio.change({"weight": {"role": "ignore"}})
        at.run()
    assert list(studio.snapshots) == ["with ![x](http://a/b)", "without"]
    assert any("without weight" in text.value for text in at.markdown)
    assert {metric.label for metric in at.metric} == {"ARI", "AMI", "Rows apart"}


@pytest.mark.parametrize(
    ("asked", "said", "n"),
    [
        ({"scenario": "5.2", "rows": "300"}, {"scenario": "5.2", "rows": "300"}, 300),
        ({"scenario": "Unequal radii", "rows": "1"}, {"scenario": "5.1", "rows": "150"}, 150),
        ({"example": "iris", "rows": "300"}, {"example": "iris"}, 150),
        # As in links of earlier versions.
        ({"example": "5.1", "rows": "never"}, {"scenario": "5.1"}, 4000),
    ],
    ids=["as on Teach", "title", "table", "earlier"],
)
def test_a_link_opens_its_example_with_its_sliders(asked, said, n):
    at = alone("compare", studio := Session(), **asked, n0="10", **{"lambda": "100"})
    assert studio.table.example in (*said.values(),)
    assert len(studio.table.frame) == n
    assert (studio.settings.concentration, studio.settings.penalty) == (10.0, 100.0)
    assert {k: v for k, v in at.query_params.items() if k in {*asked, *said}} == said


def test_a_link_to_an_example_leaves_the_visitor_s_table_alone_unless_told(studio):
    own = studio.table
    at = alone("compare", studio, scenario="5.2", rows="300")
    assert studio.table is own
    assert any("is still here" in said.value for said in at.markdown)
    next(button for button in at.button if button.label == "Keep my table").click().run()
    assert "scenario" not in at.query_params
    assert not any("is still here" in said.value for said in at.markdown)
    at = alone("compare", studio, scenario="5.2", rows="300")
    next(button for button in at.button if button.label == "Open the example").click().run()
    assert not at.exception
    assert (studio.table.example, len(studio.table.frame)) == ("5.2", 300)


def test_the_glossary_is_searched():
    at = page("about", Session())
    at.text_input(key="word").set_value("lambda").run()
    assert not at.exception
    assert "λ (lambda)" in at.markdown[0].value
    assert "Jaccard" not in at.markdown[0].value
