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
    groups_of,
    job_of,
    say_none,
)

COLOURS = {"grey": "gray", "green": "green", "amber": "orange", "red": "red"}
SIGNS = {
    "grey": ":material/radio_button_unchecked:",
    "green": ":material/check_circle:",
    "amber": ":material/error:",
    "red": ":material/block:",
}
FIRST, MOST_ROWS = 12, 20
STILL_CHECKED = "Do not write about these groups before the checks have ended."
CHECKING = "Checking whether chance makes as many groups, and whether they come back"


def groups(studio: Session) -> None:
    """The verdict as a chip, the groups side by side, and the patients in none of them."""
    found = groups_of(studio)
    if found is None:
        return
    checks = checks_of(studio, found)
    verdict(checks, is_checking=found.found_any and job_of(studio, CHECKS, found).running)
    if not found.found_any:
        say_none()
        return
    if found.sites:
        st.warning(escaped(found.sites), icon=":material/location_on:")
    st.markdown(f"**{found.said}**, as on the other pages under the settings that were locked.")
    _table_one(found, checks.tests)
    _atypical(found)
    follow(job_of(studio, CHECKS, found), CHECKS, "Checking the groups")


def verdict(checks: Checks, is_checking: bool) -> None:
    """The colour and one sentence; what it rests on opens."""
    light = checks.light
    colour, headline = light.colour, light.headline
    settled = checks.reference is not None and checks.reference.is_settled
    if is_checking and not settled:
        colour, headline = "grey", CHECKING
    with st.container(horizontal=True, vertical_alignment="center", key="verdict"):
        name = "not known yet" if headline == CHECKING else colour
        if light.provisional and headline != CHECKING:
            name += ", provisional"
        st.badge(name.capitalize(), icon=SIGNS[colour], color=COLOURS[colour])
        st.markdown(f"**{escaped(headline)}**", width="content")
        with st.popover("Why", type="tertiary"):
            advice = STILL_CHECKED if light.provisional else light.advice
            st.markdown(f":material/directions: {advice}")
            for clause in light.clauses:
                sign = f":{COLOURS[clause.colour]}[{SIGNS[clause.colour]}]"
                st.markdown(f"{sign} **{clause.name}.** {escaped(clause.sentence)}")


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
    card = found.cards[k]
    head = f"**{found.titles[k]}**  \n{counted(card.size, 'patient')}, {percent(card.share)}"
    if card.nearest is None:
        return head
    return f"{head}  \n{sentence(card, found.titles[card.nearest], escaped)}"


def _atypical(found: Subgroups) -> None:
    """Who resembles nobody enough, in one line."""
    n = found.atypical_rows.size
    if not n:
        return
    noun, place = ("patient", "row") if n == 1 else ("patients", "rows")
    rows = listed((f"{row + 1:,}" for row in found.atypical_rows), MOST_ROWS)
    alone = np.isin(found.labels[found.atypical_rows], found.atypical).all()
    where = "in no group, and in no test" if alone else "counted in the group that is nearest"
    st.markdown(
        f"**{n:,} atypical {noun}** ({place} {rows}), in clusters of fewer than {SMALLEST}: they "
        f"resemble nobody enough, and are {where}."
    )
