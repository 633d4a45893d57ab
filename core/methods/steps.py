"""A method step by step: what it runs on, and the partition after each step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..engine.columns import Columns, default_priors
from ..engine.partition import Partition
from ..inference.clusters import Cluster, describe_clusters
from ..models.centroids import CentroidState
from ..models.numeric import NumericEncoding, numeric_encoding
from ..schema.encoded import Encoded
from .settings import Settings

#: Rows drawn at most.
MOST_ROWS = 2_000
#: Steps drawn of a run with more; sweeps of a run that does not come to rest before.
MOST_STEPS, MOST_SWEEPS = 30, 40


@dataclass(frozen=True)
class Step:
    """The state after one step."""

    #: What was done, such as "sweep" or "merge".
    kind: str
    #: int64, shape (n,). Cluster of every row, a cluster keeping its number from step to step.
    labels: np.ndarray
    #: The method's own.
    objective: float
    #: What the model says of every unit in each cluster that is outlined.
    summaries: list[dict[str, Mapping[str, Any]]] | tuple[()] = ()
    #: Shape (K, 2). Of the clusters, where the method has centres.
    centers: np.ndarray | None = None
    #: float, shape (R, R). How often rows have shared a cluster so far (Gibbs).
    together: np.ndarray | None = None
    #: The row just visited.
    row: int | None = None
    #: Shape (C, 2). 95 % ellipses that belong to the summaries.
    curves: tuple[np.ndarray, ...] = ()
    #: The number of every cluster there, by its label: they are counted as they come.
    numbers: Mapping[int, int] = field(default_factory=dict)
    #: Clusters that came and went since the step before.
    born: int = 0
    died: int = 0

    @property
    def n_clusters(self) -> int:
        """K."""
        return np.unique(self.labels).size

    @property
    def event(self) -> str:
        """What happened to the clusters: "merged", "split", "born", "died" or nothing."""
        if self.kind in ("merge", "split"):
            return "merged" if self.kind == "merge" else self.kind
        return "born" if self.born else "died" if self.died else ""

    @property
    def words(self) -> str:
        """The step in a few words."""
        changes = {"born": self.born, "gone": self.died}
        return ", ".join([self.kind, *(f"{n:,} {what}" for what, n in changes.items() if n)])


@dataclass(frozen=True)
class Ground:
    """What a run is made of, on the rows that take part."""

    #: A table of two numeric columns.
    sample: Encoded
    #: int64, shape (n,). True group of every row.
    classes: np.ndarray
    settings: Settings
    #: Of the prior under which MAP-DP and Gibbs run.
    prior_scale: float
    random: np.random.Generator

    @cached_property
    def columns(self) -> Columns:
        """The rows under the prior of MAP-DP and Gibbs."""
        priors = default_priors(self.sample, self.prior_scale)
        return Columns.pack(self.sample, priors, self.settings.likelihood_power)

    @cached_property
    def encoding(self) -> NumericEncoding:
        """The way to the plain numbers that K-means and DP-means run on."""
        return numeric_encoding(self.sample)

    @cached_property
    def points(self) -> np.ndarray:
        """Those numbers, shape (n, P)."""
        return self.encoding.apply(self.sample.values)

    def centered(self, states: Iterator[CentroidState], start: str) -> Iterator[Step]:
        """Steps of a method with centres, passes after a start."""
        for number, state in enumerate(states):
            centers = state.centers * self.encoding.scale + self.encoding.center
            kind = f"pass {number}" if number else start
            yield Step(kind, state.labels, state.objective, centers=centers)


@dataclass(frozen=True)
class Procedure:
    """A run that can be watched."""

    title: str
    #: Name of its objective.
    measure: str
    #: What to look at, in a sentence or two.
    watch_for: str
    #: Runs it on a ``Ground``.
    steps: Callable[[Ground], Iterator[Step]]
    #: Rows that take part at most.
    most_rows: int = MOST_ROWS
    #: Show every step, however many there are.
    is_whole: bool = False
    #: Starts from the true groups, which have to be known.
    needs_truth: bool = False


def snapshot(partition: Partition, kind: str, row: int | None = None) -> Step:
    """The partition as it is now."""
    summaries = posterior_summaries(describe_clusters(partition), least=3)
    return Step(kind, partition.labels.copy(), partition.objective(), summaries, row=row)


def posterior_summaries(clusters: list[Cluster], least: int = 1) -> list[dict[str, Any]]:
    """Every unit's posterior in every cluster of so many rows."""
    return [
        {name: posterior.summary() for name, posterior in cluster.posterior.items()}
        for cluster in clusters
        if cluster.size >= least
    ]


def shown(n_steps: int) -> list[int]:
    """So many of the steps as can be watched, close together in the beginning."""
    if n_steps <= MOST_STEPS:
        return list(range(n_steps))
    places = np.unique(np.geomspace(1, n_steps, 3 * MOST_STEPS).round().astype(int) - 1)
    places = places[np.linspace(0, places.size - 1, MOST_STEPS).round().astype(int)]
    return np.unique(places).tolist()
