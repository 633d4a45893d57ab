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
    def about(self) -> Hashable:
        """Stands for the table and what is taken of it: for ``encoded`` and ``view``."""
        return self.key, str(self.drawn), clustered_part(self.schema)

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
        about = f"{self.key} {self.drawn}"
        return tasks(about, self.schema, self.settings, len(self.frame), self.methods)

    @property
    def methods(self) -> tuple[str, ...]:
        """The five, and those that the lesson on these data shows beside them."""
        return (*METHODS.first, *(TAUGHT[self.key].beside if self.key in TAUGHT else ()))


@st.cache_resource(show_spinner=False)
def shared_results() -> Results:
    """Fits of a whole class, half as many as all lessons have; nothing of a visitor's is in it."""
    return Results(models=64, most=64)


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
    frame, schema, truth = results.latest("table", digest, lambda: _table(key, drawn))
    if stand("chosen") and not schema.blocks:
        schema = _chosen(results, digest, frame, schema) or schema
    about = digest, clustered_part(schema)
    encoded = results.latest("encoded table", about, lambda: schema.encode(frame))
    view = results.latest("view", about, lambda: choose_view(encoded))
    hint = set_at(key, stand("lesson"))["k"] if key in TAUGHT else stand("k")
    suggested = results.latest(
        "penalty", (about, hint), lambda: suggestion(encoded, hint, PENALTIES)[0]
    )
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


def _table(key: str, drawn: dict[str, Any]) -> tuple[pd.DataFrame, Schema, Truth | None]:
    if key == DRAWN:
        return *drawn_table(read_points(drawn["points"])), None
    frame, schema, _ = load_taught(key, **drawn)
    truth = known_truth(frame, schema)
    # Groups whose names only count them are counted as the panels do: by size.
    names = (
        f"cluster {k}" if name.startswith("cluster ") else name
        for k, name in enumerate(truth.names, start=1)
    )
    return frame, schema, replace(truth, names=tuple(names))


def _chosen(results: Results, digest: str, frame: pd.DataFrame, schema: Schema) -> Schema | None:
    """The schema that the table chooses, once it has."""

    def choose(job: Job) -> Schema:
        return results.latest(
            "chosen", digest, lambda: choose_model(frame, schema, callback=job).schema
        )

    label = "The table chooses its model"
    return get_result(session(), "model", digest, label, choose, results)
