"""The table that the Teach page draws, and what the algorithms are told of it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core import Schema, choose_model
from mapdp_studio.core.comparing.comparison import (
    Results,
    Task,
    Truth,
    clustered_part,
    known_truth,
    suggestion,
    tasks,
)
from mapdp_studio.core.comparing.projection import View, choose_view
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.teaching.drawing import drawn_table, read_points
from mapdp_studio.demo_datasets import GENERATED, TAUGHT, load_taught
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.compare.settings import PENALTIES
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.teach.controls import DRAWN, SUGGESTED, put, set_at, stand

#: Stops and settings kept, half as many of all lessons; nothing of a visitor's is in the store.
MOST = 64


@dataclass(frozen=True)
class Classroom:
    """A data set drawn with ``load_taught``'s arguments, and what the algorithms are told."""

    key: str
    drawn: dict[str, float]
    frame: pd.DataFrame
    schema: Schema
    encoded: Encoded
    truth: Truth | None
    view: View
    settings: Settings
    suggested: float

    @property
    def digest(self) -> str:
        """Stands for the table."""
        return f"{self.key} {self.drawn}"

    @property
    def about(self) -> Hashable:
        """Stands for the table and what is taken of it: for ``encoded`` and ``view``."""
        return self.digest, clustered_part(self.schema)

    @property
    def points(self) -> np.ndarray:
        """The rows in their own units, shape (N, P)."""
        return self.encoded.values

    @property
    def true_k(self) -> int | None:
        """Number of the true groups, if known."""
        return None if self.truth is None else len(self.truth.names)

    @property
    def is_plane(self) -> bool:
        """Whether there are two columns of numbers and no hole: what can be walked step by step."""
        kinds = {FAMILIES[unit.family].is_real for unit in self.encoded.units}
        return kinds == {True} and len(self.points.T) == 2 and not np.isnan(self.points).any()

    @property
    def tasks(self) -> dict[str, Task]:
        """The fit of each algorithm that belongs to the sliders."""
        return tasks(self.digest, self.schema, self.settings, len(self.frame), self.methods)

    @property
    def methods(self) -> tuple[str, ...]:
        """The five, and those that the lesson on these data shows beside them."""
        return (*METHODS.first, *(TAUGHT[self.key].beside if self.key in TAUGHT else ()))


@st.cache_resource(show_spinner=False)
def shared_results() -> Results:
    """Fits, and what follows from them: a whole class that asks at once waits for one of it."""
    return Results(models=MOST, most=MOST)


def results_of(key: str) -> Results:
    """Where what is found on a data set is kept: what somebody drew is his own."""
    return session().teaching if key == DRAWN else shared_results()


def room_now(key: str) -> Classroom:
    """A data set as the controls stand."""
    results, drawn = results_of(key), {}
    if key == DRAWN:
        drawn = {"points": stand("points")}
    elif key in GENERATED:
        knob = GENERATED[key].knob.name
        drawn = {"n": stand("rows"), "seed": stand("seed"), knob: stand(knob)}
    digest = f"{key} {drawn}"
    frame, schema, encoded, truth, view = results.latest(
        "table", digest, lambda: _table(key, drawn)
    )
    if stand("chosen") and not schema.blocks:
        found = _chosen(results, digest, frame, schema)
        schema, encoded, view = found or (schema, encoded, view)
    hint = set_at(key, stand("lesson"))["k"] if key in TAUGHT else stand("k")
    about = digest, clustered_part(schema), hint
    suggested = results.latest("penalty", about, lambda: suggestion(encoded, hint, PENALTIES)[0])
    # Lambda follows what the data suggest until it is moved, or comes with the address.
    if stand("lambda") in (None, st.session_state.get(SUGGESTED)):
        put(**{"lambda": suggested})
    st.session_state[SUGGESTED] = suggested
    settings = Settings(
        concentration=stand("n0"),
        penalty=stand("lambda"),
        penalty_hint=hint,
        n_clusters=stand("k"),
        bic=stand("bic"),
        effort=stand("restarts"),
        seed=stand("seed"),
        likelihood_power=stand("tolerance"),
    )
    return Classroom(key, drawn, frame, schema, encoded, truth, view, settings, suggested)


def _table(key: str, drawn: dict[str, Any]) -> tuple:
    if key == DRAWN:
        frame, schema = drawn_table(read_points(drawn["points"]))
        truth = None
    else:
        frame, schema, _ = load_taught(key, **drawn)
        truth = known_truth(frame, schema)
        # Groups whose names only count them are counted as the panels do: by size.
        names = (
            f"cluster {k}" if name.startswith("cluster ") else name
            for k, name in enumerate(truth.names, start=1)
        )
        truth = replace(truth, names=tuple(names))
    encoded = schema.encode(frame)
    return frame, schema, encoded, truth, choose_view(encoded)


def _chosen(
    results: Results, digest: str, frame: pd.DataFrame, schema: Schema
) -> tuple[Schema, Encoded, View] | None:
    """The model that the table chooses, once it has."""

    def choose(job: Job) -> tuple[Schema, Encoded, View]:
        chosen = choose_model(frame, schema, callback=job).schema
        encoded = chosen.encode(frame)
        return chosen, encoded, choose_view(encoded)

    return get_result(
        session(),
        "model",
        digest,
        "The table chooses its model",
        lambda job: results.latest("chosen", digest, lambda: choose(job)),
        results,
    )
