"""Controls in a page's address, under names and values that people write themselves.

Streamlit's own binding takes a control's key for its name and its label for its value, so that two
pages could not use one name each for its own control, and 1000 would be written "1,000".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import streamlit as st

#: What was written last, by name: where the address says something else, somebody changed it.
WRITTEN = "address as written"


@dataclass(frozen=True)
class Parameter:
    """One control's place in the address."""

    #: In the address.
    name: str
    #: Of the control.
    key: str
    #: Where the address says nothing, and not written; None for what the page finds for itself.
    default: Any
    #: A text to the control's value; raises ValueError where it is none.
    read: Callable[[str], Any]
    #: Name in links of earlier versions.
    earlier: str = ""
    write: Callable[[Any], str] = "{:g}".format

    def take(self, text: str | None) -> None:
        """Let the control stand as the address says."""
        try:
            value = self.default if text is None else self.read(text)
        except ValueError:
            value = self.default
        if value is None:
            st.session_state.pop(self.key, None)
        else:
            st.session_state[self.key] = value


def take_address(parameters: Iterable[Parameter]) -> None:
    """Before controls are drawn: a link, or the browser's way back, says where they stand.

    An address that says nothing of any of them is that of a page just entered: they stay.
    """
    asked, written = st.query_params, st.session_state.get(WRITTEN, {})
    texts = {p.name: asked.get(p.name, asked.get(p.earlier)) for p in parameters}
    if any(text is not None for text in texts.values()):
        for parameter in parameters:
            if texts[parameter.name] != written.get(parameter.name):
                parameter.take(texts[parameter.name])


def write_address(parameters: Iterable[Parameter]) -> None:
    """After controls are drawn: write where they stand, unless that is where they begin."""
    state, address = st.session_state, st.query_params
    values = {p: state.get(p.key) for p in parameters}
    written = {p.name: p.write(v) for p, v in values.items() if v is not None and v != p.default}
    for name in {name for p in parameters for name in (p.name, p.earlier)} - {*written}:
        address.pop(name, None)
    if any(address.get(name) != text for name, text in written.items()):
        address.update(written)
    state[WRITTEN] = written
