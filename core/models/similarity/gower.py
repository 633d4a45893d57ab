"""Gower's dissimilarity of the rows of a mixed table with missing cells (M12 section 25.1.1).

Of two rows it is the mean, over the columns that both have, of |difference| / range for numbers,
counts and ratings, and of 0 or 1 for names (Gower 1971).
"""

from __future__ import annotations

import numpy as np

from ...families import FAMILIES
from ...families.family import CATEGORY, YES_NO
from ...jit import allocating_kernel
from ...schema.encoded import Encoded

#: Kinds of columns whose codes are names: two are alike or not.
NAMES = (CATEGORY, YES_NO)


def gower(encoded: Encoded) -> np.ndarray:
    """Dissimilarity of every pair of rows.

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
    values = encoded.values
    is_name = np.concatenate(
        [np.full(len(unit.columns), FAMILIES[unit.family].kind in NAMES) for unit in encoded.units]
    )
    with np.errstate(invalid="ignore"):
        widest = np.fmax.reduce(values, axis=0) - np.fmin.reduce(values, axis=0)
    widest = np.where(widest > 0.0, widest, 1.0)  # a constant or empty column tells nothing apart
    apart = _dissimilarities(np.require(values, np.float64, ["C", "W"]), widest, is_name)
    unknown = np.isnan(apart)
    if unknown.any():
        known = ~unknown
        np.fill_diagonal(known, False)
        apart[unknown] = apart[known].mean() if known.any() else 0.0
        np.fill_diagonal(apart, 0.0)
    return apart


@allocating_kernel
def _dissimilarities(values, widest, is_name):
    """Means over common columns, shape (N, N); NaN for pairs that have none."""
    n_rows, n_columns = values.shape
    apart = np.empty((n_rows, n_rows))
    for i in range(n_rows):
        apart[i, i] = 0.0
        for j in range(i):
            total, common = 0.0, 0
            for p in range(n_columns):
                difference = abs(values[i, p] - values[j, p])
                if np.isnan(difference):
                    continue
                common += 1
                if is_name[p]:
                    total += 1.0 if difference > 0.0 else 0.0
                else:
                    total += difference / widest[p]
            apart[i, j] = total / common if common else np.nan
            apart[j, i] = apart[i, j]
    return apart
