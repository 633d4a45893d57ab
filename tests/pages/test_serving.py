"""The server around the pages: headers, hosts, closed tabs, forgotten files, and no look-ups."""

from __future__ import annotations

import asyncio
import gc
import gzip
import logging
import os
import re
import socket
import subprocess
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from weakref import ref

import pytest
from starlette.applications import Starlette
from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.routing import Match, Route
from streamlit import net_util
from streamlit.runtime import media_file_manager
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.testing.v1 import AppTest
from streamlit.web.server.server_util import is_url_from_allowed_origins

from mapdp_studio.core.once import Known
from mapdp_studio.core.session.visits import KEPT_CUT, MOST_CUT
from mapdp_studio.pages.parts.shared import engine
from mapdp_studio.pages.parts.shared.chart import PLOTLY
from mapdp_studio.pages.parts.visit import serving, session_bar
from mapdp_studio.pages.parts.visit.free_memory import give_back, pass_over_what_lasts
from mapdp_studio.pages.parts.visit.serving import (
    HEADERS,
    HeardGoodbyes,
    answer,
    close,
    lifespan,
    middleware,
)

ROOT = Path(__file__).parents[2]


def asked(host: str, path: str = "/") -> tuple[int, dict[str, str]]:
    """Status and headers of a page asked for under a name of the server."""

    async def page(request):
        return PlainTextResponse("page")

    app = Starlette(routes=[Route(path, page)], middleware=middleware())
    messages = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        messages.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "headers": [(b"host", host.encode())]}
    scope |= {"query_string": b"", "http_version": "1.1", "scheme": "http", "root_path": ""}
    asyncio.run(app(scope, receive, send))
    headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
    return messages[0]["status"], headers


@pytest.fixture
def hosts(monkeypatch):
    monkeypatch.setattr(
        "mapdp_studio.pages.parts.visit.serving.st.get_option", lambda name: ["groups.example.org"]
    )


@pytest.mark.usefixtures("hosts")
@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("groups.example.org", 200),
        ("localhost:8501", 200),
        ("127.0.0.1", 200),
        ("rebound.example", 400),
        ("", 400),
    ],
)
def test_only_known_names_of_the_server_are_answered(host, status):
    assert asked(host)[0] == status


@pytest.mark.usefixtures("hosts")
def test_no_other_page_may_frame_this_one():
    _, headers = asked("localhost")
    assert {name.lower(): value for name, value in HEADERS.items()}.items() <= headers.items()


@pytest.mark.usefixtures("hosts")
@pytest.mark.parametrize("path", ["/_stcore/metrics", "/groups/_stcore/metrics"])
def test_what_visitors_hold_is_told_to_nobody_unless_somebody_opened_it(path, monkeypatch):
    monkeypatch.delenv(serving.OPEN_METRICS, raising=False)
    assert asked("localhost", path)[0] == 404
    monkeypatch.setenv(serving.OPEN_METRICS, "1")
    assert asked("localhost", path)[0] == 200


def from_package(name: str):
    """A function of app.py as the console script finds it, which serves nothing yet."""
    spec = spec_from_file_location("mapdp_studio.app", ROOT / "app.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def test_a_foreign_page_s_connection_makes_nobody_look_anything_up(monkeypatch):
    def forbidden(*arguments, **options):
        pytest.fail("The network was asked.")

    monkeypatch.setattr(net_util, "_external_ip", None)
    monkeypatch.setattr(net_util, "_internal_ip", None)
    from_package("look_nothing_up")()
    monkeypatch.setattr("requests.get", forbidden)
    monkeypatch.setattr(socket, "socket", forbidden)
    assert not is_url_from_allowed_origins("http://evil.example")
    assert is_url_from_allowed_origins("http://localhost:3000")


def test_an_account_without_a_home_can_start_the_server(monkeypatch):
    monkeypatch.setenv("HOME", "/somewhere")
    from_package("have_a_home")()
    assert os.environ["HOME"] == "/somewhere"
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # nobody of that number is known
    with pytest.raises(RuntimeError):
        Path.home()
    from_package("have_a_home")()
    assert os.environ["HOME"] == os.sep


@pytest.mark.parametrize(("code", "left"), [(1001, ["b"]), (1006, []), (1011, [])])
def test_a_page_that_is_left_says_goodbye_and_a_cut_line_does_not(monkeypatch, code, left):
    heard = []

    def client(session_id: str) -> SimpleNamespace:
        headers = [("host", "localhost"), ("sec-websocket-key", f"key of {session_id}")]
        return SimpleNamespace(client_context=SimpleNamespace(headers=headers))

    clients = {"a": client("a"), "b": client("b"), "gone": None}
    visits = SimpleNamespace(goodbye=heard.append, sessions=list(clients))
    monkeypatch.setattr(serving, "visits", lambda: visits)
    monkeypatch.setattr(
        serving.runtime, "get_instance", lambda: SimpleNamespace(get_client=clients.get)
    )

    async def app(scope, receive, send):
        await receive()

    async def receive():
        return {"type": "websocket.disconnect", "code": code}

    scope = {"type": "websocket", "headers": [(b"sec-websocket-key", b"key of b")]}
    asyncio.run(HeardGoodbyes(app)(scope, receive, None))
    assert heard == left


def test_streamlit_keeps_a_session_as_long_as_its_visit():
    """Else a laptop that wakes up meets a new one, and its first click is lost."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["server"]["disconnectedSessionTTL"] > KEPT_CUT
    assert MemorySessionStorage()._cache.maxsize > MOST_CUT


def test_nothing_of_a_closed_session_stays_though_the_server_still_holds_it(monkeypatch):
    class Table:
        """Stands for what a visitor had."""

    async def visit() -> tuple[AppSession, list[ref]]:
        files = MemoryUploadedFileManager("")
        sessions = WebsocketSessionManager(MemorySessionStorage(), files, ScriptCache(), None)
        saved = media_file_manager.MediaFileManager(MemoryMediaFileStorage("/media"))
        server = SimpleNamespace(
            _session_mgr=sessions, close_session=sessions.close_session, media_file_mgr=saved
        )
        name = sessions.connect_session(None, ScriptData(__file__, False), {})
        held = sessions.get_session_info(name).session
        table, drawn, offered = Table(), Table(), Table()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(media_file_manager, "_get_session_id", lambda: name)
            saved.add_deferred(lambda: offered, None, "here")
        held.session_state["table"] = table
        held._fragment_storage.register("fragment", lambda: drawn)
        sessions.disconnect_session(name)
        monkeypatch.setattr(
            "mapdp_studio.pages.parts.visit.serving.runtime.get_instance", lambda: server
        )
        close(name)
        assert sessions.list_sessions() == []
        return held, [ref(table), ref(drawn), ref(offered)]

    held, traces = asyncio.run(visit())
    gc.collect()
    assert [trace() for trace in traces] == [None, None, None]
    assert held.id


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library is not glibc")
def test_memory_that_is_free_goes_back_to_the_computer():
    def resident() -> float:
        status = Path("/proc/self/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    pieces = [bytes(2_000) + bytes([k % 256]) for k in range(50_000)]
    kept = pieces[::500]
    before = resident()
    del pieces
    give_back()
    assert len(kept) == 100
    assert resident() < before - 50


def test_what_lasts_is_passed_over_until_nobody_is_there_again():
    class Circle:
        def __init__(self) -> None:
            self.own = self

    lasting, garbage = Circle(), Circle()
    traces = [ref(one) for one in (lasting, garbage)]
    try:
        del garbage
        pass_over_what_lasts()
        assert [trace() for trace in traces] == [lasting, None]
        del lasting
        gc.collect()
        assert traces[0]() is not None
        pass_over_what_lasts()
        assert traces[0]() is None
    finally:
        gc.unfreeze()


AFTER_VISITORS = """
import re
from pathlib import Path
from threading import Barrier, Thread
from app import keep_little_free
keep_little_free()
from mapdp_studio.pages.parts.visit.free_memory import give_back

def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

def visit(together):
    together.wait()
    pieces = [bytes([k]) * 2**20 for k in range(12)]
    together.wait()

give_back()  # as the server does every minute
before, together = resident(), Barrier(4)
visitors = [Thread(target=visit, args=(together,)) for _ in range(4)]
for visitor in visitors:
    visitor.start()
for visitor in visitors:
    visitor.join()
give_back()
print(resident() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library is not glibc")
def test_what_other_threads_needed_goes_back_too():
    run = [sys.executable, "-c", AFTER_VISITORS]
    kept = float(subprocess.run(run, check=True, capture_output=True, text=True).stdout)
    assert kept < 5  # of 48


def test_to_forget_takes_the_uploaded_file_too_and_what_buttons_would_save():
    def page():
        import streamlit as st

        from mapdp_studio.pages import Session
        from mapdp_studio.pages.parts.visit.session_bar import forget

        st.session_state.setdefault("studio", Session())
        st.button("forget", on_click=forget)

    at = AppTest.from_function(page).run()
    removed = []
    manager = SimpleNamespace(remove_session_files=removed.append)
    context = SimpleNamespace(uploaded_file_mgr=manager, session_id="mine")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session_bar, "get_script_run_ctx", lambda: context)
        patch.setattr(session_bar, "offer_no_more", removed.append)
        at.button[0].click().run()
    assert removed == ["mine", "mine"]


def test_a_callback_that_fails_is_answered_with_a_sentence_and_no_value(caplog):
    served = module_from_spec(spec := spec_from_file_location("served", ROOT / "app.py"))
    spec.loader.exec_module(served)
    assert served.app._on_script_error is answer

    def page():
        from mapdp_studio.pages.parts.visit.serving import answer

        try:
            int("-".join(("patient", "7")))
        except ValueError as error:
            if not answer(error):  # Streamlit would show a traceback
                raise

    at = AppTest.from_function(page).run()
    assert not at.exception
    assert "Your table and settings are still there" in at.error[0].value
    assert [button.label for button in at.button] == ["Go on"]
    assert "ValueError" in caplog.text
    assert "patient-7" not in caplog.text


def test_closed_tabs_go_uploads_stay_off_the_disk_and_no_compiler_is_left(monkeypatch):
    closed, offers, stopped, told = [], [], [], asyncio.Event()

    async def serve() -> None:
        async with lifespan(None):
            await asyncio.wait_for(told.wait(), 60)

    monkeypatch.setattr(serving, "BETWEEN_LOOKS", 0.0)
    kept = SimpleNamespace(let_go=lambda: ["a"], stop_work=lambda: stopped.append("work"))
    monkeypatch.setattr(serving, "visits", lambda: kept)
    sessions = SimpleNamespace(get_session_info=lambda session_id: None)
    files = SimpleNamespace(remove_orphaned_files=told.set)  # last of what is let go
    instance = SimpleNamespace(
        close_session=closed.append, _session_mgr=sessions, media_file_mgr=files
    )
    monkeypatch.setattr(serving.runtime, "get_instance", lambda: instance)
    monkeypatch.setattr(serving, "offer_no_more", offers.append)
    monkeypatch.setattr(MultiPartParser, "spool_max_size", 1)
    # What a server settles for its process is not for this one.
    monkeypatch.setattr("sys.setswitchinterval", lambda seconds: None)
    monkeypatch.setattr(logging.getLogger("streamlit.error_util"), "disabled", False)
    compiling = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    monkeypatch.setattr(engine, "_compiling", [compiling])
    asyncio.run(serve())
    assert compiling.wait(60)
    assert closed[0] == offers[0] == "a"
    assert stopped
    assert MultiPartParser.spool_max_size > 2**20 * serving.st.get_option("server.maxUploadSize")


@pytest.mark.parametrize("there", [[], ["a visitor"]])
def test_what_lessons_lead_to_is_kept_as_long_as_anybody_is_there(monkeypatch, there):
    given_back, store, passed_over = asyncio.Event(), Known(), []
    store.note("a stop", "5.1", "what it leads to")

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(serving, "give_back", lambda: loop.call_soon_threadsafe(given_back.set))
        tidying = asyncio.create_task(serving._tidy())
        await asyncio.wait_for(given_back.wait(), 60)
        tidying.cancel()

    monkeypatch.setattr(serving, "BETWEEN_LOOKS", 0.0)
    monkeypatch.setattr(serving, "BETWEEN_COLLECTIONS", -1.0)
    kept = SimpleNamespace(let_go=lambda: [], stop_work=lambda: None, sessions=there)
    monkeypatch.setattr(serving, "visits", lambda: kept)
    files = SimpleNamespace(remove_orphaned_files=lambda: None)
    instance = SimpleNamespace(media_file_mgr=files)
    monkeypatch.setattr(serving.runtime, "get_instance", lambda: instance)
    monkeypatch.setattr(serving, "shared_results", lambda: store)
    monkeypatch.setattr(serving, "pass_over_what_lasts", lambda: passed_over.append(True))
    asyncio.run(serve())
    assert (store.known("a stop", "5.1") is not None) == bool(there)
    assert bool(passed_over) != bool(there)


@pytest.mark.parametrize("before", ["/", "/groups/", "/teach/"])
def test_the_charts_script_is_packed_once_and_kept_by_browsers(before):
    (route,) = serving.routes()
    scope = {"type": "http", "method": "GET", "path": f"{before}{PLOTLY}"}
    assert route.matches(scope)[0] is Match.FULL
    answer = asyncio.run(route.endpoint(None))
    assert answer.headers["content-encoding"] == "gzip"
    assert "immutable" in answer.headers["cache-control"]
    script = gzip.decompress(answer.body)
    assert b"plotly.js" in script[:200]
    assert answer.body is serving._plotly()
    assert len(answer.body) < 0.35 * len(script)
