"""The server around the pages: whom it answers, what it lets go, and what it says of an error."""

from __future__ import annotations

import asyncio
import gzip
import logging
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, partial
from importlib.resources import files
from typing import Any

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from mapdp_studio.pages import note_failure
from mapdp_studio.pages.parts.shared.chart import PLOTLY
from mapdp_studio.pages.parts.shared.engine import stop_compiling
from mapdp_studio.pages.parts.teach.shared_results import shared_results
from mapdp_studio.pages.parts.visit.fragment_runs import keep_runs_apart
from mapdp_studio.pages.parts.visit.free_memory import (
    give_back,
    keep_while_drawing,
    pass_over_what_lasts,
)
from mapdp_studio.pages.parts.visit.kept_messages import send_what_is_gone
from mapdp_studio.pages.parts.visit.replaced_widgets import overlook_replaced_widgets
from mapdp_studio.pages.parts.visit.returning import visits
from mapdp_studio.pages.parts.visit.saved_files import keep_saved_files, offer_no_more
from mapdp_studio.pages.parts.visit.upload_room import BoundedUploads
from mapdp_studio.pages.parts.visit.whole_answers import keep_replies, send_before_next_run

#: Seconds between two looks at who has gone, and between two at what nobody holds any more.
BETWEEN_LOOKS, BETWEEN_COLLECTIONS = 5.0, 60.0

#: Seconds that one visitor's Python may run before another's gets its turn: with 20 visitors and
#: Python's own 5 ms, a Stop waits some 100 ms for each of the steps that it takes.
BETWEEN_TURNS = 0.0005

_SOCKET = "sec-websocket-key"
#: What a browser says when it closes the connection of a page that is left, in RFC 6455. Of a line
#: that is cut, or a computer that sleeps, nothing is heard.
GOING_AWAY = 1001

#: Where Streamlit tells how many visitors there are and how much memory they take, to whoever asks;
#: and the environment's variable that opens it.
METRICS, OPEN_METRICS = "/_stcore/metrics", "MAPDP_METRICS"

#: Nobody else's page may show this one in a frame of its own, or learn where a visitor came from.
HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'self'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
}


class GuardingHeaders:
    """Puts ``HEADERS`` on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, guarded)


class ClosedMetrics:
    """Tells nobody how many visitors there are and what they hold, unless ``OPEN_METRICS`` is set.

    Behind a proxy everybody comes from this computer: who asks tells nothing.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_asked = scope["type"] == "http" and scope["path"].rstrip("/").endswith(METRICS)
        if is_asked and not os.environ.get(OPEN_METRICS):
            await PlainTextResponse("Not found", 404)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class HeardGoodbyes:
    """Notes whose page was left, by the socket that its browser closed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def heard() -> Message:
            message = await receive()
            if message["type"] == "websocket.disconnect" and message.get("code") == GOING_AWAY:
                socket = Headers(scope=scope).get(_SOCKET, "")
                for session_id in filter(partial(_has_socket, socket), visits().sessions):
                    visits().goodbye(session_id)
            return message

        await self._app(scope, heard, send)


def _has_socket(socket: str, session_id: str) -> bool:
    """Whether a session's browser is at the other end of a socket; each has a key of its own."""
    client = runtime.get_instance().get_client(session_id)
    told = () if client is None else client.client_context.headers
    return bool(socket) and (_SOCKET, socket) in told


def middleware() -> list[Middleware]:
    """What every request passes: under a name that is not this server's it is refused.

    Somebody else's name may be made to lead here, and then its page could read what this one shows.
    Names of this computer itself cannot, and health checks use them.
    """
    known = st.get_option("server.allowedHosts")
    hosts = [*known, "localhost", "127.0.0.1"] if known else ["*"]
    return [
        Middleware(GuardingHeaders),
        Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False),
        Middleware(ClosedMetrics),
        Middleware(BoundedUploads),
        Middleware(HeardGoodbyes),
    ]


@cache
def _plotly() -> bytes:
    """Its script, which its Python package holds, packed once."""
    script = files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
    return gzip.compress(script, 6)


async def _answer_plotly(request: Request) -> Response:
    packed = await asyncio.to_thread(_plotly)
    told = {"Content-Encoding": "gzip", "Cache-Control": "public, max-age=31536000, immutable"}
    return Response(packed, media_type="text/javascript", headers=told)


def routes() -> list[Route]:
    """What the server answers beside the pages: Plotly's script, which a browser fetches once.

    It is found from every page, whatever path a proxy or ``baseUrlPath`` puts before it.
    """
    return [Route(f"/{{before:path}}{PLOTLY}", _answer_plotly)]


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """While the server runs: nobody waits long for others, nothing is left of who has gone."""
    sys.setswitchinterval(BETWEEN_TURNS)
    keep_while_drawing()
    send_before_next_run()
    keep_replies()
    keep_runs_apart()
    overlook_replaced_widgets()
    send_what_is_gone()
    keep_saved_files()
    # Streamlit holds an upload in memory as soon as it is complete; until then it would lie in the
    # folder for temporary files from its first megabyte.
    MultiPartParser.spool_max_size = 2**20 * (st.get_option("server.maxUploadSize") + 1)
    # It would log messages, which may hold values of a table; ``answer`` logs the place alone.
    logging.getLogger("streamlit.error_util").disabled = True
    tidying = asyncio.create_task(_tidy())
    yield
    tidying.cancel()
    stop_compiling()


async def _tidy() -> None:
    collected = time.monotonic()
    while True:
        await asyncio.sleep(BETWEEN_LOOKS)
        for session_id in visits().let_go():
            close(session_id)
        visits().stop_work()
        runtime.get_instance().media_file_mgr.remove_orphaned_files()
        # Streamlit would do so after every run (config.toml), at the cost of all jobs.
        if time.monotonic() - collected > BETWEEN_COLLECTIONS:
            if not visits().sessions:  # the next class finds lessons as the first one did
                shared_results().clear()
                await asyncio.to_thread(pass_over_what_lasts)
            await asyncio.to_thread(give_back)
            collected = time.monotonic()


def close(session_id: str) -> None:
    """Close a session and empty it.

    Streamlit's loop holds on to the session that it looked at last until somebody else connects
    (``Runtime._loop_coroutine``), and nothing public reaches a session once it is closed.
    """
    server = runtime.get_instance()
    known = server._session_mgr.get_session_info(session_id)
    server.close_session(session_id)
    offer_no_more(session_id)
    if known is not None:
        known.session.session_state.clear()
        known.session._fragment_storage.clear()
        known.session._browser_queue.clear()


def answer(error: Exception) -> bool:
    """Say one sentence where a callback failed, which runs before its page."""
    note_failure(error)
    st.button("Go on", icon=":material/arrow_forward:", type="primary")
    return True
