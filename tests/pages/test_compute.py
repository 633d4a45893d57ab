"""The one way to a result: kept, worked out in the background, stopped, run again, refused."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path

import pandas as pd
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import infer_schema
from mapdp_studio.pages import Session, Table
from mapdp_studio.pages.parts.shared.compute import be_patient
from tests.pages.conftest import endless, until

FRAME = pd.DataFrame({"x": [1.5, 2.5, 3.5], "y": [4.5, 5.5, 6.5]})
ROOT = Path(__file__).parents[2]
PRIVATE = re.compile(
    r"\b(st|streamlit|numba|np|pd|sklearn|scipy|plotly|llvmlite|pa)(\.\w+)*\._[a-z]"
    r"|\bimport gc\b|\bgc\.|sys\.modules"
)


def page(work) -> tuple[AppTest, Session]:
    def script() -> None:
        import streamlit as st

        from mapdp_studio.pages import session
        from mapdp_studio.pages.parts.shared.compute import get_result

        found = get_result(session(), "name", "key", "Working", st.session_state["work"])
        st.write(f"found {found}")

    studio = Session()
    studio.take(Table(FRAME, "t.csv", "digest"), infer_schema(FRAME))
    at = AppTest.from_function(script)
    at.session_state["studio"], at.session_state["work"] = studio, work
    return at.run(), studio


def says(at: AppTest) -> str:
    assert not at.exception
    return " ".join(one.value for one in (*at.markdown, *at.caption, *at.error))


def test_what_is_quick_is_there_at_once_and_kept():
    made = []
    at, studio = page(lambda job: made.append(1) or "it")
    assert "found it" in says(at)
    assert "found it" in says(at.run())
    assert made == [1]
    assert studio.results.known("name", "key") == "it"


def test_what_takes_long_is_stopped_and_run_again():
    go_on = threading.Event()
    at, studio = page(lambda job: "it" if go_on.is_set() else endless(job))
    assert "found None" in says(at)
    at.button(key="stop Working").click().run()
    until(at, lambda at: "Working: stopped." in says(at))
    go_on.set()
    at.button(key="run name").click().run()
    until(at, lambda at: "found it" in says(at))
    assert not studio.jobs.get("name", "another key")


def test_nobody_waits_again_for_what_has_been_waited_for():
    ended = threading.Event()
    studio = Session()
    job = studio.jobs.start("name", "key", lambda job: ended.wait(), "short")
    be_patient(job)
    assert job.running
    assert job.seconds >= 0.25
    began = time.monotonic()
    be_patient(job)
    assert time.monotonic() - began < 0.1
    ended.set()


def test_a_refusal_is_a_sentence():
    def refuse(job):
        raise ValueError("Too few rows.")

    at, _ = page(refuse)
    assert "Too few rows" in says(at)
    assert not at.button


def test_a_callback_waits_for_the_page_that_is_being_drawn():
    def script() -> None:
        import streamlit as st

        from mapdp_studio.pages import in_visit

        st.button("press", on_click=in_visit(lambda: st.session_state["done"].append(1)))

    studio, done = Session(), []
    at = AppTest.from_function(script)
    at.session_state["studio"], at.session_state["done"] = studio, done
    at.run()
    with studio.lock:
        pressed = threading.Thread(target=lambda: at.button[0].click().run(timeout=30))
        pressed.start()
        time.sleep(0.3)
        assert done == []
    pressed.join(30)
    assert done == [1]


def test_a_click_on_a_chart_that_has_left_with_its_page_does_nothing():
    def page() -> None:
        import streamlit as st

        from mapdp_studio.pages.parts.shared.chart import when_told

        st.session_state["there"] = {"rows": [3, 4]}
        when_told("there", "rows", lambda rows: st.text(f"there {rows}"))()
        when_told("there", "rows", None)()
        when_told("gone", "rows", lambda rows: st.text(f"gone {rows}"))()

    at = AppTest.from_function(page).run()
    assert not at.exception
    assert [one.value for one in at.text] == ["there [3, 4]"]


def test_no_private_name_of_another_library_is_used():
    paths = [ROOT / "app.py", *(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    used = [path.name for path in paths if PRIVATE.search(path.read_text(encoding="utf-8"))]
    assert used == []
