"""What a component tells the server, to whoever asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st


def when_told(key: str, what: str, do: Callable[[Any], object] | None) -> Callable[[], None]:
    """What is called when the component of that key tells something: ``do``, if any, with that.

    A click reaches the server, too, when its component has just gone with its page; what it was of
    is not known any more then, and nothing is done.
    """

    def pass_on() -> None:
        component = st.session_state.get(key)
        if do is not None and component is not None:
            do(component[what])

    return pass_on
