"""Drag it: a data set of this page, or a drawing, under the hand, answered by three methods."""

from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from streamlit.components.v2 import component

from mapdp_studio.core.comparing.comparison import known_truth, suggestion
from mapdp_studio.core.plots.template import PALETTE
from mapdp_studio.core.teaching import drawing
from mapdp_studio.core.teaching.lessons import PRESETS
from mapdp_studio.demo_datasets import TAUGHT, load_taught
from mapdp_studio.pages.parts.shared.controls import CONCENTRATIONS, PENALTIES
from mapdp_studio.pages.parts.shared.kit import choose_from_list
from mapdp_studio.pages.parts.teach.room import (
    DRAWN,
    FIRST,
    Classroom,
    controls,
    get,
    key_of,
    put,
    room_now,
)

BOARD = "board"
#: Rows of a data set that are dragged; so few of a group are no part of the bulk that is shown.
DRAGGED, FEW = 200, 2
#: How much of the board the bulk takes, in its units, and where the bulk's middle stands.
WIDE, MIDDLE = 8.4, drawing.SIDE / 2
#: N_0 of so few rows, at which MAP-DP finds the groups of the scenarios.
N_0 = 1.0
#: The board's controls, and the defaults of those that nobody has set.
START = {"k": 3, "circle": 3.0, "n0": 3.0, "width": 0.5, "show": "kmeans"}
#: What the board itself has reported last, and how often it was given something else.
_REPORTED, _REVISION = "board_reported", "board_revision"
_HTML, _CSS, *_SCRIPTS = (
    Path(__file__).with_name(name).read_text(encoding="utf-8")
    for name in ("board.html", "board.css", "clusterings.js", "board.js")
)
#: Two files as one text: a browser loads a component's script by itself.
SCRIPT = "\n".join(_SCRIPTS)
_board = component("mapdp_studio_board", html=_HTML, css=_CSS, js=SCRIPT)


def draw(above: str) -> None:
    """Draw the board, in the window but for ``above``, a length of CSS; above it, what to try."""
    if get("preset") is not None and get("points") is None:
        begin()
    points, centres, values = _sketch()
    state, preset = st.session_state, PRESETS.get(get("preset"))
    with st.container(horizontal=True, vertical_alignment="center"):
        kwargs = {"format_func": lambda name: PRESETS[name].title, "on_change": begin}
        kwargs |= {"index": None, "placeholder": "Begin with a drawing", "width": 260}
        kwargs |= {"label_visibility": "collapsed"}
        choose_from_list("Begin with", list(PRESETS), key_of("preset"), **kwargs)
        st.caption("" if preset is None else preset.task)
        for label, view in (("All five methods", "Watch"), ("Step through it", "Step")):
            st.button(label, on_click=_go_on, args=(view, points))
    positions = _positions()
    if state.get(_REPORTED) != positions:
        state[_REPORTED], state[_REVISION] = positions, state.get(_REVISION, 0) + 1
    _board(
        key=BOARD,
        data={
            "sketch": {"points": points.tolist(), "centres": centres.tolist(), **values},
            "concentrations": CONCENTRATIONS,
            "colours": PALETTE,
            "most": drawing.MOST_POINTS,
            "above": above,
            "tool": None if preset is None else preset.tool,
            "revision": state[_REVISION],
        },
        default={"drawing": None},
        on_drawing_change=_take,
        height="content",
    )


def _go_on(view: str, points: np.ndarray) -> None:
    """Make what is on the board the data set of another view."""
    if len(points) > controls()["k"].default:
        put(scenario=DRAWN, lesson=None, view=view, points=drawing.write_points(points))


def _sketch() -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Points, centres, and the values of the board's controls: of a drawing, or of the data set."""
    if get("points") is not None:
        values = {name: get(name) or start for name, start in START.items()}
        return drawing.read_points(get("points")), drawing.read_points(get("centres") or ""), values
    room = room_now(get("scenario") if get("scenario") in TAUGHT else FIRST)
    if not room.is_plane:
        st.info("These columns are no plane of two numbers. Drag the first data set instead.")
        room = room_now(FIRST)
    return dragged(room)


def dragged(room: Classroom) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """200 rows as the board takes them, the bulk filling it, and settings that suit them."""
    frame, schema, label = load_taught(
        room.key, **(room.drawn | {"n": DRAGGED} if room.drawn else {})
    )
    classes, points = known_truth(frame, schema).classes, frame.drop(columns=label).to_numpy(float)
    sizes = np.bincount(classes)
    bulk = points[sizes[classes] > FEW]
    low, high = bulk.min(axis=0), bulk.max(axis=0)
    across = (high - low).max() if room.view.has_one_unit else high - low
    units = MIDDLE + (points - (low + high) / 2) * WIDE / across
    groups = [units[classes == k] for k in np.flatnonzero(sizes > FEW)]
    within = float(np.sqrt(np.mean([group.var(axis=0).mean() for group in groups])))
    # Lambda is given in standard deviations, the circle in units of the board.
    penalty = suggestion(schema.encode(frame), get("k"), PENALTIES)
    circle = float(np.sqrt(penalty) * units.std(axis=0).mean())
    values = {
        "k": get("k"),
        "circle": round(float(np.clip(circle, *controls()["circle"].bounds)), 1),
        "n0": N_0,
        "width": round(float(np.clip(within, *controls()["width"].bounds)), 2),
        "show": get("show"),
    }
    return drawing.to_places(units), np.empty((0, 2)), values


def begin() -> None:
    """Turn to the preset that is chosen; without one the drawing stays."""
    preset = PRESETS.get(get("preset"))
    if preset is not None:
        centres = drawing.to_places(np.array(preset.centres, dtype=float).reshape(-1, 2))
        put(points=drawing.write_points(preset.points), centres=drawing.write_points(centres))
        put(**START | {"show": preset.show} | preset.sets)


def _positions() -> tuple:
    names = ("points", "centres", "preset", *START)
    return *(get(name) for name in names), None if get("points") else get("scenario")


def _take() -> None:
    """Keep what was drawn and set, whatever a browser says of places."""
    drawn: dict[str, Any] | None = st.session_state[BOARD].drawing
    if drawn is None:
        return
    for name in ("points", "centres"):
        places = np.array(drawn[name][: drawing.MOST_POINTS], dtype=np.float64).reshape(-1, 2)
        places = np.nan_to_num(places).clip(*drawing.FAR).round().astype(np.int64)
        put(**{name: drawing.write_points(places)})
    put(**{name: drawn[name] for name in START})
    st.session_state[_REPORTED] = _positions()
