"""Strips: K against what an algorithm is told, measured in the background."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import plotly.graph_objects as go
import streamlit as st

from mapdp_studio.core import tolerance_path
from mapdp_studio.core.comparing import strips
from mapdp_studio.core.comparing.comparison import FitError, Task, Truth, clustered_part
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.models.tolerance import LEAST_ROWS, LEAST_SHARE, TolerancePath
from mapdp_studio.core.plots.settings import strip_figure, tolerance_figure
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.session.project import CHANCE
from mapdp_studio.pages import NotYet, Session
from mapdp_studio.pages.parts.shared.chart import chart, saving
from mapdp_studio.pages.parts.shared.compute import get_result, wait_until_asked
from mapdp_studio.pages.parts.shared.controls import CONCENTRATIONS, SLIDERS, move_slider, nearest
from mapdp_studio.pages.parts.shared.kit import halves

#: By the slider that a click moves: the title, and what varies.
STRIPS = {
    "n0": ("MAP-DP: K against N₀", strips.CONCENTRATION),
    "lambda": ("DP-means: K against λ", strips.PENALTY),
}


def table_strips(visit: Session, encoded: Encoded, truth: Truth | None, suggested: float) -> None:
    """Draw K of the current table against N_0 and lambda, when asked for, and the tolerance."""
    st.caption(
        "Each point is a fit to this table with everything else as the sliders stand; the dashed "
        "line is the slider: click a point to move it there. Where K stays the same over a wide "
        "range, the setting matters little."
        + (" The band is the number of known groups." if truth is not None else "")
    )
    settings = visit.settings
    tried = {
        "n0": (settings.concentration, CONCENTRATIONS),
        "lambda": (settings.penalty or suggested, strips.penalties(suggested)),
    }
    for place, (slider, (current, values)) in zip(halves(), tried.items(), strict=True):
        with place, suppress(NotYet):
            _strip(visit, encoded, truth, slider, current, values)
    st.subheader("MAP-DP: K against tolerance for misfit", anchor=False)
    task, frame, schema = fit_at_one(visit), visit.table.frame, visit.schema
    wait_until_asked(("tolerance", task), "Measure K against tolerance", key="ask tolerance")

    def follow(job: Job) -> TolerancePath:
        model = visit.results.fit(task, frame, schema, job)
        if isinstance(model, FitError):
            raise ValueError(model.reason)
        return tolerance_path(model, callback=job)

    path = get_result(visit, "Groups as tolerance rises", task, follow)
    text = f"Clusters of {LEAST_ROWS} rows and {100 * LEAST_SHARE:g} % or more: {path.sentence}"
    _draw(tolerance_figure(path, settings.likelihood_power), "tolerance", text)
    chance = visit.results.peek(CHANCE, task)
    st.caption(f"{text} {'' if chance is None else chance.caution}")


def _strip(
    visit: Session,
    encoded: Encoded,
    truth: Truth | None,
    slider: str,
    current: float,
    values: Sequence[float],
) -> None:
    """One strip, measured when that is asked for."""
    title, setting = STRIPS[slider]
    schema, unvaried = visit.schema, strips.unvaried(visit.settings)
    classes, true_k = (None, None) if truth is None else (truth.classes, len(truth.names))
    key = visit.table.digest, clustered_part(schema), truth and truth.title, unvaried, *values
    st.subheader(title, anchor=False)
    wait_until_asked((slider, key), f"Measure: {len(values):,} fits", key=f"ask {slider}")
    work = partial(strips.measure_strip, setting, values, encoded, schema, unvaried, classes)
    strip = get_result(visit, title, key, work)
    text = strip.in_words(true_k)
    _draw(strip_figure(strip, current, true_k), slider, f"{title}. {text}")
    st.caption(text)


def _draw(figure: go.Figure, slider: str, alt: str) -> None:
    """Draw a strip; a click on a point moves the slider there."""

    def move(values: list[float]) -> None:
        if values:
            move_slider(**{slider: nearest(SLIDERS[slider].options, values[0])})

    chart(figure.to_json(), f"strip-of-{slider}", alt, saving(f"strip-{slider}"), move)


def fit_at_one(visit: Session) -> Task:
    """MAP-DP's fit in which every deviation counts, with the sliders else as they stand."""
    return visit.project.tasks((JUDGE,), likelihood_power=1.0)[JUDGE]
