"""Strips: K against what an algorithm is told, measured in the background."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from mapdp_studio.core.comparing.comparison import Task, Truth, clustered_part
from mapdp_studio.core.comparing.strips import (
    CONCENTRATION,
    PENALTY,
    Strip,
    measure_strip,
    penalties,
    unvaried,
)
from mapdp_studio.core.methods.centroids import DP_MEANS
from mapdp_studio.core.methods.mixtures import MAP_DP
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.models.tolerance import LEAST_ROWS, LEAST_SHARE, LOWEST, TolerancePath
from mapdp_studio.core.plots.settings import strip_figure, tolerance_figure
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.schema.schema import Schema
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.session.work import CHANCE
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.settings import (
    CONCENTRATIONS,
    PENALTIES,
    TOLERANCE,
    TOLERANCES,
    nearest,
)
from mapdp_studio.pages.parts.shared.chart import saving
from mapdp_studio.pages.parts.shared.compute import duration, is_asked_for, job_state
from mapdp_studio.pages.parts.shared.how_many import fit_at_one, followed_path
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.shared.theme import inked


@dataclass(frozen=True)
class Kind:
    """One strip of a page."""

    title: str
    #: Key of the slider that a click sets.
    slider: str
    #: Where that slider stands.
    current: float
    #: Values of the finished strip.
    n_values: int
    #: Everything the strip depends on.
    about: Hashable
    #: Measures it, given the job.
    work: Callable[[Job], Strip]
    #: The slider's position for a value.
    to_slider: Callable[[float], Any]


def strip_kinds(
    data: tuple[Encoded, Schema],
    about: Hashable,
    settings: Settings,
    classes: np.ndarray | None,
    suggested: float,
) -> list[Kind]:
    """The strips of N_0 and of lambda for one table.

    ``about`` stands for the table and its known classes.
    """
    told = unvaried(settings)

    def setting(name: str, values: Any) -> Callable[[Job], Strip]:
        return lambda job: measure_strip(name, values, *data, told, classes, job, job.share)

    values, key = penalties(suggested), (about, told)
    return [
        Kind(
            "MAP-DP: K against N₀",
            "n0",
            settings.concentration,
            len(CONCENTRATIONS),
            key,
            setting(CONCENTRATION, CONCENTRATIONS),
            partial(nearest, CONCENTRATIONS),
        ),
        Kind(
            "DP-means: K against λ",
            "lambda",
            settings.penalty or suggested,
            len(values),
            (*key, suggested),
            setting(PENALTY, values),
            partial(nearest, PENALTIES),
        ),
    ]


def draw_strip(studio: Session, kind: Kind, true_k: int | None) -> None:
    """Measure a strip and draw it as far as it is, with its progress or what it says."""
    name = f"{kind.slider}: {kind.title}"
    job = studio.jobs.get(name, kind.about)
    again = job and job.stopped and st.button("Measure", key=f"measure {kind.slider}")
    if job is None or again:
        job = studio.jobs.start(name, kind.about, kind.work)
    job_state(job, kind.title, "Stopped before the end.")
    strip = job.result or job.partial
    if strip is None:
        return
    said, click = strip.in_words(true_k), f"click {kind.slider}"
    with st.container(key=f"strip-{kind.slider}"):
        st.plotly_chart(
            inked(strip_figure(strip, kind.current, true_k)),
            config=saving(f"strip-{kind.slider}"),
            alt=f"{kind.title}. {said}",
            key=click,
            on_select=lambda: _set_slider(click, kind.slider, kind.to_slider),
            selection_mode="points",
        )
    if job.result:
        st.caption(said)


def _set_slider(key: str, slider: str, to_slider: Callable[[float], Any]) -> None:
    """Move a slider to the point that was clicked."""
    points = st.session_state[key].selection.points
    if points:
        (value,) = np.atleast_1d(points[0]["customdata"])
        st.session_state[slider] = to_slider(float(value))


def table_strips(
    studio: Session,
    encoded: Encoded,
    wanted: Mapping[str, Task],
    truth: Truth | None,
    suggested: float,
) -> None:
    """Draw K of the current table against N_0 and lambda, when asked for, and the tolerance."""
    st.caption(
        "Each point is a fit to this table with everything else as the sliders stand; the dashed "
        "line is the slider: click a point to move it there. Where K stays the same over a wide "
        "range, the setting matters little."
        + (" The band is the number of known groups." if truth is not None else "")
    )
    key = studio.table.digest, clustered_part(studio.schema), truth and truth.title
    classes, true_k = (None, None) if truth is None else (truth.classes, len(truth.names))
    data = encoded, studio.schema
    kinds = strip_kinds(data, key, studio.settings, classes, suggested)
    fitted = [studio.results.get(wanted.get(name)) for name in (MAP_DP.name, DP_MEANS.name)]
    for place, kind, model in zip(halves(), kinds, fitted, strict=False):
        with place:
            st.subheader(kind.title, anchor=False)
            # A finished model that was opened has no fit behind it whose time is known.
            seconds = model.result_.seconds if hasattr(model, "result_") else 0.0
            long = f", about {duration(kind.n_values * seconds)}" if seconds else ""
            label = f"Measure: {kind.n_values:,} fits{long}"
            looks = {"key": f"measure-{kind.slider}", "icon": ":material/show_chart:"}
            if is_asked_for((kind.slider, kind.about), label, **looks):
                draw_strip(studio, kind, true_k)
    completed = studio.results.latest(
        "completed", key[:2], lambda: studio.schema.completed(studio.table.frame)
    )
    _tolerance(studio, encoded, completed)


def _tolerance(studio: Session, encoded: Encoded, schema: Schema) -> None:
    """Measure K against the tolerance in the background, and draw it."""
    st.subheader("MAP-DP: K against tolerance for misfit", anchor=False)
    path, click = followed_path(studio, encoded, schema), "click tolerance"
    if path is None:
        return
    st.plotly_chart(
        inked(tolerance_figure(path, studio.settings.likelihood_power)),
        config=saving("tolerance"),
        alt=_path_in_words(path),
        key=click,
        on_select=lambda: _set_slider(click, TOLERANCE, partial(nearest, TOLERANCES)),
        selection_mode="points",
    )
    chance = studio.results.known(CHANCE, fit_at_one(studio))
    st.caption(f"{_path_in_words(path)} {'' if chance is None else chance.caution}")


def _path_in_words(path: TolerancePath) -> str:
    """What the strip shows, measured."""
    first, last = int(path.n_clusters[0]), int(path.n_clusters[-1])
    said = (
        f"Groups of {LEAST_ROWS} rows and {100 * LEAST_SHARE:g} % or more, by tolerance: "
        f"{first:,} at 1, {last:,} at {LOWEST:g}."
    )
    if path.proposed is None:
        return f"{said} None stay over a range."
    return f"{said} The same {int(path.n_clusters[path.proposed]):,} stay where shaded."
