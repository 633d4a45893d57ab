"""The result that every algorithm returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..engine.partition import Partition
from ..wording import counted
from .clusters import Cluster, describe_clusters
from .merge_path import MergePath, merge_path


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
        Final objective, not comparable between algorithms: exact negative log joint in nats (MAP-
        DP, Gibbs), penalised (DP-means) or plain (K-means) squared error, negative log posterior in
        nats (E-M).
    objective_trace : ndarray of float64, shape (T,)
        The objective after every accepted step.
    n_iter : int
        Sweeps over the data in the run that produced the labels.
    converged : bool
        False when ``max_iter`` ended the run.
    seconds : float
        Wall time of the fit, all restarts included.
    details : mapping
        Of one algorithm, such as the ``"note"`` of affinity propagation.
    partition : Partition, optional
        The labels with the statistics of their clusters, from MAP-DP and Gibbs.
    """

    algorithm: str
    labels: np.ndarray
    objective: float
    objective_trace: np.ndarray
    n_iter: int
    converged: bool
    seconds: float
    details: Mapping[str, Any] = field(default_factory=dict)
    partition: Partition | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        found = f"{counted(self.n_clusters, 'cluster')} of {counted(self.labels.size, 'row')}"
        return f"Fit of {self.algorithm}: {found}, objective {self.objective:,.6g}"

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
        """Greedy merges from these clusters down to one, with the E of each.

        Raises
        ------
        AttributeError
            The algorithm has no E.
        """
        if self.partition is None:
            raise AttributeError(f"{self.algorithm} has no merge path; MAPDP has one.")
        return merge_path(self.partition)

    @cached_property
    def clusters(self) -> tuple[Cluster, ...]:
        """The clusters in the user's units, where the algorithm has a partition."""
        return describe_clusters(self.partition)
