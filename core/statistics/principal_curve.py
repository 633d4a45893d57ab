"""A smooth curve through the middle of a table, which may bend (Hastie and Stuetzle, JASA 1989)."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import pairwise_distances_argmin

#: Bandwidth of the smoother, as a share of the rows: wide enough to pass through a gap between
#: two classes as a slope, narrow enough to follow one bend.
BANDWIDTH = 0.1
#: Rounds of smoothing and projecting, places at which the curve is smoothed, and points on it.
ROUNDS, PLACES, POINTS = 10, 61, 400
#: The curve goes on straight beyond its ends by this share of its length, so that rows do not pile
#: up there.
BEYOND = 0.25


def principal_curve(points: np.ndarray, start: np.ndarray) -> np.ndarray:
    """How far along the curve every row lies, shape (N,): its arc length.

    Parameters
    ----------
    points : ndarray of float64, shape (N, P)
        Without holes.
    start : ndarray of float64, shape (N,)
        Scores to begin with, those of the first principal component.
    """
    scores, at = start, np.linspace(0.0, 1.0, PLACES)
    for _ in range(ROUNDS):
        curve = _longer(smoothed(at, shares_below(scores), points))
        steps = np.linalg.norm(np.diff(curve, axis=0), axis=1)
        length = np.concatenate([[0.0], np.cumsum(steps)])
        fine = np.linspace(0.0, length[-1], POINTS)
        line = np.column_stack([np.interp(fine, length, column) for column in curve.T])
        scores = fine[pairwise_distances_argmin(points, line)]
    return scores


def shares_below(scores: np.ndarray) -> np.ndarray:
    """Share of the rows that lie before each one, between 0 and 1."""
    places = np.empty(scores.size)
    places[np.argsort(scores, kind="stable")] = (np.arange(scores.size) + 0.5) / scores.size
    return places


def smoothed(at: np.ndarray, places: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Local straight lines through the observed values, shape (G, P).

    Parameters
    ----------
    at : ndarray of float64, shape (G,)
        Where.
    places : ndarray of float64, shape (N,)
        Where the rows are.
    values : ndarray of float64, shape (N, P)
        NaN is missing; a column that nobody has stays NaN.
    """
    weights = np.exp(-0.5 * ((at[:, None] - places) / BANDWIDTH) ** 2)
    seen, filled = (~np.isnan(values)).astype(np.float64), np.nan_to_num(values)
    first = weights * (places - at[:, None])
    second = first * (places - at[:, None])
    n, s1, s2 = weights @ seen, first @ seen, second @ seen
    t0, t1 = weights @ filled, first @ filled
    spread = n * s2 - s1**2
    is_line = spread > 1e-12 * n**2
    with np.errstate(invalid="ignore"):
        level = t0 / n
    return np.where(is_line, (s2 * t0 - s1 * t1) / np.where(is_line, spread, 1.0), level)


def _longer(curve: np.ndarray) -> np.ndarray:
    """The curve with a straight piece before its first and after its last point."""
    reach = BEYOND * (len(curve) - 1)
    before, after = curve[0] - curve[1], curve[-1] - curve[-2]
    return np.vstack([curve[0] + reach * before, curve, curve[-1] + reach * after])
