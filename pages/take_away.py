"""Take away: the chosen result as files, and everything needed to get it again, a card each."""

from contextlib import suppress

import streamlit as st

from mapdp_studio.pages import NotYet, session
from mapdp_studio.pages.parts.shared.chosen import choose_result
from mapdp_studio.pages.parts.shared.kit import heading
from mapdp_studio.pages.parts.take_away import cards

visit = session()
chosen = choose_result(visit, heading("Take away", visit))
grid = st.grid(2, min_column_width=440, gap="medium")
for draw in (
    cards.table_card,
    cards.report_card,
    cards.project_card,
    cards.script_card,
    cards.model_card,
):
    with grid.cell(), suppress(NotYet):
        draw(visit, chosen)
