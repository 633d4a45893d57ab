"""Columns that identify rows: a list of rows is without them until somebody asks for them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.wording import escaped, listed


def shows_ids(ids: Sequence[str]) -> bool:
    """Draw the switch, where the table has such columns; whether it is on."""
    return bool(ids) and st.toggle(
        f"With {listed(map(escaped, ids), 2)}",
        key="with_ids",
        persist_state="session",
        help="What identifies rows: a name or a number of a person is nobody else's business, that "
        "of a state or a shop may be what you look for.",
    )
