"""Numbers: below the picture, its scores, what is weighed for a row, how sure K is, a script."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from mapdp_studio.core.comparing.comparison import scoreboard
from mapdp_studio.core.exports.script import from_demo, from_scenario, script_of
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.plots.teaching import costs_figure, posterior_figure
from mapdp_studio.core.teaching.prior import beside_posterior, fitted_posterior_of_k
from mapdp_studio.core.teaching.steps import row_costs
from mapdp_studio.pages.parts.compare.scoreboard import draw_scores
from mapdp_studio.pages.parts.shared.chart import saving
from mapdp_studio.pages.parts.shared.compute import Fits
from mapdp_studio.pages.parts.shared.kit import choose_one, download, draw_tabs, halves
from mapdp_studio.pages.parts.shared.picture import picture
from mapdp_studio.pages.parts.shared.theme import colours, inked
from mapdp_studio.pages.parts.teach.bars import KEPT
from mapdp_studio.pages.parts.teach.controls import DRAWN, TITLES, key_of, stand
from mapdp_studio.pages.parts.teach.grid import in_words, panels_of
from mapdp_studio.pages.parts.teach.lesson import current
from mapdp_studio.pages.parts.teach.room import Classroom, results_of
from mapdp_studio.pages.parts.teach.strips import strips_of

TAB = "teach_tab"
LEGEND = (
    "Colours name the same groups in every panel, numbers those that a cluster was matched with; "
    "strong colours are rows placed otherwise than the truth. Ellipses hold 95 % of a cluster "
    "under its model; grey rings are clusters too small for a colour. NMI: agreement with the true "
    "groups, 1 if both are the same. A click on a point asks about its row."
)
MOST_CELLS = 8
STRIPS = {"k": "K-means by K", "n0": "MAP-DP by N₀", "lambda": "DP-means by λ"}


def numbers(room: Classroom, found: Fits) -> None:
    """One thing at a time about the panels."""
    views = {
        "Scores": partial(_scores, room, found),
        "Row": partial(_row, room),
        "How sure is K?": partial(_how_sure, room),
        "Take home": partial(_take_home, room, found),
    }
    draw_tabs(TAB, views)
    st.caption(f"{LEGEND} {room.view.note}")


def _scores(room: Classroom, found: Fits) -> None:
    title = None if room.truth is None else room.truth.title
    scores = scoreboard(found.results, found.wanted, room.truth)
    draw_scores(scores, room.settings.concentration, title)
    if current() is None and not found.jobs:
        for name, strip in strips_of(room)[0].items():
            st.caption(f"**{STRIPS[name]}**: {strip.in_words(room.true_k)}")


def _row(room: Classroom) -> None:
    n_rows, key = len(room.frame), key_of("row")
    if (stand("row") or 0) > n_rows:
        st.session_state[key] = None
    look = {"placeholder": "click one in a panel", "width": 200, **KEPT}
    number = st.number_input("Row to explain", 1, n_rows, key=key, **look)
    if number is None:
        return
    row, results = int(number) - 1, results_of(room.key)
    names = list(room.encoded.names)
    cells = [f"{name} = {_cell(room.frame[name].iloc[row])}" for name in names[:MOST_CELLS]]
    more = ", …" * (len(names) > MOST_CELLS)
    judge = results.get(room.tasks[JUDGE])
    reference = getattr(judge, "labels_", None) if room.truth is None else room.truth.classes
    costs = (
        [] if reference is None else row_costs(results, room.tasks, room.encoded, row, reference)
    )
    st.caption(f"What do they weigh for row {row + 1:,}? Its cells: {', '.join(cells)}{more}.")
    if not costs:
        st.caption("No method has run yet: there is nothing to weigh.")
        return
    with st.container(key="costs"):
        st.plotly_chart(
            inked(costs_figure(costs, colours()["ink"])),
            config=saving(f"costs of a row {room.key}"),
            alt=f"Costs of every cluster for one row. {' '.join(one.words for one in costs)}",
        )
    grid = st.grid(len(costs), min_column_width=200)
    for one in costs:
        grid.caption(f"**{one.title}.** {one.words}")


def _cell(cell: object) -> str:
    if pd.isna(cell):
        return "missing"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def _how_sure(room: Classroom) -> None:
    """The posterior of K with MAP-DP's marked, once both have run."""
    results = results_of(room.key)
    found, gibbs = (results.get(room.tasks[name]) for name in (JUDGE, "CollapsedGibbs"))
    if not isinstance(found, ClusterEstimator) or not isinstance(gibbs, ClusterEstimator):
        return
    shares = fitted_posterior_of_k(gibbs)
    said = beside_posterior(shares, found.n_clusters_)
    figure, words = halves()
    with figure:
        picture(posterior_figure(shares, found.n_clusters_), "how-many", said, "posterior-of-k")
    words.caption(f"{said} Dashed is MAP-DP's.")


def _take_home(room: Classroom, found: Fits) -> None:
    if room.key != DRAWN:
        name = choose_one(
            "The labels of",
            list(room.methods),
            "script of",
            default=JUDGE,
            format_func=lambda name: METHODS[name].title,
        )
        text, file = scenario_script(room, name), f"{name}_{room.key}".lower().replace(".", "_")
        download("Python script", text, f"{file}.py", "text/x-python", icon=":material/code:")
    panels = panels_of(room, found)
    figure = panels_figure(room.view, panels, 3, **colours())
    picture(figure, "whole", in_words(panels, room), f"map-dp {room.key}")


def scenario_script(room: Classroom, algorithm: str) -> str:
    """Python that draws the scenario and fits one method as its panel does."""
    return script_of(
        from_scenario(room.key, **room.drawn) if room.drawn else from_demo(room.key),
        room.tasks[algorithm],
        room.schema,
        f"{METHODS[algorithm].title} on {TITLES[room.key]}, as MAP-DP Studio shows it",
    )
