"""What if, in one click: without a column, or under another likelihood; before and after."""

from contextlib import suppress
from functools import partial
from typing import NamedTuple

import streamlit as st

from mapdp_studio.core import Schema
from mapdp_studio.core.comparing.comparison import clustered_part
from mapdp_studio.core.comparing.snapshots import Snapshot, side_by_side
from mapdp_studio.core.profiling.what_if import find_groups, possible_changes, with_change
from mapdp_studio.core.schema.chosen import LEFT_OUT, Change, change_in_words
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import NotYet, Session, in_visit, session
from mapdp_studio.pages.parts.shared.chosen import Chosen
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import crossed, halves

_ASKED = "what_if"
KEPT = "Tried as a what-if, and kept."


class Asked(NamedTuple):
    """What somebody wants to see: a change of a column."""

    digest: str
    before: Schema
    after: Schema
    #: "income left out", "income in logarithms".
    title: str


@in_visit
def ask(column: str, change: Change, reason: str = KEPT) -> None:
    """Callback of a button: show what would become of the groups."""
    visit = session()
    after = with_change(visit.schema, column, change, reason)
    title = f"{column} {change_in_words(change)}"
    st.session_state[_ASKED] = Asked(visit.table.digest, visit.schema, after, title)


def what_if_buttons(visit: Session, column: str) -> None:
    """Draw a button for everything that can be tried with a column."""
    key = visit.table.digest, visit.schema[column], visit.schema.blocks.get(column)
    changes = visit.results.cached(
        "what if", key, lambda: possible_changes(visit.schema, visit.table.frame, column)
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        for change in changes:
            words = "without it" if change == LEFT_OUT else change_in_words(change)
            st.button(
                words,
                key=f"what if {words}",
                on_click=ask,
                args=(column, change),
                help="The groups before and after stand side by side; nothing is decided yet.",
            )


def what_if_result(visit: Session, before: Snapshot) -> None:
    """The groups shown and those with the change side by side, if that was asked for."""
    asked: Asked | None = st.session_state.get(_ASKED)
    if asked is None or (asked.digest, asked.before) != (visit.table.digest, visit.schema):
        return
    with st.container(border=True):
        st.markdown(f"**What if: {escaped(asked.title)}**")
        with suppress(NotYet):
            _both(visit, asked, before)
        with st.container(horizontal=True):
            st.button("Keep the change", key="keep", icon=":material/check:", on_click=_keep)
            st.button("Close", key="close", icon=":material/close:", on_click=_close)


def _both(visit: Session, asked: Asked, before: Snapshot) -> None:
    frame, settings, algorithm = visit.table.frame, visit.settings, visit.algorithm
    fewer = visit.project.shows_fewer_first and settings.likelihood_power == 1.0
    key = asked.digest, settings, algorithm, clustered_part(asked.after)
    work = partial(find_groups, frame, asked.after, settings, algorithm, puts_together=fewer)
    after = get_result(visit, "Finding the groups", key, lambda job: work(callback=job))
    # Groups of this table were seen: a study's lock must know.
    visit.results.cached("what if counted", key, lambda: visit.results.fitted.update([algorithm]))
    two_results(("Before", "After"), before, after)


@in_visit
def _keep() -> None:
    session().replace_schema(st.session_state.pop(_ASKED).after)


_close = partial(st.session_state.pop, _ASKED, None)


def snapshot_of(chosen: Chosen, schema, settings) -> Snapshot:
    objective, scale = chosen.partition.objective_, chosen.judge.prior_scale_
    return Snapshot(chosen.title, chosen.groups, objective, schema, settings, scale)


def two_results(names: tuple[str, str], first: Snapshot, second: Snapshot) -> None:
    """Draw two results by their names, the first one's groups down and the second one's across."""
    table, difference, changes = side_by_side(first, second)
    left, right = halves()
    with left:
        crossed(table, (names[0], first.groups.titles), (names[1], second.groups.titles))
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
        made = f"**{escaped(names[1])}:** {text}." if text else "Both were made in the same way."
        st.markdown(made)


def _objectives(first: Snapshot, second: Snapshot, difference: float | None) -> str:
    both = f"E: {first.objective:,.1f} and {second.objective:,.1f} log units"
    if difference is None:
        return f"{both}, not comparable: the two models differ."
    if abs(difference) < 0.05:
        return f"E: {first.objective:,.1f} log units, the same for both."
    better = "higher, so worse" if difference > 0 else "lower, so better"
    return f"{both}; the second is {abs(difference):,.1f} log units {better}."
