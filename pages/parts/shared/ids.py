"""Columns that identify rows: a list of rows is without them until somebody asks for them."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages import Session


def shown_ids(studio: Session) -> tuple[str, ...]:
    """Draw the switch, where the table has such columns; those to show, of a locked study none."""
    ids = studio.schema.names("id")
    if not ids or studio.study.lock is not None:
        return ()
    is_on = st.toggle(
        f"With {listed(map(escaped, ids), 2)}",
        key="with_ids",
        persist_state="session",
        help="What identifies rows: a name or a number of a person is nobody else's business, that "
        "of a state or a shop may be what you look for.",
    )
    return ids if is_on else ()
