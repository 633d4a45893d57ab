"""Which columns tell one story: how strongly any two depend on each other, and a tree of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from ...engine.columns import Columns
from ...engine.partition import Partition
from ...families import FAMILIES
from ...families.family import CATEGORY
from ...inference.contributions import unit_log_marginals
from ...schema.encoded import Encoded

#: Bins of a column with more values than that: halves of its halves.
BINS = 4
#: Rows on which dependence is measured; more would tell the same columns apart.
SAMPLE = 2_000


def dependence(
    columns: Columns, random: np.random.Generator, told: Callable[[int], None]
) -> np.ndarray:
    """Log Bayes factor of every pair of columns, given in bins, for dependence.

    ln p of column w in the bins of column u, bin by bin, minus ln p of it all together: a test of
    independence that holds for every family. The larger of both ways.

    Parameters
    ----------
    columns : Columns
        Of U units.
    random : numpy.random.Generator
        Draws the rows of a large table.
    told : callable
        Given the number of each unit that is done; what it raises ends the work.

    Returns
    -------
    ndarray of float64, shape (U, U)
        Symmetric, in nats; the diagonal has no meaning.
    """
    if columns.n_rows > SAMPLE:
        columns = columns.subset(np.sort(random.choice(columns.n_rows, SAMPLE, replace=False)))
    encoded = columns.encoded
    nats = np.zeros((len(encoded.units),) * 2)
    for u in range(len(encoded.units)):
        bins = _bins(encoded, u)
        seen = np.flatnonzero(bins >= 0)
        if bins.max(initial=0) > 0:
            part = columns.subset(seen)
            apart = unit_log_marginals(Partition.at_rest(part, 1.0, bins[seen])).sum(axis=1)
            nats[u] = apart - unit_log_marginals(Partition.at_rest(part, 1.0))[:, 0]
        told(u)
    return np.maximum(nats, nats.T)


def column_tree(nats: np.ndarray) -> np.ndarray:
    """Average linkage of columns by their dependence, the strongest first.

    Parameters
    ----------
    nats : ndarray, shape (U, U)
        ``dependence``; U at least 2.

    Returns
    -------
    ndarray of int64, shape (U - 1, 2)
        The two nodes that each merge joins; node U + t is what merge t makes.
    """
    distance = nats.max() - nats
    np.fill_diagonal(distance, 0.0)
    return linkage(squareform(distance, checks=False), "average")[:, :2].astype(np.int64)


def _bins(encoded: Encoded, u: int) -> np.ndarray:
    """Bin of every row by its value in a unit, -1 where it is missing, shape (N,)."""
    values = encoded.unit_values(u)
    if FAMILIES[encoded.units[u].family].is_block:
        values = _main_axis(values)
    seen = ~np.isnan(values)
    bins = np.full(values.size, -1)
    distinct, places = np.unique(values[seen], return_inverse=True)
    if distinct.size > BINS and not _has_names(encoded, u):
        edges = np.unique(np.quantile(values[seen], np.arange(1, BINS) / BINS))
        places = np.searchsorted(edges, values[seen], side="right")
        places = np.unique(places, return_inverse=True)[1]
    bins[seen] = places
    return bins


def _has_names(encoded: Encoded, u: int) -> bool:
    """Whether the codes of a unit stand for names, which have no order to cut."""
    return FAMILIES[encoded.units[u].family].kind == CATEGORY


def _main_axis(block: np.ndarray) -> np.ndarray:
    """Place of every row on the first principal axis of a block; its holes are the column means."""
    known = ~np.isnan(block)
    count = np.maximum(known.sum(axis=0), 1)
    centred = np.where(known, block, 0.0)
    centred = np.where(known, block - centred.sum(axis=0) / count, 0.0)
    spread = np.sqrt(np.square(centred).sum(axis=0) / count)
    centred /= np.where(spread > 0.0, spread, 1.0)
    axis = np.linalg.svd(centred, full_matrices=False)[2][0]
    return np.where(known.any(axis=1), centred @ axis, np.nan)
