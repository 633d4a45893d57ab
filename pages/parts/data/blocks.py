"""Blocks: columns that are modelled together, correlations included."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from mapdp_studio.core import FAMILIES
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.kit import show_refused

BLOCK_LABELS = {key: family.label for key, family in FAMILIES.items() if family.is_block}


def blocks(studio: Session) -> None:
    """List the blocks, take one apart, join columns into a new one."""
    st.write(
        "Numeric columns that rise and fall together within a group can be modelled as one block "
        "with its own correlations. All other columns are independent given the group."
    )
    show_refused(studio)
    for block in studio.schema.blocks.values():
        with st.container(horizontal=True, vertical_alignment="center"):
            names = ", ".join(map(escaped, block.columns))
            st.markdown(f"**{escaped(block.name)}** ({BLOCK_LABELS[block.family]}): {names}")
            if st.button("Take apart", key=f"apart-{block.name}", icon=":material/call_split:"):
                studio.take_apart(block.name)
                st.rerun()
    joined = {name for block in studio.schema.blocks.values() for name in block.columns}
    free = [
        name
        for name, spec in studio.schema.items()
        if spec.role == "cluster"
        and name not in joined
        and pd.api.types.is_numeric_dtype(studio.table.frame[name])
    ]
    if len(free) < 2:
        st.info("A block needs at least two numeric columns with the role “cluster”.")
        return
    with st.form(f"block-{studio.table.digest}-{len(joined)}", border=False):
        columns = st.multiselect("Columns", free, select_all=True)
        left, right = st.columns(2)
        name = left.text_input("Name of the block", f"block {len(studio.schema.blocks) + 1}")
        family = right.selectbox("Likelihood", list(BLOCK_LABELS), format_func=BLOCK_LABELS.get)
        if st.form_submit_button("Join them", icon=":material/join:"):
            studio.join(name, columns, family)
            st.rerun()
