"""Step 2, Groups: how far they can be trusted, and Table 1 with a column a group."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mapdp_studio.core.clinical.groups import SMALLEST, Subgroups
from mapdp_studio.core.clinical.outcomes import by_group
from mapdp_studio.core.clinical.small_counts import ALL
from mapdp_studio.core.clinical.t_tests import TTests
from mapdp_studio.core.clinical.verdict import Checks
from mapdp_studio.core.profiling.cards import sentence
from mapdp_studio.core.profiling.profiles import ALL as EVERYBODY
from mapdp_studio.core.wording import counted, escaped, listed, percent
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.results import (
    CHECKS,
    checks_of,
    follow,
    groups_to_compare,
    job_of,
)

#: Of a verdict's colour on the page, and its sign.
COLOURS = {
    "grey": ("gray", ":material/radio_button_unchecked:"),
    "green": ("green", ":material/check_circle:"),
    "amber": ("orange", ":material/error:"),
    "red": ("red", ":material/block:"),
}
FIRST, MOST_ROWS = 12, 20
CHECKING = "Checking whether chance makes as many groups, and whether they come back"


def groups(studio: Session) -> None:
    """The verdict as a chip, the groups side by side, and the patients in none of them."""
    place = st.container()
    found = groups_to_compare(studio)
    if found is None:
        return
    checks, job = checks_of(studio, found), job_of(studio, CHECKS, found)
    with place:
        _verdict(checks, job.running)
    if found.sites:
        st.warning(escaped(found.sites), icon=":material/location_on:")
    st.markdown(f"**{found.said}**, as on the other pages under the settings that were locked.")
    _table_one(found, checks.tests)
    _atypical(found)
    follow(job, CHECKS, "Checking the groups")


def _verdict(checks: Checks, is_checking: bool) -> None:
    """The colour and one sentence; what it rests on opens."""
    light = checks.light
    name, headline = light.colour, light.headline
    if is_checking and not (checks.reference and checks.reference.is_settled):
        name, headline = "grey", CHECKING
    colour, sign = COLOURS[name]
    if headline == CHECKING:
        name = "not known yet"
    elif light.provisional:
        name += ", provisional"
    advice = light.advice
    if light.provisional:
        advice = "Do not write about these groups before the checks have ended."
    with st.container(horizontal=True, vertical_alignment="center", key="verdict"):
        st.badge(name.capitalize(), icon=sign, color=colour)
        st.markdown(f"**{escaped(headline)}**", width="content")
        with st.popover("Why", type="tertiary"):
            st.markdown(f":material/directions: {advice}")
            for clause in light.clauses:
                colour, sign = COLOURS[clause.colour]
                said = f"**{clause.name}.** {escaped(clause.sentence)}"
                st.markdown(f":{colour}[{sign}] {said}")


def _table_one(found: Subgroups, tests: TTests) -> None:
    names = list(found.contributions.index)
    is_long = len(names) > FIRST
    shows_all = is_long and st.session_state.get("clinical_all_columns", False)
    columns = [tests.columns[name] for name in (names if shows_all else names[:FIRST])]
    titles = {k: found.titles[k] for k in found.profiled}
    _, table = by_group(columns, found.labels, {EVERYBODY: ALL, **titles})
    heads = {titles[k]: _head(found, k) for k in found.profiled}
    heads[ALL] = f"**{ALL}**  \n{found.labels.size:,} patients"
    st.table(table.map(escaped).rename(columns=heads).set_index("Column"))
    with st.container(horizontal=True, vertical_alignment="center"):
        if is_long:
            st.toggle(f"All {len(names):,} columns", key="clinical_all_columns")
        st.caption(
            "These columns made the groups, so the groups differ on them by construction: tests "
            "stand under t-tests. What drove the groups most comes first.",
            width="stretch",
        )


def _head(found: Subgroups, k: int) -> str:
    """A card's sentence."""
    card = found.cards[k]
    head = f"**{found.titles[k]}**  \n{counted(card.size, 'patient')}, {percent(card.share)}"
    if card.nearest is None:
        return head
    return f"{head}  \n{sentence(card, found.titles[card.nearest], escaped)}"


def _atypical(found: Subgroups) -> None:
    """Who resembles nobody enough, in one line."""
    rows = found.atypical_rows
    if not rows.size:
        return
    places = listed((f"{row + 1:,}" for row in rows), MOST_ROWS)
    alone = np.isin(found.labels[rows], found.atypical).all()
    where = "in no group, and in no test" if alone else "counted in the group that is nearest"
    st.markdown(
        f"**{counted(rows.size, 'atypical patient')}** (rows {places}), in clusters of fewer than "
        f"{SMALLEST}: they resemble nobody enough, and are {where}."
    )
