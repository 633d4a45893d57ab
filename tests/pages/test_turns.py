"""Pages that wait for their turn or work for long: stopped at once, and their place is left."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest, local_script_runner

from mapdp_studio.core.session.turns import Turns
from mapdp_studio.pages.parts.shared import turns

ROOT = Path(__file__).parents[2]


def page() -> None:
    import streamlit as st

    from mapdp_studio.pages.parts.shared.turns import turn

    with turn():
        st.write("drawn")


def long_page() -> None:
    import time

    from mapdp_studio.pages.parts.shared.turns import step, turn

    with turn():
        until = time.monotonic() + 30.0
        while time.monotonic() < until:
            step()


def early_page() -> None:
    import streamlit as st

    from mapdp_studio.pages.parts.shared.turns import turn

    with turn():
        st.stop()


@pytest.fixture
def line(monkeypatch):
    """The line of this test's pages alone."""
    line = Turns(1, 60.0)
    monkeypatch.setattr(turns, "_turns", line)
    return line


def test_a_page_has_its_place_until_it_ends(line):
    at = AppTest.from_function(page).run(timeout=60)
    assert [one.value for one in at.markdown] == ["drawn"]
    AppTest.from_function(early_page).run(timeout=60)
    assert not line._began


@pytest.mark.parametrize("at_work", [False, True], ids=["in line", "at work"])
def test_a_stop_is_heeded_in_line_and_at_work(line, at_work, monkeypatch):
    class Runner(local_script_runner.LocalScriptRunner):
        """Is asked to stop as soon as its script is where it may be for long."""

        def start(self) -> None:
            def stop() -> None:
                while not (line._began if at_work else line._came or ended.is_set()):
                    ended.wait(0.001)
                self.request_stop()
                ended.wait(30.0)
                line.places = 1

            threading.Thread(target=stop, daemon=True).start()
            super().start()

    line.places, ended = int(at_work), threading.Event()
    monkeypatch.setattr("streamlit.testing.v1.app_test.LocalScriptRunner", Runner)
    at = AppTest.from_function(long_page) if at_work else AppTest.from_file(ROOT / "app.py")
    at.run(timeout=60)
    ended.set()
    assert line.places == at_work
    assert not at.main.children
    assert not line._came
    assert not line._began
