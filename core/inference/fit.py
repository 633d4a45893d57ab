"""The one kind of result that every algorithm returns and every page, plot and score reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .merge_path import MergePath, merge_path

if TYPE_CHECKING:
    from ..engine.partition import Partition


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
        return merge_path(self.partition)

    def labels_at(self, k: int) -> np.ndarray:
        """Labels with k clusters on the merge path, 0 the largest, shape (N,)."""
        return self.merge_path_.labels_at(k)
