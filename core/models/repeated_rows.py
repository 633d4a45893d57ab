"""Identical rows are searched as one that counts as often: at the lowest E they are together.

Where a of m identical rows are in one cluster and the others in another, -E is f(a) + g(m - a) and
a constant. Both are convex: ln E[p(x | theta)^a] by Cauchy and Schwarz, ln Gamma(n + a) of the
prior of partitions as well. So all together in one of the two clusters has the lowest E; only a
cluster that one of them opens alone is no such case, which a sweep over all rows looks after. Of a
handful of rows, each may be best alone: they are searched as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..engine.tiles import FEWEST_ROWS
from ..schema.encoded import Encoded
from .search import HANDFUL

#: Tables of which at most this share of the rows is distinct are searched by their distinct rows: a
#: row takes longer, up to three times, where rows count differently; and some ten times in a table
#: whose rows, did they count alike, would be judged by tiles.
FEW, FEW_OF_MANY = 0.6, 0.1


@dataclass(frozen=True)
class DistinctRows:
    """A table's distinct rows, each with the weight of all that are like it."""

    encoded: Encoded
    #: int64, shape (N,). Which of them each row of the table is.
    place: np.ndarray

    @classmethod
    def of(cls, encoded: Encoded) -> DistinctRows | None:
        """The distinct rows in the order in which they come first; None where they are many.

        None of a ``HANDFUL``, too.
        """
        values = encoded.values
        if len(values) <= HANDFUL:
            return None
        most = len(values) * (FEW if len(values) < FEWEST_ROWS else FEW_OF_MANY)
        # A sum of random multiples tells rows apart quickly; cells decide where it finds few.
        random = np.random.default_rng(0)
        numbers = np.where(np.isnan(values), random.normal(), values)
        # By einsum: the threads of a matrix product would wait for more long after it.
        signs = np.einsum("nm,m->n", numbers, random.normal(size=values.shape[1]))
        if np.unique(signs).size > most:
            return None
        _, first, place = np.unique(signs, return_index=True, return_inverse=True)
        if not np.array_equal(values[first][place], values, equal_nan=True):
            return None
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        place = rank[place]
        rows = encoded.rows(first[order])
        weights = np.bincount(place, encoded.weights)
        return cls(replace(rows, weights=weights.astype(np.float64)), place)


def may_weigh(encoded: Encoded) -> bool:
    """Whether rows may count differently: not where the engine fills cells."""
    return not any(encoded.is_filled(u).any() for u in range(len(encoded.units)))
