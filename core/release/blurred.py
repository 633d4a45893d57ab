"""Counts by group from which points may be made that leave: no small one follows from them."""

from __future__ import annotations

import numpy as np


def blurred(counts: np.ndarray, least: int) -> np.ndarray:
    """Counts in which all those below a threshold are taken for what is usual.

    In each column the sum stays: the largest count takes what the small ones give or lack, so that
    another value of a small count, its difference taken from the largest, would tell the same. A
    column whose largest count could not give so many is taken for the usual one altogether. Usual
    is what the large counts of all columns say.

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
    small, sizes = counts < least, counts.sum(axis=0)
    largest, each = counts.argmax(axis=0), np.arange(counts.shape[1])
    n_small = small.sum(axis=0)
    # What a small one and the largest have together is told, and must leave a small one free.
    highest = counts[largest, each]
    together = np.where(small, counts, 0.0).sum(axis=0) + np.where(highest < least, 0, highest)
    too_few = (n_small > 0) & ((together < 2 * least - 1) | (highest < least))
    most = np.minimum((least - 1) / 2.0, together / (2.0 * np.maximum(n_small, 1)))
    large = np.where(small | too_few, 0.0, counts)
    large[largest, each] = np.where(too_few, 0.0, together - n_small * most)
    usual = (large.sum(axis=1) + 1.0) / (large.sum() + len(counts))
    told = np.where(small, np.minimum(most, sizes * usual[:, None]), counts)
    told[largest, each] += sizes - told.sum(axis=0)
    told[:, too_few] = (sizes * usual[:, None])[:, too_few]
    return told
