"""What is on its way takes room as tables do: beyond it a file is refused while it comes."""

from __future__ import annotations

import asyncio

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from mapdp_studio.pages.parts.visit import upload_room
from mapdp_studio.pages.parts.visit.upload_room import NO_ROOM, BoundedUploads

PATH = "/groups/_stcore/upload_file/session/file"


async def taking(scope, receive, send):
    """Stands for Streamlit, which reads a file whole."""
    body = await Request(scope, receive).body()
    await PlainTextResponse(f"{len(body)}", 201)(scope, receive, send)


async def put(app, chunks, told=None, path=PATH):
    """The status of an upload whose chunks come one after the other, and those not taken."""
    waiting, answers = list(chunks), []

    async def receive():
        await asyncio.sleep(0)  # so that others come in between
        body = waiting.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(waiting)}

    async def send(message):
        answers.append(message)

    headers = [] if told is None else [(b"content-length", str(told).encode())]
    await app({"type": "http", "method": "PUT", "path": path, "headers": headers}, receive, send)
    return answers[0]["status"], len(waiting)


@pytest.fixture
def app(monkeypatch):
    monkeypatch.setattr(upload_room, "held", lambda: 400)
    monkeypatch.setattr(upload_room, "room", lambda: type("Room", (), {"most": 1000}))
    return BoundedUploads(taking)


def test_a_file_too_large_for_what_is_left_is_refused_before_it_comes(app):
    assert asyncio.run(put(app, [bytes(600)], 600)) == (201, 0)
    assert asyncio.run(put(app, [bytes(300), bytes(300), bytes(1)], 601)) == (NO_ROOM, 3)
    assert asyncio.run(put(app, [bytes(2000)], 2000, "/_stcore/other")) == (201, 0)


def test_files_that_come_together_share_the_room_and_leave_it_whole(app):
    async def together():
        return await asyncio.gather(*(put(app, [bytes(100)] * 4) for _ in range(2)))

    statuses = sorted(status for status, _ in asyncio.run(together()))
    assert statuses == [201, NO_ROOM]
    assert asyncio.run(put(app, [bytes(600)], "no number")) == (201, 0)
