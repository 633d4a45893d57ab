"""What a page's run has drawn reaches the browser before the next run begins.

Streamlit hands what a run draws to the server's loop, and begins a new run as soon as the last one
has ended: of what still stands in the loop's line it sends nothing then. On a busy server half a
page was lost so, and a part of it that runs by itself (a fragment) was then put where nothing is.
What was not drawn but asked for, where to put an upload or where a saved file lies, Streamlit takes
out of the line as a run of the whole page begins: nothing was uploaded or saved then.
"""

from __future__ import annotations

from typing import Any

from streamlit.runtime.app_session import AppSession, AppSessionState

#: Replies to a browser that waits for them, by their place in a message.
REPLIES = ("file_urls_response", "backend_operation_response")


def send_before_next_run() -> None:
    """Let a new run begin behind what the last one has put into the loop's line."""
    begin = AppSession._create_scriptrunner

    def go_on(session: AppSession, asked: Any) -> None:
        if session._state is AppSessionState.SHUTDOWN_REQUESTED:
            return
        runner = session._scriptrunner
        if runner is None or not runner.request_rerun(asked):
            begin(session, asked)

    def begin_in_line(session: AppSession, asked: Any) -> None:
        if session._scriptrunner is None:
            begin(session, asked)
        else:  # which has ended, so everything it drew is in the line
            session._call_soon_on_event_loop(lambda: go_on(session, asked))

    AppSession._create_scriptrunner = begin_in_line  # type: ignore[method-assign]


def keep_replies() -> None:
    """Let what the browser has asked for stay in the line as a run begins."""
    clear = AppSession._clear_queue

    def clear_the_drawn(session: AppSession, parts: list[str] | None = None) -> None:
        replies = [
            one for one in session._browser_queue._queue if one.WhichOneof("type") in REPLIES
        ]
        clear(session, parts)
        left = {id(one) for one in session._browser_queue._queue}
        session._browser_queue._queue += [one for one in replies if id(one) not in left]

    AppSession._clear_queue = clear_the_drawn  # type: ignore[method-assign]
