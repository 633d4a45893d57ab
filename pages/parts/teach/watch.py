"""Watch: the truth and five clusterings in one picture, and what they weigh for one row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.comparing.comparison import FitError, Results, scoreboard
from core.comparing.panels import Panel, algorithm_panels, truth_panel
from core.comparing.voronoi import cells_in_view
from core.methods import METHODS
from core.methods.row_costs import NEW, RowCosts
from core.plots.costs import costs_figure
from core.plots.panels import panels_figure
from core.teaching.row_costs import row_costs
from demo_datasets import SCENARIOS
from pages.parts.compare.scoreboard import draw_scores
from pages.parts.shared.figure_tools import STILL, save_buttons
from pages.parts.shared.lasting_chart import lasting_chart, load_plotly
from pages.parts.shared.runs import Runs
from pages.parts.shared.theme import colours
from pages.parts.teach.script import script_button
from pages.parts.teach.settings import Classroom

CELLS, ROW = "cells", "row"
FIGURE, COSTS, PICTURE = "panels", "costs", "picture"
TRUTH = "truth"
#: Widths in proportion, so that all panels are equally wide beside the scale of the first.
PANEL_WIDTH = {True: 190, False: 220}
LABELS = 58


def watch(room: Classroom, results: Results, is_wide: bool) -> None:
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
    load_plotly()
    places = _places(is_wide)
    waiting = list(places)
    scaled = [groups[0] for groups in _rows(is_wide)]

    def draw(group: tuple[str, ...]) -> None:
        panels = _panels(room, runs, with_cells)
        _draw(group, places[group], panels, room, row, group in scaled)

    def draw_finished(algorithm: str = "") -> None:
        """Draw every group of panels, once, as soon as its algorithms have run."""
        for group in [g for g in waiting if _is_there(g, runs)]:
            waiting.remove(group)
            draw(group)

    draw_finished()
    runs.finish(lambda: None, draw_finished)
    for group in waiting:
        draw(group)
    _below(room, lambda: _panels(room, runs, with_cells), row)
    if row is not None:
        _explain(room, results, row, is_wide)
    scores = scoreboard(results, runs.wanted, room.truth)
    draw_scores(scores, room.settings.concentration, room.truth.title, is_wide)


def _places(is_wide: bool) -> dict[tuple[str, ...], DeltaGenerator]:
    """A place for every group of panels: all in a row, or two rows of three panels."""
    with st.container(key=FIGURE):
        places = {}
        for groups in _rows(is_wide):
            widths = [PANEL_WIDTH[is_wide] * len(group) for group in groups]
            widths[0] += LABELS
            columns = st.columns(widths, gap=None)
            places |= dict(zip(groups, columns, strict=True))
    return places


#: Settings that no slider of the page touches, or that all of a run's methods read.
UNGROUPED = {"effort", "seed", "likelihood_power"}


def _groups() -> list[tuple[str, ...]]:
    """Panels that are drawn together: what a slider does not touch is not drawn again."""
    groups: list[tuple[str, ...]] = [(TRUTH,)]
    read: set[str] = set(next(iter(METHODS.values())).reads)
    for name, method in METHODS.items():
        if read & {*method.reads} - UNGROUPED:
            groups[-1] += (name,)
        else:
            groups.append((name,))
        read = {*method.reads}
    return groups


def _rows(is_wide: bool) -> list[list[tuple[str, ...]]]:
    """All groups of panels in a row, or rows of three panels."""
    rows: list[list[tuple[str, ...]]] = [[]]
    for group in _groups():
        if not is_wide and sum(map(len, rows[-1])) >= 3:
            rows.append([])
        rows[-1].append(group)
    return rows


def _is_there(group: tuple[str, ...], runs: Runs) -> bool:
    return all(name == TRUTH or runs.results.get(runs.wanted[name]) is not None for name in group)


def _panels(room: Classroom, runs: Runs, with_cells: bool) -> dict[str, Panel]:
    """The truth and all algorithms, by name."""
    drawn = algorithm_panels(room.view, runs.results, runs.wanted, runs.shown, room.truth)
    panels = {TRUTH: truth_panel(room.view, room.truth)}
    panels |= dict(zip(METHODS, drawn, strict=True))
    model = runs.results.get(runs.wanted["KMeansBIC"])
    if with_cells and model is not None and not isinstance(model, FitError):
        cells = cells_in_view(model, room.view)
        panels["KMeansBIC"] = replace(panels["KMeansBIC"], borders=cells)
    return panels


def _draw(
    group: tuple[str, ...],
    place: DeltaGenerator,
    panels: dict[str, Panel],
    room: Classroom,
    row: int | None,
    has_scale: bool,
) -> None:
    drawn = [panels[name] for name in group]
    looks = {"marked": row, "has_scale": has_scale} | colours()
    figure = panels_figure(room.view, drawn, len(drawn), **looks)
    figure.layout.dragmode = False
    with place:
        key = f"panels {' '.join(group)}"
        lasting_chart(figure, key, _in_words(drawn, room), {"displayModeBar": False}, _ask)


def _asked_row(room: Classroom) -> int | None:
    """The row that was clicked, typed, or came with the address."""
    if (st.session_state.get(ROW) or 0) > len(room.frame):
        st.session_state[ROW] = None
    title = "Row to explain"
    st.markdown(f":small[{title}]", width="content")
    row = st.number_input(
        title,
        1,
        len(room.frame),
        None,
        key=ROW,
        bind="query-params",
        persist_state="session",
        placeholder="click one",
        label_visibility="collapsed",
        width=170,
    )
    return None if row is None else int(row) - 1


def _ask(row: int) -> None:
    """Take over the row that was clicked in a chart."""
    st.session_state[ROW] = row


def _in_words(panels: list[Panel], room: Classroom) -> str:
    titles = "; ".join(f"{panel.title} ({panel.remark})" for panel in panels)
    return (
        f"The same {len(room.frame):,} rows of {SCENARIOS[room.key].title} in every panel, "
        f"coloured by group. {titles}."
    )


def _below(room: Classroom, panels: Callable[[], dict[str, Panel]], row: int | None) -> None:
    """What the marks mean, and what can be taken home."""
    st.caption(
        "Numbers and colours name the same groups in every panel. Ellipses hold 95 % of a cluster "
        "under its model; grey rings are clusters too small for a colour. Click a point, or type "
        f"its row, to see what every algorithm weighs for it. {room.view.note}"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Save the picture", icon=":material/image:"):
            _picture(room, list(panels().values()), row)
        script_button(room)


@st.dialog("Save the picture", width="large")
def _picture(room: Classroom, panels: list[Panel], row: int | None) -> None:
    """All panels as one figure, to be saved."""
    with st.container(key=PICTURE):
        st.plotly_chart(
            panels_figure(room.view, panels, 3, marked=row, **colours()),
            config=STILL,
            alt=_in_words(panels, room),
        )
    save_buttons(PICTURE, f"map-dp {room.key}")


def _explain(room: Classroom, results: Results, row: int, is_wide: bool) -> None:
    """What each algorithm weighs for one row: bars, words, and a table."""
    x, y = room.points[row]
    st.subheader(f"What do they weigh for row {row + 1:,}?", anchor=False)
    st.caption(f"It lies at x = {x:.2f}, y = {y:.2f}.")
    costs = row_costs(results, room.tasks, room.encoded, row, room.truth.classes)
    with st.container(key=COSTS):
        st.plotly_chart(
            costs_figure(costs, 5 if is_wide else 2, colours()["ink"]),
            config=STILL,
            alt="Costs of every cluster for one row. " + " ".join(_sentence(one) for one in costs),
        )
    places = st.columns(len(costs)) if is_wide else [st.container()] * len(costs)
    for place, one in zip(places, costs, strict=True):
        place.caption(f"**{one.title}.** {one.words}")
    with st.expander("The numbers as a table"):
        st.dataframe(_table(costs), hide_index=True, alt="The same numbers")


def _sentence(one: RowCosts) -> str:
    return f"{one.title}: {one.words}"


def _table(costs: list[RowCosts]) -> pd.DataFrame:
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
            for one in costs
            for c, cluster in enumerate(one.clusters)
        ]
    )
