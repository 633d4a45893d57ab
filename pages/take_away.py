"""Take away: the chosen result as files, and everything needed to get it again."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.chosen import choose_result
from mapdp_studio.pages.parts.shared.kit import heading
from mapdp_studio.pages.parts.take_away import cards

studio = session()
chosen = choose_result(studio, heading("Take away", studio))
if chosen is not None:
    grid = st.grid(2, min_column_width=440, gap="medium")
    for draw in (cards.table, cards.report, cards.project, cards.script, cards.model):
        with grid.cell():
            draw(studio, chosen)
