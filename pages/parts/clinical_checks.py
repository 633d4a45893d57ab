"""The long checks of the Clinical page: a preview, the full protocol, and what there is so far."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.checks import Checks, patient_ids
from core.copula import FULL, QUICK, copula_reference
from core.jobs import Job
from core.stability import Protocol, assess
from core.subgroups import Subgroups
from pages import Session, escaped

from .job_line import job_line

LABELS = {"reference": "Tables without groups", "stability": "Other patients, starts, settings"}
EFFORTS = ("full", "preview")


def checks_of(studio: Session, found: Subgroups) -> Checks:
    """The fullest result there is of each check, or as much of it as has been done."""
    return Checks(found, **{check: _newest(studio, check) for check in LABELS})


def check_line(studio: Session, found: Subgroups) -> None:
    """Start the checks, follow them, or see that they are done."""
    running = [
        (check, job)
        for check in LABELS
        for effort in EFFORTS
        if (job := _job(studio, check, effort)) is not None and job.running
    ]
    for check, job in running:
        job_line(job, LABELS[check])
    if running:
        st.caption("You can go on reading, on this page or another: what is found stays.")
        return
    _failures(studio)
    done = {effort: _all_done(studio, effort) for effort in EFFORTS}
    if done["full"]:
        seconds = max(_job(studio, check, "full").seconds for check in LABELS)
        st.caption(f":material/check: The full protocol has run, in {seconds:,.0f} s.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if not done["preview"]:
            st.button(
                "Preview: 20 draws",
                icon=":material/speed:",
                key="start preview",
                on_click=start_checks,
                args=(studio, found, "preview"),
                help="A first look in less than a minute; it does not colour the light.",
            )
        st.button(
            "Full protocol",
            type="primary",
            icon=":material/play_arrow:",
            key="start full",
            on_click=start_checks,
            args=(studio, found, "full"),
            help=f"{FULL} tables without groups, 100 resamples of the patients, 100 other starts "
            "and other settings of the prior: some minutes, in the background.",
        )
        if done["preview"]:
            st.caption("What you see rests on the preview of 20 draws.")


def start_checks(studio: Session, found: Subgroups, effort: str) -> None:
    """Begin both checks, side by side in the background."""
    lock, frame, model = studio.study.lock, studio.table.frame, found.model
    seed, full = lock.plan.seed, effort == "full"
    protocol = Protocol.full(seed) if full else Protocol.preview(seed)

    def reference(job: Job) -> Any:
        n_draws = FULL if full else QUICK
        return copula_reference(model, n_draws, random_state=seed, callback=job, share=job.share)

    def stability(job: Job) -> Any:
        ids = patient_ids(frame, lock)
        return assess(model, protocol, patients=ids, callback=job, share=job.share)

    studio.jobs.start(f"clinical reference {effort}", lock, reference)
    studio.jobs.start(f"clinical stability {effort}", lock, stability)


def _job(studio: Session, check: str, effort: str) -> Job | None:
    return studio.jobs.get(f"clinical {check} {effort}", studio.study.lock)


def _all_done(studio: Session, effort: str) -> bool:
    jobs = [_job(studio, check, effort) for check in LABELS]
    return all(job is not None and job.result is not None for job in jobs)


def _newest(studio: Session, check: str) -> Any:
    """Result in full, else of the preview, else what has been done of either."""
    jobs = [job for effort in EFFORTS if (job := _job(studio, check, effort)) is not None]
    found = [job.result for job in jobs] + [job.partial for job in jobs]
    return next((value for value in found if value is not None), None)


def _failures(studio: Session) -> None:
    for check, label in LABELS.items():
        for effort in EFFORTS:
            job = _job(studio, check, effort)
            if job is not None and job.failure:
                st.error(f"{label}: {escaped(job.failure)}", icon=":material/error:")
            elif job is not None and job.stopped:
                st.caption(f":material/pause: {label}: stopped; what was done until then is kept.")
