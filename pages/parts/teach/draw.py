"""Draw: points by hand on the live board, and on request what every method makes of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core import Schema
from mapdp_studio.core.comparing.comparison import (
    Results,
    Suggestion,
    scoreboard,
    suggestion,
    tasks,
)
from mapdp_studio.core.comparing.panels import algorithm_panels
from mapdp_studio.core.comparing.projection import Axis, View, choose_view
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.plots.panels import narrow_panel, panels_figure
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.teaching.drawing import PLACES, SIDE, drawn_table, write_points
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.scoreboard import draw_scores
from mapdp_studio.pages.parts.compare.settings import (
    IN_SESSION,
    PENALTIES,
    choose_bic,
    choose_effort,
)
from mapdp_studio.pages.parts.compare.tolerance import choose_tolerance
from mapdp_studio.pages.parts.shared.chart import chart
from mapdp_studio.pages.parts.shared.compute import fits
from mapdp_studio.pages.parts.shared.kit import has_engine
from mapdp_studio.pages.parts.shared.theme import colours
from mapdp_studio.pages.parts.teach.board import board
from mapdp_studio.pages.parts.teach.controls import (
    BIC,
    N_0,
    ON_DRAWING,
    RESTARTS,
    SEED,
    TOLERANCE,
    VIEW,
    K,
)
from mapdp_studio.pages.parts.teach.settings import follow_penalty
from mapdp_studio.pages.parts.teach.stage import Stage

FIGURE = "panels"
FEWEST = 3
TICKS = tuple((float(tick), f"{tick}") for tick in range(2, 9, 2))


def draw(studio: Session, stage: Stage) -> None:
    """The board; below it, on request, the panels of all methods and their sliders."""
    places = board("5rem" if stage.is_folded else "11.5rem")
    asked = st.toggle(
        "All five methods, with E-M and Gibbs",
        key="board_all",
        persist_state="session",
        help="Run on the server, as on Compare: numbers standardised, with restarts, and MAP-DP "
        "with its own prior and its merges and splits. NMI is the agreement with MAP-DP.",
    )
    st.button("Step through it", icon=":material/footprint:", on_click=_to_steps)
    if not asked or not has_engine("The panels appear here"):
        return
    n_clusters = st.session_state.get(K) or 3
    if len(places) < max(FEWEST, n_clusters):
        st.info("Draw some points first.", icon=":material/draw:")
        return
    _panels(studio, stage, places, n_clusters)


def _to_steps() -> None:
    st.session_state.update({VIEW: "Step", ON_DRAWING: True})


def _panels(studio: Session, stage: Stage, places: np.ndarray, n_clusters: int) -> None:
    """What all methods make of the drawing."""
    results = studio.teaching
    frame, schema, encoded, suggested = drawing(results, places, n_clusters)
    picture = st.container(key=FIGURE)
    line = st.container()
    columns = st.columns(4, gap="medium") if stage.is_wide else [*st.columns(2), *st.columns(2)]
    penalty = follow_penalty(columns[0], suggested, n_clusters)
    bic = choose_bic(columns[1], BIC, False, **IN_SESSION)
    effort, seed = choose_effort(columns[2], columns[2], RESTARTS, SEED, **IN_SESSION)
    power = choose_tolerance(columns[3], TOLERANCE, **IN_SESSION)
    concentration = st.session_state.get(N_0) or Settings().concentration
    told = concentration, penalty, n_clusters, n_clusters, bic, effort, seed, power
    settings = Settings(*told)
    wanted = tasks(f"drawn {write_points(places)}", schema, settings, len(frame))
    runs = fits(studio, results, (frame, schema), wanted, line)
    view = board_view(encoded, places)
    panels = algorithm_panels(view, results, wanted, runs.shown, None)
    drawn = panels if stage.is_wide else [narrow_panel(panel) for panel in panels]
    with picture:
        chart(
            panels_figure(
                view, drawn, 3, 190, letters=stage.letters, kind="scattergl", **colours()
            ).to_json(),
            "drawn-panels",
            "; ".join(f"{panel.title} ({panel.remark})" for panel in panels),
            {"displayModeBar": False},
        )
    scores = scoreboard(results, wanted, None)
    draw_scores(scores, concentration, None)


def drawing(
    results: Results, places: np.ndarray, n_clusters: int
) -> tuple[pd.DataFrame, Schema, Encoded, Suggestion]:
    """A drawing as a table, its types, its numbers, and the penalty suggested for so many."""
    about = "drawn", write_points(places)
    frame, schema = results.latest("drawing", about, lambda: drawn_table(places))
    encoded = results.latest("encoded drawing", about, lambda: schema.encode(frame))
    suggested = results.latest(
        "drawn penalty",
        (*about, n_clusters),
        lambda: suggestion(encoded, n_clusters, PENALTIES),
    )
    return frame, schema, encoded, suggested


def board_view(encoded: Encoded, places: np.ndarray) -> View:
    """The whole board, whatever is drawn on it, or all the points where some lie outside."""
    view = choose_view(encoded)
    if places.min() < 0 or places.max() > PLACES - 1:
        return view
    sides = {axis: Axis(axis, -0.2, SIDE + 0.2, TICKS) for axis in ("x", "y")}
    return replace(view, **sides)
