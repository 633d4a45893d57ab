"""From K-means to MAP-DP: the spherical model of known variance, as it shrinks (R16 Algorithm 2).

With N_0 = (1 + s_0^2 / s^2)^(D/2) exp(-lambda / (2 s^2)) a new cluster costs what lambda costs
DP-means (KJ12 section 3.1); sizes count by 2 s^2 ln N_k, which vanishes with s.
"""

import math
from typing import NamedTuple

import numpy as np

from ..engine.packed import PackedTable
from ..families import SphericalPrior
from ..models.dpmeans import DPMeans
from ..models.mapdp import published
from ..models.numeric import plain_numbers
from ..partitions.labels import by_size
from ..schema.encoded import Encoded

#: Within this distance of the smallest float64's logarithm N_0 can still be distinguished from 0.
LOWEST_LOG = -700.0


class Shrunk(NamedTuple):
    """MAP-DP with one known variance: s, in standardised units, and labels, int64 of shape (N,)."""

    sd: float
    log_concentration: float
    labels: np.ndarray
    n_clusters: int


def spherical_fit(encoded: Encoded, penalty: float, sd: float) -> Shrunk:
    """Fit MAP-DP with spherical clusters of width ``sd`` and N_0 tied to lambda, ``penalty``."""
    values = plain_numbers(encoded)
    variance, mean_variance = max(sd**2, penalty / (-2.0 * LOWEST_LOG)), 1.0
    width = values.shape[1]
    log_n_0 = 0.5 * width * math.log1p(mean_variance / variance) - penalty / (2.0 * variance)
    prior = SphericalPrior(np.zeros(width), mean_variance, variance)
    packed = PackedTable.pack(Encoded.from_array(values, "spherical"), [prior])
    # Single-row moves from where DP-means converged: merges and splits would go on to lower optima.
    start = DPMeans(penalty=penalty).fit(values).labels_
    order = np.arange(packed.n_rows)
    run = published(packed, math.exp(log_n_0), order, 300, 1e-6, lambda progress: None, start)
    labels, sizes = by_size(run.state.labels)
    return Shrunk(variance**0.5, log_n_0, labels, sizes.size)
