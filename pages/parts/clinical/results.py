"""What the Clinical page shows: begun when it is needed, kept while the lock lasts."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from mapdp_studio.core.clinical.concerns import Repeats, repeats_of
from mapdp_studio.core.clinical.groups import Subgroups, find_subgroups
from mapdp_studio.core.clinical.outcomes import Validation, validate
from mapdp_studio.core.clinical.t_tests import TTests, leave_out
from mapdp_studio.core.clinical.verdict import Checks, run_checks
from mapdp_studio.core.schema.rows import with_copies
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.shared.compute import get_result, job_line
from mapdp_studio.pages.parts.shared.kit import has_engine

GROUPS, CHECKS, LEFT_OUT = "clinical groups", "clinical checks", "clinical left out"
STEP = "clinical_section"
#: Seconds until what has been found is drawn anew: drawing takes time from the checks.
BETWEEN_LOOKS = 10.0


def go_to(step: str) -> None:
    """Callback of a button that leads to another step."""
    st.session_state[STEP] = step


def to_the_plan() -> None:
    """A button that leads to the plan."""
    st.button("Go to the plan", icon=":material/lock:", on_click=go_to, args=("plan",))


def repeats_in(studio: Session) -> Repeats | None:
    """The patient's id that recurs in the table, as its roles are now."""
    frame, schema = studio.table.frame, studio.schema
    key = studio.table.digest, schema
    return studio.results.latest("repeats", key, lambda: repeats_of(frame, schema))


def cohort_of(studio: Session) -> pd.DataFrame:
    """The table of the study, one row a patient: each row as often as it counts."""
    lock, frame = studio.study.lock, studio.table.frame
    return studio.results.latest("cohort", lock, lambda: with_copies(frame, lock.schema))


def groups_of(studio: Session) -> Subgroups | None:
    """The groups under the lock, looked for on first need; None while they are not there."""
    lock = studio.study.lock
    if lock is None:
        st.info(
            "Groups come after the plan is locked: that is what makes the tests honest.",
            icon=":material/lock_open:",
        )
        to_the_plan()
        return None
    if not has_engine("The search begins"):
        return None
    if studio.results.known(GROUPS, lock) is None and studio.jobs.get(GROUPS, lock) is None:
        studio.study.note_search()
    work = partial(find_subgroups, cohort_of(studio), lock)
    found = get_result(studio, GROUPS, lock, "Looking for groups", work)
    if found is None:
        return None
    studio.study.note_groups()
    if found.found_any:
        job_of(studio, CHECKS, found)
        found = checks_of(studio, found).groups
    if found.found_any:
        job_of(studio, LEFT_OUT, found)
    return found


def groups_to_compare(studio: Session) -> Subgroups | None:
    """The groups under the lock; None, with the words why, while there is nothing to compare."""
    found = groups_of(studio)
    if found is None or found.found_any:
        return found
    st.info(
        "**No groups found.** One group describes these patients best, a few atypical ones "
        "apart, so there is nothing to compare here. With these columns and this many patients, "
        "no subtypes can be told apart: a result worth reporting.",
        icon=":material/filter_1:",
    )
    return None


def tests_of(studio: Session, found: Subgroups) -> TTests:
    """The columns and groups of the study, with those left out until now."""
    lock, frame = studio.study.lock, cohort_of(studio)
    job = studio.jobs.get(LEFT_OUT, lock) if found.found_any else None
    so_far = None if job is None else job.result or job.partial
    about = lock, found.n_groups
    return so_far or studio.results.latest("t-tests", about, lambda: TTests.of(frame, lock, found))


def checks_of(studio: Session, found: Subgroups) -> Checks:
    """As much as has been checked, with the t-tests."""
    job = studio.jobs.get(CHECKS, studio.study.lock)
    known = (job and (job.result or job.partial)) or Checks(found)
    return replace(known, tests=tests_of(studio, known.groups))


def validation_of(studio: Session, found: Subgroups) -> Validation | None:
    """The tests of the columns kept out, made on first need; None while they are not there."""
    lock = studio.study.lock
    work = partial(validate, cohort_of(studio), lock, found.labels)
    return get_result(studio, "clinical validation", (lock, found.n_groups), "Testing", work)


def job_of(studio: Session, name: str, found: Subgroups) -> Job:
    """The long work of a name, ``CHECKS`` or ``LEFT_OUT``: both begin with the groups."""
    lock, frame = studio.study.lock, cohort_of(studio)

    def work(job: Job) -> Checks | TTests:
        if name == CHECKS:
            return run_checks(frame, lock, found, True, job, job.share)
        return leave_out(TTests.of(frame, lock, found), found, job, job.share)

    return studio.jobs.get(name, lock) or studio.jobs.start(name, lock, work, "checks")


def follow(job: Job, name: str, label: str) -> None:
    """How far long work is, or why it ended before its end, with a way to go on."""
    shown, drawn = job.partial, time.monotonic()

    def has_more() -> bool:
        return job.partial is not shown and time.monotonic() - drawn > BETWEEN_LOOKS

    if job.running:
        job_line(job, label, has_more)
    elif job.result is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            why = escaped(job.failure) or "what was done until then is kept."
            st.caption(f":material/pause: {label}: stopped; {why}", width="content")
            st.button("Go on", key=f"go on {name}", type="tertiary", on_click=_forget, args=(name,))


@in_visit
def _forget(name: str) -> None:
    session().jobs.stop(name)
