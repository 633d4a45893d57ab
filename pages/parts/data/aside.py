"""The columns that take no part, each with its reason, folded into one line."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.schema.aside import set_aside
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session

_MOST = 100


def columns_aside(studio: Session) -> None:
    """Draw the line; nothing where every column takes part or is kept for something."""
    aside = set_aside(studio.schema)
    if not aside:
        return
    with st.popover(
        f"{len(aside):,} left aside",
        help="Columns that take no part, and why",
        icon=":material/remove_selection:",
        type="tertiary",
        width="content",
    ):
        st.markdown(
            "\n".join(
                f"- **{escaped(name)}**: {escaped(why)}"
                for name, why in list(aside.items())[:_MOST]
            )
        )
        if len(aside) > _MOST:
            st.caption(f"{len(aside) - _MOST:,} more in the table of columns.")
