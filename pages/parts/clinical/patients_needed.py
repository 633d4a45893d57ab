"""Under a column close up: what its test could find, and how many patients would make one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from core.clinical.patients_needed import (
    DRAWS,
    TIMES,
    PatientsNeeded,
    patients_needed,
)
from core.clinical.subgroups import Subgroups
from core.clinical.t_tests import NOT_FOUND, Pair
from core.session.jobs import Job
from core.statistics.detectable import smallest_difference
from core.wording import escaped
from pages import Session
from pages.parts.clinical.work import said
from pages.parts.shared.job_line import job_state

JOB = "clinical patients needed"


def what_would_do(studio: Session, found: Subgroups, line: pd.Series, pair: Pair) -> None:
    """The smallest difference that sizes like these show; where untested, how many would do."""
    n_1, n_2 = line["n_1_left_out"], line["n_2_left_out"]
    is_tested = not np.isnan(line["p_left_out"])
    if is_tested:
        least = smallest_difference(n_1, n_2)
        st.caption(
            said(
                f"With {n_1:,.0f} and {n_2:,.0f} patients a t-test at .05, not corrected, finds a "
                f"difference of {least:.2f} SD in 8 of 10 studies; smaller ones mostly stay hidden."
            )
        )
    if line["remark"] == NOT_FOUND:
        _how_many(studio, found, line["column"], pair)


def _how_many(studio: Session, found: Subgroups, column: str, pair: Pair) -> None:
    """Search tables of more patients, on demand."""
    about = studio.study.lock, column, pair
    job = studio.jobs.get(JOB, about)
    if job is None or job.stopped:
        st.button(
            "How many patients would make it testable?",
            icon=":material/group_add:",
            key="how many patients",
            on_click=_start,
            args=(studio, found, column, pair),
            help=f"Draws {DRAWS} tables each of up to {TIMES[-1]:g} times as many patients from "
            "these groups, and searches them without the column. It stops at the first size at "
            "which both groups are mostly found.",
        )
    job_state(
        job, f"Tables of more patients, without {column}", "Stopped.", lambda: _has_more(job, about)
    )
    known: PatientsNeeded | None = None if job is None else job.result or job.partial
    if known is not None:
        st.session_state[_seen(about)] = known
        st.markdown(escaped(said(known.sentence)))


def _start(studio: Session, found: Subgroups, column: str, pair: Pair) -> None:
    studio.jobs.start(
        JOB,
        (studio.study.lock, column, pair),
        lambda job: patients_needed(found.model, column, pair, job, job.share),
    )


def _has_more(job: Job | None, about: tuple) -> bool:
    return job is not None and job.partial is not st.session_state.get(_seen(about))


def _seen(about: tuple) -> str:
    """Under what is kept which sizes the page has shown."""
    return f"patients needed {hash(about)}"
