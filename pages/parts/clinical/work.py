"""Long work of the Clinical page: begun when it is needed, kept while the lock lasts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from mapdp_studio.core.clinical.concerns import Repeats, repeats_of
from mapdp_studio.core.clinical.groups import Distinctions, Subgroups, find_subgroups
from mapdp_studio.core.clinical.t_tests import TTests, leave_out
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.compute import job_line, run_again_when
from mapdp_studio.pages.parts.shared.kit import has_engine

GROUPS, LEFT_OUT = "clinical groups", "clinical left out"
#: Sections of the page that lead to each other.
SECTION = "clinical_section"


def go_to(section: str) -> None:
    """Callback of a button that leads to another section."""
    st.session_state[SECTION] = section


def to_the_roles() -> None:
    """A button that leads to the roles."""
    st.button("Go to the roles", icon=":material/lock:", on_click=go_to, args=("roles",))


def repeats_in(studio: Session) -> Repeats | None:
    """The patient's id that recurs in the table, as its roles are now."""
    frame, schema = studio.table.frame, studio.schema
    return studio.results.latest(
        "repeats", (studio.table.digest, schema), lambda: repeats_of(frame, schema)
    )


def cohort_of(studio: Session) -> pd.DataFrame:
    """The table of the study, one row a patient: each row as often as it counts."""
    lock, frame = studio.study.lock, studio.table.frame
    return studio.results.latest("cohort", lock, lambda: lock.cohort(frame))


def find_groups(studio: Session) -> None:
    """Begin the search for groups under the lock."""
    lock, frame = studio.study.lock, cohort_of(studio)
    studio.study.note_search()
    studio.jobs.start(
        GROUPS, lock, lambda job: find_subgroups(frame, lock, job, job.share), "checks"
    )


def groups_of(studio: Session, unfinished: bool = False) -> Subgroups | None:
    """The groups under the lock, looked for on first need; None while they are not there.

    Whoever gets them shows them: the study notes that they have been seen. If ``unfinished``, the
    best of the searches so far will do.
    """
    found = _found(studio, unfinished)
    if found is not None:
        studio.study.note_groups()
    return found


def groups_to_compare(studio: Session) -> Subgroups | None:
    """The groups under the lock; None, with the words why, while there is nothing to compare."""
    found = groups_of(studio)
    if found is None or found.found_any:
        return found
    st.info(
        "**No groups found.** One group describes these patients best, a few atypical ones "
        "apart, so there is nothing to compare here. That is the usual answer when there are "
        "no subtypes, and when there are too few patients to tell.",
        icon=":material/filter_1:",
    )
    return None


def distinctions_of(studio: Session, found: Subgroups) -> Distinctions:
    """What distinguishes the groups, reckoned once for them."""
    about = studio.study.lock, found.objectives.size
    return studio.results.latest("distinctions", about, lambda: Distinctions(found))


def tests_of(studio: Session, found: Subgroups) -> TTests:
    """The columns and groups of the study, before any column was left out."""
    lock, frame = studio.study.lock, cohort_of(studio)
    about = lock, found.objectives.size  # the best of the searches so far may not stay the best
    return studio.results.latest("t-tests", about, lambda: TTests.of(frame, lock, found))


def begin_left_out(studio: Session, found: Subgroups) -> Job:
    """Begin to find the groups again without each column."""
    start = tests_of(studio, found)
    return studio.jobs.start(
        LEFT_OUT, studio.study.lock, lambda job: leave_out(start, found, job, job.share), "checks"
    )


def tests_so_far(studio: Session, found: Subgroups) -> TTests:
    """The same with the columns that have been left out until now."""
    job = studio.jobs.get(LEFT_OUT, studio.study.lock)
    so_far = None if job is None else job.result or job.partial
    return so_far or tests_of(studio, found)


def _found(studio: Session, unfinished: bool) -> Subgroups | None:
    lock = studio.study.lock
    if lock is None:
        st.info(
            "Groups come after the roles are locked: that is what makes the tests honest.",
            icon=":material/lock_open:",
        )
        to_the_roles()
        return None
    if not has_engine("The search begins"):
        return None
    job = studio.jobs.get(GROUPS, lock)
    if job is None:
        find_groups(studio)
        job = studio.jobs.get(GROUPS, lock)
    found = outcome(job, "Looking for groups", lambda: find_groups(studio))
    if found is None and unfinished and job.running:
        if job.partial is None:
            run_again_when(lambda: job.partial is not None)
        return job.partial
    return found


def outcome(job: Job, label: str, again: Callable[[], None]) -> Any:
    """The result of a job; while there is none, its progress, or why, with a way to try again."""
    if job.running:
        job_line(job, label)
        return None
    if job.failure:
        st.error(escaped(job.failure), icon=":material/error:")
    elif job.stopped:
        st.info(f"{label}: stopped.", icon=":material/pause:")
    else:
        return job.result
    st.button("Try again", icon=":material/refresh:", key=f"again {label}", on_click=again)
    return None
