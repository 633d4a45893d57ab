"""The server around the pages: headers, what it lets go, and what it says of an error."""

from __future__ import annotations

import asyncio
import gzip
import logging
import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Match, Route
from streamlit.testing.v1 import AppTest

from mapdp_studio.pages.parts.shared import engine
from mapdp_studio.pages.parts.shared.chart import PLOTLY
from mapdp_studio.pages.parts.visit import serving
from mapdp_studio.pages.parts.visit.serving import HEADERS, answer, lifespan, middleware

ROOT = Path(__file__).parents[2]


def asked(path: str = "/") -> tuple[int, dict[str, str]]:
    """Status and headers of a page."""

    async def page(request):
        return PlainTextResponse("page")

    app = Starlette(routes=[Route(path, page)], middleware=middleware())
    messages = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        messages.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "headers": []}
    scope |= {"query_string": b"", "http_version": "1.1", "scheme": "http", "root_path": ""}
    asyncio.run(app(scope, receive, send))
    headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
    return messages[0]["status"], headers


def test_no_other_page_may_frame_this_one():
    _, headers = asked()
    assert {name.lower(): value for name, value in HEADERS.items()}.items() <= headers.items()


@pytest.mark.parametrize("path", ["/_stcore/metrics", "/groups/_stcore/metrics"])
def test_what_visitors_hold_is_told_to_nobody_unless_somebody_opened_it(path, monkeypatch):
    monkeypatch.delenv(serving.OPEN_METRICS, raising=False)
    assert asked(path)[0] == 404
    monkeypatch.setenv(serving.OPEN_METRICS, "1")
    assert asked(path)[0] == 200


def from_package(name: str):
    """A function of app.py as the console script finds it, which serves nothing yet."""
    spec = spec_from_file_location("mapdp_studio.app", ROOT / "app.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


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


def test_a_callback_that_fails_is_answered_with_a_sentence_and_no_value(caplog):
    served = module_from_spec(spec := spec_from_file_location("served", ROOT / "app.py"))
    spec.loader.exec_module(served)
    assert served.app._on_script_error is answer  # streamlit has no public way to ask

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


def test_at_the_server_s_end_no_work_is_left(monkeypatch):
    stopped = []

    async def serve() -> None:
        async with lifespan(None):
            assert not stopped

    monkeypatch.setattr(serving, "stop_all", lambda: stopped.append(True))
    monkeypatch.setattr(logging.getLogger("streamlit.error_util"), "disabled", False)
    compiling = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    monkeypatch.setattr(engine, "_compiling", [compiling])
    asyncio.run(serve())
    assert compiling.wait(60)
    assert stopped


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
