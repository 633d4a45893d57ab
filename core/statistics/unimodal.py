"""The distribution with one mode that is nearest to a sample (Hartigan and Hartigan, 1985)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

#: Places at which the mode is tried.
PLACES = 60


@dataclass(frozen=True)
class Unimodal:
    """A distribution function with straight pieces, convex up to the mode and concave after it.

    It keeps the tails of the sample: a few far values stay few. A kernel wide enough to have one
    mode (Silverman 1981) would carry many into the gap before them.

    Parameters
    ----------
    at : ndarray of float64, shape (G,)
        Different values in order.
    below : ndarray of float64, shape (G,)
        Share below each, from 0 to 1.
    distance : float
        The largest distance to the shares of the sample, the dip but for the grid of modes.
    """

    at: np.ndarray
    below: np.ndarray
    distance: float

    @classmethod
    def of(cls, sample: np.ndarray) -> Unimodal:
        """Fit to a sample, shape (N,)."""
        return cls.of_counts(*np.unique(sample, return_counts=True))

    @classmethod
    def of_counts(cls, at: np.ndarray, counts: np.ndarray) -> Unimodal:
        """Fit to how often each of these values in order occurs, shape (G,) both."""
        if at.size < 2:
            return cls(at, np.ones(at.size), 0.0)
        own = (np.cumsum(counts) - 0.5 * (counts + counts[0])) / (
            counts.sum() - 0.5 * (counts[0] + counts[-1])
        )
        gaps = np.diff(at)
        density = np.diff(own) / gaps
        modes = np.unique(np.linspace(0, gaps.size, PLACES).astype(np.int64))
        tried = (np.r_[0.0, np.cumsum(gaps * _one_mode(density, gaps, mode))] for mode in modes)
        distances = [(float(np.abs(below - own).max()), below) for below in tried]
        distance, below = min(distances, key=lambda pair: pair[0])
        return cls(at, below, distance)

    def draw(self, n: int, random: np.random.Generator) -> np.ndarray:
        """So many values, shape (n,)."""
        return np.interp(random.random(n), self.below, self.at)


def _one_mode(density: np.ndarray, gaps: np.ndarray, mode: int) -> np.ndarray:
    """The density rising before a gap and falling from it on, each gap with its own weight."""
    out = np.empty(density.size)
    for part, rising in ((slice(mode), True), (slice(mode, None), False)):
        if density[part].size:
            fit = isotonic_regression(density[part], weights=gaps[part], increasing=rising)
            out[part] = fit.x
    return out
