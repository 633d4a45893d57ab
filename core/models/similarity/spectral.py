"""The spectral relaxation of DP-means: the penalty chooses how many eigenvectors count (KJ12 5.1).

Relaxed to any orthonormal matrix, the best indicators are the eigenvectors of the kernel whose
eigenvalue is above lambda (KJ12 Theorem 5.2); the rows of that matrix are then clustered.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from ...inference.fit import Fit
from ...partitions.labels import by_size
from ...schema.encoded import Encoded
from ..arguments import number, or_none
from ..estimator import Callback, ClusterEstimator
from ..progress import Progress
from .distances import standardised
from .graph import jump, neighbour_graph, relaxed_labels, spectrum


@dataclass(eq=False, repr=False)
class SpectralDPMeans(ClusterEstimator):
    """Cluster by the eigenvectors whose eigenvalue is above a penalty (KJ12 section 5.1).

    The eigenvalues are those of D^-1/2 A D^-1/2, at most 1, of the graph of the standardised and
    coded table's 10 nearest neighbours.

    Parameters
    ----------
    penalty : float, optional
        Lambda. When not given, half way into the largest jump of the spectrum: where 1 less the
        eigenvalue grows by the largest factor, one cluster where none grows threefold.
    random_state : int, Generator or None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (N,)
    eigenvalues_ : ndarray of float64, shape (C,)
        The largest, descending.
    penalty_ : float
    objective_ : float
        The relaxed objective: minus the sum of eigenvalue less penalty over those that count.
    result_, n_clusters_, objective_trace_, n_iter_, converged_
    """

    penalty: float | None = None
    _: KW_ONLY
    random_state: Any = None

    limits: ClassVar = {"penalty": or_none(number())}

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        random = np.random.default_rng(self.random_state)
        callback(Progress(0, 2, np.inf, 1, "which rows are alike"))
        values, vectors = spectrum(neighbour_graph(standardised(encoded)))
        level = jump(values)[1] if self.penalty is None else self.penalty
        self.eigenvalues_, self.penalty_ = values, level
        n = min(max(int(np.sum(values > level)), 1), len(encoded.values))
        callback(Progress(1, 2, np.inf, n, f"{n} eigenvectors above the penalty"))
        labels = by_size(relaxed_labels(vectors, n, random))[0]
        objective = -float(np.sum(values[:n] - level))
        return self._found(labels, [objective], n_iter=1, eigenvalues=values, penalty=level)
