"""Choose the model of a table with its groups: alternate between them until E rests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ...engine.partition import Partition
from ...engine.sweeps import TIE
from ...schema.schema import Schema
from ..descent import Points
from ..kmeans import lloyd_states, plus_plus
from ..mapdp import MAPDP
from ..progress import Progress
from ..search import search
from .model import Ground, Model, best_model, suggested

#: Starts are taken on this many rows at most.
SAMPLE = 2_000
#: Clusters of the coarse partitions among the starts.
COARSE = (2, 3, 4, 5, 6)
#: So many of the starts, those of lowest E, are gone on with.
KEPT = 2
#: A half-step that lowers E by less ends the alternation (nats).
REST = 0.5
#: Half-steps at most.
MOST_ROUNDS = 12
#: Kicks in vain that end the last search.
PATIENCE = 45


@dataclass(frozen=True)
class State:
    """A model and a partition at rest under it."""

    model: Model
    partition: Partition
    objective: float


class ModelChoice:
    """What ``choose_model`` found."""

    def __init__(self, state: State, model: MAPDP, suggested_objective: float) -> None:
        self.schema = state.model.schema
        self.model = model
        self.objective = state.objective
        self.suggested_objective = suggested_objective


def choose_model(
    frame: pd.DataFrame,
    schema: Schema | None = None,
    *,
    concentration: float = 3.0,
    sample_weight: Any = None,
    random_state: Any = 0,
    callback: Callable[[Progress], None] = lambda progress: None,
) -> ModelChoice:
    """Choose likelihoods, transforms and blocks of the columns together with the groups, by E."""
    if schema is None:
        from ...schema.infer import infer_schema

        schema = infer_schema(frame)
    random = np.random.default_rng(random_state)
    ground = Ground.of(frame, schema, sample_weight)
    first = MAPDP(concentration, random_state=random).fit_encoded(ground.encoded, callback)
    plain = suggested(ground, first.prior_scale_, first.prior_)
    base = State(plain, first.partition_, plain.objective(first.partition_))
    states = []
    for name, labels in _starts(ground, base, random):
        chosen = best_model(ground, labels, plain)
        start = Partition(chosen.columns, concentration, labels)
        state = State(chosen, start, chosen.objective(start))
        states.append((name, _alternate(state, concentration, random, callback, 0)))
    states.sort(key=lambda pair: pair[1].objective)
    finals = [base]
    for _, state in states[:KEPT]:
        finals.append(_alternate(state, concentration, random, callback, PATIENCE))
    best = min(finals, key=lambda state: state.objective)
    model = MAPDP(concentration, prior=best.model.priors).adopt(
        best.partition, None, best.model.schema.completed(frame)
    )
    choice = ModelChoice(best, model, base.objective)
    choice.starts = [(n, s.objective, s.partition.n_clusters, s.model.blocks) for n, s in states]
    choice.finals = [(s.objective, s.partition.n_clusters) for s in finals]
    choice.chosen = best.model
    return choice


def _starts(
    ground: Ground, base: State, random: np.random.Generator
) -> Iterator[tuple[str, np.ndarray]]:
    """Partitions to begin from: the suggested schema's fit, one group, and coarse ones."""
    yield "fit", base.partition.labels
    yield "one group", np.zeros(ground.n_rows, dtype=np.int64)
    points = Points(base.partition.columns, random)
    for k in COARSE:
        if k < ground.n_rows:
            best = None
            for _ in range(3):
                *_, last = lloyd_states(points.all, plus_plus(points.all, k, random), max_iter=30)
                if best is None or last.objective < best.objective:
                    best = last
            yield f"{k}-means", np.unique(best.labels, return_inverse=True)[1]


def _alternate(
    state: State,
    concentration: float,
    random: np.random.Generator,
    callback: Callable[[Progress], None],
    patience: int,
) -> State:
    """Groups given the model and the model given groups in turn, until E rests.

    The model there was is always among the candidates, so that no half-step raises E.
    """
    for _ in range(MOST_ROUNDS):
        before = state.objective
        partition, _ = search(
            state.model.columns,
            concentration,
            random,
            patience,
            callback,
            known=state.partition.labels,
        )
        state = _lower(state, State(state.model, partition, state.model.objective(partition)))
        labels = state.partition.labels
        chosen = best_model(state.model.ground, labels, state.model)
        given = Partition(chosen.columns, concentration, labels)
        state = _lower(state, State(chosen, given, chosen.objective(given)))
        if before - state.objective < REST:
            break
    return state


def _lower(a: State, b: State) -> State:
    """The one of lower E, the first where they are as low."""
    return b if b.objective < a.objective - TIE else a
