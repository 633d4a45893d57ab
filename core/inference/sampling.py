"""New rows drawn from a fitted mixture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..families import FAMILIES
from ..schema.encoded import Encoded, Unit
from .clusters import Cluster


def draw_rows(
    clusters: Sequence[Cluster], units: tuple[Unit, ...], n_rows: int, random: np.random.Generator
) -> tuple[Encoded, np.ndarray]:
    """Draw rows from the predictives of clusters, each as often as its size says.

    Returns
    -------
    rows : Encoded
        Codes, and quantities in the user's units; NaN for the number of a two-part column where
        a special outcome was drawn.
    labels : ndarray of int64, shape (n_rows,)
        The cluster of every row, in ascending order.
    """
    sizes = np.array([cluster.size for cluster in clusters])
    counts = random.multinomial(n_rows, sizes / sizes.sum())
    labels = np.repeat(np.arange(sizes.size), counts)
    parts = []
    for unit in units:
        drawn = np.empty((n_rows, len(unit.columns)))
        for k, cluster in enumerate(clusters):
            cells = cluster.posterior[unit.name].draw(int(counts[k]), random)
            is_block = FAMILIES[unit.family].is_block
            drawn[labels == k] = cells if is_block else np.reshape(cells, (-1, 1))
        parts.append(drawn)
    encoded = Encoded(np.concatenate(parts, axis=1), units)
    for name, u in encoded.outcome_of.items():
        special = encoded.values[:, encoded.starts[u]] > 0
        encoded.values[special, encoded.names.index(name)] = np.nan
    return encoded, labels
