"""The live board of the Draw view: what somebody draws on it, and what an address brings."""

from __future__ import annotations

from pathlib import Path
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
    PRESET,
    PUBLISHED,
    RADIUS,
    SHOWN,
    WIDTH,
    K,
    controls,
)
from mapdp_studio.pages.parts.teach.presets import PRESETS, to_places

BOARD = "board"
#: What the board itself has said last, and how often it was given something else.
SAID, REVISION = "board_said", "board_revision"
#: Controls that are the board's own, by their names there.
_SETTINGS = {
    "k": K,
    "radius": RADIUS,
    "n0": N_0,
    "width": WIDTH,
    "published": PUBLISHED,
    "show": SHOWN,
}
_FILE = Path(__file__)
#: Two files as one text: a browser loads a component's script by itself.
SCRIPT = "\n".join(
    _FILE.with_name(name).read_text(encoding="utf-8") for name in ("clusterings.js", "board.js")
)
_board = component(
    "mapdp_studio_board",
    html=_FILE.with_suffix(".html").read_text(encoding="utf-8"),
    css=_FILE.with_suffix(".css").read_text(encoding="utf-8"),
    js=SCRIPT,
)


def board(above: str) -> np.ndarray:
    """Draw the board; the places drawn so far, shape (n, 2).

    ``above`` is the height of what stands above it and below, as a length of CSS: the board takes
    the rest of the window.
    """
    state = st.session_state
    preset = PRESETS.get(state.get(PRESET) or "")
    if preset is not None and state.get(DRAWN) is None:
        begin(state[PRESET])
    said = _said()
    if state.get(SAID) != said:
        state[SAID] = said
        state[REVISION] = state.get(REVISION, 0) + 1
    points = first_points() if state.get(DRAWN) is None else read_points(state[DRAWN])
    _board(
        key=BOARD,
        data={
            "points": points.tolist(),
            "centres": read_points(state.get(CENTRES) or "").tolist(),
            **_stand(),
            "concentrations": CONCENTRATIONS,
            "colours": PALETTE,
            "most": MOST_POINTS,
            "above": above,
            "preset": state.get(PRESET),
            "presets": {name: one.title for name, one in PRESETS.items()},
            "task": "" if preset is None else preset.task,
            "tool": None if preset is None else preset.tool,
            "revision": state[REVISION],
        },
        default={"drawing": None},
        on_drawing_change=_take,
        on_preset_change=lambda: begin(state[BOARD].preset),
        height="content",
    )
    return points


def begin(name: str) -> None:
    """Turn to a preset, or, without one, keep the drawing alone."""
    state = st.session_state
    state[PRESET] = name if name in PRESETS else None
    if name not in PRESETS:
        return
    preset = PRESETS[name]
    state[DRAWN] = write_points(preset.points)
    centres = to_places(np.array(preset.centres, dtype=float).reshape(-1, 2))
    state[CENTRES] = write_points(centres)
    stand = _start() | {"show": preset.show} | preset.sets
    state.update({key: stand[name] for name, key in _SETTINGS.items()})


def _said() -> tuple:
    """What the controls say of the board."""
    state = st.session_state
    texts = (state.get(DRAWN), state.get(CENTRES), state.get(PRESET))
    return *texts, *_stand().values()


def _start() -> dict[str, Any]:
    """Where the board's controls stand at first."""
    return {name: controls()[key].default for name, key in _SETTINGS.items()}


def _stand() -> dict[str, Any]:
    """Where they stand now."""
    state = st.session_state
    return {name: state.get(_SETTINGS[name]) or start for name, start in _start().items()}


def _take() -> None:
    """Keep what was drawn and set."""
    state = st.session_state
    drawing: dict[str, Any] | None = state[BOARD].drawing
    if drawing is None:
        return
    state[DRAWN], state[CENTRES] = (
        write_points(_places(drawing[name])) for name in ("points", "centres")
    )
    for name, start in _start().items():
        state[_SETTINGS[name]] = drawing[name] or start
    state[SAID] = _said()


def _places(drawn: list[list[float]]) -> np.ndarray:
    """Places on the board, whatever a browser says."""
    places = np.array(drawn[:MOST_POINTS], dtype=np.float64).reshape(-1, 2)
    return np.nan_to_num(places).clip(*FAR).round().astype(np.int64)
