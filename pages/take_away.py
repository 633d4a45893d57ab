"""Take away: the chosen result as files, and everything needed to get it again."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.plots.group_cards import IN_A_ROW, WIDTH
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.chosen import choose_result, described_groups
from mapdp_studio.pages.parts.shared.kit import heading
from mapdp_studio.pages.parts.shared.width import page_width
from mapdp_studio.pages.parts.take_away.again import again
from mapdp_studio.pages.parts.take_away.cards import cards_picture
from mapdp_studio.pages.parts.take_away.files import (
    model_file,
    project_file,
    report_file,
    summary_file,
    table_files,
)
from mapdp_studio.pages.parts.take_away.rules import rule_files

studio = session()
row = heading("Take away", studio)
chosen = choose_result(studio, row)
if chosen is not None:
    left, right = st.columns(2, gap="medium")
    with left:
        table_files(studio, chosen)
        summary_file(studio, chosen)
        model_file(studio, chosen)
    with right:
        project_file(studio)
        report_file(studio, chosen)
        again(studio, chosen)
    several = chosen.groups.n_groups > 1
    described = described_groups(studio, chosen) if several else None
    if described is not None:
        with left:
            rule_files(studio, chosen, described.rules)
        width = page_width([WIDTH * n for n in range(1, IN_A_ROW + 1)], assumed=WIDTH * IN_A_ROW)
        cards_picture(studio, chosen, described.cards, max(width // WIDTH, 1))
