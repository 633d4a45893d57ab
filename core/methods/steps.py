"""Methods step by step: the inputs of a run, and the partition after each step."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..engine.packed import PackedTable, default_priors
from ..engine.partition import Partition
from ..inference.clusters import Cluster, describe_clusters
from ..models.kmeans import CentroidState
from ..models.numeric import numeric_encoding, plain_numbers
from ..schema.encoded import Encoded
from .settings import Settings

MOST_ROWS = 2_000
#: Steps drawn at most; sweeps of a run that has not converged before.
MOST_STEPS, MOST_SWEEPS = 30, 40


@dataclass(frozen=True)
class Step:
    """The state after one step."""

    #: What was done, such as "sweep" or "merge".
    kind: str
    #: int64, shape (n,). Cluster of every row; a cluster keeps its number from step to step.
    labels: np.ndarray
    objective: float
    #: What the model says of every unit in each cluster that is outlined.
    summaries: list[dict[str, Mapping[str, Any]]] | tuple[()] = ()
    #: Shape (K, 2), of a method with centres.
    centers: np.ndarray | None = None
    #: float, shape (R, R). How often rows have shared a cluster so far (Gibbs).
    together: np.ndarray | None = None
    #: Shape (C, 2). 95 % ellipses of the summaries.
    curves: tuple[np.ndarray, ...] = ()
    #: Number of every cluster, in the order of appearance, by its label.
    numbers: Mapping[int, int] = field(default_factory=dict)
    #: Clusters that came and went since the step before.
    born: int = 0
    died: int = 0

    @property
    def n_clusters(self) -> int:
        """K."""
        return np.unique(self.labels).size

    @property
    def words(self) -> str:
        """The step in a few words."""
        changes = {"born": self.born, "gone": self.died}
        return ", ".join([self.kind, *(f"{n:,} {what}" for what, n in changes.items() if n)])


@dataclass(frozen=True)
class RunInputs:
    """Inputs of a run."""

    #: A table of two numeric columns.
    sample: Encoded
    #: int64, shape (n,). True group of every row.
    classes: np.ndarray
    settings: Settings
    prior_scale: float
    random: np.random.Generator

    @cached_property
    def packed(self) -> PackedTable:
        """The rows under the prior of MAP-DP and Gibbs."""
        priors = default_priors(self.sample, self.prior_scale)
        return PackedTable.pack(self.sample, priors, self.settings.likelihood_power)

    @cached_property
    def points(self) -> np.ndarray:
        """The rows as plain numbers, shape (n, P)."""
        return plain_numbers(self.sample)

    def centered(self, states: Iterator[CentroidState], start: str) -> Iterator[Step]:
        """Steps of a method with centres, passes after a start."""
        encoding = numeric_encoding(self.sample)
        for number, state in enumerate(states):
            centers = state.centers * encoding.scale + encoding.center
            kind = f"pass {number}" if number else start
            yield Step(kind, state.labels, state.objective, centers=centers)


@dataclass(frozen=True)
class Procedure:
    """A run that can be watched."""

    title: str
    measure: str
    watch_for: str
    steps: Callable[[RunInputs], Iterator[Step]]
    needs_truth: bool = False


def snapshot(partition: Partition, kind: str) -> Step:
    """The step that shows the partition as it is."""
    summaries = posterior_summaries(describe_clusters(partition), least=3)
    return Step(kind, partition.labels.copy(), partition.objective(), summaries)


def posterior_summaries(clusters: list[Cluster], least: int = 1) -> list[dict[str, Any]]:
    """Every unit's posterior in every cluster of at least ``least`` rows."""
    return [
        {name: posterior.summary() for name, posterior in cluster.posterior.items()}
        for cluster in clusters
        if cluster.size >= least
    ]


def shown(n_steps: int) -> list[int]:
    """Indices of the steps to draw, dense in the beginning."""
    if n_steps <= MOST_STEPS:
        return list(range(n_steps))
    places = np.unique(np.geomspace(1, n_steps, 3 * MOST_STEPS).round().astype(int) - 1)
    places = places[np.linspace(0, places.size - 1, MOST_STEPS).round().astype(int)]
    return np.unique(places).tolist()
