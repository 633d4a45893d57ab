"""A mixed table as plain numbers, the way a careful user of K-means would prepare it."""

from dataclasses import dataclass

import numpy as np

from ..cache import cached_on
from ..families.family import CATEGORY
from ..schema.encoded import Encoded, Unit


@dataclass(frozen=True)
class NumericEncoding:
    """How the codes of a table become the numbers that K-means and DP-means run on."""

    #: Length P. Name of every number; ``"colour = red"`` for one level of a category.
    names: tuple[str, ...]
    #: Shape (M,). The code that takes the place of a missing cell.
    fill: np.ndarray
    #: Shape (M,). What is subtracted from a column, and what it is then divided by.
    center: np.ndarray
    scale: np.ndarray
    #: Length M. Levels of a category, as many 0/1 columns; 0 for a column that stays one.
    n_levels: tuple[int, ...]

    def apply(self, values: np.ndarray) -> np.ndarray:
        """Numbers, shape (N, P), without holes, each column contiguous, of codes, shape (N, M)."""
        columns = np.empty((len(self.names), len(values)))
        p = 0
        for j, n_levels in enumerate(self.n_levels):
            cells = np.where(np.isnan(values[:, j]), self.fill[j], values[:, j])
            for level in range(n_levels):
                columns[p + level] = cells == level
            if n_levels == 0:
                columns[p] = (cells - self.center[j]) / self.scale[j]
            p += max(n_levels, 1)
        return columns.T


@cached_on
def numeric_encoding(encoded: Encoded, standardise: bool = True) -> NumericEncoding:
    """Learn the numeric encoding of a table.

    Numbers, ratings and counts are standardised if so asked; yes/no is 0/1, a category one 0/1
    column a level; missing cells take the column's mean or its commonest level.
    """
    weight = np.ones(len(encoded.values)) if encoded.weights is None else encoded.weights
    cells = ((unit, name) for unit in encoded.units for name in unit.columns)
    names, plans = [], []
    for (unit, name), column in zip(cells, encoded.values.T, strict=True):
        plans.append(_plan(unit, column, weight, standardise))
        n = plans[-1][-1]
        levels = unit.options.get("levels", range(n))
        names += [f"{name} = {level}" for level in levels] if n else [name]
    *numbers, n_levels = zip(*plans, strict=True)
    return NumericEncoding(tuple(names), *map(np.array, numbers), n_levels)


@cached_on
def plain_numbers(encoded: Encoded, standardise: bool = True) -> np.ndarray:
    """The numeric encoding of a table's own rows, shape (N, P), to be read only."""
    return numeric_encoding(encoded, standardise).apply(encoded.values)


def _plan(
    unit: Unit, column: np.ndarray, weight: np.ndarray, standardise: bool
) -> tuple[float, float, float, int]:
    """Fill, centre, scale and number of 0/1 columns of one column."""
    seen = ~np.isnan(column)
    cells, w = column[seen], weight[seen]
    if unit.is_nominal:
        counts = np.bincount(cells.astype(np.int64), w, 1)
        n_levels = 0
        if unit.kind == CATEGORY:
            n_levels = len(unit.options.get("levels", counts))
        return float(np.argmax(counts)), 0.0, 1.0, n_levels
    if not cells.size:
        return 0.0, 0.0, 1.0, 0
    mean = float((w * cells).sum() / w.sum())
    if not standardise:
        return mean, 0.0, 1.0, 0
    # Of equal values rounding may leave a spread; of tiny ones it may leave none.
    is_constant = cells.min() == cells.max()
    spread = 0.0 if is_constant else float(np.sqrt((w * np.square(cells - mean)).sum() / w.sum()))
    return mean, mean, spread or 1.0, 0
