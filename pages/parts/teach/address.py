"""The Teach page's address: where its controls stand, as people write it.

``?scenario=5.2&rows=1000`` opens what it says; what is not named stands at its default, and with
``lesson=2`` as the lesson sets it there. The names are those of the Compare page, and those of
older links are still read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import streamlit as st

from mapdp_studio.core.methods.settings import ADDRESSES, K_MAX
from mapdp_studio.core.teaching.drawing import read_points
from mapdp_studio.core.teaching.steps import procedures
from mapdp_studio.demo_datasets import GENERATED, START_ROWS, TAUGHT
from mapdp_studio.pages.parts.compare.settings import CONCENTRATIONS, PENALTIES, START, position
from mapdp_studio.pages.parts.compare.tolerance import TOLERANCES
from mapdp_studio.pages.parts.shared.kit import is_new_here
from mapdp_studio.pages.parts.teach.at_stop import LAST, last_stop, set_at
from mapdp_studio.pages.parts.teach.controls import (
    ALONE,
    BESIDE,
    BIC,
    CELLS,
    CENTRES,
    CHOSEN,
    DISCOUNT,
    DISCOUNTS,
    DRAWN,
    GUESTS,
    LAMBDA,
    LIT,
    MOST_SEED,
    N_0,
    N_GUESTS,
    N_ROWS,
    ON_DRAWING,
    PREDICTION,
    PRESET,
    PROJECTOR,
    PUBLISHED,
    RADIUS,
    RESTARTS,
    ROW,
    ROWS,
    SCENARIO,
    SEED,
    SHOWABLE,
    SHOWN,
    SIGMA,
    START_WIDTH,
    STOP,
    SUGGESTED,
    TOLERANCE,
    VIEW,
    VIEWS,
    WALK,
    WIDTH,
    WIDTHS,
    K,
)
from mapdp_studio.pages.parts.teach.presets import PRESETS

#: What the address said when it was last read or written.
KNOWN = "teach_address"
#: Controls that the page itself sets where the address does not.
FOUND_BY_THE_PAGE = (LAMBDA, DRAWN, CENTRES)


@dataclass(frozen=True)
class Control:
    """One control of the page.

    Parameters
    ----------
    key : str
        Of its state in the session.
    name : str
        In addresses.
    default : Any
        Where it stands in an address that does not name it.
    read : callable
        What a text in an address stands for; raises ValueError where it stands for nothing.
    older : tuple of str
        Names that it had in addresses before.
    """

    key: str
    name: str
    default: Any
    read: Callable[[str], Any]
    older: tuple[str, ...] = ()


def one_of(options: Iterable[str], titles: Mapping[str, str] | None = None) -> Callable[[str], str]:
    """Read one of some keys, or the title that older addresses have in its place."""
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
def controls() -> tuple[Control, ...]:
    """Those that an address can set."""
    stops = [*(str(k) for k in range(1, 10)), LAST]
    walks = {name: procedure.title for name, procedure in procedures().items()}
    scenarios = {key: taught.title for key, taught in TAUGHT.items()}
    knobs = (scenario.knob for scenario in GENERATED.values())
    return (
        Control(VIEW, "view", VIEWS[0], one_of(VIEWS)),
        Control(SCENARIO, "scenario", next(iter(TAUGHT)), one_of(scenarios, scenarios)),
        Control(STOP, "lesson", None, one_of(stops)),
        Control(PREDICTION, "prediction", None, whole(1, 9)),
        Control(N_ROWS, "rows", START_ROWS, partial(position, ROWS)),
        *(Control(k.name, k.name, k.default, number(k.low, k.high)) for k in knobs),
        Control(
            N_0,
            ADDRESSES["concentration"],
            START.concentration,
            partial(position, CONCENTRATIONS),
            ("count", "restaurant_count"),
        ),
        Control(LAMBDA, ADDRESSES["penalty"], None, partial(position, PENALTIES), ("penalty",)),
        Control(K, ADDRESSES["n_clusters"], 3, whole(1, K_MAX), ("groups",)),
        Control(
            TOLERANCE,
            ADDRESSES["likelihood_power"],
            START.likelihood_power,
            partial(position, TOLERANCES),
        ),
        Control(BIC, ADDRESSES["bic"], False, switch, ("choose",)),
        Control(RESTARTS, ADDRESSES["effort"], 1, whole(1, 10)),
        Control(
            SEED,
            ADDRESSES["seed"],
            0,
            whole(0, MOST_SEED),
            ("draw", "evening"),
        ),
        Control(CELLS, "cells", False, switch),
        Control(CHOSEN, "chosen", False, switch),
        Control(PUBLISHED, "published", False, switch),
        Control(LIT, "lit", False, switch),
        Control(ROW, "row", None, whole(1, max(ROWS))),
        Control(WALK, "walk", next(iter(walks)), one_of(walks, walks)),
        Control(BESIDE, "beside", ALONE, one_of(walks, walks)),
        Control(ON_DRAWING, "drawing", False, switch),
        Control(SIGMA, "sigma", START_WIDTH, partial(position, WIDTHS)),
        Control(GUESTS, "guests", N_GUESTS[2], partial(position, N_GUESTS)),
        Control(DISCOUNT, "discount", DISCOUNTS[0], _discount),
        Control(DRAWN, "points", None, _points),
        Control(CENTRES, "centres", None, _points),
        Control(RADIUS, "circle", 3.0, number(0.2, 8.0)),
        Control(WIDTH, "width", 0.5, number(0.1, 2.0)),
        Control(SHOWN, "show", next(iter(SHOWABLE)), one_of(SHOWABLE, SHOWABLE)),
        Control(PRESET, "preset", None, one_of(PRESETS), ("challenge",)),
        Control(PROJECTOR, "projector", False, switch),
    )


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
    for control, default in _defaults(read).items():
        value = read.get(control.key, default)
        if value is None and control.key in FOUND_BY_THE_PAGE:
            state.pop(control.key, None)
        else:
            state[control.key] = value
    state[KNOWN] = asked


def _read(asked: Mapping[str, str]) -> dict[str, Any]:
    """What an address says, by the controls' keys; what stands for nothing is passed over."""
    read = {}
    for control in controls():
        texts = [asked[name] for name in (control.name, *control.older) if name in asked]
        if texts:
            with suppress(ValueError):
                read[control.key] = control.read(texts[0])
    if read.get(STOP) == LAST:
        read[STOP] = last_stop(_data_set(read))
    return read


def _data_set(stand: Mapping[str, Any]) -> str:
    return stand.get(SCENARIO) or next(iter(TAUGHT))


def _defaults(stand: Mapping[str, Any]) -> dict[Control, Any]:
    """Where every control stands that is not named, for the data set and stop that are."""
    sets = set_at(_data_set(stand), stand.get(STOP))
    return {control: sets.get(control.key, control.default) for control in controls()}


def write_address() -> None:
    """Say in the address where the controls stand; defaults go without saying."""
    state = st.session_state
    stand = {c.key: state[c.key] for c in controls() if c.key in state}
    if stand.get(LAMBDA) == state.get(SUGGESTED):
        stand[LAMBDA] = None
    said = _said(stand)
    if said != st.query_params.to_dict():
        st.query_params.from_dict(said)
    state[KNOWN] = said


def _said(stand: Mapping[str, Any]) -> dict[str, str]:
    said = {}
    for control, default in _defaults(stand).items():
        value = stand.get(control.key, default)
        if value != default and value is not None:
            said[control.name] = _written(value)
    return said


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else f"{value:.10g}"
