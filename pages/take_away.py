"""Take away: the chosen result as files, and everything needed to get it again."""

from __future__ import annotations

from contextlib import suppress

import streamlit as st

from mapdp_studio.pages import NotYet, session
from mapdp_studio.pages.parts.shared.chosen import choose_result
from mapdp_studio.pages.parts.shared.kit import heading
from mapdp_studio.pages.parts.take_away import cards

studio = session()
chosen = choose_result(studio, heading("Take away", studio))
grid = st.grid(2, min_column_width=440, gap="medium")
for draw in (cards.table, cards.report, cards.project, cards.script, cards.model):
    with grid.cell(), suppress(NotYet):
        draw(studio, chosen)
