"""Strips: under each slider, what every place of it gives, worked out by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.comparing.strips import (
    CLUSTERS,
    CONCENTRATION,
    PENALTY,
    Strip,
    measure_strip,
    penalties,
    unvaried,
)
from mapdp_studio.core.methods.settings import K_MAX
from mapdp_studio.core.plots.settings import MOST, slider_figure
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.compare.settings import CONCENTRATIONS, PENALTIES
from mapdp_studio.pages.parts.shared.chart import chart
from mapdp_studio.pages.parts.shared.compute import run_again_when
from mapdp_studio.pages.parts.teach.controls import put, stand
from mapdp_studio.pages.parts.teach.room import Classroom, results_of

STRIPS = "strips"
SLIDERS = {"k": range(1, K_MAX + 1), "n0": CONCENTRATIONS, "lambda": PENALTIES}


def draw_strips(room: Classroom, places: Sequence[DeltaGenerator], is_time: bool) -> None:
    """Draw what is known of the strips in three places; the page runs again when there is more."""
    found, job = strips_of(room, is_time)
    for place, name in zip(places, SLIDERS, strict=True):
        with place.container(key=f"strip_{name}"):
            if name in found:
                _draw(room, name, found[name])
    if job is not None and job.running:
        run_again_when(lambda: not job.running or len(job.partial or {}) > len(found))


def _draw(room: Classroom, name: str, strip: Strip) -> None:
    positions, current = SLIDERS[name], SLIDERS[name].index(stand(name))
    places = np.abs(np.log(strip.values)[:, None] - np.log(positions)).argmin(axis=1).tolist()
    figure = results_of(room.key).latest(
        f"strip of {name}",
        (strip, current),
        lambda: slider_figure(strip, places, len(positions), current, room.true_k).to_json(),
    )
    config = {"displayModeBar": False}
    chart(figure, f"strip-{name}", strip.in_words(room.true_k), config, partial(_move, name))


def _move(name: str, clicked: list[int]) -> None:
    if clicked:
        put(**{name: SLIDERS[name][clicked[0]]})


def strips_of(room: Classroom, is_time: bool = True) -> tuple[dict[str, Strip], Job | None]:
    """The strips that are known, by the slider, and the job that works the others out."""
    results, jobs = results_of(room.key), session().jobs
    told = unvaried(room.settings)
    key = room.about, told, room.suggested
    known = results.known(STRIPS, key)
    if known is not None:
        return known, None
    job = jobs.get(STRIPS, key)
    if job is not None or not is_time:
        return (job and job.partial) or {}, job
    classes = None if room.truth is None else room.truth.classes
    values_of_k = range(1, min(K_MAX, len(room.frame)) + 1)

    def measure(job: Job) -> dict[str, Strip]:
        data, found = (room.encoded, room.schema, told, classes, job), {}
        found["k"] = measure_strip(CLUSTERS, values_of_k, *data)  # the shortest first
        job.share(dict(found))
        found["lambda"] = measure_strip(PENALTY, penalties(room.suggested), *data)
        job.share(dict(found))
        found["n0"] = measure_strip(CONCENTRATION, CONCENTRATIONS, *data, most=MOST)
        return found

    return {}, jobs.start(
        STRIPS, key, lambda job: results.latest(STRIPS, key, lambda: measure(job)), "checks"
    )
