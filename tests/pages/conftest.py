"""What tests of the pages share."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import Progress, Schema, infer_schema
from mapdp_studio.core.clinical import verdict
from mapdp_studio.core.session.jobs import Job, stop_all
from mapdp_studio.core.session.project import CHANCE
from mapdp_studio.core.statistics import resampling
from mapdp_studio.core.statistics.resampling import Protocol
from mapdp_studio.pages import Session, Table
from mapdp_studio.pages.parts.shared import compute
from mapdp_studio.pages.parts.shared.compute import engine, is_ready
from mapdp_studio.pages.parts.teach import watch
from mapdp_studio.pages.parts.teach.room import ROWS, controls

PAGES = Path(__file__).parents[2] / "pages"
# At every run of a page under test Streamlit looks through all installed packages for components,
# which takes longer than most pages: once will do.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


@pytest.fixture(autouse=True)
def nothing_is_left_running() -> Iterator[None]:
    yield
    stop_all()


@pytest.fixture(autouse=True)
def fits_are_waited_for(monkeypatch) -> None:
    """A page under test has no browser that would ask for it again when a fit has ended."""
    begin = compute.begin_fits

    def begin_and_wait(*args) -> dict[str, Job]:
        jobs = begin(*args)
        wait([job.future for job in jobs.values()], 60)
        return jobs

    monkeypatch.setattr(compute, "begin_fits", begin_and_wait)


@pytest.fixture(scope="module")
def few_draws() -> Iterator[None]:
    """Checks of few draws: what they find has tests of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(resampling.EFFORTS, "full", Protocol(3, 3, 1))
        patch.setattr(resampling, "ORDERS", 2)
        patch.setattr(verdict, "FULL", 2)
        yield


@pytest.fixture
def small_room(monkeypatch) -> None:
    """A data set of the Teach page opens with as few rows as it can have, and without strips."""
    monkeypatch.setitem(controls(), "rows", replace(controls()["rows"], default=min(ROWS)))
    monkeypatch.setattr(watch, "strip_places", lambda sliders: [])


@pytest.fixture(scope="session", autouse=True)
def engine_is_ready() -> None:
    engine().join(180)
    assert is_ready()


@pytest.fixture
def taken(monkeypatch) -> dict[str, Any]:
    """What the buttons of a page hand out, by their labels."""
    found = {}
    monkeypatch.setattr(
        "streamlit.download_button", lambda label, data, *_, **__: found.update({label: data})
    )
    return found


# ---- a visit and its pages


def visit_of(
    frame: pd.DataFrame, digest: str = "digest", schema: Schema | None = None, **read: Any
) -> Session:
    visit = Session()
    visit.take(Table(frame, "table.csv", digest, **read), schema or infer_schema(frame))
    return visit


def shown(name: str, visit: Session, tab: str | None = None, **asked: str) -> AppTest:
    """A page after one run: nothing that goes on is waited for."""
    at = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=60)
    at.session_state["visit"] = visit
    if tab is not None:
        at.session_state[f"{name}_tab"] = tab
    at.query_params.update(asked)
    return run(at)


def page(name: str, visit: Session, tab: str | None = None, **asked: str) -> AppTest:
    """A page as it is when nothing in the background is awaited on it any more."""
    return settle(shown(name, visit, tab, **asked))


def framed(name: str, visit: Session) -> AppTest:
    """A page and the bar of the session below it, as app.py draws them."""

    def script() -> None:
        import runpy

        import streamlit as st

        from mapdp_studio.pages import frame, session
        from mapdp_studio.pages.parts.visit.visit import session_bar

        place = st.container()
        with frame():
            runpy.run_path(st.session_state["path"])
        session_bar(session(), place)  # after the page, whose sliders are decisions, too

    return drawn(script, visit=visit, path=str(PAGES / f"{name}.py"))


def drawn(script: Callable[[], None], **state: Any) -> AppTest:
    """A function run as a page, with what its session holds."""
    at = AppTest.from_function(script, default_timeout=60)
    for key, value in state.items():
        at.session_state[key] = value
    return run(at)


# ---- what is done on it, and read


def run(at) -> AppTest:
    """Run a page, or one of its controls that was moved."""
    page = at.run(timeout=60)
    assert not page.exception
    return page


def press(at: AppTest, label: str) -> AppTest:
    """Press the first button of a label."""
    return run(next(one for one in at.button if one.label.replace("\\", "") == label).click())


def control(at: AppTest, label: str):
    """The first control of a label, or one that begins so."""
    kinds = "selectbox", "multiselect", "number_input", "text_input", "toggle", "checkbox"
    found = [one for kind in kinds for one in getattr(at, kind) if one.label.startswith(label)]
    return min(found, key=lambda one: one.label != label)


def words(at: AppTest) -> str:
    """All that a page says, but for its tables."""
    kinds = at.markdown, at.caption, at.info, at.success, at.warning, at.error
    return "\n".join(one.value for kind in kinds for one in kind)


def downloads(at: AppTest) -> dict[str, Any]:
    return {button.label: button for button in at.get("download_button")}


def endless(job: Job) -> None:
    """Work that goes on until it is stopped, or for half a minute where nothing stops it."""
    for _ in range(3000):
        job(Progress(1, 10, 0.0, 1, "working"))
        time.sleep(0.01)


def in_store(results, name):
    """What the store keeps under a name that has one value."""
    (value,) = results._values[name].values()
    return value


def until(at, is_there) -> AppTest:
    """Run a page again until something stands there; words are looked for in what it says."""
    if isinstance(is_there, str):
        text, is_there = is_there, lambda at: text in words(at)
    for _ in range(100):
        if is_there(at):
            return at
        time.sleep(0.1)
        run(at)
    raise AssertionError(f"It did not come. The page says: {words(at)}")


def settle(at: AppTest, besides: tuple[str, ...] = (CHANCE, watch.STRIPS)) -> AppTest:
    """Run a page again until all that it began had ended before it was drawn."""
    jobs = at.session_state["visit"].jobs
    drawn, begun = getattr(jobs, "waited_for", []), jobs._newest
    while drawn != (newest := [begun[name] for name in begun if name not in besides]):
        assert all(job.wait(60) for job in newest)
        drawn = newest
        run(at)
    jobs.waited_for = drawn
    return at
