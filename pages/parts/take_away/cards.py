"""The groups on one picture, to be shown to others."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.exports.take_away import file_stem
from mapdp_studio.core.plots.group_cards import MOST, group_cards_figure
from mapdp_studio.core.profiling.cards import Card
from mapdp_studio.core.wording import counted
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.chosen import Chosen
from mapdp_studio.pages.parts.shared.picture import picture
from mapdp_studio.pages.parts.shared.theme import colours


def cards_picture(studio: Session, chosen: Chosen, cards: list[Card], in_a_row: int) -> None:
    """A card for each of the largest groups, to be saved as PNG or SVG."""
    groups = chosen.groups
    with st.container(border=True):
        st.subheader("A picture of the groups", anchor=False)
        sizes, ink = chosen.sizes.tolist(), colours()["ink"]
        shown = groups.titles, sizes, groups.colours, cards, ink
        picture(
            group_cards_figure(studio.table.name, *shown, in_a_row),
            "group-cards",
            f"Cards of the largest of {counted(groups.n_groups, 'group')}, {MOST} at most",
            f"{file_stem(studio.table.name)}-groups",
        )
