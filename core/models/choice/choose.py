"""Choose the model of a table with its groups: alternate between the two until E converges."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import Any, Self

import numpy as np
import pandas as pd

from ...engine.partition import Partition
from ...engine.sweeps import TIE
from ...partitions.labels import by_size, renumbered
from ...schema.chosen import Chosen, in_words
from ...schema.infer import infer_schema
from ...schema.schema import Schema
from ..descent import Points
from ..estimator import Callback, above, checked_weights, counting_rows
from ..kmeans import k_means_labels
from ..mapdp import MAPDP
from ..progress import Progress, Refits, Stages
from ..search import Search, extend_sample
from .model import Dataset, Model, best_model, changes_of, suggested

#: Starts are taken on a sample of this many rows at most; of a table of more cells than the second
#: number so is all, but for the model given the groups in the end.
SAMPLE, LARGE = 2_000, 200_000
#: Clusters of the coarse partitions among the starts, and the runs of K-means for each.
COARSE, COARSE_RUNS, COARSE_PASSES = (2, 3, 4, 5, 6), 3, 30
#: Starts' ends, of lowest E, that are gone on with, and ends in the same groups after which no
#: start is tried. Of few rows all are: there E of a start says little of where it ends.
KEPT, ALIKE, FEW_ROWS = 2, 3, 100
#: Turns that lower E by less end the alternation (nats), and so many of them do.
LEAST_FALL = 0.5
MOST_TURNS = 12
#: Perturbations in vain that end a search: of starts; under the schema as it was, and of ends.
FIRST_PATIENCE, PATIENCE = 0, 15
E = attrgetter("objective")


@dataclass(frozen=True)
class State:
    """A model and a partition of the rows under it."""

    model: Model
    partition: Partition
    #: Nats, in the data's units.
    objective: float

    @classmethod
    def of(cls, model: Model, concentration: float, labels: np.ndarray) -> Self:
        """The model with given groups."""
        partition = Partition.of_labels(model.packed, concentration, labels)
        return cls(model, partition, model.objective(partition))

    def remodelled(self, data: Dataset | None = None) -> Self:
        """The best model given these groups."""
        model, partition = self.model, self.partition
        model = best_model(data or model.data, partition.labels, model)
        return self.of(model, partition.concentration, partition.labels)

    def extended(
        self, data: Dataset, rows: np.ndarray, random: np.random.Generator, report: Callback
    ) -> Self:
        """A sample's state on all rows: those outside choose a group, then all move."""
        model = replace(self.model, data=data)
        partition = extend_sample(model.packed, self.partition, rows, random)
        search = Search(model.packed, partition.concentration, random, report)
        search.descent(partition, "all rows").sweep_until_converged()
        return type(self)(model, partition, model.objective(partition))


@dataclass(frozen=True)
class ModelChoice:
    """The model that E chose for a table together with its groups.

    Parameters
    ----------
    schema : Schema
        With the chosen likelihoods, transforms and blocks, and the prior of every unit.
    model : MAPDP
        Fitted under it.
    objective : float
        E in nats and the data's units.
        Of the partition, the transforms' Jacobians, and the numbers taken from the data.
    suggested_objective : float
        The same under the schema as it was.
    steps : tuple of Chosen
        What was changed, each with its gain in nats given the groups.
    """

    schema: Schema
    model: MAPDP
    objective: float
    suggested_objective: float
    steps: tuple[Chosen, ...]

    @cached_property
    def text(self) -> str:
        """One sentence: what the table chose."""
        return in_words(self.steps)


def choose_model(
    frame: pd.DataFrame,
    schema: Schema | None = None,
    *,
    concentration: float = 3.0,
    sample_weight: Any = None,
    random_state: Any = 0,
    callback: Callable[[Progress], None] | None = None,
) -> ModelChoice:
    """Choose likelihoods, transforms and blocks of the columns together with the groups, by E.

    A local optimum. Columns that a person set or that have special outcomes, and blocks, stay as
    they are; columns of a new block have their cells missing in the same rows.

    Parameters
    ----------
    frame : DataFrame, shape (N, M)
    schema : Schema, optional
        ``infer_schema(frame)`` without one.
    concentration : float
        Prior count N_0.
    sample_weight : array-like, shape (N,), optional
        How often each row counts.
    random_state : int, Generator or None
    callback : callable, optional
        Called with a ``Progress``; what it raises ends the choice.

    Returns
    -------
    ModelChoice

    Raises
    ------
    SchemaError, ValueError
        As ``MAPDP.fit``.
    """
    above(0.0)("concentration", concentration)
    schema = infer_schema(frame) if schema is None else schema
    if sample_weight is not None:
        sample_weight = checked_weights(sample_weight, len(frame))
    whole, random = Dataset.of(frame, schema, sample_weight), np.random.default_rng(random_state)
    data = whole
    if whole.encoded.has_silent_rows:  # which have no say
        data = whole.rows(counting_rows(whole.encoded.weights))
    every = data
    if data.encoded.values.size > LARGE:
        data, rows = _sampled(data, random)
    is_sampled = data is not every
    stages = Stages(callback, 3 + is_sampled)
    first = MAPDP(concentration, patience=PATIENCE, random_state=random)
    first.fit_encoded(data.encoded, stages.begin("the schema as suggested"))
    base = State.of(suggested(data, first.prior_), concentration, first.labels_)
    best = min([base, *_ends(base, random, stages)], key=E)
    if is_sampled:
        how = every, rows, random, stages.begin("all rows")
        base, best = (state.extended(*how) for state in (base, best))
        data, best = every, min(base, best.remodelled(), key=E)
    changes = changes_of(best.model, best.partition.labels)
    best.partition.load(by_size(best.partition.labels, data.encoded.weights)[0])
    model = MAPDP(concentration, prior=best.model.priors)
    schema = best.model.schema.with_choice(best.model.priors, changes)
    model.adopt(best.partition, None, schema)
    if data is not whole:
        all_rows = replace(best.model, data=whole).packed.encoded
        model.label_others(all_rows, np.flatnonzero(whole.encoded.weights))
    return ModelChoice(schema, model, best.objective, base.objective, schema.chosen)


def _ends(base: State, random: np.random.Generator, stages: Stages) -> list[State]:
    """Where the alternation ends from several starts, on all rows or first on some."""
    data, concentration = base.model.data, base.partition.concentration
    some, rows = _sampled(data, random)
    plain = replace(base.model, data=some)

    def begin(labels: np.ndarray, *how: Any) -> State:
        state = State.of(best_model(some, labels, plain), concentration, labels)
        return _converged(state, FIRST_PATIENCE, *how)

    def go_on(state: State, *how: Any) -> State:
        if some is not data:
            state = state.extended(data, rows, *how).remodelled()
        state = _converged(state, FIRST_PATIENCE, *how)
        # With the schema's own priors, too; not before: beside them many groups are never left.
        after = state.remodelled(replace(data, usual=base.model.priors))
        if state.objective - after.objective >= LEAST_FALL:
            state = _converged(after, FIRST_PATIENCE, *how)
        return _converged(state, PATIENCE, *how)

    # One group sees dependence between groups only, many groups see none: so coarse ones, too.
    starts = [renumbered(base.partition.labels[rows]), 0 * rows]
    points = Points(suggested(some).packed, random).all
    for k in COARSE:
        if k < some.n_rows:
            starts.append(k_means_labels(points, k, random, COARSE_RUNS, COARSE_PASSES))
    n_alike, n_kept = (ALIKE, KEPT) if rows.size > FEW_ROWS else (len(starts), len(starts))

    def each(
        work: Callable[..., State], items: Sequence[Any], phase: str, n_cells: int
    ) -> list[State]:
        """The lowest E of each grouping that ``work`` ends in, until so many ends are alike."""
        found, refits = defaultdict(list), Refits(len(items), n_cells, stages.begin(phase))
        own = zip(items, random.spawn(len(items)), strict=True)
        with closing(refits.map(lambda item, report: work(*item, report), own, phase)) as ends:
            for state in ends:
                same = found[by_size(state.partition.labels)[0].tobytes()]
                same.append(state)
                if len(same) == n_alike:
                    break
        return sorted((min(same, key=E) for same in found.values()), key=E)

    # Starts one after the other, for some may not be needed.
    found = each(begin, starts, "from several starts", 0)
    return each(go_on, found[:n_kept], "model and groups in turn", data.encoded.values.size)


def _sampled(data: Dataset, random: np.random.Generator) -> tuple[Dataset, np.ndarray]:
    """A sample of the rows, or all of few, and these rows in order."""
    rows, n = np.arange(data.n_rows), data.encoded.sample_size(SAMPLE)
    if rows.size <= n:
        return data, rows
    rows = np.sort(random.choice(rows.size, n, replace=False))
    return data.rows(rows), rows


def _converged(state: State, patience: int, random: np.random.Generator, report: Callback) -> State:
    """Groups and model in turn until E converges.

    Without ``patience`` failed splits are not tried again while columns are read alike.
    """
    reading, points, concentration = None, None, state.partition.concentration
    for _ in range(MOST_TURNS):
        before, model = state.objective, state.model
        if patience > 0 or (model.picks, model.blocks) != reading:
            reading, points = (model.picks, model.blocks), Points(model.packed, random)
        search = Search(model.packed, concentration, random, report, points)
        partition = search.run(patience, state.partition.labels).state
        after = State(model, partition, model.objective(partition))
        if _lower(state, after) is state:
            break
        state = _lower(after, after.remodelled())
        if before - state.objective < LEAST_FALL:
            break
    return state


def _lower(a: State, b: State) -> State:
    return b if b.objective < a.objective - TIE else a
