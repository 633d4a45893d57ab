"""What a page's run has drawn reaches the browser before the next run begins.

Streamlit hands what a run draws to the server's loop, and begins a new run as soon as the last one
has ended: of what still stands in the loop's line it sends nothing then. On a busy server half a
page was lost so, and a part of it that runs by itself (a fragment) was then put where nothing is.
"""

from __future__ import annotations

from typing import Any

from streamlit.runtime.app_session import AppSession, AppSessionState


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
