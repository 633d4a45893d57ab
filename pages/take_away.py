"""Take away: the chosen result as files, and everything needed to get it again."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.chosen import choose_result, described_groups
from mapdp_studio.pages.parts.shared.kit import heading
from mapdp_studio.pages.parts.take_away.again import project, script
from mapdp_studio.pages.parts.take_away.files import model, report, table

studio = session()
row = heading("Take away", studio)
chosen = choose_result(studio, row)
if chosen is not None:
    several = chosen.groups.n_groups > 1
    described = described_groups(studio, chosen) if several else None
    grid = st.grid(2, min_column_width=440, gap="medium")
    for draw, arguments in (
        (table, (studio, chosen)),
        (report, (studio, chosen)),
        (project, (studio,)),
        (script, (studio, chosen)),
        (model, (studio, chosen, described)),
    ):
        with grid.cell():
            draw(*arguments)
