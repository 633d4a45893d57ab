"""How far apart rows are: plain numbers, and Gower's dissimilarity of mixed tables with holes."""

from __future__ import annotations

import numpy as np

from ...schema.encoded import Encoded
from ..numeric import numeric_encoding

#: Rows whose square matrix is kept: beyond them half a gigabyte is not enough.
MOST_ROWS = 2**13
#: Rows compared at once.
BLOCK = 64


def check_pairs(n_rows: int, method: str) -> None:
    """Refuse too many pairs of rows by a ValueError that names their memory and a good size."""
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


def gower(encoded: Encoded) -> np.ndarray:
    """Gower's dissimilarity of every pair of rows, 0 to 1, shape (N, N) (Gower 1971; M12 25.1.1).

    The mean over common columns of |difference| / range, or of 0 or 1 for names; without a common
    column, the mean of all pairs.
    """
    n_rows, is_name = len(encoded.values), [u.is_nominal for u in encoded.units for _ in u.columns]
    apart, common = np.zeros((n_rows, n_rows)), np.zeros((n_rows, n_rows))
    for cells, has_names in zip(encoded.values.T, is_name, strict=True):
        known = ~np.isnan(cells)
        width = np.ptp(cells[known]) if known.any() else 0.0
        filled = np.where(known, cells, 0.0) / (width or 1.0)  # a constant one tells nothing apart
        for start in range(0, n_rows, BLOCK):
            rows = slice(start, start + BLOCK)
            both = known[rows, None] & known
            difference = np.abs(filled[rows, None] - filled)
            apart[rows] += (difference > 0.0) & both if has_names else difference * both
            common[rows] += both
    apart /= np.maximum(common, 1.0)
    is_known = common > 0.0
    np.fill_diagonal(is_known, True)
    if not is_known.all():
        pairs = is_known & ~np.eye(n_rows, dtype=bool)
        apart[~is_known] = apart[pairs].mean() if pairs.any() else 0.0
    np.fill_diagonal(apart, 0.0)
    return apart
