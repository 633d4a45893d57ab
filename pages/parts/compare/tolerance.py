"""The slider "Tolerance for misfit", and K against it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core import Schema
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.models.tolerance import (
    LEAST_ROWS,
    LEAST_SHARE,
    LOWEST,
    N_POWERS,
    TolerancePath,
)
from mapdp_studio.core.plots.settings import tolerance_figure
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.session.work import CHANCE
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.chart import saving
from mapdp_studio.pages.parts.shared.how_many import fit_at_one, followed_path
from mapdp_studio.pages.parts.shared.theme import inked

#: The weight of the evidence: from all of it to the least.
TOLERANCES = [float(f"{power:.2g}") for power in np.geomspace(1.0, LOWEST, N_POWERS)]
KEY = "tolerance"
_CLICK = "click tolerance"


def choose_tolerance(column: DeltaGenerator, key: str, **kept: str) -> float:
    """The power of the likelihood, kept like N_0."""
    return column.select_slider(
        "Tolerance for misfit",
        TOLERANCES,
        Settings().likelihood_power,
        format_func=lambda value: f"{value:g}",
        key=key,
        **kept,
        help="The power of the likelihood. At 1 every deviation of a column from its model can "
        "make a group of its own; to the right the evidence counts less, and small deviations no "
        "longer do. "
        f"Read by {METHODS.readers('likelihood_power')} only.",
    )


def take_asked_tolerance() -> None:
    """Of a link written by hand, the position next to its number: ".3" is "0.3"."""
    text = st.query_params.get(KEY, "")
    try:
        power = float(text)
    except ValueError:
        return
    if 0.0 < power <= 1.0 and text != f"{nearest_tolerance(power):g}":
        st.session_state[KEY] = nearest_tolerance(power)


def nearest_tolerance(power: float) -> float:
    """The slider's position next to a power."""
    return nearest(TOLERANCES, power)


def nearest(positions: Sequence[float], value: float) -> float:
    """The slider's position that stands for a positive number: the nearest by factor."""
    return min(positions, key=lambda position: abs(math.log(position / value)))


def draw_tolerance(studio: Session, encoded: Encoded, schema: Schema) -> None:
    """Measure K against the tolerance in the background, and draw it."""
    st.subheader("MAP-DP: K against tolerance for misfit", anchor=False)
    path = followed_path(studio, encoded, schema)
    if path is None:
        return
    st.plotly_chart(
        inked(tolerance_figure(path, studio.settings.likelihood_power)),
        config=saving("tolerance"),
        alt=in_words(path),
        key=_CLICK,
        on_select=_move_slider,
        selection_mode="points",
    )
    chance = studio.results.known(CHANCE, fit_at_one(studio))
    st.caption(f"{in_words(path)} {'' if chance is None else chance.caution}")


def in_words(path: TolerancePath) -> str:
    """What the strip shows, measured."""
    first, last = int(path.n_clusters[0]), int(path.n_clusters[-1])
    said = (
        f"Groups of {LEAST_ROWS} rows and {100 * LEAST_SHARE:g} % or more, by tolerance: "
        f"{first:,} at 1, {last:,} at {LOWEST:g}."
    )
    if path.proposed is None:
        return f"{said} None stay over a range."
    return f"{said} The same {int(path.n_clusters[path.proposed]):,} stay where shaded."


def _move_slider() -> None:
    points = st.session_state[_CLICK].selection.points
    if points:
        st.session_state[KEY] = nearest_tolerance(points[0]["x"])
