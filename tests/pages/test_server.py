"""Around the pages: the way to a result, visits that come back, headers, errors, the end."""

import asyncio
import gzip
import logging
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pandas as pd
import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Match
from streamlit.testing.v1 import AppTest

import app
from mapdp_studio.core.session.jobs import WORKERS, Job, stop_all
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared import chart, compute
from mapdp_studio.pages.parts.shared.chart import PLOTLY
from mapdp_studio.pages.parts.shared.compute import be_patient
from mapdp_studio.pages.parts.visit import serving
from mapdp_studio.pages.parts.visit import visit as returning
from mapdp_studio.pages.parts.visit.serving import AROUND, HEADERS, answer, lifespan
from mapdp_studio.pages.parts.visit.visit import come, leave
from tests.pages.conftest import drawn, endless, press, run, until, visit_of, words

FRAME = pd.DataFrame({"x": [1.5, 2.5, 3.5], "y": [4.5, 5.5, 6.5]})


def page(work) -> tuple[AppTest, Session]:
    def script() -> None:
        import streamlit as st

        from mapdp_studio.pages import session
        from mapdp_studio.pages.parts.shared.compute import get_result

        found = get_result(session(), "Working", "key", st.session_state["work"])
        st.write(f"found {found}")

    visit = visit_of(FRAME)
    return drawn(script, visit=visit, work=work), visit


def test_what_is_quick_is_kept_what_is_refused_is_tried_again_and_what_takes_long_is_stopped():
    made, go_on = [], threading.Event()
    at, visit = page(lambda job: made.append(1) or "it")
    assert "found it" in words(at)
    assert "found it" in words(run(at))
    assert (made, visit.results.peek("Working", "key")) == ([1], "it")
    tries = iter(["no number", "3"])
    at, _ = page(lambda job: int(next(tries)))
    assert "invalid literal" in words(at)
    at = run(at.button(key="run Working").click())
    assert "found 3" in words(at), "an error leaves its button"
    at, visit = page(lambda job: "it" if go_on.is_set() else endless(job))
    assert "found" not in words(at)
    assert not visit.jobs.get("Working", "key").wait(0.5), "nobody has stopped it"
    run(at.button(key="stop Working").click())
    until(at, "Working: stopped.")
    go_on.set()
    run(at.button(key="run Working").click())
    until(at, "found it")
    assert not visit.jobs.get("Working", "another key")


def test_a_job_that_ends_while_its_page_is_drawn_is_none_that_was_stopped():
    def script() -> None:
        import streamlit as st

        from mapdp_studio.pages.parts.shared.compute import job_state

        st.session_state["runs"] += 1
        is_first = st.session_state["runs"] == 1
        job_state(st.session_state["job"] if is_first else None, "Choosing")

    job = Job("this", lambda job: "it")
    assert job.wait(10)
    at = drawn(script, job=job, runs=0)
    assert "stopped" not in words(at)
    assert at.session_state["runs"] == 2


@pytest.mark.parametrize(
    ("shown", "shared", "seconds", "is_time"),
    [(None, None, 99, False), (None, 1, 0, True), (1, 2, 5, False), (1, 2, 20, True)],
)
def test_what_a_job_shares_is_drawn_first_at_once_and_then_now_and_again(
    monkeypatch, shown, shared, seconds, is_time
):
    lines, now = [], [1000.0]
    monkeypatch.setattr(compute, "run_again_when", lambda is_time, draw: lines.append(is_time))
    monkeypatch.setattr(compute, "time", SimpleNamespace(monotonic=lambda: now[0]))
    job = SimpleNamespace(partial=shown, running=True)
    compute.job_state(job, "Working")
    job.partial, now[0] = shared, now[0] + seconds
    assert lines[0]() == is_time


def test_a_result_of_a_long_table_waits_behind_no_fit_of_it(monkeypatch):
    monkeypatch.setattr(compute, "is_long", lambda *shape: True)
    busy = [Job("fit", endless, compute.pool_of(FRAME)) for _ in range(WORKERS["fits"])]
    at, _ = page(lambda job: "it")
    stop_all(busy)
    assert "found it" in words(at)


def test_nobody_waits_again_for_what_has_been_waited_for():
    ended = threading.Event()
    job, seconds = Job("key", lambda job: ended.wait(), "short"), []
    for _ in range(2):
        began = time.monotonic()
        be_patient(job)
        seconds.append(time.monotonic() - began)
    assert job.running
    assert seconds[0] >= 0.25 > 0.1 > seconds[1]
    ended.set()


def test_a_callback_waits_for_the_page_that_is_being_drawn():
    def script() -> None:
        import streamlit as st

        from mapdp_studio.pages import in_visit

        st.button("press", on_click=in_visit(lambda: st.session_state["done"].append(1)))

    visit, done = Session(), []
    at = drawn(script, visit=visit, done=done)
    with visit.lock:
        pressed = threading.Thread(target=press, args=(at, "press"))
        pressed.start()
        time.sleep(0.3)
        assert done == []
    pressed.join(30)
    assert done == [1]


def test_a_chart_listens_where_it_is_asked_to_and_not_once_it_has_left_with_its_page(monkeypatch):
    told, charts = [], []
    monkeypatch.setattr(chart, "_chart", lambda **how: charts.append(how))
    monkeypatch.setattr(chart.st, "session_state", {"there": {"rows": [3, 4]}})
    for key, on_rows in (("there", told.append), ("there", None), ("gone", told.append)):
        chart.chart("{}", key, "", {}, on_rows)
        charts[-1]["on_rows_change"]()
        assert (b'"asks": true' in charts[-1]["data"]) == (on_rows is not None)
    assert told == [[3, 4]]


def test_a_reload_and_a_copy_of_the_tab_find_the_visit_and_nobody_else_does(monkeypatch):
    monkeypatch.setattr(returning, "WORKED", 0.01)
    own, who, key = visit_of(FRAME), "a@example.org", "reloaded"
    assert come(key, own, who) is own
    assert come(key, Session(), who) is own
    leave(own)
    assert come(key, Session(), who) is own
    for other, somebody in ((f"not {key}", who), (key, "b@example.org")):
        assert come(other, fresh := Session(), somebody) is fresh
    loaded = visit_of(FRAME, "another")  # before the key came
    assert come(key, loaded, who) is loaded
    assert come(key, Session(), who) is loaded


def test_a_visit_rests_when_its_last_page_was_left_and_keeps_its_table(monkeypatch):
    def tab():
        import streamlit as st

        from mapdp_studio.pages.parts.visit.visit import open_page

        for _ in range(2):  # runs of one page
            open_page(id(st.session_state["visit"]), st.session_state["visit"])

    monkeypatch.setattr(returning, "WORKED", 0.01)
    drawn(tab, visit=(visit := visit_of(FRAME)))
    assert visit.n_pages == 1
    visit.n_pages += 1  # a copy of the tab
    come("left", visit, "")
    job = visit.jobs.start("work", 1, lambda job: threading.Event().wait(0.01))
    visit.results.store("a", 1, "result")
    leave(visit).join()
    assert visit.results.peek("a", 1) == "result"  # the other page is open still
    leave(visit).join()
    assert visit.results.peek("a", 1) is None
    assert visit.jobs.get("work", 1) is None
    assert job.wait(60)
    assert come("left", Session(), "").table is not None


def test_no_other_page_may_frame_this_one_and_what_visitors_hold_is_told_to_nobody(monkeypatch):
    async def send(message):
        sent.append(message)

    (around,) = AROUND["middleware"]
    guarded, metrics = around.cls(PlainTextResponse("page"), **around.kwargs), "/_stcore/metrics"
    for path, is_open, status in (
        ("/", "", 200),
        (metrics, "", 404),
        (f"/groups{metrics}/", "", 404),
        (metrics, "1", 200),
    ):
        monkeypatch.setenv(serving.OPEN_METRICS, is_open)
        sent: list[dict] = []
        asyncio.run(
            guarded({"type": "http", "method": "GET", "path": path, "headers": []}, None, send)
        )
        assert sent[0]["status"] == status
        headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        assert {name.lower(): text for name, text in HEADERS.items()}.items() <= headers.items()


def test_a_callback_that_fails_is_answered_with_a_sentence_and_no_value(caplog):
    assert app.app._on_script_error is answer  # Streamlit has no public way to ask

    def script():
        from mapdp_studio.pages.parts.visit.serving import answer

        try:
            int("-".join(("patient", "7")))
        except ValueError as error:
            if not answer(error):  # Streamlit would show a traceback
                raise

    at = drawn(script)
    assert "Your table and settings are still there" in at.error[0].value
    assert [button.label for button in at.button] == ["Go on"]
    assert "ValueError" in caplog.text
    assert "patient-7" not in caplog.text


def test_at_the_server_s_end_no_work_is_left(monkeypatch):
    stopped = []

    async def serve() -> None:
        async with lifespan(None):
            assert not stopped

    monkeypatch.setattr(serving, "stop_all", lambda: stopped.append(True))
    monkeypatch.setattr(logging.getLogger("streamlit.error_util"), "disabled", False)
    compiling = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    monkeypatch.setattr(compute, "_compiling", [compiling])
    asyncio.run(serve())
    assert compiling.wait(60)
    assert stopped


@pytest.mark.parametrize("before", ["/", "/groups/"])
def test_the_charts_script_is_packed_once_and_kept_by_browsers(before):
    (route,) = AROUND["routes"]
    scope = {"type": "http", "method": "GET", "path": f"{before}{PLOTLY}"}
    assert route.matches(scope)[0] is Match.FULL
    answer = asyncio.run(route.endpoint(None))
    assert answer.headers["content-encoding"] == "gzip"
    assert "immutable" in answer.headers["cache-control"]
    script = gzip.decompress(answer.body)
    assert b"plotly.js" in script[:200]
    assert answer.body is serving._plotly()
    assert len(answer.body) < 0.35 * len(script)
