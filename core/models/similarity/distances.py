"""How far apart rows are: plain numbers, and Gower's dissimilarity of mixed tables with holes."""

from __future__ import annotations

import numpy as np

from ...families import FAMILIES
from ...families.family import CATEGORY, YES_NO
from ...schema.encoded import Encoded
from ..numeric import numeric_encoding

#: Rows whose square matrix is kept: beyond them half a gigabyte is not enough.
MOST_ROWS = 2**13
#: Kinds of columns whose codes are names: two are alike or not.
NAMES = (CATEGORY, YES_NO)
#: Rows that are compared with all others at once.
BLOCK = 64


def check_pairs(n_rows: int, method: str) -> None:
    """Refuse a table with too many pairs of rows.

    Raises
    ------
    ValueError
        Names the memory that it would take, and a sample that fits.
    """
    if n_rows > MOST_ROWS:
        gigabytes = 8 * n_rows**2 / 1e9
        raise ValueError(
            f"{method} compares every pair of rows: {n_rows:,} rows would take {gigabytes:,.1f} GB "
            f"of memory. Give it a sample of at most {MOST_ROWS:,} rows."
        )


def numbers_for(encoded: Encoded, standardise: bool) -> np.ndarray:
    """The table as plain numbers, shape (N, P)."""
    return numeric_encoding(encoded, standardise).apply(encoded.values)


def standardised(encoded: Encoded) -> np.ndarray:
    """The table as plain numbers of mean 0 and spread 1, constant ones 0, shape (N, P)."""
    numbers = numbers_for(encoded, standardise=True)
    spread = numbers.std(axis=0)
    return (numbers - numbers.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)


def squared_distances(rows: np.ndarray) -> np.ndarray:
    """Squared Euclidean distance of every pair of rows, shape (N, N)."""
    squares = np.square(rows).sum(axis=1)
    apart = np.maximum(squares[:, None] + squares - 2.0 * rows @ rows.T, 0.0)
    np.fill_diagonal(apart, 0.0)
    return apart


def gaussian_kernel(rows: np.ndarray) -> np.ndarray:
    """exp(-d^2 / 2 w^2) of every pair, w the median distance of two rows, shape (N, N)."""
    squared = squared_distances(rows)
    off = squared[np.triu_indices(len(rows), 1)]
    off = off[off > 0.0]
    return np.exp(-squared / (2.0 * np.median(off))) if off.size else np.ones_like(squared)


def gower(encoded: Encoded) -> np.ndarray:
    """Gower's dissimilarity of every pair of rows (Gower 1971; M12 section 25.1.1).

    The mean, over the columns that both rows have, of |difference| / range for numbers, counts and
    ratings, and of 0 or 1 for names.

    Parameters
    ----------
    encoded : Encoded
        Of N rows. Missing cells are left out, and the rest counts for more; two rows without a
        common column are as far apart as rows are on average.

    Returns
    -------
    ndarray of float64, shape (N, N)
        Symmetric, from 0 to 1; the diagonal is 0.
    """
    is_name = np.concatenate(
        [np.full(len(unit.columns), FAMILIES[unit.family].kind in NAMES) for unit in encoded.units]
    )
    with np.errstate(invalid="ignore"):
        widest = np.fmax.reduce(encoded.values) - np.fmin.reduce(encoded.values)
    widest = np.where((widest > 0.0) & ~is_name, widest, 1.0)  # a constant one tells nothing apart
    scaled = np.ascontiguousarray((encoded.values / widest).T)
    n_rows = len(encoded.values)
    apart, common = np.zeros((n_rows, n_rows)), np.zeros((n_rows, n_rows))
    for column, has_names in zip(scaled, is_name, strict=True):
        known = ~np.isnan(column)
        filled = np.where(known, column, 0.0)
        for start in range(0, n_rows, BLOCK):
            rows = slice(start, start + BLOCK)
            both = known[rows, None] & known
            difference = np.abs(filled[rows, None] - filled)
            apart[rows] += (difference > 0.0) & both if has_names else difference * both
            common[rows] += both
    return _means(apart, common)


def _means(apart: np.ndarray, common: np.ndarray) -> np.ndarray:
    """Sums over common columns divided by their number, the usual one where there is none."""
    apart /= np.maximum(common, 1.0)
    unknown = common == 0.0
    if unknown.any():
        known = ~unknown
        np.fill_diagonal(known, False)
        apart[unknown] = apart[known].mean() if known.any() else 0.0
    np.fill_diagonal(apart, 0.0)
    return apart
