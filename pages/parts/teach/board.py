"""The live board of the Draw view: what somebody draws on it, and what an address brings."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from streamlit.components.v2 import component

from mapdp_studio.core.plots.template import PALETTE
from mapdp_studio.core.teaching.drawing import (
    FAR,
    MOST_POINTS,
    first_points,
    read_points,
    write_points,
)
from mapdp_studio.pages.parts.compare.settings import CONCENTRATIONS
from mapdp_studio.pages.parts.teach.controls import (
    CENTRES,
    DRAWN,
    N_0,
    PAINTED,
    PRESET,
    PUBLISHED,
    RADIUS,
    SHOWN,
    WIDTH,
    K,
)
from mapdp_studio.pages.parts.teach.live.scripts import live_scripts, live_text

BOARD = "board"
#: What the board itself has said last, and how often it was given something else.
SAID, REVISION = "board_said", "board_revision"
#: Controls that are the board's own, by their names there, and where they stand at first.
_SETTINGS = {
    "k": (K, 3),
    "radius": (RADIUS, 3.0),
    "n0": (N_0, 3.0),
    "width": (WIDTH, 0.5),
    "published": (PUBLISHED, False),
    "show": (SHOWN, "mapdp"),
    "preset": (PRESET, None),
}
_board = component(
    "mapdp_studio_board",
    html=live_text("board.html"),
    css=live_text("board.css"),
    js=live_scripts(),
)


def board(above: str) -> np.ndarray:
    """Draw the board; the places drawn so far, shape (n, 2).

    ``above`` is the height of what stands above it and below, as a length of CSS: the board takes
    the rest of the window.
    """
    state = st.session_state
    said = _said()
    if state.get(SAID) != said:
        state[SAID] = said
        state[REVISION] = state.get(REVISION, 0) + 1
    points = _points_of(state)
    _board(
        key=BOARD,
        data={
            "points": None if points is None else points.tolist(),
            "centres": read_points(state.get(CENTRES) or "").tolist(),
            "painted": [-1 if one == "." else int(one) for one in state.get(PAINTED) or ""],
            **{name: state.get(key) or start for name, (key, start) in _SETTINGS.items()},
            "concentrations": CONCENTRATIONS,
            "colours": PALETTE,
            "most": MOST_POINTS,
            "above": above,
            "revision": state[REVISION],
        },
        default={"drawing": None},
        on_drawing_change=_take,
        height="content",
    )
    return first_points() if points is None else points


def _points_of(state: Any) -> np.ndarray | None:
    """Places that were drawn or stand there at first; None where a preset brings its own."""
    if state.get(DRAWN) is not None:
        return read_points(state[DRAWN])
    return None if state.get(PRESET) else first_points()


def _said() -> tuple:
    """What the controls say of the board."""
    state = st.session_state
    texts = (state.get(DRAWN), state.get(CENTRES), state.get(PAINTED))
    return *texts, *(state.get(key) or start for key, start in _SETTINGS.values())


def _take() -> None:
    """Keep what was drawn and set."""
    state = st.session_state
    drawing = state[BOARD].drawing
    if drawing is None:
        return
    state[DRAWN], state[CENTRES] = (
        write_points(_places(drawing[name])) for name in ("points", "centres")
    )
    groups = "".join(str(one) if 0 <= one <= 9 else "." for one in drawing["painted"])
    state[PAINTED] = groups[:MOST_POINTS] or None
    for name, (key, start) in _SETTINGS.items():
        state[key] = drawing[name] or start
    state[SAID] = _said()


def _places(drawn: list[list[float]]) -> np.ndarray:
    """Places on the board, whatever a browser says."""
    places = np.array(drawn[:MOST_POINTS], dtype=np.float64).reshape(-1, 2)
    return np.nan_to_num(places).clip(*FAR).round().astype(np.int64)
