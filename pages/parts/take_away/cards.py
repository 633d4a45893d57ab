"""The groups on one picture, to be shown to others."""

from __future__ import annotations

import streamlit as st

from core.exports.take_away import file_stem
from core.plots.group_cards import MOST, group_cards_figure
from core.profiling.cards import profile_cards
from core.wording import counted
from pages import Session
from pages.parts.shared.background import in_background
from pages.parts.shared.chosen import Chosen
from pages.parts.shared.picture import picture
from pages.parts.shared.theme import colours


def cards_picture(studio: Session, chosen: Chosen) -> None:
    """A card for each of the largest groups, to be saved as PNG or SVG."""
    groups, encoded = chosen.groups, chosen.partition.columns_.encoded
    if groups.n_groups == 1:
        return
    with st.container(border=True):
        st.subheader("A picture of the groups", anchor=False)
        cards = in_background(
            studio,
            "cards",
            chosen.about,
            "Describing the groups",
            lambda job: profile_cards(encoded, groups.labels),
        )
        if cards is None:
            return
        shown = groups.titles, chosen.sizes.tolist(), groups.colours, cards, colours()["ink"]
        picture(
            group_cards_figure(studio.table.name, *shown),
            "group-cards",
            f"Cards of the largest of {counted(groups.n_groups, 'group')}, {MOST} at most",
            f"{file_stem(studio.table.name)}-groups",
        )
