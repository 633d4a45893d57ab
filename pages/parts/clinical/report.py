"""Step 5, Report; and for the statistician, folded, a patient, sites, a second table, stability."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pandas as pd
import streamlit as st

from mapdp_studio.core import TableError
from mapdp_studio.core.clinical import placing
from mapdp_studio.core.clinical.concerns import SMALLEST_SITE, site_columns
from mapdp_studio.core.clinical.groups import SMALLEST, Subgroups
from mapdp_studio.core.clinical.outcomes import CAUTION, Validation, overall_table
from mapdp_studio.core.clinical.report import make_package
from mapdp_studio.core.clinical.small_counts import OFF, THRESHOLDS
from mapdp_studio.core.clinical.study import SecondTable
from mapdp_studio.core.clinical.verdict import Checks
from mapdp_studio.core.exports.tables import as_csv
from mapdp_studio.core.inference.contributions import assignments
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import NotYet, Session, in_visit, session
from mapdp_studio.pages.parts.clinical import study
from mapdp_studio.pages.parts.data.source import FILE_TYPES
from mapdp_studio.pages.parts.groups.rows import find_row, why_here
from mapdp_studio.pages.parts.groups.stability import StabilityViews
from mapdp_studio.pages.parts.shared.compute import get_result, wait_until_asked
from mapdp_studio.pages.parts.shared.kit import choose_from_list, choose_one, download, listing
from mapdp_studio.pages.parts.shared.loading import read_upload

#: How often a report was to be written again.
AGAIN = "clinical_report_again"
FILE, FAILURE, PLACING = "second_cohort", "second_failure", "Placing the patients"


def report(visit: Session) -> None:
    """The report behind one button, then what goes with it, folded."""
    subgroups = study.groups_of(visit)
    validation = study.validation_of(visit, subgroups)
    checks = study.checks_of(visit, subgroups)
    visit.study.note_validators()
    with suppress(NotYet):
        _written(visit, validation, checks)
    _assignments(visit, subgroups)
    study.take_lock(visit.study.lock)


def _written(visit: Session, validation: Validation, checks: Checks) -> None:
    own, state, icon = visit.study, st.session_state, ":material/description:"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        is_own = visit.table.example is None  # an example is public: nothing of it is hidden
        least = choose_one(
            "Hide counts of patients below",
            [OFF, *THRESHOLDS],
            "clinical_least" if is_own else "clinical_least_example",
            default=THRESHOLDS[0] if is_own else OFF,
            format_func=lambda least: "Off" if least == OFF else f"{least}",
            help="And the next smallest where one would follow from a printed total. A person "
            "should look before a file is passed on.",
        )
        place = st.container(horizontal=True)
    brought = own.second and visit.results.peek(PLACING, (own.lock, own.second))
    decided, count = (own.lock, least, own.reservation), state.get(AGAIN, 0)
    with place:
        wait_until_asked(decided, "Write the report", type="primary", icon=icon)
    args = own, checks, validation, visit.table.name, least, brought
    name, key = "Writing the study's report", (decided, count)
    files = get_result(visit, name, key, lambda job: make_package(*args))
    with place:
        download(
            "Report (one HTML file)",
            files.html,
            "clinical-report.html",
            type="primary",
            icon=icon,
            help="It needs no network; Word opens it. No single patient's data is in it.",
        )
        tip = "With all that has been found by now."
        again = {AGAIN: count + 1}
        st.button("Write it again", icon=icon, help=tip, on_click=state.update, args=(again,))
    st.caption(files.sentence)
    expander = st.expander("Every table as CSV", icon=":material/table:")
    with expander, st.container(horizontal=True):
        for title, table in files.tables.items():
            download(f"{title.capitalize()} (CSV)", as_csv(table), f"clinical-{title}.csv")


def _assignments(visit: Session, subgroups: Subgroups) -> None:
    """One row a patient: only for those who say that they may."""
    lock = visit.study.lock
    with st.expander("Which patient is in which group (patient-level data)", icon=":material/key:"):
        st.caption("A line each. This is personal data: take it only where you may.")
        if st.checkbox("I may take patient-level data out", key="clinical_may"):
            has_id = bool(lock.columns("id"))
            with_id = has_id and st.checkbox("With the patient's id", key="clinical_with_id")
            table = placing.group_assignments(subgroups, visit.table.frame, lock, with_id)
            download("Assignments (CSV)", as_csv(table), "clinical-assignments.csv")


def for_the_statistician(visit: Session, step: str) -> None:
    """One view at a time, under every step after the plan, once there are groups."""
    lock = visit.study.lock
    subgroups = visit.results.peek(study.GROUPS, lock) if lock is not None else None
    if step == "plan" or subgroups is None or not subgroups.found_any:
        return
    checks = study.checks_of(visit, subgroups)
    if not checks.groups.found_any:
        return
    fold = st.expander(
        "For the statistician", icon=":material/query_stats:", key="statistician", on_change="rerun"
    )
    if not fold.open:
        return
    views: dict[str, Callable[[], None]] = {
        "A patient": partial(_patient, visit, checks.groups),
        "Sites": partial(_sites, visit, checks),
        "A second table": partial(_second, visit, checks.groups),
    }
    groups, stability = checks.groups, checks.stability
    if stability is not None and stability.bootstraps is not None:
        shown = StabilityViews(groups.titles, stability, "patient", groups.colours)
        views |= {f"Stability: {name.lower()}": draw for name, draw in shown.by_title.items()}
    with fold, suppress(NotYet):
        views[choose_from_list("View", list(views), "statistician_view", width=320)]()


def _patient(visit: Session, groups: Subgroups) -> None:
    """Choose a patient of the table, those worth a look first; the columns for and against them."""
    lock = visit.study.lock
    standing = assignments(groups.model)
    why = dict.fromkeys(map(int, standing.atypical(6)), "unlike the others")
    why |= dict.fromkeys(map(int, standing.between(6)), "between groups")
    why |= dict.fromkeys(map(int, groups.atypical_rows), "in no group")
    rows = [*reversed(why), *(row for row in range(groups.labels.size) if row not in why)]
    left, right = st.columns(2)
    row = left.selectbox(
        "Patient, by the row of the table",
        rows,
        format_func=lambda row: f"{row + 1:,}{', ' + why[row] if row in why else ''}",
        key=f"clinical_patient_row {lock.hash}",
        filter_mode="contains",
    )
    with right:
        asked = find_row(study.cohort_of(visit), lock.columns("id"), "clinical_patient_id")
    row = row if asked is None else asked
    why_here(groups.model, groups.titles, groups.colours, row, "patient")
    if groups.labels[row] in groups.atypical:
        st.warning(
            f"This patient is atypical: fewer than {SMALLEST} patients are no group. Read the "
            "record rather than the averages.",
            icon=":material/person_search:",
        )


def _sites(visit: Session, checks: Checks) -> None:
    lock, frame = visit.study.lock, study.cohort_of(visit)
    names = site_columns(frame, lock.schema)
    if not names:
        st.info("No column names a site: one of a few names that recur, kept out of the groups.")
        return
    name = choose_from_list("Sites", names, "clinical_site", width=320)

    def leave_out(job: Job) -> pd.DataFrame:
        return placing.sites_left_out(checks.groups, frame[name], lock.plan.seed, job, job.share)

    table = get_result(visit, "Leaving out a site at a time", (lock, name), leave_out)
    listing(table, f"The groups without each site of {name}")
    st.caption(
        f"Without each site of {escaped(name)} with at least {SMALLEST_SITE} patients, the groups "
        "are sought again. Agreement: the adjusted Rand index on those who stayed; below each "
        "group: how much of it is in its best match (Jaccard)."
    )


def _second(visit: Session, subgroups: Subgroups) -> None:
    """Bring a second table and see its patients among the groups of the first."""
    own = visit.study
    st.markdown(
        "Bring a table of other patients with the same columns: each is placed in the group that "
        "suits best, or in none, and the outcomes it has are tested again. Nothing is fitted to it."
    )
    label = "A second table, with the columns named as in the first; it stays on this computer"
    st.file_uploader(label, type=FILE_TYPES, key=FILE, on_change=_take)
    if st.session_state.get(FAILURE):
        st.error(escaped(st.session_state[FAILURE]), icon=":material/error:")
    lock, table = own.lock, own.second
    if table is None:
        return
    st.caption(f"**{escaped(table.name)}**: {len(table.frame):,} patients")
    work = partial(placing.apply_to, subgroups, lock, table.frame)
    result = get_result(visit, PLACING, (lock, table), work)
    own.note_validators()
    listing(result.sizes(subgroups), "Patients of both tables in every group")
    if result.absent:
        st.caption(f"Outcomes that it lacks: {', '.join(map(escaped, result.absent))}.")
    if result.validators.columns:
        st.markdown("**Outcomes in the second cohort**")
        tested = overall_table(result.validators, result.placed, subgroups.titles)
        listing(tested, "Outcomes of the second table by group, with their tests")
        st.caption(f"{CAUTION} {result.validators.overall_adjusted.sentence}.")


@in_visit
def _take() -> None:
    """Callback of the uploader: the table stays with the study when the page is left."""
    own, file = session().study, st.session_state[FILE]
    own.second, st.session_state[FAILURE] = None, ""
    if file is None:
        return
    try:
        frame = read_upload(file.name, file.getvalue())
        prepared = session().table.recipe.apply(frame).frame
        own.second = SecondTable(file.name, prepared)
    except TableError as error:
        st.session_state[FAILURE] = str(error)
