"""The long checks of the Clinical page: a preview, the full protocol, and what there is so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from mapdp_studio.core.clinical.checks import Checks, run_checks
from mapdp_studio.core.clinical.groups import Subgroups
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.statistics.chance import FULL
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.clinical.work import LEFT_OUT, begin_left_out, cohort_of, tests_so_far
from mapdp_studio.pages.parts.shared.compute import job_line

LABEL = "Checking the groups"
#: From the one whose result is shown first.
EFFORTS = ("full", "preview")
#: Seconds until what has been found is drawn anew: drawing takes time from the checks.
BETWEEN_LOOKS = 10.0


def checks_of(studio: Session, found: Subgroups) -> Checks:
    """The fullest result there is, or as much as has been done of either, with the t-tests."""
    jobs = [job for effort in EFFORTS if (job := _job(studio, effort)) is not None]
    kept = [job.result for job in jobs] + [job.partial for job in jobs]
    checks = next((checks for checks in kept if checks is not None), Checks(found))
    return replace(checks, tests=tests_so_far(studio, found))


def check_line(studio: Session, found: Subgroups) -> None:
    """Start the checks, follow them, or see that they are done."""
    full, preview = (_job(studio, effort) for effort in EFFORTS)
    for job in (full, preview):
        if job is not None and job.running:
            job_line(job, LABEL, look_again(job))
            st.caption("You can go on reading, on this page or another: what is found stays.")
            return
    if full is not None and full.result is not None:
        st.caption(f":material/check: The full protocol has run, in {full.seconds:,.0f} s.")
        return
    for job in (full, preview):
        if job is not None and job.failure:
            st.error(escaped(job.failure), icon=":material/error:")
        elif job is not None and job.stopped:
            st.caption(":material/pause: Stopped; what was done until then is kept.")
    _starts(studio, found, has_preview=preview is not None and preview.result is not None)


def look_again(job: Job) -> Callable[[], bool]:
    """Whether more has been found than the page shows, and the last look is some time ago."""
    shown, drawn = job.partial, time.monotonic()
    return lambda: job.partial is not shown and time.monotonic() - drawn > BETWEEN_LOOKS


def _starts(studio: Session, found: Subgroups, has_preview: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        if not has_preview:
            st.button(
                "Preview: 20 draws",
                icon=":material/speed:",
                key="start preview",
                on_click=start_checks,
                args=(studio, found, "preview"),
                help="A first look in less than a minute; it does not colour the light for good.",
            )
        st.button(
            "Full protocol",
            type="primary",
            icon=":material/play_arrow:",
            key="start full",
            on_click=start_checks,
            args=(studio, found, "full"),
            help=f"Up to {FULL} tables without groups of each of four kinds, 100 resamples of the "
            "patients, 100 other starts, other settings of the prior, and the groups found again "
            "without each column: some minutes, in the background.",
        )
        if has_preview:
            st.caption("What you see rests on the preview of 20 draws.")


@in_visit
def start_checks(studio: Session, found: Subgroups, effort: str) -> None:
    """Begin the checks in the background."""
    lock, frame, is_full = studio.study.lock, cohort_of(studio), effort == "full"
    studio.jobs.start(
        f"clinical checks {effort}",
        lock,
        lambda job: run_checks(frame, lock, found, is_full, job, job.share),
        "checks",
    )
    if is_full and studio.jobs.get(LEFT_OUT, lock) is None:
        begin_left_out(studio, found)  # the light asks whether any mean differs


def _job(studio: Session, effort: str) -> Job | None:
    return studio.jobs.get(f"clinical checks {effort}", studio.study.lock)
