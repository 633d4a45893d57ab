"""Draw: points by hand, and what every method makes of them."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.comparing.comparison import Results, scoreboard, suggestion, tasks
from core.comparing.panels import algorithm_panels
from core.comparing.projection import Axis, View, choose_view
from core.methods.settings import Settings
from core.plots.panels import narrow_panel, panels_figure
from core.schema.encoded import Encoded
from core.teaching.drawing import SIDE, drawn_table, write_points
from pages.parts.compare.scoreboard import draw_scores
from pages.parts.compare.settings import (
    IN_SESSION,
    PENALTIES,
    choose_bic,
    choose_clusters,
    choose_concentration,
    choose_effort,
)
from pages.parts.compare.tolerance import choose_tolerance
from pages.parts.shared.lasting_chart import lasting_chart, load_plotly
from pages.parts.shared.runs import Runs
from pages.parts.shared.theme import colours
from pages.parts.teach.board import board
from pages.parts.teach.controls import BIC, N_0, RESTARTS, SEED, TOLERANCE, K
from pages.parts.teach.settings import follow_penalty
from pages.parts.teach.stage import Stage

FIGURE = "panels"
FEWEST = 3
TICKS = tuple((float(tick), f"{tick}") for tick in range(2, 9, 2))


def draw(results: Results, stage: Stage) -> None:
    """The board on the left, the panels on the right, the sliders below."""
    load_plotly()
    left, right = st.columns([2, 3], gap="medium")
    columns = st.columns(4, gap="medium") if stage.is_wide else [*st.columns(2), *st.columns(2)]
    n_clusters = choose_clusters(columns[2], K, **IN_SESSION)
    bic = choose_bic(columns[2], BIC, False, **IN_SESSION)
    with left:
        places = board(n_clusters)
    if len(places) < max(FEWEST, n_clusters):
        right.info(
            "Draw some points: a click for one, a brush for a cloud.", icon=":material/draw:"
        )
        return
    about = "drawn", write_points(places)
    frame, schema = results.latest("drawing", about, lambda: drawn_table(places))
    encoded = results.latest("encoded drawing", about, lambda: schema.encode(frame))
    sought = *about, n_clusters
    suggested = results.latest(
        "drawn penalty", sought, lambda: suggestion(encoded, n_clusters, PENALTIES)
    )
    penalty = follow_penalty(columns[1], suggested, n_clusters)
    concentration = choose_concentration(columns[0], N_0, **IN_SESSION)
    effort, seed = choose_effort(columns[3], columns[3], RESTARTS, SEED, **IN_SESSION)
    power = choose_tolerance(columns[0], TOLERANCE, **IN_SESSION)
    told = concentration, penalty, n_clusters, n_clusters, bic, effort, seed, power
    settings = Settings(*told)
    wanted = tasks(f"drawn {about[1]}", schema, settings, len(frame))
    with right:
        chart = st.container(key=FIGURE)
        with st.container(horizontal=True, vertical_alignment="center"):
            line, button = st.container().empty(), st.empty()
    runs = Runs(results, frame, schema, wanted, line, button)
    runs.finish(lambda: None)
    view = _view(encoded)
    panels = algorithm_panels(view, results, wanted, runs.shown, None)
    drawn = panels if stage.is_wide else [narrow_panel(panel) for panel in panels]
    with chart:
        lasting_chart(
            panels_figure(
                view, drawn, 3, 190, letters=stage.letters, kind="scattergl", **colours()
            ),
            "drawn-panels",
            "; ".join(f"{panel.title} ({panel.remark})" for panel in panels),
            {"displayModeBar": False},
        )
    scores = scoreboard(results, wanted, None)
    draw_scores(scores, concentration, None, stage.is_wide)


def _view(encoded: Encoded) -> View:
    """The whole board, whatever is drawn on it."""
    sides = {axis: Axis(axis, -0.2, SIDE + 0.2, TICKS) for axis in ("x", "y")}
    return replace(choose_view(encoded), **sides)
