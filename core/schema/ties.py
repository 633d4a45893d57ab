"""How strongly the columns of a table are tied to one of them, quickly, from some of its rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.special import chdtrc

from ..families import FAMILIES
from ..families.family import MEASUREMENT
from .encode import encode_column
from .spec import ColumnSpec, SchemaError

ROWS = 1_000
SAME = 0.95  # strength of a tie from which on two columns say the same
MOST_COUNTED = 10_000  # whole numbers up to it are counted instead of sorted


def few_codes(frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]) -> dict[str, np.ndarray]:
    """Few whole numbers from 0 for some rows of every column, NaN where missing.

    Measurements are cut at their quartiles. A column that cannot be read has no code.
    """
    some = frame.iloc[:: max(len(frame) // ROWS, 1)]
    return {
        name: _codes(some, spec)
        for name, spec in specs.items()
        if spec.family in FAMILIES and spec.role != "id"
    }


def _codes(frame: pd.DataFrame, spec: ColumnSpec) -> np.ndarray:
    try:
        values = encode_column(frame[spec.name], spec, new_rows=True)
    except SchemaError:  # an infinity, say: the column is refused later, with its reason
        return np.full(len(frame), np.nan)
    seen = values[~np.isnan(values)]
    if len(np.unique(seen)) > 12 or FAMILIES[spec.family].kind == MEASUREMENT:
        cuts = np.unique(np.quantile(seen, [0.25, 0.5, 0.75])) if len(seen) else np.empty(0)
        values = np.where(np.isnan(values), np.nan, np.searchsorted(cuts, values))
    return values


def ties_of(codes: Mapping[str, np.ndarray], name: str) -> dict[str, tuple[float, float]]:
    """Strength and p-value of the tie between a column and every other.

    Parameters
    ----------
    codes : mapping of str to ndarray, shape (n,)
        From ``few_codes``.

    Returns
    -------
    dict of str to (float, float)
        Cramér's V (Cramér 1946) without its bias (Bergsma 2013), and the p-value of its chi-squared
        test.
    """
    return {other: _tie(codes[name], codes[other]) for other in codes if other != name}


def _tie(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    table = crossed(a, b)
    n = table.sum()
    height, width = table.shape
    if n < 5 or min(height, width) < 2:
        return 0.0, 1.0
    expected = table.sum(1, keepdims=True) * table.sum(0) / n
    statistic = float(((table - expected) ** 2 / expected).sum())
    freedom = (height - 1) * (width - 1)
    phi = max(statistic / n - freedom / (n - 1), 0.0)
    corrected = min(height - (height - 1) ** 2 / (n - 1), width - (width - 1) ** 2 / (n - 1)) - 1
    strength = float(np.sqrt(phi / corrected)) if corrected > 0 else 0.0
    return strength, float(chdtrc(freedom, statistic))


def crossed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Rows by the values of two columns, those of neither missing."""
    both = ~np.isnan(a) & ~np.isnan(b)
    rows, columns = places_of(a[both]), places_of(b[both])
    height, width = rows.max(initial=-1) + 1, columns.max(initial=-1) + 1
    counts = np.bincount(rows * width + columns, minlength=height * width)
    return counts.reshape(height, width)


def places_of(values: np.ndarray) -> np.ndarray:
    """Place of every value, (n,), among the distinct ones in increasing order."""
    if values.size and values.min() >= 0 and values.max() < MOST_COUNTED:
        codes = values.astype(np.intp)
        if (codes == values).all():
            return (np.cumsum(np.bincount(codes) > 0) - 1)[codes]
    return np.unique(values, return_inverse=True)[1]


def foreseen(codes: Mapping[str, np.ndarray], name: str) -> float:
    """How well the other columns predict one: what somebody knew of every row, they know too.

    Returns
    -------
    float
        Cohen's kappa between the column and what naive Bayes says of every row from the others, the
        row itself left out; at most 1, and about 0 where they know nothing. Columns that say the
        same as this one do not count.
    """
    own = codes[name]
    truth = places_of(own[~np.isnan(own)])
    if not truth.size or truth.max() == 0:
        return 0.0
    is_class = np.eye(truth.max() + 1)[truth]
    scores = np.log(is_class.sum(0) + 0.5 - is_class)
    for other, values in codes.items():
        if other == name or _tie(own, values)[0] > SAME:
            continue
        values = values[~np.isnan(own)]
        seen = ~np.isnan(values)
        code = places_of(values[seen])
        n_levels = code.max(initial=-1) + 1
        here = is_class[seen]
        counts = here.T @ np.eye(n_levels)[code]
        within = here.sum(0) - here + 0.5 * n_levels
        scores[seen] += np.log((counts[:, code].T - here + 0.5) / within)
    return _kappa(truth, scores.argmax(axis=1), is_class.shape[1])


def _kappa(truth: np.ndarray, said: np.ndarray, size: int) -> float:
    """Cohen's kappa (1960): agreement above what the frequencies alone give."""
    expected = float(np.bincount(truth, minlength=size) @ np.bincount(said, minlength=size))
    expected /= truth.size**2
    return float((np.mean(truth == said) - expected) / (1.0 - expected)) if expected < 1 else 0.0
