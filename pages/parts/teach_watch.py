"""Watch: the truth and five clusterings in one picture, and what they weigh for one row."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace

import pandas as pd
import streamlit as st

from core.comparison import ALGORITHMS, Refused, Results, Task, scoreboard
from core.panels import Panel, algorithm_panels, truth_panel
from core.plots_costs import costs_figure
from core.plots_panels import panels_figure
from core.thinking import NEW, Deliberation, deliberations
from core.voronoi import cells_in_view
from demo_datasets import SCENARIOS
from pages.parts.figure_tools import STILL, save_buttons
from pages.parts.runs import Runs
from pages.parts.scoreboard import draw_scores
from pages.parts.teach_script import script_button
from pages.parts.teach_settings import Classroom
from pages.parts.theme import colours

CELLS, ROW = "cells", "row"
FIGURE, COSTS = "panels", "costs"


def watch(room: Classroom, results: Results, n_columns: int) -> None:
    """Draw the panels, and below them the row that was asked about and the scores."""
    with st.container(horizontal=True, vertical_alignment="center"):
        with_cells = st.toggle(
            "Cells of K-means",
            key=CELLS,
            bind="query-params",
            persist_state="session",
            help="The part of the plane that is nearest to each centre (Voronoi cells).",
        )
        row = _asked_row(room)
        line, button = st.container().empty(), st.empty()
    runs = Runs(results, room.frame, room.schema, room.tasks, line, button)
    place = st.container(key=FIGURE)
    keys = (f"panels {number}" for number in itertools.count())

    def draw() -> None:
        nonlocal place
        panels = [
            truth_panel(room.view, room.truth),
            *algorithm_panels(room.view, results, runs.wanted, runs.shown, room.truth),
        ]
        if with_cells:
            panels = _with_cells(panels, room, results, runs.shown)
        key = next(keys)
        place.plotly_chart(
            panels_figure(room.view, panels, n_columns, marked=row, **colours()),
            config=STILL,
            alt=_in_words(panels, room),
            key=key,
            on_select=_click(key),
            selection_mode="points",
        )

    place = place.empty()
    runs.finish(draw)
    _below(room)
    if row is not None:
        _explain(room, results, row, n_columns)
    scores = scoreboard(results, runs.wanted, room.truth)
    draw_scores(scores, room.settings.concentration, room.truth.title, n_columns > 3)


def _asked_row(room: Classroom) -> int | None:
    """The row that was clicked, typed, or came with the address."""
    if (st.session_state.get(ROW) or 0) > len(room.frame):
        st.session_state[ROW] = None
    row = st.number_input(
        "Row to explain",
        1,
        len(room.frame),
        None,
        key=ROW,
        bind="query-params",
        persist_state="session",
        placeholder="a row, or click one",
        label_visibility="collapsed",
        width=230,
    )
    return None if row is None else int(row) - 1


def _click(key: str) -> Callable[[], None]:
    """Take over the row that was clicked in a chart."""

    def take() -> None:
        points = st.session_state[key].selection.points
        if points and "customdata" in points[0]:
            row = points[0]["customdata"]
            st.session_state[ROW] = int(row[0] if isinstance(row, list | tuple) else row)

    return take


def _with_cells(
    panels: list[Panel], room: Classroom, results: Results, shown: Mapping[str, Task]
) -> list[Panel]:
    """The cells drawn into the panel of K-means."""
    task = shown.get("KMeansBIC")
    model = None if task is None else results.get(task)
    if model is None or isinstance(model, Refused):
        return panels
    place = 1 + list(ALGORITHMS).index("KMeansBIC")
    panels[place] = replace(panels[place], borders=cells_in_view(model, room.view))
    return panels


def _in_words(panels: list[Panel], room: Classroom) -> str:
    titles = "; ".join(f"{panel.title} ({panel.remark})" for panel in panels)
    return (
        f"{len(panels)} scatter plots of the same {len(room.frame):,} rows of "
        f"{SCENARIOS[room.key].title}, coloured by group. {titles}."
    )


def _below(room: Classroom) -> None:
    """What the marks mean, and what can be taken home."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            "Numbers and colours name the same groups in every panel. Ellipses hold 95 % of a "
            "cluster under its model; grey rings are clusters too small for a colour.",
            width="stretch",
        )
        save_buttons(FIGURE, f"map-dp {room.key}")
        script_button(room)


def _explain(room: Classroom, results: Results, row: int, n_columns: int) -> None:
    """What each algorithm weighs for one row: bars, words, and a table."""
    x, y = room.points[row]
    st.subheader(f"What do they weigh for row {row + 1:,}?", anchor=False)
    st.caption(f"It lies at x = {x:.2f}, y = {y:.2f}.")
    found = deliberations(results, room.tasks, room.encoded, row, room.truth.classes)
    with st.container(key=COSTS):
        st.plotly_chart(
            costs_figure(found, 5 if n_columns > 3 else 2, colours()["ink"]),
            config=STILL,
            alt="Costs of every cluster for one row. " + " ".join(_sentence(one) for one in found),
        )
    places = st.columns(len(found)) if n_columns > 3 else [st.container()] * len(found)
    for place, one in zip(places, found, strict=True):
        place.caption(f"**{one.title}.** {one.words}")
    with st.expander("The numbers as a table"):
        st.dataframe(_table(found), hide_index=True, alt="The same numbers")


def _sentence(one: Deliberation) -> str:
    return f"{one.title}: {one.words}"


def _table(found: list[Deliberation]) -> pd.DataFrame:
    """Every algorithm, candidate and term in one row each."""
    return pd.DataFrame(
        [
            {
                "Algorithm": one.title,
                "Candidate": "new" if cluster == NEW else str(cluster + 1),
                **{name: float(term[c]) for name, term in one.terms.items() if len(one.terms) > 1},
                "Total": float(one.totals[c]),
                "Measure": one.measure,
                "Chosen": "yes" if c == one.winner else "",
            }
            for one in found
            for c, cluster in enumerate(one.clusters)
        ]
    )
