"""How many clusters the Chinese restaurant expects: what judges draws from it."""

from __future__ import annotations

from scipy.special import psi


def expected_clusters(concentration: float, n: int) -> float:
    """Expected number of clusters among n rows: N_0 [psi(N_0 + n) - psi(N_0)]."""
    return float(concentration * (psi(concentration + n) - psi(concentration)))
