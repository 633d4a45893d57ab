"""The controls of the Teach page: one table, which their form, the address and lessons read.

``?scenario=5.2&rows=1000`` opens what it says; what is not named stands at its default, and with
``lesson=2`` as the lesson sets it there. The names are those of the Compare page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.methods.settings import ADDRESSES, K_MAX
from mapdp_studio.core.teaching.drawing import read_points
from mapdp_studio.core.teaching.lessons import BEGINNING, LESSONS, Stop
from mapdp_studio.core.teaching.steps import procedures
from mapdp_studio.demo_datasets import GENERATED, START_ROWS, TAUGHT
from mapdp_studio.pages.parts.compare.settings import (
    CONCENTRATIONS,
    IN_SESSION,
    PENALTIES,
    START,
    position,
)
from mapdp_studio.pages.parts.compare.tolerance import TOLERANCES
from mapdp_studio.pages.parts.shared.kit import is_new_here
from mapdp_studio.pages.parts.teach.presets import PRESETS

#: Keys in the session: the view, the data set, the stop of its lesson, the choice predicted there.
VIEW, SCENARIO, STOP, PREDICTION = "view", "scenario", "lesson", "prediction"
PROJECTOR = "projector"
#: Of a scenario's sliders. They differ from Compare's, which has a table of its own.
N_ROWS, N_0, LAMBDA, K, BIC, SEED = "rows", "count", "penalty", "groups", "choose", "draw"
RESTARTS, TOLERANCE, CHOSEN = "starts", "power", "chosen"
#: The farthest-first penalty that lambda follows until it is moved.
SUGGESTED = "suggested_penalty"
#: On Watch: K-means' cells, the row to explain, the published MAP-DP beside this library's,
#: and whether wrongly placed rows are lit.
CELLS, ROW, PUBLISHED, LIT = "cells", "row", "published", "lit"
#: On Step, another run under the same clock, and whether both run on what was drawn.
WALK, BESIDE, ON_DRAWING = "walk", "beside", "on_drawing"
#: On From K-means and Restaurant.
SIGMA, GUESTS, DISCOUNT = "sigma", "guests", "discount"
#: On Draw: points and centres as texts; the circle of DP-means and the width that
#: MAP-DP expects, in the board's units; the method shown large; the preset it began with.
DRAWN, CENTRES = "drawn", "drawn_centres"
RADIUS, WIDTH, SHOWN, PRESET = "circle", "width_expected", "shown", "preset"
#: What the address said when it was last read or written.
KNOWN = "teach_address"
#: Controls that the page itself sets where the address does not.
FOUND_BY_THE_PAGE = (LAMBDA, DRAWN, CENTRES)

VIEWS = ("Watch", "Draw", "Step", "Strips", "From K-means", "Restaurant")
ROWS = [150, 300, 600, 1000, 2000, 4000, 6000, 10_000]
MOST_SEED = 999_999
#: What addresses call the last stop, whatever its number; and Step's choice of no other run.
LAST, ALONE = "Question", "nothing beside it"
WIDTHS = [1.0, 0.85, 0.7, 0.6, 0.5, 0.42, 0.35, 0.3, 0.25, 0.2, 0.17, 0.14, 0.12, 0.1, 0.08, 0.07]
#: Wide enough that the round MAP-DP is not yet DP-means, on every scenario but the far outliers.
START_WIDTH = 0.7
N_GUESTS = [100, 300, 1000, 4000]
DISCOUNTS = [0.0, 0.1, 0.25, 0.5, 0.75]
SHOWABLE = {"mapdp": "MAP-DP", "kmeans": "K-means", "dpmeans": "DP-means"}


@dataclass(frozen=True)
class Control:
    """One control of the page.

    Parameters
    ----------
    key : str
        Of its state in the session.
    name : str
        In addresses and lessons.
    default : Any
        Where it stands in an address that does not name it.
    read : callable
        What a text in an address stands for; raises ValueError where it stands for nothing.
    positions : sequence, optional
        Where a slider can stand.
    """

    key: str
    name: str
    default: Any
    read: Callable[[str], Any]
    positions: Sequence[Any] = ()


def one_of(options: Iterable[str], titles: Mapping[str, str] | None = None) -> Callable[[str], str]:
    """Read one of some keys, or its title."""
    known = {key.casefold(): key for key in options}
    known |= {title.casefold(): key for key, title in (titles or {}).items()}

    def read(text: str) -> str:
        if text.casefold() not in known:
            raise ValueError(text)
        return known[text.casefold()]

    return read


def number(low: float, high: float) -> Callable[[str], float]:
    """Read a number between two bounds."""

    def read(text: str) -> float:
        value = float(text.replace(",", ""))
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return read


def whole(low: int, high: int) -> Callable[[str], int]:
    """Read a whole number between two bounds."""
    within = number(low, high)
    return lambda text: round(within(text))


def switch(text: str) -> bool:
    """Read whether something is on."""
    return text.casefold() in ("1", "true", "on", "yes")


def _discount(text: str) -> float:
    value = number(DISCOUNTS[0], 1.0)(text)
    return min(DISCOUNTS, key=lambda discount: abs(discount - value))


def _points(text: str) -> str:
    read_points(text)
    return text


@cache
def controls() -> dict[str, Control]:
    """Those that an address can set, by their keys."""
    stops = [*(str(k) for k in range(1, 10)), LAST]
    walks = {name: procedure.title for name, procedure in procedures().items()}
    scenarios = {key: taught.title for key, taught in TAUGHT.items()}
    knobs = (scenario.knob for scenario in GENERATED.values())

    def slider(key: str, name: str, positions: Sequence, start: Any) -> Control:
        return Control(key, name, start, partial(position, positions), positions)

    table = (
        Control(VIEW, "view", VIEWS[0], one_of(VIEWS)),
        Control(SCENARIO, "scenario", next(iter(TAUGHT)), one_of(scenarios, scenarios)),
        Control(STOP, "lesson", None, one_of(stops)),
        Control(PREDICTION, "prediction", None, whole(1, 9)),
        slider(N_ROWS, "rows", ROWS, START_ROWS),
        *(Control(k.name, k.name, k.default, number(k.low, k.high)) for k in knobs),
        slider(N_0, ADDRESSES["concentration"], CONCENTRATIONS, START.concentration),
        slider(LAMBDA, ADDRESSES["penalty"], PENALTIES, None),
        Control(K, ADDRESSES["n_clusters"], 3, whole(1, K_MAX)),
        slider(TOLERANCE, ADDRESSES["likelihood_power"], TOLERANCES, START.likelihood_power),
        Control(BIC, ADDRESSES["bic"], False, switch),
        Control(RESTARTS, ADDRESSES["effort"], 1, whole(1, 10)),
        Control(SEED, ADDRESSES["seed"], 0, whole(0, MOST_SEED)),
        *(Control(key, key, False, switch) for key in (CELLS, CHOSEN, PUBLISHED, LIT)),
        Control(ROW, "row", None, whole(1, max(ROWS))),
        Control(WALK, "walk", next(iter(walks)), one_of(walks, walks)),
        Control(BESIDE, "beside", ALONE, one_of(walks, walks)),
        Control(ON_DRAWING, "drawing", False, switch),
        slider(SIGMA, "sigma", WIDTHS, START_WIDTH),
        slider(GUESTS, "guests", N_GUESTS, N_GUESTS[2]),
        Control(DISCOUNT, "discount", DISCOUNTS[0], _discount, DISCOUNTS),
        Control(DRAWN, "points", None, _points),
        Control(CENTRES, "centres", None, _points),
        Control(RADIUS, "circle", 3.0, number(0.2, 8.0)),
        Control(WIDTH, "width", 0.5, number(0.1, 2.0)),
        Control(SHOWN, "show", next(iter(SHOWABLE)), one_of(SHOWABLE, SHOWABLE)),
        Control(PRESET, "preset", None, one_of(PRESETS)),
        Control(PROJECTOR, "projector", False, switch),
    )
    return {control.key: control for control in table}


# ---- their form


def choose_switch(place: DeltaGenerator, key: str, label: str, text: str) -> bool:
    """The switch of a key, with a text of help."""
    return place.toggle(label, key=key, help=text, **IN_SESSION)


def choose_position(
    place: DeltaGenerator, key: str, label: str, text: str | None = None, form: str = "{:g}"
) -> Any:
    """The slider of a key, with a text of help."""
    control = controls()[key]
    kwargs = {"key": key, "format_func": form.format, "help": text} | IN_SESSION
    return place.select_slider(label, control.positions, control.default, **kwargs)


# ---- at a stop of a lesson


def stop_of(key: str, stop: str | None) -> Stop | None:
    """A stop of a data set's lesson by its number from 1 on; None where there is none."""
    stops = LESSONS[key]
    return stops[int(stop) - 1] if stop is not None and 1 <= int(stop) <= len(stops) else None


def last_stop(key: str) -> str:
    """Number of the last stop of a lesson."""
    return str(len(LESSONS[key]))


def set_at(key: str, stop: str | None) -> dict[str, Any]:
    """Where the controls of a data set stand at first: at a stop of its lesson, or outside it.

    Outside, only K is a lesson's affair: K-means is told the K that the first stop tells it.

    Parameters
    ----------
    key : str
        Of ``LESSONS``.
    stop : str, optional
        "1", "2", ...
    """
    told = {K: LESSONS[key][0].sets.get(ADDRESSES["n_clusters"], keyed(BEGINNING)[K])}
    at = stop_of(key, stop)
    if at is None:
        return told
    knob = {GENERATED[key].knob.name: GENERATED[key].knob.default} if key in GENERATED else {}
    return {**keyed(BEGINNING), **told, **knob, **keyed(at.sets)}


def keyed(sets: Mapping[str, Any]) -> dict[str, Any]:
    """What a stop sets, by the keys of the controls."""
    keys = {control.name: key for key, control in controls().items()}
    return {keys[name]: value for name, value in sets.items()}


# ---- in the address


def follow_address() -> None:
    """Let the controls stand as the address says, for a visitor who comes to it or goes back to it.

    Any other is one of before: a busy server is asked with such until the browser has heard of what
    was written since.
    """
    asked, state = st.query_params.to_dict(), st.session_state
    is_asked_for = KNOWN not in state or is_new_here()
    if not asked or asked == state.get(KNOWN) or not is_asked_for:
        return
    read = _read(asked)
    for key, default in _defaults(read).items():
        value = read.get(key, default)
        if value is None and key in FOUND_BY_THE_PAGE:
            state.pop(key, None)
        else:
            state[key] = value
    state[KNOWN] = asked


def _read(asked: Mapping[str, str]) -> dict[str, Any]:
    """What an address says, by the controls' keys; what stands for nothing is passed over."""
    read = {}
    for key, control in controls().items():
        if control.name in asked:
            with suppress(ValueError):
                read[key] = control.read(asked[control.name])
    if read.get(STOP) == LAST:
        read[STOP] = last_stop(_data_set(read))
    return read


def _data_set(stand: Mapping[str, Any]) -> str:
    return stand.get(SCENARIO) or next(iter(TAUGHT))


def _defaults(stand: Mapping[str, Any]) -> dict[str, Any]:
    """Where every control stands that is not named, for the data set and stop that are."""
    sets = set_at(_data_set(stand), stand.get(STOP))
    return {key: sets.get(key, control.default) for key, control in controls().items()}


def write_address() -> None:
    """Say in the address where the controls stand; defaults go without saying."""
    state, known = st.session_state, controls()
    stand = {key: state[key] for key in known if key in state}
    if stand.get(LAMBDA) == state.get(SUGGESTED):
        stand[LAMBDA] = None
    said = {
        known[key].name: _written(stand[key])
        for key, default in _defaults(stand).items()
        if stand.get(key, default) not in (default, None)
    }
    if said != st.query_params.to_dict():
        st.query_params.from_dict(said)
    state[KNOWN] = said


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else f"{value:.10g}"
