"""Profiles: a card for each group, and how far all groups lie from the whole table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import streamlit as st

from core.partitions.naming import Groups
from core.plots.heat_maps import differences_figure
from core.plots.template import PALETTE
from core.profiling.cards import (
    ALIKE,
    BORNE_OUT,
    NOTABLE,
    NOTHING,
    Card,
    Trait,
    alike,
    profile_cards,
)
from core.profiling.profiles import (
    NaturalColumn,
    natural_columns,
    standardised_differences,
    strongest,
)
from core.profiling.rules import TableRules, rules_of_table
from core.profiling.sentences import sentence
from core.schema.persons import look_like_persons
from core.wording import counted, escaped, listed
from pages import Session
from pages.parts.shared.background import in_background
from pages.parts.shared.chosen import Chosen, change_naming, naming_of
from pages.parts.shared.part_of_table import cluster_again
from pages.parts.shared.picture import picture
from pages.parts.shared.theme import colours

MOST_CARDS, MOST_FEATURES, WORTH_CLUSTERING, FEW, MOST_NAMED = 12, 30, 10, 5, 30
#: Lines of a card that are shown, and pairs of alike cards that are spoken of.
MOST_LINES, MOST_TWINS = ALIKE, 2
#: A rule is one small line or two of its card, with the button that copies it.
LOW_RULES = """<style>
[class*="st-key-rule-"] pre { padding: 0.3rem 2rem 0.3rem 0.5rem }
[class*="st-key-rule-"] code { font-size: 0.78rem; line-height: 1.35 }
</style>"""
WORDS = {
    "high": "arrow_upward",
    "low": "arrow_downward",
    "more often": "add",
    "less often": "remove",
}


def group_profiles(studio: Session, chosen: Chosen) -> None:
    """Draw the cards, then the heatmap."""
    if chosen.groups.n_groups == 1:
        st.info(
            "There is one group, and it is the whole table: no groups were found that this model "
            "would rather keep apart. The columns are described under Columns.",
            icon=":material/info:",
        )
        return
    width = st.session_state["page_width_told"]
    encoded, groups = chosen.partition.columns_.encoded, chosen.groups

    frame = studio.table.frame

    def describe(job):
        cards = profile_cards(encoded, groups.labels)
        differences = standardised_differences(encoded, groups.labels)
        rules = rules_of_table(frame, encoded, groups.labels)
        return cards, rules, strongest(differences, MOST_FEATURES), len(differences)

    result = in_background(studio, "profiles", chosen.about, "Describing the groups", describe)
    if result is None:
        return
    cards, rules, differences, n_features = result
    _persons(natural_columns(encoded))
    _twins(chosen, alike(cards))
    # The largest group comes first, so what is too small for a card of its own comes last.
    sizes = chosen.sizes
    alone = [k for k in range(len(cards)) if sizes[k] < FEW]
    alone = alone if len(alone) > 1 else []
    st.html(LOW_RULES)
    shown = _cards_shown(len(cards) - len(alone))
    in_a_row = 3 if width >= 1100 else 2 if width >= 760 else 1
    for first in range(0, shown, in_a_row):
        places = st.columns(in_a_row)
        for place, k in zip(places, range(first, min(first + in_a_row, shown)), strict=False):
            with place, _framed(chosen, k):
                _card(chosen, k, cards[k])
                _rule(rules, k)
                _again(studio, chosen, k, cards[k])
    _switch(len(cards) - len(alone))
    if alone:
        _collected(groups, alone, sizes)
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


def _persons(columns: tuple[NaturalColumn, ...]) -> None:
    """Say once which columns look like names of persons, before a card is shown to others."""
    named = [c.name for c in columns if c.levels is not None and look_like_persons(c.levels)]
    if named:
        st.warning(
            f"{escaped(listed(named, 3))} may hold names of persons, which the cards would show: "
            "give it the role “ignore” on Data before you hand them on.",
            icon=":material/badge:",
        )


def _twins(chosen: Chosen, pairs: tuple[tuple[int, int], ...]) -> None:
    """Offer to merge two groups whose cards begin with the same lines."""
    groups = chosen.groups
    for a, b in pairs[:MOST_TWINS]:
        with st.container(horizontal=True, vertical_alignment="center"):
            first, second = (escaped(groups.titles[k]) for k in (a, b))
            st.caption(
                f"The cards of {first} and {second} begin with the same lines: a reader may take "
                "them for one group.",
                width="content",
            )
            st.button(
                f"Merge {first} with {second}",
                key=f"twins-{a}-{b}",
                type="tertiary",
                icon=":material/merge:",
                on_click=change_naming,
                args=(chosen, naming_of(chosen).merging(groups.parts[a], groups.parts[b])),
            )


@contextmanager
def _framed(chosen: Chosen, k: int) -> Iterator[None]:
    """The frame of a card: the group's colour, its title and its size."""
    groups, sizes = chosen.groups, chosen.sizes
    colour = PALETTE[groups.colours[k] % len(PALETTE)]
    with st.container(border=True, height="stretch", gap="xsmall"):
        # The colour is one of our own; the title is the visitor's text.
        st.html(f'<div style="height: 5px; border-radius: 3px; background: {colour}"></div>')
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{escaped(groups.titles[k])}**", width="content")
            share = float(sizes[k] / sizes.sum())
            part = f"{100 * share:.1f}" if share >= 0.0005 else f"{100 * share:.1g}"
            st.caption(f"{int(sizes[k]):,} rows, {part} %", text_alignment="right")
        yield


def _card(chosen: Chosen, k: int, card: Card) -> None:
    """What sets a group apart: from the nearest one, and from all rows."""
    if card.nearest is not None:
        st.markdown(sentence(card, chosen.groups.titles[card.nearest], _said))
    if card.traits:
        st.markdown("  \n".join(_line(trait, card.size) for trait in card.traits[:MOST_LINES]))
    else:
        st.markdown(f"{NOTHING.capitalize()}.")
    if chosen.sizes[k] < FEW:
        st.caption("Few rows: a look at each of them says more than this card.")


def _rule(rules: TableRules | None, k: int) -> None:
    """The group's short rule, and how often it is right."""
    rule = None if rules is None else rules.found.rules[k]
    if rule is None:
        return
    made, apart = rules.found.tallies[k], rules.found.validated[k]
    with st.container(key=f"rule-{k}", gap=None):
        st.code(rule.said(rules.cells), language=None, wrap_lines=True)
        st.caption(
            f"Right for {made.right:,} of {made.named:,}, on other rows {apart.right:,} of "
            f"{apart.named:,}",
            help=f"The rule names {made.named:,} rows, of which {made.right:,} are among the "
            f"{made.size:,} of the group. Made anew without the rows it is held against, it names "
            f"{apart.named:,}, {apart.right:,} of them rightly.",
        )


def _again(studio: Session, chosen: Chosen, k: int, card: Card) -> None:
    if card.size >= WORTH_CLUSTERING:
        rows, title = np.flatnonzero(chosen.groups.labels == k), chosen.groups.titles[k]
        cluster_again(studio, rows, title, "Cluster this group again", f"again-{k}")


def _said(text: str) -> str:
    return escaped(text).replace(" %", "\u00a0%")


def _line(trait: Trait, size: int) -> str:
    """What is far from all rows; of how many rows that is known, where not of all."""
    overall = _said(trait.overall).replace(" ", "\u00a0")
    known = f", n\u00a0=\u00a0{trait.n_observed:,}" if trait.n_observed != size else ""
    return (
        f":small[:material/{WORDS[trait.word]}: {escaped(trait.what)} **{_said(trait.here)}** "
        f":gray[all\u00a0{overall}{known}]]"
    )
