"""The sliders of the Teach page: which table is drawn, and what the algorithms are told."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core import Schema, choose_model
from mapdp_studio.core.comparing.comparison import (
    Results,
    Suggestion,
    Task,
    Truth,
    clustered_part,
    known_truth,
    matched,
    numbering,
    suggestion,
    tasks,
)
from mapdp_studio.core.comparing.projection import View, choose_view
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.demo_datasets import GENERATED, TAUGHT, load_taught
from mapdp_studio.pages import Session, session
from mapdp_studio.pages.parts.compare.settings import (
    IN_SESSION,
    PENALTIES,
    START,
    choose_bic,
    choose_clusters,
    choose_concentration,
    choose_effort,
    choose_penalty,
)
from mapdp_studio.pages.parts.compare.tolerance import choose_tolerance
from mapdp_studio.pages.parts.shared.compute import begin_fits, get_result
from mapdp_studio.pages.parts.teach.controls import (
    BIC,
    CHOSEN,
    LAMBDA,
    N_0,
    N_ROWS,
    RESTARTS,
    SEED,
    SUGGESTED,
    TOLERANCE,
    K,
    choose_position,
    choose_switch,
)

#: Stops and settings of which everything is kept; the lessons together have some sixty. Their
#: tables are drawn or come with the app: nothing of a visitor's is in the store.
MOST = 64
#: Steps of a knob over its range.
KNOB_STEPS = 70


@dataclass(frozen=True)
class Classroom:
    """A scenario as the sliders draw it, and what the algorithms are told.

    Parameters
    ----------
    key : str
        Of ``TAUGHT``, or of what was drawn on the board.
    drawn : dict of str to float
        Arguments of ``load_taught`` beside the key: of a scenario n, seed and the knob.
    frame, schema, encoded, truth, view
        The table, its types, its numbers, its true groups and where its rows lie.
    suggested : float
        Penalty suggested for the K of the settings, as the slider can show it.
    """

    key: str
    drawn: dict[str, float]
    frame: pd.DataFrame
    schema: Schema
    encoded: Encoded
    #: None of what was drawn.
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
    def is_plane(self) -> bool:
        """Whether there are two columns of numbers and no hole: what can be walked step by step."""
        kinds = {FAMILIES[unit.family].is_real for unit in self.encoded.units}
        return kinds == {True} and len(self.points.T) == 2 and not np.isnan(self.points).any()

    def numbers(self, model: ClusterEstimator) -> dict[int, int]:
        """Number of every cluster of a fit by its label in a panel, after the true groups."""
        return numbering(matched(self.truth.classes, model.labels_), len(self.truth.names))

    @property
    def tasks(self) -> dict[str, Task]:
        """The fit of each algorithm that belongs to the sliders."""
        return tasks(self.digest, self.schema, self.settings, len(self.frame), self.methods)

    @property
    def methods(self) -> tuple[str, ...]:
        """The five, and those that the lesson on these data shows beside them."""
        return (*METHODS.first, *(TAUGHT[self.key].beside if self.key in TAUGHT else ()))


def choose_settings(
    key: str, results: Results, columns: list[DeltaGenerator], is_tied: bool = False
) -> Classroom:
    """Draw the sliders and the table they ask for.

    Parameters
    ----------
    key : str
        Of ``TAUGHT``.
    results : Results
        Keeps the table.
    is_tied : bool
        N_0 follows from lambda in this view, so that it has no slider.
    """
    asked = _asked(columns, key)
    effort, seed = choose_effort(columns[5], columns[5], RESTARTS, SEED, **IN_SESSION)
    drawn = asked and {"n": asked.pop("n"), "seed": seed, **asked}
    digest = f"{key} {drawn}"
    frame, schema, encoded, truth, view = results.latest("table", digest, lambda: _draw(key, drawn))
    if not schema.blocks and choose_switch(
        columns[1],
        CHOSEN,
        "The table chooses its model",
        "Likelihoods, logarithms and which columns vary together within the groups, chosen "
        "with the groups by E. Otherwise every column stands alone.",
    ):
        suggested = schema
        found = get_result(
            session(),
            "model",
            digest,
            "The table chooses its model",
            lambda job: results.latest("chosen", digest, lambda: _choose(frame, suggested, job)),
            results,
        )
        schema, encoded, view = found or (schema, encoded, view)
    n_clusters = choose_clusters(columns[4], K, **IN_SESSION)
    bic = choose_bic(columns[4], BIC, False, **IN_SESSION)
    about = digest, clustered_part(schema), n_clusters
    suggested = results.latest("penalty", about, lambda: suggestion(encoded, n_clusters, PENALTIES))
    penalty = follow_penalty(columns[3], suggested, n_clusters)
    if is_tied:
        columns[2].caption("N₀ is tied to λ here, and needs no slider.")
        concentration, power = st.session_state.get(N_0, START.concentration), 1.0
    else:
        concentration = choose_concentration(columns[2], N_0, **IN_SESSION)
        power = choose_tolerance(columns[2], TOLERANCE, **IN_SESSION)
    told = concentration, penalty, n_clusters, n_clusters, bic, effort, seed, power
    settings = Settings(*told)
    return Classroom(key, drawn, frame, schema, encoded, truth, view, settings, suggested.penalty)


def _draw(key: str, drawn: dict[str, float]) -> tuple:
    frame, schema, _ = load_taught(key, **drawn)
    encoded = schema.encode(frame)
    truth = known_truth(frame, schema)
    return frame, schema, encoded, _as_numbered(truth), choose_view(encoded)


def _as_numbered(truth: Truth) -> Truth:
    """Groups whose names only count them, counted as the panels do: by size."""
    names = (
        f"cluster {k}" if name.startswith("cluster ") else name
        for k, name in enumerate(truth.names, start=1)
    )
    return replace(truth, names=tuple(names))


def _choose(frame: pd.DataFrame, schema: Schema, job: Job) -> tuple[Schema, Encoded, View]:
    chosen = choose_model(frame, schema, callback=job).schema
    encoded = chosen.encode(frame)
    return chosen, encoded, choose_view(encoded)


def _asked(columns: list[DeltaGenerator], key: str) -> dict[str, float]:
    """How a scenario is to be drawn: rows and its knob; nothing of a real table."""
    if key not in GENERATED:
        columns[0].caption("A real table: its rows are all there are.")
        return {}
    return {"n": _rows(columns[0]), GENERATED[key].knob.name: _knob(columns[1], key)}


def _rows(column: DeltaGenerator) -> int:
    text = "How many rows are drawn. The shapes stay, the evidence grows."
    return choose_position(column, N_ROWS, "Rows N", text, "{:,}")


def _knob(column: DeltaGenerator, key: str) -> float:
    knob = GENERATED[key].knob
    step = round((knob.high - knob.low) / KNOB_STEPS, 2)
    with column.container(gap="xsmall"):
        value = st.slider(
            knob.label,
            knob.low,
            knob.high,
            knob.default,
            step,
            format="%g",
            key=knob.name,
            persist_state="session",
            help=knob.help,
        )
        st.caption(f"Of this scenario; {knob.default:g} at first.")
    return value


def follow_penalty(column: DeltaGenerator, suggested: Suggestion, n_clusters: int) -> float:
    """Lambda: follows the suggestion until it is moved, or comes with the address."""
    state = st.session_state
    if state.get(LAMBDA) in (None, state.get(SUGGESTED)):
        state[LAMBDA] = suggested.penalty
    state[SUGGESTED] = suggested.penalty
    return choose_penalty(column, column, LAMBDA, suggested, n_clusters)


def follow_suggestion() -> None:
    """Let lambda follow the suggestion again, as it does until it is moved."""
    st.session_state.pop(LAMBDA, None)


# ---- what the lessons' tables and sliders lead to: worked out once for all visitors of the server


@st.cache_resource(show_spinner=False)
def shared_results() -> Results:
    """Fits, and what follows from them: a whole class that asks at once waits for one of it."""
    return Results(models=MOST, most=MOST)


def work_ahead(studio: Session, room: Classroom) -> None:
    """While a class thinks, fit what its predictions will be answered with, once for all of it."""
    begin_fits(studio, shared_results(), (room.frame, room.schema), room.tasks)
