"""Clusters: how many groups there are, what each is like, and why each row is in its group."""

from contextlib import suppress

import streamlit as st

from mapdp_studio.pages import NotYet, session
from mapdp_studio.pages.parts.groups import cards
from mapdp_studio.pages.parts.groups.how_many import group_merges, group_number
from mapdp_studio.pages.parts.groups.rows import group_rows
from mapdp_studio.pages.parts.shared.chosen import choose_result
from mapdp_studio.pages.parts.shared.kit import draw_tabs, heading

visit = session()
chosen = choose_result(visit, heading("Clusters", visit))
with suppress(NotYet):
    group_number(visit, chosen)
place = st.container()
with suppress(NotYet):
    cards.group_cards(visit, chosen)
parts = {
    "Columns": cards.group_columns,
    "Rows": group_rows,
    "Merge and name": group_merges,
    "What if": cards.what_if,
}
draw_tabs("clusters_tab", parts, visit, chosen)
cards.draw_misfits(visit, chosen, place)
