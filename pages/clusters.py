"""Clusters: what each group of the chosen result is like, and why each row is in its group."""

from __future__ import annotations

import streamlit as st

from core.wording import escaped
from pages import session
from pages.parts.groups.columns import group_columns
from pages.parts.groups.merges import group_merges
from pages.parts.groups.profiles import group_profiles
from pages.parts.groups.rows import group_rows
from pages.parts.shared.chosen import choose_result
from pages.parts.shared.width import HALVES, page_width

studio = session()
heading = st.container(horizontal=True, vertical_alignment="center")
heading.title("Clusters", anchor=False)
if studio.table is not None:
    heading.caption(f"**{escaped(studio.table.name)}**", text_alignment="right")
page_width(HALVES, assumed=HALVES[-1])
chosen = choose_result(studio)
if chosen is not None:
    parts = {
        "Profiles": group_profiles,
        "Columns": group_columns,
        "Merge and name": group_merges,
        "Rows": group_rows,
    }
    tabs = st.tabs(list(parts), key="clusters_tab", on_change="rerun")
    for tab, draw in zip(tabs, parts.values(), strict=True):
        if tab.open:
            with tab:
                draw(studio, chosen)
