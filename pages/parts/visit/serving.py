"""The server around the pages: whom it answers, what it lets go, and what it says of an error."""

import asyncio
import gzip
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from importlib.resources import files
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from mapdp_studio.core.session.jobs import stop_all
from mapdp_studio.pages import note_failure
from mapdp_studio.pages.parts.shared.chart import PLOTLY
from mapdp_studio.pages.parts.shared.compute import stop_compiling

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


async def guard(request: Request, call_next: RequestResponseEndpoint) -> Response:
    """Put ``HEADERS`` on every answer, and keep the metrics closed unless they were opened."""
    if request.url.path.rstrip("/").endswith(METRICS) and not os.environ.get(OPEN_METRICS):
        response: Response = PlainTextResponse("Not found", 404)
    else:
        response = await call_next(request)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response


@cache
def _plotly() -> bytes:
    """Its script, which its Python package holds, packed once."""
    script = files("plotly").joinpath("package_data", "plotly.min.js").read_bytes()
    return gzip.compress(script, 6)


async def _answer_plotly(request: Request) -> Response:
    packed = await asyncio.to_thread(_plotly)
    headers = {"Content-Encoding": "gzip", "Cache-Control": "public, max-age=31536000, immutable"}
    return Response(packed, media_type="text/javascript", headers=headers)


#: What every request passes, and what is answered apart from the pages, whatever path comes first.
AROUND = {
    "middleware": [Middleware(BaseHTTPMiddleware, dispatch=guard)],
    "routes": [Route(f"/{{before:path}}{PLOTLY}", _answer_plotly)],
}


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """At the server's end all work ends."""
    # It would log messages, which may hold values of a table; ``answer`` logs the place alone.
    logging.getLogger("streamlit.error_util").disabled = True
    yield
    stop_all()
    stop_compiling()


def answer(error: Exception) -> bool:
    """Say one sentence where a callback failed, which runs before its page."""
    note_failure(error)
    st.button("Go on", icon=":material/arrow_forward:", type="primary")
    return True
