"""The card of a group: its size, what stands out, its short rule, and the way into it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mapdp_studio.core.partitions.naming import Groups
from mapdp_studio.core.plots.template import PALETTE
from mapdp_studio.core.profiling.cards import ALIKE, NOTHING, Card, Trait, sentence
from mapdp_studio.core.profiling.profiles import NaturalColumn
from mapdp_studio.core.profiling.rules import TableRules
from mapdp_studio.core.schema.words import look_like_persons
from mapdp_studio.core.wording import counted, escaped, listed
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.chosen import Chosen, change_naming, naming_of
from mapdp_studio.pages.parts.shared.part_of_table import cluster_again

WORTH_CLUSTERING, FEW, MOST_NAMED = 10, 5, 30
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


def draw_card(
    studio: Session, chosen: Chosen, k: int, card: Card, rules: TableRules | None
) -> None:
    """One group: its size, what stands out, its rule, and the way into it."""
    groups, sizes = chosen.groups, chosen.sizes
    colour = PALETTE[groups.colours[k] % len(PALETTE)]
    with st.container(gap="xsmall"):
        # The colour is one of our own; the title is the visitor's text.
        st.html(f'<div style="height: 5px; border-radius: 3px; background: {colour}"></div>')
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{escaped(groups.titles[k])}**", width="content")
            share = float(sizes[k] / sizes.sum())
            part = f"{100 * share:.1f}" if share >= 0.0005 else f"{100 * share:.1g}"
            st.caption(f"{int(sizes[k]):,} rows, {part} %", text_alignment="right")
        _lines(chosen, k, card)
        _rule(rules, k)
        if card.size >= WORTH_CLUSTERING:
            rows = np.flatnonzero(groups.labels == k)
            cluster_again(studio, rows, groups.titles[k], "Cluster this group again", f"again-{k}")


def _lines(chosen: Chosen, k: int, card: Card) -> None:
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
    others = counted(made.named - made.right, "other")
    told = (
        f"The rule names {made.named:,} rows, of which {made.right:,} are among the {made.size:,} "
        "of the group. Made anew without the rows it is held against, it names "
        f"{apart.named:,}, {apart.right:,} of them rightly."
    )
    elsewhere = f"right for {apart.right:,} of {apart.named:,} left out"
    if not apart.named:
        elsewhere = "not tried on others"
    with st.container(key=f"rule-{k}", gap=None):
        st.code(rule.said(rules.cells), language=None, wrap_lines=True)
        st.caption(
            f"Finds {made.right:,} of the {made.size:,}, and {others}; {elsewhere}",
            help=told,
        )


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


def collected(groups: Groups, alone: list[int], sizes: np.ndarray) -> None:
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


def persons(columns: tuple[NaturalColumn, ...]) -> None:
    """Say once which columns look like names of persons, before a card is shown to others."""
    named = [c.name for c in columns if c.levels is not None and look_like_persons(c.levels)]
    if named:
        st.caption(
            f":orange[:material/badge: {escaped(listed(named, 3))} may hold names of persons: "
            "set the role to “ignore” on **Data** before you show these cards.]"
        )


def twins(chosen: Chosen, pairs: tuple[tuple[int, int], ...]) -> None:
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
