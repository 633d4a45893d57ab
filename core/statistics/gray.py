"""Gray's test of cumulative incidences, which no library of Python has.

Gray, Annals of Statistics 1988, with his variance, ties as from a hypergeometric distribution, and
rho = 0.
"""

from __future__ import annotations

import numpy as np


def gray(times: np.ndarray, kinds: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Gray's statistic, chi-square with one degree of freedom fewer than groups.

    Parameters
    ----------
    times : ndarray of float64, shape (N,)
    kinds : ndarray of int, shape (N,)
        0 if last seen without an event, 1 the event, 2 another.
    groups : ndarray of int, shape (N,) or (B, N)
        From 0 on: one grouping, or several.

    Returns
    -------
    ndarray of float64, shape () or (B,)
    """
    order = np.argsort(times, kind="stable")
    times, kinds = times[order], kinds[order]
    inside = np.atleast_2d(groups)[:, order, None] == np.arange(groups.max() + 1)
    starts = np.flatnonzero(np.append(True, np.diff(times) > 0))
    eventful = np.add.reduceat(kinds > 0, starts) > 0
    at_risk = np.cumsum(inside[:, ::-1], axis=1)[:, ::-1][:, starts][:, eventful]
    died, other = (
        np.add.reduceat(inside & (kinds == kind)[:, None], starts, axis=1, dtype=np.int64)[
            :, eventful
        ]
        for kind in (1, 2)
    )
    scores, variance = _scores(*(part.astype(np.float64) for part in (at_risk, died, other)))
    # The last group's score follows from the others'.
    scores, variance = scores[:, :-1], variance[:, :-1, :-1]
    solved = np.linalg.pinv(variance, hermitian=True) @ scores[:, :, None]
    return (scores[:, None, :] @ solved)[:, 0, 0].reshape(groups.shape[:-1])


def _over(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """A ratio, 0 where there is nothing to divide by."""
    part, whole = np.broadcast_arrays(part, whole)
    return np.divide(part, whole, out=np.zeros(whole.shape), where=whole > 0.0)


def _scores(y: np.ndarray, died: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gray's scores (B, K) and their covariances (B, K, K) from counts by time, (B, T, K).

    A group's score is the sum over its events less those expected from the subdistribution hazard
    of all. An event, or another one, also moves the group's estimate of its own incidence for all
    times that follow: the terms with ``later``.
    """
    after = np.cumprod(1.0 - _over(died + other, y), axis=1)
    before = np.concatenate([np.ones_like(after[:, :1]), after[:, :-1]], axis=1)
    own = np.cumsum(before * _over(died, y), axis=1)
    own_before = np.concatenate([np.zeros_like(own[:, :1]), own[:, :-1]], axis=1)
    # Patients who would be at risk had nobody had any event, and those of them without this one.
    would = _over(y, before)
    still = would * (1.0 - own_before)
    all_would, all_still, all_died = (
        part.sum(axis=2, keepdims=True) for part in (would, still, died)
    )
    scores = (died - _over(all_died, all_still) * still).sum(axis=1)
    step = _over(all_died, all_would)
    pooled = 1.0 - np.cumsum(step, axis=1)

    share = _over(would, all_would)
    direct = would[:, :, :, None] * (np.eye(y.shape[2]) - share[:, :, None, :])
    direct = np.where((y > 0)[:, :, None, :], direct, 0.0)
    summed = np.cumsum(direct * (step / (pooled + step))[..., None], axis=1)
    later = summed[:, -1:] - summed
    ratio = _over(pooled, after)
    of_event = direct + (1.0 - ratio)[:, :, None, :] * later
    of_other = ratio[:, :, None, :] * later

    # Ties: as drawn without replacement from those at risk.
    event_tie = 1.0 - _over(np.maximum(all_died - 1.0, 0.0), all_would * before - 1.0)
    other_tie = 1.0 - _over(np.maximum(other - 1.0, 0.0), y - 1.0)
    event_weight = event_tie * _over(before * all_died, all_would * y)
    other_weight = other_tie * before**2 * _over(other, y**2)
    variance = sum(
        np.einsum("btkr,btjr,btr->bkj", part, part, weight)
        for part, weight in ((of_event, event_weight), (of_other, other_weight))
    )
    return scores, variance
