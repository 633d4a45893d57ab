"""Steps 2 and 4: the groups with their verdict, and the columns kept out of the search."""

import numpy as np
import streamlit as st

from mapdp_studio.core.clinical import outcomes as tables
from mapdp_studio.core.clinical.groups import SMALLEST, Subgroups
from mapdp_studio.core.clinical.small_counts import ALL
from mapdp_studio.core.clinical.t_tests import TTests
from mapdp_studio.core.clinical.verdict import Checks
from mapdp_studio.core.plots.clinical import survival_figure
from mapdp_studio.core.profiling.cards import sentence
from mapdp_studio.core.profiling.profiles import ALL as EVERYBODY
from mapdp_studio.core.statistics.compare import ALL_TESTS, SHOWN, TESTED, Associations
from mapdp_studio.core.statistics.regression import SCOPE
from mapdp_studio.core.wording import counted, escaped, listed, percent
from mapdp_studio.pages import NotYet, Session
from mapdp_studio.pages.parts.clinical import study
from mapdp_studio.pages.parts.shared.compute import job_state
from mapdp_studio.pages.parts.shared.kit import listing, picture

#: Of a verdict's colour on the page, and its sign.
COLOURS = {
    "grey": ("gray", ":material/radio_button_unchecked:"),
    "green": ("green", ":material/check_circle:"),
    "amber": ("orange", ":material/error:"),
    "red": ("red", ":material/block:"),
}
FIRST, MOST_ROWS = 12, 20
CHECKING = "Checking whether chance makes as many groups, and whether they come back"
#: Groups with a curve of their own, and what the rest is called.
MOST_CURVES, REST = 5, "All other groups"


def groups(visit: Session) -> None:
    """The verdict as a chip, the groups side by side, and the patients in none of them."""
    place = st.container()
    subgroups = study.groups_to_compare(visit)
    checks = study.checks_of(visit, subgroups)
    job = study.long_work(visit, study.CHECKS, subgroups)[1]
    with place:
        _verdict(checks, job is not None and job.running)
    if subgroups.sites:
        st.warning(escaped(subgroups.sites), icon=":material/location_on:")
    st.markdown(f"**{subgroups.text}**, as on the other pages under the settings that were locked.")
    _table_one(subgroups, checks.tests)
    rows = subgroups.atypical_rows
    if rows.size:
        places, where = listed((f"{row + 1:,}" for row in rows), MOST_ROWS), "in no test"
        if not np.isin(subgroups.labels[rows], subgroups.atypical).all():
            where = "counted in the group that is nearest"
        st.markdown(
            f"**{counted(rows.size, 'atypical patient')}** (rows {places}), in clusters of fewer "
            f"than {SMALLEST}: they resemble nobody enough, and are {where}."
        )
    job_state(job, study.CHECKS)


def _verdict(checks: Checks, is_checking: bool) -> None:
    """The colour and one sentence; its reasons open."""
    light, headline = checks.light, checks.light.headline
    (colour, sign), name = COLOURS[light.colour], light.colour + ", provisional" * light.provisional
    if is_checking and not (checks.reference and checks.reference.is_settled):
        (colour, sign), name, headline = COLOURS["grey"], "not known yet", CHECKING
    with st.container(horizontal=True, vertical_alignment="center", key="verdict"):
        st.badge(name.capitalize(), icon=sign, color=colour)
        st.markdown(f"**{escaped(headline)}**", width="content")
        with st.popover("Why", type="tertiary"):
            st.markdown(f":material/directions: {light.advice}")
            for clause in light.clauses:
                colour, sign = COLOURS[clause.colour]
                text = f"**{clause.name}.** {escaped(clause.sentence)}"
                st.markdown(f":{colour}[{sign}] {text}")


def _table_one(subgroups: Subgroups, tests: TTests) -> None:
    names = list(subgroups.contributions.index)
    is_long = len(names) > FIRST
    shows_all = is_long and st.session_state.get("clinical_all_columns", False)
    columns = [tests.columns[name] for name in (names if shows_all else names[:FIRST])]
    titles = {k: subgroups.titles[k] for k in subgroups.profiled}
    _, table = tables.by_group(columns, subgroups.labels, {EVERYBODY: ALL, **titles})
    heads = {titles[k]: _head(subgroups, k) for k in subgroups.profiled}
    heads[ALL] = f"**{ALL}**  \n{subgroups.labels.size:,} patients"
    st.table(table.map(escaped).rename(columns=heads).set_index("Column"))
    with st.container(horizontal=True, vertical_alignment="center"):
        if is_long:
            st.toggle(f"All {len(names):,} columns", key="clinical_all_columns")
        st.caption(
            "These columns made the groups, so the groups differ on them by construction: tests "
            "stand under t-tests. What drove the groups most comes first.",
            width="stretch",
        )


def _head(subgroups: Subgroups, k: int) -> str:
    card = subgroups.cards[k]
    head = f"**{subgroups.titles[k]}**  \n{counted(card.size, 'patient')}, "
    head += escaped(percent(card.share))
    if card.nearest is None:
        return head
    return f"{head}  \n{sentence(card, subgroups.titles[card.nearest], escaped)}"


def outcomes(visit: Session) -> None:
    """Every outcome by group with its test, curves, the controls in one line, then every pair."""
    subgroups = study.groups_to_compare(visit)
    visit.study.note_validators()
    place = st.container()
    try:
        tested = study.validation_of(visit, subgroups)
    except NotYet:  # n, means and events do not wait for p
        tests = study.tests_of(visit, subgroups).columns
        columns = [tests[name] for name in visit.study.lock.columns("validator") if name in tests]
        titles = {k: subgroups.titles[k] for k in subgroups.profiled}
        if columns:
            described = tables.by_group(columns, subgroups.labels, titles, SHOWN)[0]
            place.table(described.map(escaped).set_index("Column"))
        raise
    validators = tested.validators
    if validators.columns:
        table = tables.overall_table(validators, subgroups.labels, subgroups.titles)
        place.table(table.map(escaped).set_index("Column"))
        st.caption(f"{tables.CAUTION} {validators.overall_adjusted.sentence}.")
    elif not validators.refused:
        st.info(
            "No column was kept out to test the groups against. Unlock the plan to name one; since "
            "the groups have been seen, its p-values will be marked for that.",
            icon=":material/science:",
        )
        study.to_the_plan()
    refused = [f"{name} was not tested. {reason}" for name, reason in validators.refused.items()]
    refused += tables.refused_shares(validators)
    if refused:
        st.warning("  \n".join(map(escaped, refused)), icon=":material/warning:")
    controls = tested.controls.columns
    titles = [c.variable.title for c in controls if c.overall.test.p is not None]
    if text := tables.differing_controls(tested.controls):
        st.error(escaped(text), icon=":material/report:")
    elif titles:
        names = listed(map(escaped, titles), 5)
        st.markdown(f":material/check: No negative control differs between the groups ({names}).")
    _curves(subgroups, validators)
    if validators.columns:
        _every_two(subgroups, validators)


def _curves(subgroups: Subgroups, outcomes: Associations) -> None:
    """Of every time to an event: follow-up by group, the curves, and how hazards behave."""
    labels, titles, rest = subgroups.labels, [*subgroups.titles], subgroups.profiled[MOST_CURVES:]
    if len(rest) > 1:  # which have one curve together
        labels, titles[rest[0]] = np.where(np.isin(labels, rest), rest[0], labels), REST
    drawn = {survival.name: survival for survival in tables.survival_curves(outcomes, labels)}
    for place, column in enumerate(tables.times_to_events(outcomes)):
        name = column.variable.title
        if name in drawn:
            text = tables.ESTIMATES[drawn[name].is_incidence]
            st.markdown(f"**{escaped(name)}: {text}**")
            figure = survival_figure(drawn[name], titles, subgroups.colours)
            alt = f"{text}: {name}, with numbers at risk"
            picture(figure, f"survival-{place}", alt)
        table = tables.follow_up_table(column, subgroups.labels, subgroups.titles)
        listing(table, f"Patients, events and follow-up of {name} by group")
        if column.hazards is not None:
            st.caption(escaped(column.hazards.sentence))


def _every_two(subgroups: Subgroups, outcomes: Associations) -> None:
    with st.expander("Every two groups: effects, tests and corrected p", icon=":material/table:"):
        listing(tables.pair_table(outcomes), "Every outcome between every two groups")
        left_out = ", ".join(subgroups.titles[k] for k in outcomes.left_out)
        st.caption(
            f"{outcomes.pairs_adjusted.sentence}; intervals are not corrected. A group with fewer "
            f"than {SHOWN} observed is not shown, with fewer than {TESTED} not tested, with fewer "
            f"than {ALL_TESTS} shares and times are tested exactly or by permutation."
            + (f" Left out, being fewer than {SMALLEST} patients: {left_out}." if left_out else "")
        )
        if tables.times_to_events(outcomes):
            st.caption(f"{tables.INTERVALS} {SCOPE}")
