"""Pages take turns: a few are drawn at once, so each is quick, and a Stop is heard at once."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mapdp_studio.core.session.turns import Turns

#: Pages that are drawn at once: of twenty, each would wait for all others at every step.
AT_ONCE = 3
#: Seconds after which long work on a page lets those that wait go first.
TURN = 0.3
#: Seconds between two looks at whether a page that waits for another is to end.
BETWEEN_LOOKS = 0.05

_turns = Turns(AT_ONCE, TURN)


def turn() -> AbstractContextManager[None]:
    """Around every page: wait until it may be drawn, unless the visitor has stopped it by then."""
    return in_turn(_turns)


def in_turn(turns: Turns) -> AbstractContextManager[None]:
    """Around what a script does: its turn, unless the visitor has stopped it by then."""
    return turns.place(threading.get_ident(), heed_stop)


def step() -> None:
    """In the course of a page's long work: end it if it was stopped, and let others go first."""
    heed_stop()
    _turns.step(threading.get_ident(), heed_stop)


def wait_aside(event: threading.Event) -> None:
    """Wait for what another page is working out, and let others have the turn meanwhile."""
    with _turns.aside(threading.get_ident(), heed_stop):
        while not event.wait(BETWEEN_LOOKS):
            heed_stop()


def heed_stop() -> None:
    """End the page here if the visitor has stopped it, or has already asked for another one.

    A thread that draws no page goes on.
    """
    # Wherever a script looks into its state, Streamlit ends it if it is to end.
    if get_script_run_ctx(suppress_warning=True) is not None:
        _ = "studio" in st.session_state
