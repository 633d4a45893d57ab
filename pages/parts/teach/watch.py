"""Watch: the truth and five clusterings in one picture, and what they weigh for one row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.comparing.comparison import Results, scoreboard
from mapdp_studio.core.comparing.panels import Panel, method_panel, renumbered, truth_panel
from mapdp_studio.core.comparing.voronoi import cells_in_view, centres_in_view
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.row_costs import RowCosts, tag
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.plots.costs import costs_figure
from mapdp_studio.core.plots.panels import HEIGHT, narrow_panel, panels_figure
from mapdp_studio.core.teaching.row_costs import row_costs
from mapdp_studio.demo_datasets import TAUGHT
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.scoreboard import draw_scores
from mapdp_studio.pages.parts.shared.chart import chart, saving
from mapdp_studio.pages.parts.shared.compute import Fits, fits
from mapdp_studio.pages.parts.shared.theme import colours, inked
from mapdp_studio.pages.parts.teach.controls import (
    CELLS,
    LIT,
    PUBLISHED,
    ROW,
    choose_switch,
    write_address,
)
from mapdp_studio.pages.parts.teach.how_many import how_many
from mapdp_studio.pages.parts.teach.published import published
from mapdp_studio.pages.parts.teach.script import script_button
from mapdp_studio.pages.parts.teach.settings import Classroom
from mapdp_studio.pages.parts.teach.stage import Stage

FIGURE, COSTS, PICTURE = "panels", "costs", "picture"
TRUTH = "truth"
#: What a room has to know of lit panels.
LIT_MARKS = (
    "Strong colours: rows that a method places otherwise than the truth. Grey rings: clusters of "
    "so few rows that they have no number."
)
#: Of a panel that is to fill a screen, in pixels: with usual letters, and with large ones. And of
#: one in a frame: lower panels leave more room between rows, which shrink with the picture.
ON_SCREEN, IN_FRAME = (280, 400), 140
#: So many of a row's cells are named.
MOST_CELLS = 8


def watch(
    studio: Session,
    room: Classroom,
    results: Results,
    stage: Stage,
    place: DeltaGenerator | None = None,
) -> None:
    """Draw the panels, in a place of their own if there is one, the row asked about, the scores."""
    picture = (place or st).container(key=FIGURE)
    with st.container(horizontal=True, vertical_alignment="center"):
        with_cells = choose_switch(
            st,
            CELLS,
            "Cells of K-means",
            "The part of the plane that is nearest to each centre (Voronoi cells), and the "
            "centres as crosses: one that lies far outside stands at the edge, with an arrow. "
            "K-means measures in standard deviations of each column: where the two differ, a "
            "border is not at a right angle to the line between its centres.",
        )
        text = "Lights the rows whose cluster is not the one matched with their true group."
        is_lit = stage.is_projected or choose_switch(st, LIT, "Wrong rows", text)
        with_published = choose_switch(
            st,
            PUBLISHED,
            "Published MAP-DP",
            "MAP-DP here searches further than the algorithm that was published: it also "
            "merges and splits whole clusters and starts again. This shows the published one "
            "beside it.",
        )
        row = _asked_row(room)
        line = st.container()
    write_address()
    if stage.is_folded:  # the row is to fit
        line = st.empty().container()
    runs = fits(studio, results, (room.frame, room.schema), room.tasks, line)
    with picture:
        _draw(room, runs, with_cells, {"is_lit": is_lit, "marked": row}, stage)
    if not stage.is_folded:
        _below(room, lambda: _panels(room, runs, with_cells), row)
    if with_published:
        published(room, results, stage)
    if row is not None:
        with _place_of(row, stage):
            _explain(room, results, row, stage.is_wide)
    if stage.is_embedded:
        return
    how_many(room, results)
    scores = scoreboard(results, runs.wanted, room.truth)
    draw_scores(scores, room.settings.concentration, room.truth.title)


def _in_a_row(stage: Stage, room: Classroom) -> int:
    """So many panels stand side by side: all where they fit, else in two rows; three on a screen.

    Methods beside the five have long names.
    """
    n_panels = 1 + len(room.methods)
    if stage.is_folded or not stage.panels_in_a_row:
        return 3
    return n_panels if n_panels <= 1 + len(METHODS.first) else -(-n_panels // 2)


def _panel_height(stage: Stage, room: Classroom, n_columns: int) -> int:
    """Of a panel, in pixels; in rows below each other as low as one unit on both axes makes it."""
    if stage.is_embedded:
        return IN_FRAME
    if stage.is_folded:
        return ON_SCREEN[stage.letters > 17]
    if n_columns > len(room.methods) or not room.view.has_one_unit:
        return HEIGHT
    x, y = room.view.x, room.view.y
    return min(HEIGHT, round(stage.width / n_columns * (y.high - y.low) / (x.high - x.low)))


def _panels(room: Classroom, runs: Fits, with_cells: bool) -> list[Panel]:
    """The truth, and what every algorithm found."""
    return [_panel(name, room, runs, with_cells) for name in (TRUTH, *room.methods)]


def _panel(name: str, room: Classroom, runs: Fits, with_cells: bool) -> Panel:
    """The truth, or what an algorithm found."""
    if name == TRUTH:
        return truth_panel(room.view, room.truth)
    panel = method_panel(name, room.view, runs.results, runs.wanted, runs.shown, room.truth)
    model = runs.results.get(runs.wanted[name])
    if isinstance(model, ClusterEstimator):
        panel = renumbered(panel, room.numbers(model))
    has_cells = with_cells and name == "KMeansBIC" and room.is_plane
    if not has_cells or not isinstance(model, ClusterEstimator):
        return panel
    cells, (centres, ways) = cells_in_view(model, room.view), centres_in_view(model, room.view)
    return replace(panel, borders=cells, centres=centres, ways=ways)


def _draw(
    room: Classroom, runs: Fits, with_cells: bool, looks: dict[str, Any], stage: Stage
) -> None:
    """The chart, drawn once for all visitors whose algorithms have run."""
    looks = looks | {"letters": stage.letters, "has_axes": stage.has_axes(room.view)} | colours()
    n_columns = _in_a_row(stage, room)
    looks["panel_height"] = _panel_height(stage, room, n_columns)

    def drawn() -> tuple[str, str]:
        panels = _panels(room, runs, with_cells)
        narrow = [narrow_panel(panel) for panel in panels] if stage.is_narrow else panels
        figure = panels_figure(room.view, narrow, n_columns, **looks)
        figure.layout.dragmode = False
        return figure.to_json(), _in_words(panels, room)

    if all(runs.results.get(task) is not None for task in runs.wanted.values()):
        about = (*runs.wanted.values(), n_columns, with_cells, stage.is_narrow, *looks.values())
        figure, said = runs.results.latest("panels", (room.about, *about), drawn)
    else:
        figure, said = drawn()
    chart(figure, "panels-chart", said, {"displayModeBar": False}, _ask, share=stage.share())


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
        persist_state="session",
        placeholder="click one",
        label_visibility="collapsed",
        width=170,
    )
    return None if row is None else int(row) - 1


def _ask(rows: list[int]) -> None:
    """Take over the row that was clicked in a chart."""
    if rows:
        st.session_state[ROW] = rows[0]


def _in_words(panels: list[Panel], room: Classroom) -> str:
    titles = "; ".join(f"{panel.title} ({panel.remark})" for panel in panels)
    return (
        f"The same {len(room.frame):,} rows of {TAUGHT[room.key].title} in every panel, "
        f"coloured by group. {titles}."
    )


def _below(room: Classroom, panels: Callable[[], list[Panel]], row: int | None) -> None:
    """What the marks mean, and what can be taken home."""
    st.caption(
        "Colours name the same groups in every panel, numbers those that a cluster was matched "
        "with; one that is none of them has a colour of its own. Ellipses hold 95 % of a cluster "
        "under its model; grey rings are clusters too small for a colour. NMI: agreement with the "
        "true groups, 1 if both are the same. Click a point, or type "
        f"its row, to see what every algorithm weighs for it. {room.view.note}"
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Save the picture", icon=":material/image:"):
            _picture(room, panels(), row)
        script_button(room)


@st.dialog("Save the picture", width="large")
def _picture(room: Classroom, panels: list[Panel], row: int | None) -> None:
    """All panels as one figure, to be saved."""
    with st.container(key=PICTURE):
        st.plotly_chart(
            inked(panels_figure(room.view, panels, 3, marked=row, **colours())),
            config=saving(f"map-dp {room.key}"),
            alt=_in_words(panels, room),
        )


def _place_of(row: int, stage: Stage) -> DeltaGenerator:
    """Where a row is explained: under a heading, or folded away where the frame has no room."""
    question = f"What do they weigh for row {row + 1:,}?"
    if stage.is_embedded:
        return st.expander(question)
    st.subheader(question, anchor=False)
    return st.container()


def _explain(room: Classroom, results: Results, row: int, is_wide: bool) -> None:
    """What each algorithm weighs for one row: bars, words, and a table."""
    cells = zip(room.encoded.names, room.frame.loc[row, list(room.encoded.names)], strict=True)
    said = [f"{name} = {_cell(cell)}" for name, cell in cells]
    st.caption(f"Its cells: {', '.join(said[:MOST_CELLS])}{', …' * (len(said) > MOST_CELLS)}.")
    costs = row_costs(results, room.tasks, room.encoded, row, room.truth.classes)
    if not costs:
        st.caption("No method has run yet: there is nothing to weigh.")
        return
    with st.container(key=COSTS):
        st.plotly_chart(
            inked(costs_figure(costs, 5 if is_wide else 2, colours()["ink"])),
            config=saving(f"costs of a row {room.key}"),
            alt="Costs of every cluster for one row. " + " ".join(_sentence(one) for one in costs),
        )
    places = st.columns(len(costs)) if is_wide else [st.container()] * len(costs)
    for place, one in zip(places, costs, strict=True):
        place.caption(f"**{one.title}.** {one.words}")
    with st.expander("The numbers as a table"):
        st.dataframe(_table(costs), hide_index=True, alt="The same numbers")


def _cell(cell: Any) -> str:
    if pd.isna(cell):
        return "missing"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def _sentence(one: RowCosts) -> str:
    return f"{one.title}: {one.words}"


def _table(costs: list[RowCosts]) -> pd.DataFrame:
    """Every algorithm, candidate and term in one row each."""
    return pd.DataFrame(
        [
            {
                "Algorithm": one.title,
                "Candidate": tag(cluster),
                **{name: float(term[c]) for name, term in one.terms.items() if len(one.terms) > 1},
                "Total": float(one.totals[c]),
                "Measure": one.measure,
                "Chosen": "yes" if c == one.winner else "",
            }
            for one in costs
            for c, cluster in enumerate(one.clusters)
        ]
    )
