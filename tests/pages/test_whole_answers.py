"""What a page's run has drawn is sent, also when the next run begins at that moment."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

from mapdp_studio.pages.parts.visit.whole_answers import keep_replies, send_before_next_run


class Bare(AppSession):
    """A session of no server."""

    def __init__(self) -> None:
        self._event_loop = asyncio.get_running_loop()
        self._state = AppSessionState.APP_IS_RUNNING
        self._browser_queue = ForwardMsgQueue()
        self._message_enqueued_callback = self._client_state = None

    def __del__(self) -> None: ...


@pytest.fixture
def begun(monkeypatch) -> list:
    """The runs that a session begins, each of which takes what is asked for next."""
    runs = []

    def begin(session, asked) -> None:
        run = SimpleNamespace(asked=[asked])
        run.request_rerun = lambda more: run.asked.append(more) is None
        session._scriptrunner = run
        runs.append(run)

    monkeypatch.setattr(AppSession, "_create_scriptrunner", begin)
    send_before_next_run()
    return runs


async def _asked_while_its_answer_waits(times: int, ends: bool = False) -> Bare:
    """A session whose run has ended, whose answer waits to be sent, and which is asked anew."""
    session = Bare()
    ended = session._scriptrunner = SimpleNamespace(request_rerun=lambda asked: False)
    session._on_scriptrunner_event(
        ended, ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg=ForwardMsg(hash="drawn")
    )
    for _ in range(times):
        session.request_rerun(None)
    if ends:
        session._state = AppSessionState.SHUTDOWN_REQUESTED
    for _ in range(5):
        await asyncio.sleep(0)
    return session


def test_nothing_that_was_drawn_is_lost(begun):
    session = asyncio.run(_asked_while_its_answer_waits(times=2))
    assert [message.hash for message in session._browser_queue.flush()] == ["drawn"]
    (run,) = begun  # one for both that asked
    assert session._scriptrunner is run
    assert len(run.asked) == 2


@pytest.mark.parametrize("parts", [None, ["a part"]])
def test_replies_are_sent_once_also_when_a_run_begins(parts, monkeypatch):
    """A click that saves and an upload wait for them."""
    monkeypatch.setattr(AppSession, "_clear_queue", AppSession._clear_queue)
    keep_replies()

    async def begun() -> list[ForwardMsg]:
        session = Bare()
        for kind in ("backend_operation_response", "file_urls_response"):
            reply = ForwardMsg()
            getattr(reply, kind).SetInParent()
            session._browser_queue.enqueue(reply)
        drawn = ForwardMsg(hash="drawn")
        drawn.delta.fragment_id = "a part"
        session._browser_queue.enqueue(drawn)
        session._clear_queue(parts)
        return session._browser_queue.flush() + session._browser_queue.flush()

    kinds = [message.WhichOneof("type") for message in asyncio.run(begun())]
    assert kinds == ["backend_operation_response", "file_urls_response"]


def test_a_session_that_ends_begins_nothing(begun):
    asyncio.run(_asked_while_its_answer_waits(times=1, ends=True))
    assert begun == []
