"""For the statistician, folded: one patient, sites, a second table, and how stable all is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core import TableError
from mapdp_studio.core.clinical.concerns import SMALLEST_SITE, site_columns
from mapdp_studio.core.clinical.groups import SMALLEST, Subgroups
from mapdp_studio.core.clinical.outcomes import CAUTION, overall
from mapdp_studio.core.clinical.placing import (
    SAME,
    SecondCohort,
    apply_to,
    shared_rows,
    sites_left_out,
)
from mapdp_studio.core.clinical.study import SecondTable
from mapdp_studio.core.clinical.verdict import Checks
from mapdp_studio.core.inference.contributions import assignments
from mapdp_studio.core.profiling.judged import find_rows
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.wording import escaped, percent
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.clinical.results import GROUPS, checks_of, cohort_of
from mapdp_studio.pages.parts.data.source import FILE_TYPES
from mapdp_studio.pages.parts.groups.rows import why_here
from mapdp_studio.pages.parts.groups.stability import StabilityViews
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_from_list
from mapdp_studio.pages.parts.shared.loading import read_upload

FILE, FAILURE, SECOND = "second_cohort", "second_failure", "clinical second"


def for_the_statistician(studio: Session, step: str) -> None:
    """One view at a time, under every step after the plan, once there are groups."""
    lock = studio.study.lock
    found = studio.results.known(GROUPS, lock) if lock is not None else None
    if step == "plan" or found is None or not found.found_any:
        return
    checks = checks_of(studio, found)
    if not checks.groups.found_any:
        return
    fold = st.expander(
        "For the statistician", icon=":material/query_stats:", key="statistician", on_change="rerun"
    )
    if not fold.open:
        return
    views: dict[str, Callable[[], None]] = {
        "A patient": partial(_patient, studio, checks.groups),
        "Sites": partial(_sites, studio, checks),
        "A second table": partial(_second, studio, checks.groups),
    }
    groups, stability = checks.groups, checks.stability
    if stability is not None and stability.bootstraps is not None:
        shown = StabilityViews(groups.titles, stability, "patient", groups.colours)
        views |= {f"Stability: {name.lower()}": draw for name, draw in shown.by_title.items()}
    with fold:
        views[choose_from_list("View", list(views), "statistician_view", width=320)]()


# ---- one patient of the table


def _patient(studio: Session, found: Subgroups) -> None:
    """Choose a patient of the table; see their place and the columns for and against it."""
    row = _choose(studio, found)
    why_here(found.model, found.titles, found.colours, row, "patient")
    if found.labels[row] in found.atypical:
        st.warning(
            f"This patient is atypical: fewer than {SMALLEST} patients are no group. Read the "
            "record rather than the averages.",
            icon=":material/person_search:",
        )


def _choose(studio: Session, found: Subgroups) -> int:
    """The row of a patient; those worth a look come first."""
    names, lock = studio.study.lock.columns("id"), studio.study.lock
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
        key=f"clinical_patient_row {lock.hash}",
        filter_mode="contains",
    )
    wanted = right.text_input("or the patient's id", key="clinical_patient_id") if names else ""
    same = find_rows(cohort_of(studio), names, wanted) if wanted else np.empty(0, dtype=int)
    if wanted and same.size != 1:
        text = f"{same.size:,} rows have this id." if same.size else "No patient has this id."
        right.caption(text)
    return int(same[0]) if same.size else row


# ---- sites, and a second table


def _sites(studio: Session, checks: Checks) -> None:
    """Choose the column of sites; a line a site that is left out."""
    lock, frame = studio.study.lock, cohort_of(studio)
    names = site_columns(frame, lock.schema)
    if not names:
        st.info("No column names a site: one of a few names that recur, kept out of the groups.")
        return
    name = choose_from_list("Sites", names, "clinical_site", width=320)

    def leave_out(job: Job) -> pd.DataFrame:
        return sites_left_out(checks.groups, frame[name], lock.plan.seed, job, job.share)

    label = "Leaving out a site at a time"
    table = get_result(studio, "clinical sites", (lock, name), label, leave_out)
    if table is None:
        return
    st.dataframe(table, hide_index=True)
    st.caption(
        f"Without each site of {escaped(name)} with at least {SMALLEST_SITE} patients, the groups "
        "are sought again. Agreement: the adjusted Rand index on those who stayed; below each "
        "group: how much of it is in its best match (Jaccard)."
    )


def _second(studio: Session, found: Subgroups) -> None:
    """Bring a second table and see its patients among the groups of the first."""
    study = studio.study
    st.markdown(
        "Bring a table with the same columns: each of its patients is placed in the group that "
        "suits best, or in none, and the outcomes it has are tested again. Nothing is fitted to it."
    )
    label = "A second table, with the columns named as in the first; it stays on this computer"
    st.file_uploader(label, type=FILE_TYPES, key=FILE, on_change=_take)
    if st.session_state.get(FAILURE):
        st.error(escaped(st.session_state[FAILURE]), icon=":material/error:")
    lock, table = study.lock, study.second
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
    work = partial(apply_to, found, lock, table.frame)
    result = get_result(studio, SECOND, (lock, table), "Placing the patients", work)
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
        "against the first cohort, where every patient was left out in turn: much lower, the "
        "groups may mean something else here."
    )
    if result.absent:
        st.caption(f"Outcomes that it lacks: {', '.join(map(escaped, result.absent))}.")
    if result.validators.columns:
        st.markdown("**Outcomes in the second cohort**")
        st.dataframe(overall(result.validators, result.placed, found.titles), hide_index=True)
        st.caption(f"{CAUTION} {result.validators.overall_adjusted.sentence}.")
