"""Which rows have been seen in groups before, whatever table they come back in.

A lock says that roles were chosen before anybody saw groups. That is about the patients, not about
the file: the same file again, a part of it, or its rows and columns in another order are the same
patients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from .releases import Earlier, Release

#: About so many rows of a table are remembered; and fewest columns that two tables share.
REMEMBERED, FEWEST_SHARED = 10_000, 2
#: Share of a table's remembered rows from which it has been seen before.
SEEN = 0.05


@dataclass(frozen=True)
class _Rows:
    """Cells of the remembered rows of a table as hashes, shape (R, M).

    Those are remembered whose cell in one column has a hash up to a limit: of a part of a table the
    same ones.
    """

    names: list[str]
    cells: np.ndarray
    by: str
    limit: int

    @classmethod
    def of(cls, frame: pd.DataFrame) -> _Rows:
        """Those of a table; 2, 2.0 and the text "2" are one."""
        names = [str(name) for name in frame.columns]
        by, limit = min(names, default=""), np.iinfo(np.uint64).max
        rows = np.ones(len(frame), dtype=bool)
        if names and len(frame) > REMEMBERED:
            hashes = _hashes(frame.iloc[:, names.index(by)])
            limit = np.sort(hashes)[REMEMBERED - 1]
            rows = hashes <= limit
        columns = [_hashes(frame.iloc[rows, j]) for j in range(len(names))]
        empty = np.empty((int(rows.sum()), 0), dtype=np.uint64)
        return cls(names, np.column_stack(columns) if columns else empty, by, int(limit))

    def remembered_like(self, other: _Rows) -> _Rows:
        """Those of the rows that the other table would have remembered, too."""
        if other.by not in self.names:
            return self
        rows = self.cells[:, self.names.index(other.by)] <= np.uint64(other.limit)
        return replace(self, cells=self.cells[rows])

    def on(self, names: list[str]) -> np.ndarray:
        """One number a row, of its cells in some columns."""
        return _rows(self.cells[:, [self.names.index(name) for name in names]])


@dataclass
class SeenRows:
    """Hashes of the rows of tables whose groups were seen in this visit; no value is kept."""

    _tables: list[_Rows] = field(default_factory=list)
    #: What was let out of each of them.
    _let_out: list[Sequence[Release]] = field(default_factory=list)

    def add(self, frame: pd.DataFrame, let_out: Sequence[Release] = ()) -> None:
        """Remember the rows of a table, and the reports that were let out of it."""
        self._tables.append(_Rows.of(frame))
        self._let_out.append(tuple(let_out))

    def earlier(self, frame: pd.DataFrame) -> list[Earlier]:
        """Reports of tables seen, their patients found again by their rows in this one."""
        if not any(self._let_out):
            return []
        own = _Rows.of(frame)
        return [
            Earlier(release, places)
            for table, let_out in zip(self._tables, self._let_out, strict=True)
            if let_out and _shared(own, table)
            for places in [_places(own, table)]
            for release in let_out
            if release.labels.size == places.size
        ]

    def share(self, frame: pd.DataFrame) -> float:
        """Share of a table's rows, or of those of a table seen, that are in both; 0 for none.

        Tables are compared on the columns that they share.
        """
        own = _Rows.of(frame)
        return max((_shared(own, table) for table in self._tables), default=0.0)


def shared_rows(first: pd.DataFrame, second: pd.DataFrame) -> float:
    """Share of the rows of either table that are in the other, too."""
    seen = SeenRows()
    seen.add(first)
    return seen.share(second)


def _shared(first: _Rows, second: _Rows) -> float:
    both = sorted(set(first.names) & set(second.names))
    if len(both) < FEWEST_SHARED:
        return 0.0
    own, seen = (
        one.remembered_like(other).on(both) for one, other in ((first, second), (second, first))
    )
    # Columns that do not tell rows apart say nothing.
    if not own.size or not seen.size or np.unique(seen).size < 0.5 * seen.size:
        return 0.0
    return float(max(np.isin(own, seen).mean(), np.isin(seen, own).mean()))


def _places(own: _Rows, seen: _Rows) -> np.ndarray:
    """Of every row of a table seen its row here, -1 where there is none; twins in their order.

    Of tables of more rows than are remembered there is no saying.
    """
    both = sorted(set(own.names) & set(seen.names))
    found = pd.DataFrame({"row": own.on(both)}), pd.DataFrame({"row": seen.on(both)})
    for rows in found:
        rows["twin"] = rows.groupby("row").cumcount()
    here = found[0].reset_index(names="place")
    places = found[1].merge(here, how="left", on=["row", "twin"])["place"]
    return places.fillna(-1).to_numpy(np.int64)


def _rows(cells: np.ndarray) -> np.ndarray:
    """One number a row, from the hashes of its cells in the order of their columns' names."""
    weights = np.random.default_rng(0).integers(1, 2**63, cells.shape[1], dtype=np.uint64) | 1
    with np.errstate(over="ignore"):
        return (cells * weights).sum(axis=1, dtype=np.uint64)


def _hashes(column: pd.Series) -> np.ndarray:
    values = pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    words = column.astype("string").fillna("").str.strip().to_numpy(object)
    hashed = pd.util.hash_array(words, categorize=True)
    numbers = pd.util.hash_array(np.where(values == 0.0, 0.0, values))
    return np.where(np.isnan(values), hashed, numbers)
