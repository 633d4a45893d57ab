"""The board of the Draw view: what somebody draws on it, and what an address brings."""

from __future__ import annotations

import numpy as np
import streamlit as st
from streamlit.components.v2 import component

from core.plots.template import PALETTE
from core.teaching.drawing import MOST_POINTS, PLACES, first_points, read_points, write_points
from pages.parts.shared.scripts import script_beside
from pages.parts.teach.controls import CENTRES, DRAWN

BOARD = "board"
#: The texts that the board itself has said last, and how often it was given others.
SAID, REVISION = "board_said", "board_revision"
_TOOLS = (
    ("point", "Point"),
    ("cloud", "Cloud"),
    ("move", "Move"),
    ("delete", "Delete"),
    ("outlier", "Far outlier"),
    ("centres", "Drag K-means' centres"),
    ("pass", "One pass"),
    ("undo", "Undo"),
    ("clear", "Clear"),
)
_HTML = (
    "<div class='board'><div class='tools' role='toolbar' aria-label='Tools'>"
    + "".join(f"<button name='{name}'>{title}</button>" for name, title in _TOOLS)
    + "<output></output></div><svg viewBox='-120 -120 4336 4336' tabindex='0' role='application' "
    "aria-label='Board: arrow keys move, Enter acts'></svg></div>"
)
_board = component(
    "mapdp_studio_board",
    html=_HTML,
    css=script_beside(__file__, "board.css"),
    js=script_beside(__file__),
)


def board(n_centres: int) -> np.ndarray:
    """Draw the board; the places drawn so far, shape (n, 2)."""
    state = st.session_state
    points = read_points(state[DRAWN]) if DRAWN in state else first_points()
    centres = read_points(state.get(CENTRES) or "")
    if len(centres) != n_centres:
        centres = _spread(n_centres)
    texts = write_points(points), write_points(centres)
    if state.get(SAID) != texts:
        state[SAID] = texts
        state[REVISION] = state.get(REVISION, 0) + 1
    _board(
        key=BOARD,
        data={
            "points": points.tolist(),
            "centres": centres.tolist(),
            "colours": [PALETTE[k % len(PALETTE)] for k in range(n_centres)],
            "most": MOST_POINTS,
            "revision": state[REVISION],
        },
        default={"drawing": None},
        on_drawing_change=_take,
        height="content",
    )
    return points


def _spread(n_centres: int) -> np.ndarray:
    """Centres to begin with: on a diagonal of the board."""
    steps = np.linspace(0.2, 0.8, n_centres)
    return np.round((PLACES - 1) * np.column_stack([steps, 1.0 - steps])).astype(np.int64)


def _take() -> None:
    """Keep what was drawn."""
    drawing = st.session_state[BOARD].drawing
    if drawing is None:
        return
    texts = tuple(write_points(_places(drawing[name])) for name in ("points", "centres"))
    st.session_state[DRAWN], st.session_state[CENTRES] = texts
    st.session_state[SAID] = texts


def _places(drawn: list[list[float]]) -> np.ndarray:
    """Places on the board, whatever a browser says."""
    places = np.array(drawn[:MOST_POINTS], dtype=np.float64).reshape(-1, 2)
    return np.nan_to_num(places).clip(0, PLACES - 1).round().astype(np.int64)
