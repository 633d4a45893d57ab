"""The one kind of result that every algorithm returns and every page, plot and score reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .merge_path import MergePath
    from .partition import Partition


@dataclass(frozen=True)
class Progress:
    """What a long fit reports between its steps.

    Parameters
    ----------
    done : float
        Steps finished; a step that is a fit of its own may be finished in part.
    total : int
        Steps expected; may grow while a search still improves.
    objective : float
        The algorithm's own objective so far, lower is better (nats for the models).
    n_clusters : int
        Clusters in the current state.
    phase : str
        A few words for the page, such as ``"restart 3 of 10"``.
    """

    done: float
    total: int
    objective: float
    n_clusters: int
    phase: str = ""


@dataclass(frozen=True)
class Fit:
    """Result of one fit.

    Parameters
    ----------
    algorithm : str
        Name of the estimator class, such as ``"MAPDP"``.
    labels : ndarray of int64, shape (N,)
        Cluster of each row, 0 the largest cluster.
    objective : float
        The algorithm's own objective at its end: exact negative log joint in nats for MAP-DP and
        Gibbs, penalised squared error for DP-means, squared error for K-means, negative log
        posterior in nats for E-M. Objectives of different algorithms are not comparable.
    objective_trace : ndarray of float64, shape (T,)
        The objective after every accepted step.
    trace_kinds : tuple of str, length T
        What each step was: ``"start"``, ``"sweep"``, ``"merge"``, ``"split"``, ``"kick"``,
        or ``"fill"`` where missing cells were set anew.
    n_iter : int
        Sweeps over the data in the run that produced the labels.
    converged : bool
        False when ``max_iter`` ended the run.
    seconds : float
        Wall time of the fit, all restarts included.
    details : mapping
        What only one algorithm has: ``"n_clusters_trace"`` and ``"co_assignment"`` for Gibbs,
        ``"responsibilities"`` for E-M, ``"bic"`` for K-means, ``"prior_scale"`` for MAP-DP.
    partition : Partition, optional
        The same labels with the statistics of their clusters, from MAP-DP and Gibbs.
    """

    algorithm: str
    labels: np.ndarray
    objective: float
    objective_trace: np.ndarray
    trace_kinds: tuple[str, ...]
    n_iter: int
    converged: bool
    seconds: float
    details: Mapping[str, Any] = field(default_factory=dict)
    partition: Partition | None = field(default=None, repr=False, compare=False)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(self.labels.max()) + 1

    @property
    def sizes(self) -> np.ndarray:
        """Rows in each cluster, shape (K,), largest first."""
        return np.bincount(self.labels, minlength=self.n_clusters)

    @cached_property
    def merge_path_(self) -> MergePath:
        """The greedy merges from these clusters down to one, with the E of each.

        Raises
        ------
        AttributeError
            The algorithm has no E.
        """
        if self.partition is None:
            raise AttributeError(f"{self.algorithm} has no merge path; MAPDP has one.")
        from .merge_path import merge_path

        return merge_path(self.partition)

    def labels_at(self, k: int) -> np.ndarray:
        """Labels with k clusters on the merge path, 0 the largest, shape (N,)."""
        return self.merge_path_.labels_at(k)


def by_size(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Relabel a partition so that 0 is the largest cluster.

    Ties keep the order of first appearance, so the answer depends on the partition alone.

    Parameters
    ----------
    labels : ndarray of int, shape (N,)

    Returns
    -------
    relabelled : ndarray of int64, shape (N,)
    order : ndarray, shape (K,)
        The old label of each new one: ``relabelled == j`` exactly where ``labels == order[j]``.
    """
    old, first, inverse, sizes = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -sizes))
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    return rank[inverse], old[order]
