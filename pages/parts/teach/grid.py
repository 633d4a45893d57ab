"""Watch: the truth and every clustering in one picture that fills the window."""

from __future__ import annotations

from dataclasses import replace

import plotly.graph_objects as go
import streamlit as st

from mapdp_studio.core.comparing.panels import (
    Panel,
    cells,
    centres_in_view,
    method_panel,
    truth_panel,
)
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.plots.panels import narrow_panel, panels_figure
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.chart import chart
from mapdp_studio.pages.parts.shared.compute import Fits, begin_fits, fits
from mapdp_studio.pages.parts.shared.theme import colours
from mapdp_studio.pages.parts.teach.controls import TITLES, put, stand
from mapdp_studio.pages.parts.teach.room import Classroom, results_of

FIGURE, K_MEANS = "panels", "KMeansBIC"
#: Of a panel, by the page's width, and at least, in pixels: it is as high as the window allows.
HIGH, LEAST = {0: 290, 760: 200, 1300: 290, 1500: 380}, 150
#: What a method's panel says while a class predicts.
ASKED = "predict first"


def grid(room: Classroom, width: int, letters: int, below: int, hides: bool, ring: bool) -> Fits:
    """Draw the panels, ``below`` pixels free under them; ``hides`` shows the truth alone."""
    place, line = st.container(key=FIGURE), st.container()
    table, results = (room.frame, room.schema), results_of(room.key)
    if hides:
        begin_fits(session(), results, table, room.tasks)
        found = Fits(results, room.tasks, {}, {})
    else:
        found = fits(session(), results, table, room.tasks, line)
    with place:
        _draw(room, found, width, letters, below, hides, ring)
    return found


def panels_of(room: Classroom, found: Fits, hides: bool = False) -> list[Panel]:
    """The truth, if it is known, and what every algorithm found."""
    truth = [] if room.truth is None else [truth_panel(room.view, room.truth)]
    names = sorted(room.methods, key=lambda name: name != K_MEANS)  # beside what it gets wrong
    if hides:
        return truth + [Panel(METHODS[name].title, ASKED) for name in names]
    return truth + [_panel(name, room, found) for name in names]


def _panel(name: str, room: Classroom, found: Fits) -> Panel:
    panel = method_panel(name, room.view, found.results, found.wanted, found.shown, room.truth)
    model = found.results.get(found.wanted[name])
    has_cells = name == K_MEANS and room.is_plane and stand("cells")
    if not has_cells or not isinstance(model, ClusterEstimator):
        return panel
    centres, ways = centres_in_view(model, room.view)
    return replace(panel, borders=tuple(cells(model)), centres=centres, ways=ways)


def _draw(
    room: Classroom,
    found: Fits,
    width: int,
    letters: int,
    below: int,
    hides: bool,
    ring: bool,
) -> None:
    """The chart, drawn once for all visitors whose algorithms have run."""
    row = stand("row")
    n_columns = 2 if not width else 3 if len(room.methods) < 6 else 5
    kwargs = {
        "n_columns": n_columns,
        "is_lit": stand("lit") and not hides,
        "marked": row - 1 if row and ring and row <= len(room.frame) else None,
        "letters": letters,
        "panel_height": HIGH[width],
        "has_axes": not room.view.has_one_unit,
        "is_low": n_columns == 3,
        **colours(),
    }

    def drawn() -> tuple[str, str]:
        panels = panels_of(room, found, hides)
        figure = panels_figure(room.view, [narrow_panel(one) for one in panels], **kwargs)
        figure.layout.dragmode = False
        if width:
            figure.layout.height *= LEAST / HIGH[width]
        if room.view.has_one_unit:
            fill_places(figure, len(panels))
        return figure.to_json(), in_words(panels, room)

    if hides or all(found.results.get(task) is not None for task in found.wanted.values()):
        about = *found.wanted.values(), hides, stand("cells"), *kwargs.values()
        figure, text = found.results.latest("panels", (room.about, *about), drawn)
    else:
        figure, text = drawn()
    has_all = bool(width)
    chart(figure, "panels-chart", text, {"displayModeBar": False}, ask, below if has_all else None)


def fill_places(figure: go.Figure, n_panels: int) -> None:
    """Let panels in one unit fill their places, and show more of the plane."""
    for number in ("", *range(2, n_panels + 1)):
        middle = {"constrain": "range", "constraintoward": "center"}
        figure.layout[f"xaxis{number}"].update(middle)
        figure.layout[f"yaxis{number}"].update(middle | {"constraintoward": "middle"})


def ask(rows: list[int]) -> None:
    """Explain the row that was clicked in a chart."""
    if rows:
        put(row=rows[0], numbers=True)
        st.session_state["teach_tab"] = "Row"


def in_words(panels: list[Panel], room: Classroom) -> str:
    """The picture for those who do not see it."""
    titles = "; ".join(f"{panel.title} ({panel.remark})" for panel in panels)
    return (
        f"The same {len(room.frame):,} rows of {TITLES[room.key]} in every panel, coloured by "
        f"group. {titles}."
    )
