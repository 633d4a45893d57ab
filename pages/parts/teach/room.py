"""What the Teach page shows, ``?scenario=5.2&rows=1000&lesson=2``, and the table it draws."""

from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core import Schema, choose_model
from mapdp_studio.core.comparing import comparison
from mapdp_studio.core.comparing.projection import View, choose_view
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.teaching.drawing import drawn_table, read_points
from mapdp_studio.core.teaching.lessons import LESSONS, PRESETS, Stop
from mapdp_studio.core.teaching.steps import procedures
from mapdp_studio.demo_datasets import GENERATED, TAUGHT, load_taught
from mapdp_studio.pages import NotYet, session
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.controls import (
    PENALTIES,
    SLIDERS,
    Control,
    asked_in_address,
    set_address,
)
from mapdp_studio.pages.parts.shared.kit import KEPT

FIRST = next(iter(TAUGHT))
DRAWN = "drawn"
TITLES = {key: taught.title for key, taught in TAUGHT.items()} | {DRAWN: "My drawing"}
VIEWS = {"Watch": "Watch", "Draw": "Drag it", "Step": "Step"}
MORE = {"Restaurant": "Restaurant", "From K-means": "Small variances"}
ROWS = [150, 300, 600, 1000, 2000, 4000, 6000, 10_000]
WIDTHS = [1.0, 0.85, 0.7, 0.6, 0.5, 0.42, 0.35, 0.3, 0.25, 0.2, 0.17, 0.14, 0.12, 0.1, 0.08, 0.07]
GUESTS = [100, 300, 1000, 4000]
_SIGMA = "Standard deviation within clusters, in standardised units, as λ is."
_CHOSEN = "Likelihoods, logarithms and which columns vary together, chosen by E."
#: The second choice of Step when one run is watched alone.
ALONE = "nothing"
#: Where a lesson does not lead: whether the page is on a projector.
PROJECTOR = "projector"
#: What was in the address when it was last read or written; the lambda that the data suggest.
_ADDRESS, SUGGESTED = "teach_address", "teach_suggested"


def _points(text: str) -> str:
    read_points(text)
    return text


@cache
def controls() -> dict[str, Control]:
    """All of them, by their names in addresses."""
    knobs = [data.knob for data in GENERATED.values()]
    return {
        **SLIDERS,
        "bic": replace(SLIDERS["bic"], default=False),
        "seed": replace(SLIDERS["seed"], label="Seed of data and random starts"),
        "view": Control("Watch", options=(*VIEWS, *MORE)),
        "scenario": Control(FIRST, options=tuple(TITLES)),
        "lesson": Control(None, bounds=(1, 9)),
        "prediction": Control(None, bounds=(0, 9)),
        "rows": Control(2000, "Rows N", "The shapes stay, the evidence grows.", ROWS),
        **{k.name: Control(k.default, k.label, k.help, (), (k.low, k.high)) for k in knobs},
        "cells": Control(True, "Cells of K-means", "What is nearest to each centre; the centres."),
        "lit": Control(True, "Wrong rows", "Lights rows whose cluster is not their true group's."),
        "chosen": Control(False, "The table chooses its model", _CHOSEN),
        "numbers": Control(False),
        "row": Control(None, bounds=(1, max(ROWS))),
        "walk": Control("truth", options=tuple(procedures())),
        "beside": Control("MAPDP", options=(ALONE, *procedures())),
        "sigma": Control(0.7, "Width σ of every cluster", _SIGMA, WIDTHS),
        "guests": Control(1000, "Rows to seat", "How many come this evening.", GUESTS),
        "points": Control(None, reads=_points),
        "centres": Control(None, reads=_points),
        "circle": Control(None, bounds=(0.2, 8.0)),
        "width": Control(None, bounds=(0.1, 2.0)),
        "show": Control("kmeans", options=("kmeans", "dpmeans", "mapdp")),
        "preset": Control(None, options=tuple(PRESETS)),
        PROJECTOR: Control(False),
    }


def slider(name: str, place: Any = st, **kwargs: Any) -> None:
    controls()[name].draw(place, key=key_of(name), **KEPT, **kwargs)


def key_of(name: str) -> str:
    """Key of a control's widget: Compare's sliders have the same names and other values."""
    return f"teach_{name}"


def get(name: str) -> Any:
    return st.session_state.get(key_of(name), controls()[name].default)


def put(**to: Any) -> None:
    """Set controls, by their names.

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
    """The values of all controls at a stop of a lesson, its first by default."""
    stop = stop_of(key, number)
    opens = stop or stop_of(key, 1)
    values = {name: control.default for name, control in controls().items()}
    values |= {"scenario": key, "lesson": None if stop is None else number}
    return values | ({} if opens is None else dict(opens.sets))


def open_data(key: str, number: int | None = None, **moved: Any) -> None:
    """Turn to a data set, or to a stop of its lesson, with its own settings but those moved."""
    put(**set_at(key, number) | {PROJECTOR: get(PROJECTOR)} | moved)


def follow_address() -> None:
    """Set what the address holds, for a visitor who comes to it or goes back to it."""
    asked = asked_in_address(_ADDRESS, controls())
    if asked is not None:
        stop = asked.pop("lesson", None)
        open_data(asked.get("scenario", FIRST), stop, **{PROJECTOR: False} | asked)


def write_address() -> None:
    """Put the controls that differ from what the page opens with into the address."""
    values = {name: get(name) for name in controls()}
    if values["lambda"] == st.session_state.get(SUGGESTED):
        values["lambda"] = None
    opens = set_at(values["scenario"], values["lesson"]) | {"scenario": FIRST, "lesson": None}
    set_address(_ADDRESS, values, opens)


@dataclass(frozen=True)
class Classroom:
    """A data set drawn with ``load_taught``'s arguments, and the settings of the algorithms."""

    key: str
    drawn: dict[str, float]
    frame: pd.DataFrame
    schema: Schema
    encoded: Encoded
    truth: comparison.Truth | None
    view: View
    settings: Settings
    suggested: float

    @property
    def data_key(self) -> Hashable:
        """Stands for the table and what is taken of it: for ``encoded`` and ``view``."""
        return self.key, str(self.drawn), comparison.clustered_part(self.schema)

    @property
    def points(self) -> np.ndarray:
        return self.encoded.values

    @property
    def true_k(self) -> int | None:
        return None if self.truth is None else len(self.truth.names)

    @property
    def is_plane(self) -> bool:
        """Whether there are two columns of numbers and no hole: what can be walked step by step."""
        kinds = {FAMILIES[unit.family].is_real for unit in self.encoded.units}
        return kinds == {True} and len(self.points.T) == 2 and not np.isnan(self.points).any()

    @property
    def tasks(self) -> dict[str, comparison.Task]:
        """The fit of each algorithm that belongs to the sliders."""
        digest = f"{self.key} {self.drawn}"
        return comparison.tasks(digest, self.schema, self.settings, len(self.frame), self.methods)

    @property
    def methods(self) -> tuple[str, ...]:
        """The five, and those that the lesson on these data adds."""
        return (*METHODS.first, *(TAUGHT[self.key].beside if self.key in TAUGHT else ()))


@st.cache_resource(show_spinner=False)
def shared_results() -> comparison.Results:
    """Fits of a whole class, half as many as all lessons have; nothing of a visitor's is in it."""
    return comparison.Results(models=64, most=64)


def results_of(key: str) -> comparison.Results:
    """Where what is found on a data set is kept: what somebody drew is his own."""
    return session().teaching if key == DRAWN else shared_results()


def room_now(key: str) -> Classroom:
    """A data set with the values of the controls."""
    results, drawn = results_of(key), {}
    if key == DRAWN:
        drawn = {"points": get("points")}
    elif key in GENERATED:
        knob = GENERATED[key].knob.name
        drawn = {"n": get("rows"), "seed": get("seed"), knob: get(knob)}
    digest = f"{key} {drawn}"
    frame, schema, truth = results.cached("table", digest, lambda: _table(key, drawn))
    if get("chosen") and not schema.blocks:
        choose, name = partial(choose_model, frame, schema), "The data set chooses its model"
        with suppress(NotYet):  # until then as it is
            schema = get_result(
                session(), name, digest, lambda job: choose(callback=job).schema, results
            )
    data_key = digest, comparison.clustered_part(schema)
    encoded = results.cached("encoded table", data_key, lambda: schema.encode(frame))
    view = results.cached("view", data_key, lambda: choose_view(encoded))
    hint = set_at(key, get("lesson"))["k"] if key in TAUGHT else get("k")
    suggested = results.cached(
        "penalty", (data_key, hint), lambda: comparison.suggestion(encoded, hint, PENALTIES)
    )
    # Lambda follows what the data suggest until it is moved, or comes with the address.
    if get("lambda") in (None, st.session_state.get(SUGGESTED)):
        put(**{"lambda": suggested})
    st.session_state[SUGGESTED] = suggested
    settings = Settings(**{one.setting: get(name) for name, one in SLIDERS.items()})
    return Classroom(key, drawn, frame, schema, encoded, truth, view, settings, suggested)


def _table(key: str, drawn: dict[str, Any]) -> tuple[pd.DataFrame, Schema, comparison.Truth | None]:
    if key == DRAWN:
        return *drawn_table(read_points(drawn["points"])), None
    frame, schema, _ = load_taught(key, **drawn)
    truth = comparison.known_truth(frame, schema)
    # Groups whose names only count them are counted as the panels do: by size.
    names = (
        f"cluster {k}" if name.startswith("cluster ") else name
        for k, name in enumerate(truth.names, start=1)
    )
    return frame, schema, replace(truth, names=tuple(names))
