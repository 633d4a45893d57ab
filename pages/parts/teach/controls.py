"""Where the Teach page stands: ``?scenario=5.2&rows=1000&lesson=2``, the rest as at first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st

from mapdp_studio.core.methods.settings import K_MAX
from mapdp_studio.core.teaching.drawing import read_points
from mapdp_studio.core.teaching.lessons import LESSONS, PRESETS, Stop
from mapdp_studio.core.teaching.steps import procedures
from mapdp_studio.demo_datasets import GENERATED, TAUGHT
from mapdp_studio.pages.parts.compare.settings import (
    CONCENTRATIONS,
    PENALTIES,
    TOLERANCES,
    position,
)
from mapdp_studio.pages.parts.shared.kit import is_new_here

FIRST = next(iter(TAUGHT))
DRAWN = "drawn"
TITLES = {key: taught.title for key, taught in TAUGHT.items()} | {DRAWN: "My drawing"}
VIEWS = {"Watch": "Watch", "Draw": "Drag it", "Step": "Step"}
MORE = {"Restaurant": "Restaurant", "From K-means": "Small variances"}
ROWS = [150, 300, 600, 1000, 2000, 4000, 6000, 10_000]
WIDTHS = [1.0, 0.85, 0.7, 0.6, 0.5, 0.42, 0.35, 0.3, 0.25, 0.2, 0.17, 0.14, 0.12, 0.1, 0.08, 0.07]
#: The second choice of Step when one run is watched alone.
ALONE = "nothing"
#: Where a lesson does not lead: whether the page is on a projector.
PROJECTOR = "projector"
#: Of a widget: kept from page to page, and in no address of Streamlit's making.
KEPT = {"persist_state": "session"}
#: What the address said when it was last read or written; the lambda that the data suggest.
_KNOWN, SUGGESTED = "teach_address", "teach_suggested"


@dataclass(frozen=True)
class Control:
    """Where a control stands at first, and its ``options`` (words, positions) or ``bounds``."""

    default: Any
    options: Sequence[Any] | Mapping[str, str] = ()
    bounds: tuple[float, float] | None = None

    def read(self, text: str) -> Any:
        """What a text in an address stands for; ValueError where it stands for nothing."""
        if isinstance(self.default, bool):
            return text.casefold() in ("1", "true", "on", "yes")
        if self.bounds is not None:
            value = float(text.replace(",", ""))
            if not self.bounds[0] <= value <= self.bounds[1]:
                raise ValueError(text)
            return round(value) if isinstance(self.bounds[0], int) else value
        if not self.options:
            read_points(text)
            return text
        if isinstance(next(iter(self.options)), str):
            titles = self.options if isinstance(self.options, Mapping) else {}
            return one_of(self.options, titles)(text)
        return position(self.options, text)


@cache
def controls() -> dict[str, Control]:
    """All of them, by their names in addresses."""
    walks = {name: procedure.title for name, procedure in procedures().items()}
    knobs = {data.knob.name: data.knob for data in GENERATED.values()}
    return {
        "view": Control("Watch", (*VIEWS, *MORE)),
        "scenario": Control(FIRST, TITLES),
        "lesson": Control(None, bounds=(1, 9)),
        "prediction": Control(None, bounds=(0, 9)),
        "rows": Control(2000, ROWS),
        **{name: Control(k.default, bounds=(k.low, k.high)) for name, k in knobs.items()},
        "n0": Control(3.0, CONCENTRATIONS),
        "lambda": Control(None, PENALTIES),
        "k": Control(3, bounds=(1, K_MAX)),
        "tolerance": Control(1.0, TOLERANCES),
        "bic": Control(False),
        "restarts": Control(1, bounds=(1, 10)),
        "seed": Control(0, bounds=(0, 999_999)),
        "cells": Control(True),
        "lit": Control(True),
        "chosen": Control(False),
        "numbers": Control(False),
        "row": Control(None, bounds=(1, max(ROWS))),
        "walk": Control("truth", walks),
        "beside": Control("MAPDP", {ALONE: ALONE, **walks}),
        "sigma": Control(0.7, WIDTHS),
        "guests": Control(1000, [100, 300, 1000, 4000]),
        "points": Control(None),
        "centres": Control(None),
        "circle": Control(None, bounds=(0.2, 8.0)),
        "width": Control(None, bounds=(0.1, 2.0)),
        "show": Control("kmeans", ("kmeans", "dpmeans", "mapdp")),
        "preset": Control(None, tuple(PRESETS)),
        PROJECTOR: Control(False),
    }


def one_of(options: Iterable[str], titles: Mapping[str, str] | None = None) -> Callable[[str], str]:
    """Read one of some words, or its title, whatever the case of its letters."""
    known = {key.casefold(): key for key in options}
    known |= {title.casefold(): key for key, title in (titles or {}).items()}

    def read(text: str) -> str:
        if text.casefold() not in known:
            raise ValueError(text)
        return known[text.casefold()]

    return read


def key_of(name: str) -> str:
    """Key of a control's widget: Compare's sliders have the same names and stand elsewhere."""
    return f"teach_{name}"


def stand(name: str) -> Any:
    """Where a control stands."""
    return st.session_state.get(key_of(name), controls()[name].default)


def put(**to: Any) -> None:
    """Let controls stand elsewhere, by their names.

    Streamlit prefers what a control held when drawn last, unless its key is given up first.
    """
    state = st.session_state
    for key, value in ((key_of(name), value) for name, value in to.items()):
        if key not in state or state[key] != value:
            state.pop(key, None)
            state[key] = value


def stop_of(key: str, number: int | None) -> Stop | None:
    """A stop of a data set's lesson, from 1 on; None where there is none."""
    stops = LESSONS.get(key, ())
    return stops[number - 1] if number is not None and number <= len(stops) else None


def set_at(key: str, number: int | None = None) -> dict[str, Any]:
    """Where all controls stand at a stop of a lesson, its first by default."""
    stop = stop_of(key, number)
    opens = stop or stop_of(key, 1)
    found = {name: control.default for name, control in controls().items()}
    found |= {"scenario": key, "lesson": None if stop is None else number}
    return found | ({} if opens is None else dict(opens.sets))


def open_data(key: str, number: int | None = None, **moved: Any) -> None:
    """Turn to a data set, or to a stop of its lesson, with its own settings but those moved."""
    put(**set_at(key, number) | {PROJECTOR: stand(PROJECTOR)} | moved)


def follow_address() -> None:
    """Stand as the address says, for a visitor who comes to it or goes back to it.

    Other addresses are former ones, sent until the browser has heard of what was written since.
    """
    asked, state = st.query_params.to_dict(), st.session_state
    if _KNOWN in state and (not asked or asked == state[_KNOWN] or not is_new_here()):
        return
    read = {}
    for name in controls().keys() & asked.keys():
        with suppress(ValueError):
            read[name] = controls()[name].read(asked[name])
    stop = read.pop("lesson", None)
    open_data(read.get("scenario", FIRST), stop, **{PROJECTOR: False} | read)
    state[_KNOWN] = asked


def write_address() -> None:
    """Say in the address where the controls stand; what stands as it opens goes without saying."""
    stands = {name: stand(name) for name in controls()}
    if stands["lambda"] == st.session_state.get(SUGGESTED):
        stands["lambda"] = None
    opens = set_at(stands["scenario"], stands["lesson"]) | {"scenario": FIRST, "lesson": None}
    said = {
        name: _in_address(value)
        for name, value in stands.items()
        if value is not None and value != opens[name]
    }
    if said != st.query_params.to_dict():
        st.query_params.from_dict(said)
    st.session_state[_KNOWN] = said


def _in_address(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else f"{value:.10g}"
