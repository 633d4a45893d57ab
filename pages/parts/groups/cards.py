"""The map of the rows, and beside it a card for each group: size, what stands out, a short rule."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mapdp_studio.core.comparing.panels import groups_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.plots.template import PALETTE
from mapdp_studio.core.profiling.cards import (
    ALIKE,
    BORNE_OUT,
    NOTABLE,
    NOTHING,
    Card,
    Trait,
    alike,
    sentence,
)
from mapdp_studio.core.profiling.profiles import natural_columns
from mapdp_studio.core.profiling.rules import TableRules
from mapdp_studio.core.schema.words import look_like_persons
from mapdp_studio.core.wording import counted, escaped, listed, percent
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.groups.merges import merge_button
from mapdp_studio.pages.parts.shared.chosen import Chosen, described_groups
from mapdp_studio.pages.parts.shared.kit import CARD_WIDTH
from mapdp_studio.pages.parts.shared.picture import picture
from mapdp_studio.pages.parts.shared.theme import colours

#: Rows of a group that has a card of its own, at least; cards, and pairs of alike ones, at most.
FEW, MOST_CARDS, MOST_TWINS = 5, 12, 2
MAP_HEIGHT = 300
_ICONS = {
    "high": "arrow_upward",
    "low": "arrow_downward",
    "more often": "add",
    "less often": "remove",
}


def group_cards(studio: Session, chosen: Chosen) -> None:
    """Draw the map, and the cards beside it."""
    groups, sizes, fitted = chosen.groups, chosen.sizes, chosen.model.n_clusters_
    if groups.n_groups == 1:
        more = f": the slider shows up to {fitted:,} groups of the fit" * (fitted > 1)
        st.info(f"There is one group, and it is the whole table{more}.", icon=":material/info:")
        return
    described = described_groups(studio, chosen)
    if described is None:
        return
    cards = described.cards
    # The largest group comes first, so what is too small for a card of its own comes last.
    alone = [k for k in range(len(cards)) if sizes[k] < FEW]
    alone = alone if len(alone) > 1 else []
    n_cards = len(cards) - len(alone)
    encoded = chosen.partition.columns_.encoded
    key = studio.table.digest, chosen.judge_task
    view = studio.results.latest("map", key, lambda: choose_view(encoded))
    panel = groups_panel(view, "Where the rows lie", groups)
    figure = panels_figure(view, [panel], 1, MAP_HEIGHT, **colours())
    up = view.y.title or "nothing"
    grid = st.grid(3, min_column_width=CARD_WIDTH, border=True)
    with grid.cell():
        said = f"The rows, {view.x.title} across and {up} up, coloured by group"
        picture(figure, "map", said, "map-of-the-groups")
    for k in range(n_cards if st.session_state.get("all_cards") else min(n_cards, MOST_CARDS)):
        with grid.cell(), st.container(gap="xsmall"):
            _card(chosen, k, cards[k], described.rules)
    if n_cards > MOST_CARDS:
        label = f"Show all {n_cards:,} groups, not only the {MOST_CARDS} largest"
        st.toggle(label, key="all_cards")
    for a, b in alike(cards)[:MOST_TWINS]:
        with st.container(horizontal=True, vertical_alignment="center"):
            first, second = (escaped(groups.titles[k]) for k in (a, b))
            st.caption(f"The cards of {first} and {second} begin alike.", width="content")
            merge_button(chosen, a, b, key=f"twins-{a}-{b}", type="tertiary")
    if alone:
        _collected(chosen, alone)
    _notes(studio, chosen)


def _notes(studio: Session, chosen: Chosen) -> None:
    """What to know before a card is believed, or shown to others."""
    columns = natural_columns(chosen.partition.columns_.encoded)
    named = [c.name for c in columns if c.levels is not None and look_like_persons(c.levels)]
    if named:
        st.caption(
            f":orange[:material/badge: {escaped(listed(named, 3))} may hold names of persons: "
            "set the role to “ignore” on **Data** before you show these cards.]"
        )
    weighed = "".join(
        f" Rows count by “{escaped(name)}”, scaled to mean 1, but in the sizes of the groups."
        for name in studio.schema.names("weight")
    )
    st.caption(
        f"Groups differ on these columns by construction: no p-value would be valid here.{weighed}",
        help=f"On a card stands what lies at least {NOTABLE:g} standard deviations from the whole "
        "table, the furthest first: medians of measurements, means of ratings and counts, shares "
        f"of levels, over the rows that have a value (n). {BORNE_OUT}",
    )


def _card(chosen: Chosen, k: int, card: Card, rules: TableRules | None) -> None:
    groups, size = chosen.groups, int(chosen.sizes[k])
    # The colour is one of our own; the title is the visitor's text.
    colour = PALETTE[groups.colours[k] % len(PALETTE)]
    st.html(f'<div style="height: 5px; border-radius: 3px; background: {colour}"></div>')
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{escaped(groups.titles[k])}**", width="content")
        share = percent(size, groups.labels.size)
        st.caption(f"{size:,} rows, {share}", text_alignment="right")
    if card.nearest is not None:
        st.markdown(sentence(card, groups.titles[card.nearest], _unbroken))
    lines = [_line(trait, card.size) for trait in card.traits[:ALIKE]]
    st.markdown("  \n".join(lines) or f"{NOTHING.capitalize()}.")
    rule = None if rules is None else rules.found.rules[k]
    if rule is not None:
        made, apart = rules.found.tallies[k], rules.found.validated[k]
        st.code(rule.said(rules.cells), language=None, wrap_lines=True)
        tried = f"right for {apart.right:,} of {apart.named:,} left out"
        st.caption(
            tried if apart.named else "not tried on others",
            help=f"The rule names {made.named:,} rows, of which {made.right:,} are among the "
            f"{made.size:,} of the group. Made anew without the rows it is held against, it names "
            f"{apart.named:,}, {apart.right:,} of them rightly.",
        )


def _unbroken(text: str) -> str:
    return escaped(text).replace(" %", "\u00a0%")


def _line(trait: Trait, size: int) -> str:
    """What is far from all rows; of how many rows that is known, where not of all."""
    overall = _unbroken(trait.overall).replace(" ", "\u00a0")
    known = f", n\u00a0=\u00a0{trait.n_observed:,}" if trait.n_observed != size else ""
    return (
        f":small[:material/{_ICONS[trait.word]}: {escaped(trait.what)} "
        f"**{_unbroken(trait.here)}** :gray[all\u00a0{overall}{known}]]"
    )


def _collected(chosen: Chosen, alone: list[int]) -> None:
    """One card for all groups of a handful of rows: what they share is to be like no others."""
    groups = chosen.groups
    rows = {k: (f"{row + 1:,}" for row in np.flatnonzero(groups.labels == k)) for k in alone}
    told = [f"{escaped(groups.titles[k])}: row {listed(of, FEW)}" for k, of in rows.items()]
    with st.container(border=True):
        st.markdown(
            f"**Rows like no others** \u00b7 {counted(int(chosen.sizes[alone].sum()), 'row')} in "
            f"{counted(len(alone), 'group')} of fewer than {FEW}"
        )
        st.caption(f"{listed(told, 30)}. **Rows** shows what sets each apart.")
