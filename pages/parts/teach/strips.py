"""Strips: K and NMI against what the algorithms are told, measured in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from core.comparing.strips import (
    CONCENTRATION,
    PENALTY,
    Strip,
    bic_strip,
    penalties,
    setting_strip,
)
from core.methods.dpmeans import DP_MEANS
from core.methods.mapdp import MAP_DP
from core.methods.settings import K_MAX
from core.plots.strips import strip_figure
from core.session.jobs import Job
from pages import Session
from pages.parts.compare.settings import CONCENTRATIONS, nearest_penalty
from pages.parts.shared.figure_tools import STILL
from pages.parts.shared.job_line import job_line
from pages.parts.teach.settings import LAMBDA, N_0, Classroom, K


@dataclass(frozen=True)
class Kind:
    """One strip of the page.

    Parameters
    ----------
    slider : str
        Key of the slider that a click sets.
    current : float
        Where that slider stands.
    n_values : int
        Values of the finished strip.
    about : tuple
        What the strip depends on beside the table.
    work : callable
        Measures it, given the job.
    to_slider : callable
        The slider's position for a value.
    """

    name: str
    title: str
    slider: str
    current: float
    n_values: int
    about: tuple
    work: Callable[[Job], Strip]
    to_slider: Callable[[float], Any]


def strips(room: Classroom, studio: Session) -> None:
    """Measure and draw the three strips."""
    true_k = len(room.truth.names)
    st.caption(
        f"Each point is a fit with everything else as the sliders say. The band marks the true "
        f"K = {true_k}, the dashed line the slider: click a point to move it there. Of two sliders "
        "on such scales the one with the wider plateau is easier to set."
    )
    for kind in _kinds(room):
        about = (room.digest, *kind.about)
        job = studio.jobs.get(kind.name, about)
        st.subheader(kind.title, anchor=False)
        again = job and job.stopped and st.button("Measure", key=f"measure {kind.name}")
        if job is None or again:
            job = studio.jobs.start(kind.name, about, kind.work)
        _draw(kind, job, true_k)


def _kinds(room: Classroom) -> list[Kind]:
    data, classes, settings = (room.frame, room.schema), room.truth.classes, room.settings
    values = penalties(room.suggested)
    base = replace(settings, concentration=1.0, penalty=1.0, n_clusters=1, penalty_hint=1)
    return [
        Kind(
            "strip of N₀",
            "MAP-DP: K against N₀",
            N_0,
            settings.concentration,
            len(CONCENTRATIONS),
            (base.seed,),
            lambda job: setting_strip(
                MAP_DP, CONCENTRATION, *data, base, CONCENTRATIONS, classes, job, job.share
            ),
            lambda value: min(CONCENTRATIONS, key=lambda c: abs(np.log(c / value))),
        ),
        Kind(
            "strip of λ",
            "DP-means: K against λ",
            LAMBDA,
            settings.penalty,
            len(values),
            (room.suggested,),
            lambda job: setting_strip(
                DP_MEANS, PENALTY, *data, base, values, classes, job, job.share
            ),
            nearest_penalty,
        ),
        Kind(
            "strip of K",
            "K-means: BIC against K",
            K,
            settings.n_clusters,
            min(K_MAX, len(room.frame)),
            (base.seed,),
            lambda job: bic_strip(*data, base, classes, job, job.share),
            round,
        ),
    ]


def _draw(kind: Kind, job: Job, true_k: int) -> None:
    """One strip as far as it is, with its progress or what it says."""
    strip = job.result or job.partial
    if job.running:
        job_line(job, kind.title)
    elif job.failure:
        st.error(job.failure, icon=":material/error:")
    elif job.stopped:
        st.caption(":material/pause: Stopped before the end.")
    if strip is None:
        return
    key = f"click {kind.name}"
    st.plotly_chart(
        strip_figure(strip, kind.current, true_k, kind.n_values),
        config=STILL | {"displayModeBar": False},
        alt=f"{kind.title}. {_said(kind, strip, true_k)}",
        key=key,
        on_select=lambda: _set_slider(key, kind),
        selection_mode="points",
    )
    if job.result:
        st.caption(_said(kind, strip, true_k))
    with st.expander("The strip as a table"):
        st.dataframe(strip.as_frame(), hide_index=True, alt=kind.title)


def _set_slider(key: str, kind: Kind) -> None:
    points = st.session_state[key].selection.points
    if points:
        value = points[0]["customdata"]
        value = value[0] if isinstance(value, list | tuple) else value
        st.session_state[kind.slider] = kind.to_slider(value)


def _said(kind: Kind, strip: Strip, true_k: int) -> str:
    """What the strip shows, measured."""
    if strip.bic is not None:
        best = int(strip.values[np.nanargmax(strip.bic)])
        return f"BIC is highest at K = {best}; the true K is {true_k}."
    plateau = strip.plateau(true_k)
    if plateau is None:
        found = f"{strip.n_clusters.min():,} to {strip.n_clusters.max():,}"
        return f"The true K = {true_k} is found nowhere on this strip; K runs from {found}."
    low, high = plateau
    ends = (
        f"K is {strip.n_clusters[0]:,} at the left end and {strip.n_clusters[-1]:,} at the right."
    )
    if low == high:
        return f"K = {true_k} at {low:.3g}, and not at the values beside it; {ends}"
    factor = f"{high / low:,.0f}" if high > 100 * low else f"{high / low:.2f}"
    return (
        f"K = {true_k} from {low:.3g} to {high:.3g} without a break, a factor of {factor}; {ends}"
    )
