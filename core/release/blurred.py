"""Counts by group from which points may be made that leave: no small one follows from them."""

from __future__ import annotations

import numpy as np


def blurred(counts: np.ndarray, least: int) -> np.ndarray:
    """Counts in which all those below a threshold are taken for what is usual.

    In each column the sum stays: the largest counts take what the small ones give or lack, each as
    much of it, so that another value of a small count, its difference taken from them, would tell
    the same. A column whose counts could not give so many is taken for the usual one altogether.
    Usual is what the large counts of all columns say.

    Parameters
    ----------
    counts : ndarray of float64, shape (A, K)
        Of a group, a column, every patient in one cell; those without an answer in a cell, too.
    least : int
        Counts below it must not be told; 0 for none.

    Returns
    -------
    ndarray of float64, shape (A, K)
    """
    small, told = counts < least, counts.copy()
    pools = [_pool(column, least) for column in counts.T]
    for k, pool in enumerate(pools):
        is_small = small[:, k]
        free = counts[is_small | pool, k].sum()
        most = min((least - 1) / 2.0, free / (2.0 * max(is_small.sum(), 1)))
        told[is_small, k] = most
        told[pool, k] = (free - is_small.sum() * most) / max(pool.sum(), 1)
    hides = np.array([pool.any() for pool in pools]) | ~small.any(axis=0)
    large = np.where(small | ~hides, 0.0, told)
    usual = (large.sum(axis=1) + 1.0) / (large.sum() + len(counts))
    for k, pool in enumerate(pools):
        expected = counts[:, k].sum() * usual
        if not hides[k]:
            told[:, k] = expected
        elif pool.any():
            told[:, k] = np.where(small[:, k], np.minimum(told[:, k], expected), told[:, k])
            told[pool, k] += (counts[:, k].sum() - told[:, k].sum()) / pool.sum()
    return told


def _pool(column: np.ndarray, least: int) -> np.ndarray:
    """The largest counts that together can give a small one any value below the threshold.

    They stay the largest, and no small ones, whatever it is; and as many patients spare are asked
    for as the threshold, so that for each of its values there are some for which no fewer do. None
    where there is no small one, or where they are too few.
    """
    small, pool = column < least, np.zeros(column.size, dtype=bool)
    if not small.any():
        return pool
    order = np.argsort(-column, kind="stable")
    n_large = column.size - int(small.sum())
    for m in range(1, n_large + 1):
        beyond = column[order[m]] + 1.0 if m < n_large else 0.0
        free = column[small].sum() + column[order[:m]].sum()
        if free - least >= m * max(least, beyond):
            pool[order[:m]] = True
            return pool
    return pool
