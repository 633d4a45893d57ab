"""The rows and their true groups alone: what there is to see before a prediction was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.comparing.comparison import Results
from mapdp_studio.core.comparing.panels import truth_panel
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.wording import counted
from mapdp_studio.demo_datasets import TAUGHT
from mapdp_studio.pages.parts.shared.chart import chart
from mapdp_studio.pages.parts.shared.theme import colours
from mapdp_studio.pages.parts.teach.controls import ROW
from mapdp_studio.pages.parts.teach.settings import Classroom
from mapdp_studio.pages.parts.teach.stage import Stage

FIGURE = "panels-data"
#: Of the picture at a desk, in pixels.
HEIGHT = 430
#: Height by width that wide data are given on a projector, with room above and below: what is said
#: stands beside them, and the picture is to fill most of the window's height.
LEAST_SHAPE = 0.8


def data_alone(
    room: Classroom,
    results: Results,
    stage: Stage,
    place: DeltaGenerator | None = None,
    asks_of_row: bool = False,
) -> None:
    """Draw the rows with their true groups, in a place of their own if there is one.

    A row to explain is ringed where the question is about it: else it would tell of the answer.
    """
    row = st.session_state.get(ROW) if asks_of_row else None
    looks = {
        "marked": None if row is None else int(row) - 1,
        "letters": stage.letters,
        "has_axes": stage.has_axes(room.view),
        **colours(),
    }
    figure = results.latest(
        "data alone",
        (room.about, *looks.values(), stage.is_picture_first),
        lambda: _figure(room, looks, stage.is_picture_first),
    )
    with (place or st).container(key=FIGURE):
        chart(
            figure,
            "data alone",
            f"{len(room.frame):,} rows of {TAUGHT[room.key].title}, coloured by their true group.",
            {"displayModeBar": False},
            share=stage.share(),
        )
    if not stage.is_folded:
        st.caption(f"What the methods make of them is shown once you predicted. {room.view.note}")


def _figure(room: Classroom, looks: Mapping[str, Any], is_beside_words: bool) -> str:
    panel = truth_panel(room.view, room.truth)
    panel = replace(panel, title="The data, with their true groups", remark=_counted(room))
    view = room.view.no_lower(LEAST_SHAPE) if is_beside_words else room.view
    figure = panels_figure(view, [panel], 1, HEIGHT, **looks)
    figure.layout.dragmode = False
    return figure.to_json()


def _counted(room: Classroom) -> str:
    return f"{counted(len(room.truth.names), 'group')}, {counted(len(room.frame), 'row')}"
