"""The columns kept out of the clustering, tested against the groups."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from mapdp_studio.core.clinical.groups import SMALLEST, Subgroups
from mapdp_studio.core.clinical.outcomes import (
    CAUTION,
    ESTIMATES,
    INTERVALS,
    Validation,
    follow_up_table,
    missing_printed,
    overall,
    printed,
    refused_shares,
    survival_curves,
    times_to_events,
    validate,
)
from mapdp_studio.core.clinical.tables import missing_table
from mapdp_studio.core.plots.validators import forest_figure, survival_figure
from mapdp_studio.core.statistics.compare import ALL_TESTS, SHOWN, TESTED, Associations
from mapdp_studio.core.statistics.correct import LEVEL
from mapdp_studio.core.statistics.hazards import SCOPE
from mapdp_studio.core.statistics.survival import Survival
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.work import (
    cohort_of,
    groups_to_compare,
    tests_of,
    to_the_roles,
)
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_one
from mapdp_studio.pages.parts.shared.picture import picture

EFFECTS, SURVIVAL = "Effects", "Survival"
CONTROLS, MISSING = "Negative controls", "Missing cells"


def validators(studio: Session) -> None:
    """Tests with their effects, survival curves, then the negative controls."""
    found = groups_to_compare(studio)
    if found is None:
        return
    tested = validation_of(studio, found)
    if tested is None:
        return
    studio.study.note_validators()
    st.warning(CAUTION, icon=":material/info:")
    for reason in refused_shares(tested.validators):
        st.warning(escaped(reason), icon=":material/timeline:")
    curves = survival_curves(tested.validators, found.labels)
    has_times = bool(times_to_events(tested.validators))
    views = [EFFECTS, *([SURVIVAL] if has_times else []), CONTROLS, MISSING]
    view = choose_one("View", views, "validators_view", label_visibility="collapsed")
    if view == SURVIVAL and has_times:
        _survival(found, tested.validators, curves)
    elif view == CONTROLS:
        _controls(found, tested.controls)
    elif view == MISSING:
        _missing(studio, found, tested.validators)
    else:
        _effects(found, tested.validators)


def validation_of(studio: Session, found: Subgroups) -> Validation | None:
    """The tests, made on first need in the background; None while they are not there."""
    lock, frame, labels = studio.study.lock, cohort_of(studio), found.labels
    return get_result(
        studio,
        "clinical validation",
        lock,
        "Testing",
        lambda job: validate(frame, lock, labels, job),
    )


def _effects(found: Subgroups, outcomes: Associations) -> None:
    if not outcomes.columns and not outcomes.refused:
        st.info(
            "No column was kept out to test the groups against. Unlock the roles to name one; "
            "since the groups have been seen, its p-values will be marked for that.",
            icon=":material/science:",
        )
        to_the_roles()
        return
    _refused(outcomes)
    st.markdown("**All groups at once**")
    st.dataframe(overall(outcomes, found.labels, found.titles), hide_index=True)
    st.caption(f"{outcomes.overall_adjusted.sentence}. {_rules(outcomes)}")
    figure = forest_figure(outcomes.columns)
    if figure is not None:
        st.markdown("**Every two groups: effects with 95 % intervals**")
        picture(
            figure,
            "clinical-forest",
            "Forest plot of the validators: effects between every two groups",
            "validators",
        )
        st.caption(
            f"Filled squares: corrected p at most {LEVEL:g} ({outcomes.pairs_adjusted.sentence}). "
            "The line marks no difference. Intervals are not corrected for the number of tests; "
            "of skewed columns one interval holds those with and without a correction for "
            "skewness, as the larger of both p-values counts, and where none holds its level there "
            "is neither. A permutation test may differ a little from its interval."
        )
    for column in times_to_events(outcomes):
        if column.hazards is not None:
            st.caption(escaped(f"{column.variable.title}: {column.hazards.sentence}"))
    with st.expander("Every pair of groups, with test, p and corrected p", icon=":material/table:"):
        st.dataframe(printed(outcomes), hide_index=True)


def _missing(studio: Session, found: Subgroups, outcomes: Associations) -> None:
    """Who has no value: of every column by group, and of the outcomes with a test."""
    table = missing_table(tests_of(studio, found).columns, found)
    if table.empty:
        st.info("No cell is missing in any column.", icon=":material/check:")
        return
    st.markdown("**Missing cells by group, the most first**")
    st.dataframe(table, hide_index=True)
    st.caption(
        "A group in which a column is missing more often may have been looked at otherwise: its "
        "mean there is that of those who were measured. Missing cells are left out, never filled."
    )
    pairs = missing_printed(outcomes)
    if not pairs.empty:
        st.markdown("**Outcomes: is a cell missing more often in one group?**")
        st.dataframe(pairs, hide_index=True)
        st.caption("Not corrected for the number of tests: here, a small p is a warning.")


def _rules(found: Associations) -> str:
    """Which groups are tested, and how."""
    rules = (
        f"Available cases only: a group with fewer than {SHOWN} patients observed is not shown, "
        f"with {SHOWN} to {TESTED - 1} described, with {TESTED} to {ALL_TESTS - 1} tested exactly "
        "or by permutation."
    )
    if found.left_out:
        left_out = ", ".join(f"Group {k + 1}" for k in found.left_out)
        rules += f" Left out everywhere, being fewer than {SMALLEST} patients: {left_out}."
    return rules


def _survival(found: Subgroups, outcomes: Associations, curves: list[Survival]) -> None:
    """Of every time to an event: curves, the test, follow-up by group, and both effects."""
    rows = overall(outcomes, found.labels, found.titles)
    rows.index = [column.variable.title for column in outcomes.columns]
    drawn, pairs = {survival.name: survival for survival in curves}, printed(outcomes)
    for place, column in enumerate(times_to_events(outcomes)):
        name = column.variable.title
        if name in drawn:
            _curves(found, drawn[name], place)
        _overall_test(outcomes, rows.loc[name])
        if column.hazards is not None:
            st.info(escaped(column.hazards.sentence), icon=":material/timeline:")
        st.markdown("**Patients, events and follow-up**")
        st.dataframe(follow_up_table(column, found.labels, found.titles), hide_index=True)
        effects = pairs[pairs["Column"] == name]
        if not effects.empty:
            st.markdown("**Every two groups**")
            st.dataframe(effects.drop(columns=["Column", "First", "Second"]), hide_index=True)
    st.caption(f"{INTERVALS} {SCOPE}")


def _curves(found: Subgroups, survival: Survival, place: int) -> None:
    said = ESTIMATES[survival.is_incidence]
    st.markdown(f"**{escaped(survival.name)}: {said}**")
    picture(
        survival_figure(survival, found.titles),
        f"clinical-survival-{place}",
        f"{said[0].upper()}{said[1:]}: {survival.name}, with numbers at risk",
        "survival",
    )


def _overall_test(outcomes: Associations, row: pd.Series) -> None:
    """The test of all groups, under the curves."""
    if row["p"] == "none":
        st.caption(row["Remark"])
        return
    mark = f"; {row['Remark']}" if row.get("Remark") else ""
    st.caption(
        f"Groups {row['Groups']}, {row['Test']}: p {row['p']}, corrected {row['p, corrected']} "
        f"({outcomes.overall_adjusted.sentence}{mark}). Groups with fewer than {TESTED} "
        f"patients observed are drawn but not tested. Point at a curve for its 95 % interval."
    )


def _controls(groups: Subgroups, found: Associations) -> None:
    if not found.columns and not found.refused:
        st.info(
            "None was named. A column that no illness explains, such as site or randomised arm, "
            "shows whether the groups follow something else.",
            icon=":material/science:",
        )
        return
    _refused(found)
    strange = [
        column.variable.title
        for column in found.columns
        if column.overall.adjusted is not None and column.overall.adjusted <= LEVEL
    ]
    tested = [column for column in found.columns if column.overall.test.p is not None]
    if strange:
        st.error(
            f"{', '.join(map(escaped, strange))}: should not differ between groups, but does. The "
            "groups may follow how the data were collected.",
            icon=":material/report:",
        )
    elif tested:
        st.success("No negative control differs between the groups.", icon=":material/check:")
    st.dataframe(overall(found, groups.labels, groups.titles), hide_index=True)
    st.caption(f"{found.overall_adjusted.sentence}. {_rules(found)}")
    with st.expander("Every pair of groups, with test, p and corrected p", icon=":material/table:"):
        st.dataframe(printed(found), hide_index=True)


def _refused(found: Associations) -> None:
    for name, reason in found.refused.items():
        st.warning(f"{escaped(name)} was not tested. {escaped(reason)}", icon=":material/warning:")
