"""One patient of the table and why they are where they are; those of a second table, placed."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core import TableError
from mapdp_studio.core.clinical.groups import SMALLEST, Subgroups
from mapdp_studio.core.clinical.outcomes import CAUTION, overall, printed
from mapdp_studio.core.clinical.placing import (
    SAME,
    Patient,
    SecondCohort,
    apply_to,
    look_up,
    rows_of_id,
    shared_rows,
)
from mapdp_studio.core.clinical.study import SecondTable
from mapdp_studio.core.clinical.verdict import Checks
from mapdp_studio.core.inference.contributions import assignments
from mapdp_studio.core.plots.profiles import reasons_figure
from mapdp_studio.core.wording import escaped, percent
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.clinical.results import cohort_of
from mapdp_studio.pages.parts.data.source import FILE_TYPES
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.loading import read_upload
from mapdp_studio.pages.parts.shared.picture import picture

ROW, ID = "clinical_patient_row", "clinical_patient_id"
REASONS = 20
FILE, FAILURE, SECOND = "second_cohort", "second_failure", "clinical second"


def patient(studio: Session, checks: Checks) -> None:
    """Choose a patient of the table; see their place and the columns for and against it."""
    found = checks.groups
    seen = look_up(found, _choose(studio, found))
    _place(found, seen)
    reasons, title = seen.reasons.head(REASONS), found.titles[seen.group]
    colours = found.colours
    st.markdown(f"**What spoke for {title}, and what for {seen.second}**")
    picture(
        reasons_figure(
            [f"{c} = {v}" for c, v in zip(reasons["column"], reasons["value"], strict=True)],
            list(reasons["nats"]),
            (title, colours[seen.group]),
            (seen.second, None if seen.second_group is None else colours[seen.second_group]),
        ),
        "clinical-reasons",
        f"Columns that spoke for {title} and for {seen.second}",
        "patient",
    )
    st.caption(
        f"{seen.placed_using.capitalize()}; the {len(reasons)} weightiest are shown. The "
        "patient is judged against the others of the group, never against their own values."
    )


def _choose(studio: Session, found: Subgroups) -> int:
    names = studio.study.lock.columns("id")
    standing = assignments(found.model)
    why = dict.fromkeys(map(int, standing.atypical(6)), "unlike the others")
    why |= dict.fromkeys(map(int, standing.between(6)), "between groups")
    why |= dict.fromkeys(map(int, found.atypical_rows), "in no group")
    rows = [*reversed(why), *(row for row in range(found.labels.size) if row not in why)]
    left, right = st.columns(2)
    row = left.selectbox(
        "Patient, by the row of the table",
        rows,
        format_func=lambda row: f"{row + 1:,}{', ' + why[row] if row in why else ''}",
        key=f"{ROW} {studio.study.lock.hash}",
        filter_mode="contains",
    )
    wanted = right.text_input("or the patient's id", key=ID) if names else ""
    same = rows_of_id(cohort_of(studio), names, wanted) if wanted else []
    if wanted and len(same) != 1:
        right.caption(f"{len(same):,} rows have this id." if same else "No patient has this id.")
    return same[0] if same else row


def _place(found: Subgroups, seen: Patient) -> None:
    probability = seen.probability
    share = "> 99.9 %" if probability > 0.999 else f"{100 * probability:.1f} %"
    text = f"**{found.titles[seen.group]}**, then {escaped(seen.second)}. "
    text += f"Probability under the model: {share}; with many columns it is near 0 or 1."
    st.markdown(text)
    if seen.group in found.atypical:
        st.warning(
            f"This patient is atypical: fewer than {SMALLEST} patients are no group. Read the "
            "record rather than the averages.",
            icon=":material/person_search:",
        )


def second(studio: Session, checks: Checks) -> None:
    """Bring a second table and see its patients among the groups of the first."""
    study, found = studio.study, checks.groups
    st.markdown(
        "Groups that are real should be found elsewhere too. Bring a table with the same columns: "
        "each of its patients is placed in the group that suits best, or in none, and the "
        "outcomes it has are tested again. Nothing is fitted to it."
    )
    st.file_uploader(
        "A second table, with the columns named as in the first; it stays on this computer",
        type=FILE_TYPES,
        key=FILE,
        on_change=_take,
    )
    if st.session_state.get(FAILURE):
        st.error(escaped(st.session_state[FAILURE]), icon=":material/error:")
    table = study.second
    if table is None:
        return
    st.caption(f"**{escaped(table.name)}**: {len(table.frame):,} patients")
    known = studio.results.latest(
        "second seen", table, lambda: shared_rows(studio.table.frame, table.frame)
    )
    if known >= SAME:
        st.error(
            f"{percent(known)} of these patients are those of the first table: the same patients "
            "again are no replication. Bring others.",
            icon=":material/content_copy:",
        )
        return
    lock = study.lock
    result = get_result(
        studio,
        SECOND,
        (lock, table),
        "Placing the patients",
        lambda job: apply_to(found, lock, table.frame, job),
    )
    if result is not None:
        study.note_validators()
        _show(found, result)


@in_visit
def _take() -> None:
    """Callback of the uploader: the table stays with the study when the page is left."""
    study, file = session().study, st.session_state[FILE]
    study.second, st.session_state[FAILURE] = None, ""
    if file is None:
        return
    try:
        frame = read_upload(file.name, file.getvalue())
        prepared = session().table.recipe.apply(frame).frame
        study.second = SecondTable(file.name, prepared)
    except TableError as error:
        st.session_state[FAILURE] = str(error)


def _show(found: Subgroups, result: SecondCohort) -> None:
    st.dataframe(result.sizes(found), hide_index=True)
    st.caption(
        f"Fit: {result.density:.2f} log units a cell, {result.density - result.own_density:+.2f} "
        "against the first cohort, where every patient was left out in turn. Much lower: the "
        "second cohort is unlike the first, and the groups may mean something else there."
    )
    if result.absent:
        st.caption(f"Outcomes that it lacks: {', '.join(map(escaped, result.absent))}.")
    if result.validators.columns:
        st.markdown("**Outcomes in the second cohort**")
        st.dataframe(overall(result.validators, result.placed, found.titles), hide_index=True)
        st.caption(f"{CAUTION} {result.validators.overall_adjusted.sentence}.")
        with st.expander("Every two groups", icon=":material/table:"):
            st.dataframe(printed(result.validators), hide_index=True)
