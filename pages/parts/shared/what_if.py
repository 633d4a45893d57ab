"""What if, in one click: without a column, or under another likelihood; before and after."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import NamedTuple

import streamlit as st

from mapdp_studio.core import Schema, SchemaError
from mapdp_studio.core.comparing.comparison import clustered_part
from mapdp_studio.core.comparing.snapshots import MOST_NAMES, Snapshot, side_by_side
from mapdp_studio.core.profiling.what_if import changed, find_groups, held_out, possible
from mapdp_studio.core.schema.chosen import LEFT_OUT, Change, change_in_words
from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages import NotYet, Session, in_visit, session
from mapdp_studio.pages.parts.shared.chosen import Chosen
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import crossed, halves, need_engine

_ASKED = "what_if"


class Asked(NamedTuple):
    """What somebody wants to see: a change of some columns, and where it is shown."""

    digest: str
    before: Schema
    after: Schema
    columns: tuple[str, ...]
    #: "income left out", "income in logarithms".
    title: str
    #: The part of a page that asked.
    place: str


@in_visit
def ask(columns: tuple[str, ...], change: Change, reason: str, place: str) -> None:
    """Callback of a button: show what would become of the groups."""
    studio = session()
    studio.refused, after = {}, studio.schema
    for column in columns:
        try:
            after = changed(after, column, change, reason)
        except SchemaError as error:
            studio.refused[column] = str(error)
            return
    title = f"{listed(columns, MOST_NAMES)} {change_in_words(change)}"
    asked = Asked(studio.table.digest, studio.schema, after, columns, title, place)
    st.session_state[_ASKED] = asked


def what_if_buttons(studio: Session, column: str, place: str) -> None:
    """Draw a button for everything that can be tried with a column, and what came of it."""
    about = studio.table.digest, studio.schema[column], studio.schema.blocks.get(column)
    changes = studio.results.latest(
        "what if", about, lambda: possible(studio.schema, studio.table.frame, column)
    )
    if changes:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("**What if:**", width="content")
            for change in changes:
                words = "without it" if change == LEFT_OUT else change_in_words(change)
                st.button(
                    words,
                    key=f"{place} what if {words}",
                    on_click=ask,
                    args=((column,), change, "Tried as a what-if, and kept.", place),
                    help="The groups before and after stand side by side; nothing is decided yet.",
                )
    what_if_result(studio, place, column)


def what_if_result(
    studio: Session,
    place: str,
    column: str | None = None,
    before: Snapshot | None = None,
) -> None:
    """Both results side by side, if this part of the page asked about that column."""
    asked: Asked | None = st.session_state.get(_ASKED)
    if asked is None or (asked.digest, asked.before) != (studio.table.digest, studio.schema):
        return
    if asked.place != place or (column is not None and asked.columns != (column,)):
        return
    with st.container(border=True):
        st.markdown(f"**What if: {escaped(asked.title)}**")
        with suppress(NotYet):
            need_engine("Both results appear here")
            _both(studio, asked, before)
        with st.container(horizontal=True):
            keep = {"icon": ":material/check:", "key": f"{place} keep", "on_click": _keep}
            st.button("Keep the change", **keep)
            close = {"icon": ":material/close:", "key": f"{place} close", "on_click": _close}
            st.button("Close", **close)


def _both(studio: Session, asked: Asked, before: Snapshot | None) -> None:
    frame, settings, algorithm = studio.table.frame, studio.settings, studio.algorithm
    fewer = studio.work.shows_fewer_first and settings.likelihood_power == 1.0
    about = asked.digest, settings, algorithm
    schemas = [asked.after] if before is not None else [asked.before, asked.after]
    key = (*about, *map(clustered_part, schemas))
    found: list[Snapshot] = get_result(
        studio,
        "what if groups",
        key,
        "Finding the groups",
        lambda job: [find_groups(frame, one, settings, algorithm, job, fewer) for one in schemas],
    )
    # Groups of this table were seen: a study's lock must know.
    studio.results.latest("what if counted", key, lambda: studio.results.fitted.update([algorithm]))
    two_results(("Before", "After"), before or found[0], found[-1], f"what-if-{asked.place}")
    densities = get_result(
        studio,
        "what if held out",
        (*about, clustered_part(asked.before), clustered_part(asked.after)),
        "Predicting rows held out",
        lambda job: (held_out(frame, asked.before, asked.after, asked.columns, settings, job),),
    )
    if densities[0] is not None:
        st.caption(densities[0].sentence)


@in_visit
def _keep() -> None:
    session().replace_schema(st.session_state.pop(_ASKED).after)


_close = partial(st.session_state.pop, _ASKED, None)


# ---- two results of one table side by side


def snapshot_of(chosen: Chosen, schema, settings) -> Snapshot:
    objective, scale = chosen.partition.objective_, chosen.judge.prior_scale_
    return Snapshot(chosen.title, chosen.groups, objective, schema, settings, scale)


def two_results(names: tuple[str, str], first: Snapshot, second: Snapshot, key: str) -> None:
    """Draw two results by their names, the first one's groups down and the second one's across."""
    table, difference, changes = side_by_side(first, second)
    left, right = halves()
    with left:
        down, across = (names[0], first.groups.titles), (names[1], second.groups.titles)
        crossed(table, down, across, key, "side-by-side")
    facts = {
        "ARI": (f"{table.ari:.2f}", "1: the same groups. 0: as by chance."),
        "AMI": (f"{table.ami:.2f}", "As ARI, for groups of unequal size."),
        "Rows apart": (f"{table.n_apart:,}", "Off the matched groups."),
    }
    with right:
        with st.container(horizontal=True):
            for label, (value, meaning) in facts.items():
                st.metric(label, value, help=meaning, width="content")
        st.markdown(_objectives(first, second, difference))
        text = "; ".join(map(escaped, changes))
        st.markdown(f"**In the second:** {text}." if text else "Both were made in the same way.")


def _objectives(first: Snapshot, second: Snapshot, difference: float | None) -> str:
    both = f"E: {first.objective:,.1f} and {second.objective:,.1f} log units"
    if difference is None:
        return f"{both}, not comparable: the two models differ."
    if abs(difference) < 0.05:
        return f"E: {first.objective:,.1f} log units, the same for both."
    better = "higher, so worse" if difference > 0 else "lower, so better"
    return f"{both}; the second is {abs(difference):,.1f} log units {better}."
