"""The server around the pages: whom it answers, what it lets go, and what it says of an error."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from pages import note_failure
from pages.parts.visit.returning import BETWEEN_LOOKS, visits

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
    ]


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """While the server runs: uploads stay off the disk, closed tabs' tables and files go."""
    # Streamlit holds an upload in memory as soon as it is complete; until then it would lie in the
    # folder for temporary files from its first megabyte.
    MultiPartParser.spool_max_size = 2**20 * (st.get_option("server.maxUploadSize") + 1)
    # It would log messages, which may hold values of a table; ``answer`` logs the place alone.
    logging.getLogger("streamlit.error_util").disabled = True
    tidying = asyncio.create_task(_tidy())
    yield
    tidying.cancel()


async def _tidy() -> None:
    while True:
        await asyncio.sleep(BETWEEN_LOOKS)
        for session_id in visits().closed_sessions():
            runtime.get_instance().close_session(session_id)


def answer(error: Exception) -> bool:
    """Say one sentence where a callback failed, which runs before its page."""
    note_failure(error)
    st.button("Go on", icon=":material/arrow_forward:", type="primary")
    return True
