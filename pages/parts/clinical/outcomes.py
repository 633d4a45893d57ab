"""Step 4, Outcomes: the columns kept out of the search, by group, then tested."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from mapdp_studio.core.clinical.groups import SMALLEST, Subgroups
from mapdp_studio.core.clinical.outcomes import (
    CAUTION,
    ESTIMATES,
    INTERVALS,
    by_group,
    follow_up_table,
    overall,
    printed,
    refused_shares,
    strange_controls,
    survival_curves,
    times_to_events,
)
from mapdp_studio.core.plots.clinical import survival_figure
from mapdp_studio.core.statistics.compare import ALL_TESTS, SHOWN, TESTED, Associations
from mapdp_studio.core.statistics.regression import SCOPE
from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.results import (
    groups_to_compare,
    tests_of,
    to_the_plan,
    validation_of,
)
from mapdp_studio.pages.parts.shared.picture import picture

#: Groups with a curve of their own, and what the rest is called.
MOST_CURVES, REST = 5, "All other groups"


def outcomes(studio: Session) -> None:
    """Every outcome by group with its test, curves, the controls in one line, then every pair."""
    found = groups_to_compare(studio)
    if found is None:
        return
    studio.study.note_validators()
    place = st.container()
    tested = validation_of(studio, found)
    if tested is None:  # n, means and events do not wait for p
        known = tests_of(studio, found).columns
        columns = [known[name] for name in studio.study.lock.columns("validator") if name in known]
        titles = {k: found.titles[k] for k in found.profiled}
        if columns:
            described = by_group(columns, found.labels, titles, SHOWN)[0]
            place.table(described.map(escaped).set_index("Column"))
        return
    made = tested.validators
    if made.columns:
        table = overall(made, found.labels, found.titles)
        place.table(table.map(escaped).set_index("Column"))
        st.caption(f"{CAUTION} {made.overall_adjusted.sentence}.")
    elif not made.refused:
        st.info(
            "No column was kept out to test the groups against. Unlock the plan to name one; since "
            "the groups have been seen, its p-values will be marked for that.",
            icon=":material/science:",
        )
        to_the_plan()
    refused = [f"{name} was not tested. {reason}" for name, reason in made.refused.items()]
    refused += refused_shares(made)
    if refused:
        st.warning("  \n".join(map(escaped, refused)), icon=":material/warning:")
    _controls(tested.controls)
    _curves(found, made)
    if made.columns:
        _every_two(found, made)


def _controls(found: Associations) -> None:
    """Whether anything differs that should not, in one line."""
    tested = [c.variable.title for c in found.columns if c.overall.test.p is not None]
    if said := strange_controls(found):
        st.error(escaped(said), icon=":material/report:")
    elif tested:
        st.markdown(
            ":material/check: No negative control differs between the groups "
            f"({listed(map(escaped, tested), 5)})."
        )


def _curves(found: Subgroups, outcomes: Associations) -> None:
    """Of every time to an event: follow-up by group, the curves, and how hazards behave."""
    drawn_of, labels, titles = _pooled(found, outcomes)
    drawn = {survival.name: survival for survival in survival_curves(drawn_of, labels)}
    for place, column in enumerate(times_to_events(outcomes)):
        name = column.variable.title
        if name in drawn:
            said = ESTIMATES[drawn[name].is_incidence]
            st.markdown(f"**{escaped(name)}: {said}**")
            figure = survival_figure(drawn[name], titles, found.colours)
            alt = f"{said}: {name}, with numbers at risk"
            picture(figure, f"clinical-survival-{place}", alt, "survival")
        table = follow_up_table(column, found.labels, found.titles)
        alt = f"Patients, events and follow-up of {name} by group"
        st.dataframe(table, hide_index=True, alt=alt)
        if column.hazards is not None:
            st.caption(escaped(column.hazards.sentence))


def _pooled(
    found: Subgroups, outcomes: Associations
) -> tuple[Associations, np.ndarray, tuple[str, ...]]:
    """Outcomes, labels and titles with all groups but the first few as one."""
    rest = found.profiled[MOST_CURVES:]
    if len(rest) < 2:
        return outcomes, found.labels, found.titles
    one = rest[0]
    labels = np.where(np.isin(found.labels, rest), one, found.labels)
    titles = tuple(REST if k == one else title for k, title in enumerate(found.titles))
    columns = []
    for column in outcomes.columns:
        kept = [summary for summary in column.groups if summary.group not in rest]
        pooled = [s for s in column.groups if s.group in rest and not s.hidden][:1]
        groups = *kept, *(replace(summary, group=one) for summary in pooled)
        columns.append(replace(column, groups=groups))
    return replace(outcomes, columns=tuple(columns)), labels, titles


def _every_two(found: Subgroups, outcomes: Associations) -> None:
    with st.expander("Every two groups: effects, tests and corrected p", icon=":material/table:"):
        st.dataframe(printed(outcomes), hide_index=True)
        left_out = ", ".join(found.titles[k] for k in outcomes.left_out)
        st.caption(
            f"{outcomes.pairs_adjusted.sentence}; intervals are not corrected. A group with fewer "
            f"than {SHOWN} observed is not shown, with fewer than {TESTED} not tested, with fewer "
            f"than {ALL_TESTS} shares and times are tested exactly or by permutation."
            + (f" Left out, being fewer than {SMALLEST} patients: {left_out}." if left_out else "")
        )
        if times_to_events(outcomes):
            st.caption(f"{INTERVALS} {SCOPE}")
