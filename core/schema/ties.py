"""How strongly the columns of a table are tied to one of them, quickly, from some of its rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import chi2

from ..families import FAMILIES
from ..families.family import MEASUREMENT
from .encode import encode_column
from .spec import ColumnSpec, SchemaError

ROWS = 1_000


def ties_of(
    frame: pd.DataFrame, specs: Mapping[str, ColumnSpec], name: str
) -> dict[str, tuple[float, float]]:
    """Strength and p-value of the tie between a column of few values and every other column.

    Returns
    -------
    dict of str to (float, float)
        Cramér's V (Cramér 1946) without its bias (Bergsma 2013), and the p-value of its chi-squared
        test. Measurements are cut at their quartiles. A column that cannot be read has no tie.
    """
    some = frame.iloc[:: max(len(frame) // ROWS, 1)]
    own = _codes(some, specs[name])
    result = {}
    for other, spec in specs.items():
        if other == name or spec.family not in FAMILIES or spec.role == "id":
            continue
        result[other] = _tie(own, _codes(some, spec))
    return result


def _codes(frame: pd.DataFrame, spec: ColumnSpec) -> np.ndarray:
    """Few whole numbers from 0 for every row, NaN where missing."""
    try:
        values = encode_column(frame[spec.name], spec, new_rows=True)
    except SchemaError:  # an infinity, say: the column is refused later, with its reason
        return np.full(len(frame), np.nan)
    seen = values[~np.isnan(values)]
    if len(np.unique(seen)) > 12 or FAMILIES[spec.family].kind == MEASUREMENT:
        cuts = np.unique(np.quantile(seen, [0.25, 0.5, 0.75])) if len(seen) else np.empty(0)
        values = np.where(np.isnan(values), np.nan, np.searchsorted(cuts, values))
    return values


def _tie(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    both = ~np.isnan(a) & ~np.isnan(b)
    _, rows = np.unique(a[both], return_inverse=True)
    _, columns = np.unique(b[both], return_inverse=True)
    n = both.sum()
    if n < 5:
        return 0.0, 1.0
    height, width = rows.max() + 1, columns.max() + 1
    if min(height, width) < 2:
        return 0.0, 1.0
    table = np.bincount(rows * width + columns, minlength=height * width).reshape(height, width)
    expected = table.sum(1, keepdims=True) * table.sum(0) / n
    statistic = float(((table - expected) ** 2 / expected).sum())
    freedom = (height - 1) * (width - 1)
    phi = max(statistic / n - freedom / (n - 1), 0.0)
    corrected = min(height - (height - 1) ** 2 / (n - 1), width - (width - 1) ** 2 / (n - 1)) - 1
    strength = float(np.sqrt(phi / corrected)) if corrected > 0 else 0.0
    return strength, float(chi2.sf(statistic, freedom))
