"""Profiles: a card for each group, and how far all groups lie from the whole table."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core.partitions.naming import Groups
from core.plots.heat_maps import differences_figure
from core.plots.template import PALETTE
from core.profiling.cards import BORNE_OUT, NOTABLE, NOTHING, Card, Trait, profile_cards
from core.profiling.profiles import standardised_differences, strongest
from core.wording import counted, escaped, listed
from pages import Session
from pages.parts.shared.background import in_background
from pages.parts.shared.chosen import Chosen
from pages.parts.shared.part_of_table import cluster_again
from pages.parts.shared.picture import picture
from pages.parts.shared.theme import colours

MOST_CARDS, MOST_FEATURES, WORTH_CLUSTERING, FEW, MOST_NAMED = 12, 30, 10, 5, 30
WORDS = {
    "high": "arrow_upward",
    "low": "arrow_downward",
    "more often": "add",
    "less often": "remove",
}


def group_profiles(studio: Session, chosen: Chosen) -> None:
    """Draw the cards, then the heatmap."""
    if chosen.groups.n_groups == 1:
        fitted = chosen.model.n_clusters_
        said = "no groups were found that this model would rather keep apart"
        if fitted > 1:
            said = f"the slider shows up to {fitted:,} groups of the fit"
        st.info(
            f"There is one group, and it is the whole table: {said}. The columns are described "
            "under Columns.",
            icon=":material/info:",
        )
        return
    width = st.session_state["page_width_told"]
    encoded, groups = chosen.partition.columns_.encoded, chosen.groups

    def describe(job):
        cards = profile_cards(encoded, groups.labels)
        differences = standardised_differences(encoded, groups.labels)
        return cards, strongest(differences, MOST_FEATURES), len(differences)

    result = in_background(studio, "profiles", chosen.about, "Describing the groups", describe)
    if result is None:
        return
    cards, differences, n_features = result
    # The largest group comes first, so what is too small for a card of its own comes last.
    sizes = chosen.sizes
    alone = [k for k in range(len(cards)) if sizes[k] < FEW]
    alone = alone if len(alone) > 1 else []
    shown = _cards_shown(len(cards) - len(alone))
    in_a_row = 3 if width >= 1100 else 2 if width >= 760 else 1
    for first in range(0, shown, in_a_row):
        places = st.columns(in_a_row)
        for place, k in zip(places, range(first, min(first + in_a_row, shown)), strict=False):
            with place:
                _card(studio, chosen, k, cards[k], int(sizes[k]), sizes[k] / sizes.sum())
    _switch(len(cards) - len(alone))
    if alone:
        _collected(groups, alone, sizes)
    st.caption(
        f"What lies at least {NOTABLE:g} standard deviations from the whole table, the furthest "
        "first: medians of measurements, means of ratings and counts, shares of levels, over the "
        f"rows that have a value (n). {BORNE_OUT} The groups were made from these columns, so they "
        "differ on them by construction; no p-value would be valid here."
        + "".join(
            f" Rows count by “{escaped(name)}”, scaled to mean 1, but in the sizes of the groups."
            for name in studio.schema.names("weight")
        )
    )
    st.subheader("All groups side by side", anchor=False)
    picture(
        differences_figure(differences, groups.titles, colours()["paper"]),
        "differences",
        f"Standardised differences of {len(groups.titles):,} groups in {len(differences):,} "
        "columns and levels",
        "standardised-differences",
    )
    more = n_features - len(differences)
    st.caption(
        "Mean of the group minus mean of all rows, in standard deviations of all rows; on the log "
        "scale where the model takes logarithms."
        + (f" The {len(differences):,} rows with the largest ones; {more:,} more." if more else "")
    )


def _cards_shown(n_cards: int) -> int:
    """How many cards are drawn: as the switch below them stands, which few groups do not need."""
    return n_cards if st.session_state.get("all_cards") else min(n_cards, MOST_CARDS)


def _switch(n_cards: int) -> None:
    if n_cards > MOST_CARDS:
        st.toggle(
            f"Show all {n_cards:,} groups, not only the {MOST_CARDS} largest", key="all_cards"
        )


def _collected(groups: Groups, alone: list[int], sizes: np.ndarray) -> None:
    """One card for all groups of a handful of rows: what they share is to be like no others."""
    n = int(sizes[alone].sum())
    with st.container(border=True):
        st.markdown(
            f"**Rows like no others** \u00b7 {counted(n, 'row')} in {counted(len(alone), 'group')} "
            f"of fewer than {FEW}"
        )
        told = []
        for k in alone[:MOST_NAMED]:
            rows = np.flatnonzero(groups.labels == k)
            numbers = listed((f"{row + 1:,}" for row in rows), FEW)
            told.append(
                f"{escaped(groups.titles[k])}: {'row' if rows.size == 1 else 'rows'} {numbers}"
            )
        more = len(alone) - len(told)
        st.caption("; ".join(told) + (f"; {more:,} more groups." if more else "."))
        st.caption("**Rows** shows each of them, and what sets it apart.")


def _card(studio: Session, chosen: Chosen, k: int, card: Card, size: int, share: float) -> None:
    """One group: its size, what stands out, and the way into it."""
    groups = chosen.groups
    colour = PALETTE[groups.colours[k] % len(PALETTE)]
    with st.container(border=True, height="stretch"):
        # The colour is one of our own; the title is the visitor's text.
        st.html(f'<div style="height: 5px; border-radius: 3px; background: {colour}"></div>')
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{escaped(groups.titles[k])}**", width="content")
            part = f"{100 * share:.1f}" if share >= 0.0005 else f"{100 * share:.1g}"
            st.caption(f"{size:,} rows, {part} %", text_alignment="right")
        if card.traits:
            st.markdown("  \n".join(_line(trait) for trait in card.traits))
        else:
            st.markdown(f"{NOTHING.capitalize()}.")
        if size < FEW:
            st.caption("Few rows: a look at each of them says more than this card.")
        if card.size >= WORTH_CLUSTERING:
            rows = np.flatnonzero(groups.labels == k)
            cluster_again(studio, rows, groups.titles[k], "Cluster this group again", f"again-{k}")


def _line(trait: Trait) -> str:
    here = escaped(trait.here).replace(" %", "\u00a0%")
    overall = escaped(trait.overall).replace(" ", "\u00a0")
    return (
        f":material/{WORDS[trait.word]}: {trait.word}: {escaped(trait.what)} "
        f"**{here}** :small[:gray[all\u00a0{overall}, "
        f"n\u00a0=\u00a0{trait.n_observed:,}]]"
    )
