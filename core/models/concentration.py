"""How many clusters a prior count N_0 expects, and which N_0 a number of clusters speaks for."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from .arguments import check_number, check_whole


def expected_clusters(concentration: ArrayLike, n: int) -> np.ndarray | float:
    """Expected number of clusters among n rows before any data is seen.

    Exactly N_0 [psi(N_0 + n) - psi(N_0)], of which R16's N_0 ln n is the limit for large n.

    Parameters
    ----------
    concentration : float or array-like
        N_0, above 0.

    Returns
    -------
    float, or ndarray of float64 of the shape of ``concentration``
    """
    from scipy.special import psi

    n_0 = np.asarray(concentration, dtype=np.float64)
    if not np.all(n_0 > 0.0):
        raise ValueError("concentration must be above 0.")
    expected = n_0 * (psi(n_0 + check_whole("n", n, 1)) - psi(n_0))
    return expected if expected.ndim else float(expected)


def map_concentration(n_clusters: int, n: int, shape: float, rate: float) -> float:
    """Most probable N_0 given K clusters among n rows, under a Gamma prior of N_0.

    The mode is taken in ln N_0, whose density N_0^(K + shape) exp(-rate N_0) Gamma(N_0) /
    Gamma(N_0 + n) is log-concave and has one mode (R16 Appendix G, third way; Rasmussen 1999);
    in N_0 itself the mode would be 0 for K = 1 and a shape of at most 1.

    Parameters
    ----------
    n_clusters : int
        K, from 1 to n.
    shape, rate : float
        Of the Gamma prior; 0 and 0 is a flat prior of ln N_0.

    Raises
    ------
    ValueError
        There is no mode: K + shape must exceed 1, and stay below n where the rate is 0.
    """
    n = check_whole("n", n, 1)
    k = check_whole("n_clusters", n_clusters, 1)
    shape, rate = check_number("shape", shape, 0.0), check_number("rate", rate, 0.0)
    if k > n:
        raise ValueError(f"n_clusters={k} is not allowed: there are {n} rows.")
    if k + shape <= 1.0:
        raise ValueError(
            f"N_0 has no most probable value for {k} cluster and shape={shape:g}: it falls to 0; "
            "give a shape above 0."
        )
    if rate == 0.0 and k + shape >= n:
        raise ValueError(
            f"N_0 has no most probable value for {k} clusters among {n} rows, shape={shape:g} and "
            "rate=0: it grows without end; give a rate above 0."
        )
    return _root(k + shape, rate, n)


def _root(total: float, rate: float, n: int) -> float:
    """The N_0 with expected clusters + rate N_0 = total, which rise together with N_0."""
    from scipy.optimize import brentq

    # 1 + N_0 (H + rate) is above the left side, n N_0 / (N_0 + n - 1) and 1 + rate N_0 below it.
    harmonic = float(np.sum(1.0 / np.arange(1, n)))
    low = (total - 1.0) / (harmonic + rate)
    high = total * (n - 1) / (n - total) if total < n else math.inf
    if rate > 0.0:
        high = min(high, (total - 1.0) / rate)
    return math.exp(
        brentq(
            lambda t: expected_clusters(math.exp(t), n) + rate * math.exp(t) - total,
            math.log(low) - 1e-3,
            math.log(high) + 1e-3,
            xtol=1e-13,
        )
    )
