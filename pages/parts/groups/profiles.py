"""Profiles: a card for each group, and how far all groups lie from the whole table."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.comparing.panels import groups_panel, renumbered
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.plots.heat_maps import differences_figure
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.profiling.cards import BORNE_OUT, NOTABLE, alike
from mapdp_studio.core.profiling.profiles import natural_columns, strongest
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.groups.cards import (
    FEW,
    LOW_RULES,
    collected,
    draw_card,
    persons,
    twins,
)
from mapdp_studio.pages.parts.shared.chosen import Chosen, described_groups
from mapdp_studio.pages.parts.shared.kit import CARD_WIDTH
from mapdp_studio.pages.parts.shared.picture import picture
from mapdp_studio.pages.parts.shared.theme import colours

MOST_CARDS, MOST_FEATURES = 12, 30
#: In pixels, of the map's panel.
MAP_HEIGHT = 250


def group_profiles(studio: Session, chosen: Chosen) -> None:
    """Draw the map beside the cards, then the heatmap."""
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
    encoded, groups = chosen.partition.columns_.encoded, chosen.groups
    described = described_groups(studio, chosen)
    if described is None:
        return
    cards, rules, all_differences = described
    differences = strongest(all_differences, MOST_FEATURES)
    persons(natural_columns(encoded))
    # The largest group comes first, so what is too small for a card of its own comes last.
    sizes = chosen.sizes
    alone = [k for k in range(len(cards)) if sizes[k] < FEW]
    alone = alone if len(alone) > 1 else []
    st.html(LOW_RULES)
    n_cards = len(cards) - len(alone)
    grid = st.grid(3, min_column_width=CARD_WIDTH, border=True)
    with grid.cell():
        _map(studio, chosen)
    for k in range(n_cards if st.session_state.get("all_cards") else min(n_cards, MOST_CARDS)):
        with grid.cell():
            draw_card(studio, chosen, k, cards[k], rules)
    if n_cards > MOST_CARDS:
        label = f"Show all {n_cards:,} groups, not only the {MOST_CARDS} largest"
        st.toggle(label, key="all_cards")
    twins(chosen, alike(cards))
    if alone:
        collected(groups, alone, sizes)
    st.caption(
        f"What lies at least {NOTABLE:g} standard deviations from the whole table, the furthest "
        "first, an arrow for higher or lower, a sign for more or less often: medians of "
        "measurements, means of ratings and counts, shares of levels, over the "
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
    more = len(all_differences) - len(differences)
    st.caption(
        "Mean of the group minus mean of all rows, in standard deviations of all rows; on the log "
        "scale where the model takes logarithms."
        + (f" The {len(differences):,} rows with the largest ones; {more:,} more." if more else "")
    )


def _map(studio: Session, chosen: Chosen) -> None:
    """The rows in the plane of their columns, in the colours and numbers of the groups."""
    groups, encoded = chosen.groups, chosen.partition.columns_.encoded
    about = studio.table.digest, chosen.judge_task
    view = studio.results.latest("map", about, lambda: choose_view(encoded))
    numbers = {int(colour): k + 1 for k, colour in enumerate(groups.colours)}
    panel = renumbered(groups_panel(view, "Where the rows lie", groups), numbers)
    picture(
        panels_figure(view, [panel], 1, MAP_HEIGHT, **colours()),
        "map",
        f"The rows, {view.x.title} across and {view.y.title or 'nothing'} up, coloured by group",
        "map-of-the-groups",
    )
