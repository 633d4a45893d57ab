"""Which rows have been seen in groups before, whatever table they come back in.

A lock says that roles were chosen before anybody saw groups. That is about the patients, not about
the file: the same file again, a part of it, or its rows and columns in another order are the same
patients.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

#: Rows of a table that are remembered, taken evenly; and fewest columns that two tables share.
REMEMBERED, FEWEST_SHARED = 2_000, 2
#: Share of a table's remembered rows from which it has been seen before.
SEEN = 0.05


@dataclass
class SeenRows:
    """Hashes of the rows of tables whose groups were seen in this visit; no value is kept."""

    #: By table: columns, and their cells as hashes, shape (R, M).
    _tables: list[tuple[list[str], np.ndarray]] = field(default_factory=list)

    def add(self, frame: pd.DataFrame) -> None:
        """Remember the rows of a table."""
        self._tables.append(([str(name) for name in frame.columns], _cells(frame)))

    def share(self, frame: pd.DataFrame) -> float:
        """Share of a table's rows, or of those of a table seen, that are in both; 0 for none.

        Tables are compared on the columns that they share.
        """
        names, cells = [str(name) for name in frame.columns], _cells(frame)
        return max((_shared(names, cells, *table) for table in self._tables), default=0.0)


def shared_rows(first: pd.DataFrame, second: pd.DataFrame) -> float:
    """Share of the rows of either table that are in the other, too."""
    seen = SeenRows()
    seen.add(first)
    return seen.share(second)


def _shared(
    names: list[str], cells: np.ndarray, seen_names: list[str], seen_cells: np.ndarray
) -> float:
    both = sorted(set(names) & set(seen_names))
    if len(both) < FEWEST_SHARED or not len(cells) or not len(seen_cells):
        return 0.0
    own = _rows(cells[:, [names.index(name) for name in both]])
    seen = _rows(seen_cells[:, [seen_names.index(name) for name in both]])
    if np.unique(seen).size < 0.5 * seen.size:  # columns that do not tell rows apart
        return 0.0
    return float(max(np.isin(own, seen).mean(), np.isin(seen, own).mean()))


def _rows(cells: np.ndarray) -> np.ndarray:
    """One number a row, from the hashes of its cells in the order of their columns' names."""
    weights = np.random.default_rng(0).integers(1, 2**63, cells.shape[1], dtype=np.uint64) | 1
    with np.errstate(over="ignore"):
        return (cells * weights).sum(axis=1, dtype=np.uint64)


def _cells(frame: pd.DataFrame) -> np.ndarray:
    """Hashes of the cells of evenly spread rows; 2, 2.0 and the text "2" are one."""
    rows = np.flatnonzero(_is_remembered(frame))
    columns = [_hashes(frame.iloc[rows, j]) for j in range(frame.shape[1])]
    return np.column_stack(columns) if columns else np.empty((len(rows), 0), dtype=np.uint64)


def _is_remembered(frame: pd.DataFrame) -> np.ndarray:
    """Rows by their own content, so that a part of a table remembers the same ones."""
    if len(frame) <= REMEMBERED or not frame.shape[1]:
        return np.ones(len(frame), dtype=bool)
    first = _hashes(frame[min(frame.columns, key=str)])
    return first <= np.quantile(first, REMEMBERED / len(frame))


def _hashes(column: pd.Series) -> np.ndarray:
    values = pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    words = column.astype("string").fillna("").str.strip().to_numpy(object)
    hashed = pd.util.hash_array(words, categorize=True)
    numbers = pd.util.hash_array(np.where(values == 0.0, 0.0, values))
    return np.where(np.isnan(values), hashed, numbers)
