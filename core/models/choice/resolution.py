"""The step of which the recorded values of a measurement are multiples."""

from __future__ import annotations

import numpy as np

#: Values with more decimals than this have no step that matters.
MOST_DECIMALS = 6
#: How far, in its last decimal, a value may lie from a round number.
_NEAR = 1e-6


def step_of(values: np.ndarray) -> float:
    """The largest step of which all values are multiples, up to a shift; 0 where there is none.

    Parameters
    ----------
    values : ndarray of float64, shape (N,)
        As recorded; NaN where missing.
    """
    distinct = np.unique(values[~np.isnan(values)])
    if distinct.size < 2 or np.abs(distinct).max() > 1e9:
        return 0.0
    for decimals in range(MOST_DECIMALS + 1):
        scaled = distinct * 10.0**decimals
        whole = np.rint(scaled)
        if np.abs(scaled - whole).max() < _NEAR * max(1.0, np.abs(whole).max() * 1e-6):
            gaps = np.diff(whole).astype(np.int64)
            return float(np.gcd.reduce(gaps)) / 10.0**decimals
    return 0.0
