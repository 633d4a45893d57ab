"""The rows of a table as plain numbers, stored the way K-means and DP-means read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .numeric import NumericEncoding

#: Numbers kept in memory. Those of a larger table would take more room than the table itself: they
#: are made anew at every pass, so many rows at a time, which a run hardly notices (1,000,000 rows
#: of 32 numbers: 3-4 s either way).
KEPT_NUMBERS = 2**24
ROWS_AT_ONCE = 2**13
#: Rows of a large table among which K-means finds its seeds.
SAMPLE = 50_000
#: The weights of rows that count once each.
ALIKE = np.empty(0)


@dataclass(frozen=True)
class Rows:
    """A table of plain numbers, centred and stored column by column."""

    #: float64, shape (P, N). C-contiguous, the shift subtracted.
    columns: np.ndarray
    #: float64, shape (P,). About the mean of each column, so that sums keep their digits far from
    #: 0.
    shift: np.ndarray
    #: float64, shape (N,), or (0,) where every row counts once. How often each row counts.
    weights: np.ndarray = field(default_factory=lambda: ALIKE)

    @classmethod
    def of(cls, values: np.ndarray, shift: np.ndarray | None = None) -> Rows:
        """Pack a table of shape (N, P), about the given shift or its own mean."""
        return cls.taking(np.array(values.T, dtype=np.float64, order="C"), shift)

    @classmethod
    def taking(
        cls, columns: np.ndarray, shift: np.ndarray | None = None, weights: np.ndarray = ALIKE
    ) -> Rows:
        """Pack columns of shape (P, N) where they are: no one else may read them afterwards."""
        if shift is None:
            # A constant column becomes exactly 0, where its mean would leave rounding errors.
            constant = columns.min(axis=1) == columns.max(axis=1)
            mean = columns @ (weights / weights.sum()) if weights.size else columns.mean(axis=1)
            shift = np.where(constant, columns[:, 0], mean)
        columns -= shift[:, None]
        return cls(columns, shift, weights)

    @property
    def n_rows(self) -> int:
        """N."""
        return self.columns.shape[1]

    @property
    def sample(self) -> Rows:
        """Rows that stand for all of them: they themselves."""
        return self

    @property
    def total_weight(self) -> float:
        """How often all the rows count together."""
        return float(self.weights.sum()) if self.weights.size else float(self.n_rows)

    def parts(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield all rows, some at a time: which they are, and their columns, shape (P, n)."""
        yield slice(0, self.n_rows), self.columns

    def row(self, i: int) -> np.ndarray:
        """The numbers of one row, shape (P,)."""
        return self.columns[:, i]

    def reordered(self, order: np.ndarray) -> Rows:
        """The same rows in another order."""
        weights = self.weights[order] if self.weights.size else self.weights
        return Rows(np.ascontiguousarray(self.columns[:, order]), self.shift, weights)

    @cached_property
    def total_error(self) -> float:
        """Sum of squared distances to the shift: the squared error of one cluster."""
        flat = self.columns.ravel()
        with np.errstate(over="ignore"):
            if self.weights.size:
                return float(np.square(self.columns).sum(axis=0) @ self.weights)
            # A dot product of BLAS would wake other threads, and depend on how many there are.
            return float(np.einsum("i,i->", flat, flat))


@dataclass(frozen=True)
class StreamedRows:
    """``Rows`` of a table too large for them, made from its codes at every pass."""

    #: float64, shape (N, M). ``Encoded.values``.
    values: np.ndarray
    encoding: NumericEncoding
    #: float64, shape (P,).
    shift: np.ndarray
    #: float64, shape (N,), or (0,) where every row counts once. How often each row counts.
    weights: np.ndarray = field(default_factory=lambda: ALIKE)

    @classmethod
    def about_mean(
        cls, values: np.ndarray, encoding: NumericEncoding, weights: np.ndarray = ALIKE
    ) -> StreamedRows:
        """The rows about the mean of each of their numbers."""
        total = np.zeros(len(encoding.names))
        raw = cls(values, encoding, total.copy(), weights)
        for part, columns in raw.parts():
            total += columns @ weights[part] if weights.size else columns.sum(axis=1)
        return cls(values, encoding, total / raw.total_weight, weights)

    @property
    def total_weight(self) -> float:
        """How often all the rows count together."""
        return float(self.weights.sum()) if self.weights.size else float(self.n_rows)

    @property
    def n_rows(self) -> int:
        """N."""
        return len(self.values)

    @cached_property
    def sample(self) -> Rows:
        """Evenly spaced rows, to find seeds among."""
        every = -(-self.n_rows // SAMPLE)
        weights = self.weights[::every] if self.weights.size else self.weights
        return Rows.taking(self.encoding.apply(self.values[::every]).T, self.shift, weights)

    def parts(self) -> Iterator[tuple[slice, np.ndarray]]:
        """Yield all rows, some at a time: which they are, and their columns, shape (P, n)."""
        for first in range(0, self.n_rows, ROWS_AT_ONCE):
            rows = slice(first, first + ROWS_AT_ONCE)
            columns = self.encoding.apply(self.values[rows]).T
            columns -= self.shift[:, None]
            yield rows, columns

    def row(self, i: int) -> np.ndarray:
        """The numbers of one row, shape (P,)."""
        return self.encoding.apply(self.values[i : i + 1])[0] - self.shift

    def reordered(self, order: np.ndarray) -> StreamedRows:
        """The same rows in another order."""
        weights = self.weights[order] if self.weights.size else self.weights
        return StreamedRows(self.values[order], self.encoding, self.shift, weights)

    @cached_property
    def total_error(self) -> float:
        """Sum of squared distances to the shift: the squared error of one cluster."""
        if not self.weights.size:
            return float(sum(np.square(columns).sum() for _, columns in self.parts()))
        squares = (np.square(x).sum(axis=0) @ self.weights[part] for part, x in self.parts())
        return float(sum(squares))


#: Either kind: what reads it asks for ``parts()`` and for single rows.
NumericRows = Rows | StreamedRows


def in_table_order(labels: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Labels, shape (N,), of rows that were visited in an order, each where its row stands."""
    placed = np.empty_like(labels)
    placed[order] = labels
    return placed


def order_by_content(values: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """The rows from the lowest to the highest, by their columns in turn, shape (N,).

    The order depends on what the rows of ``values``, shape (N, M), hold and not on where they
    stand, nor on the units of the columns; a row more or less changes nothing for the others.
    Missing cells come last; of equal rows, those of smaller weight first.
    """
    columns = [*values.T, *([] if weights is None else [weights])]
    order, run = np.arange(len(values)), np.zeros(len(values), dtype=np.int64)
    tied = order.copy()  # places in the order whose rows are equal to a neighbour's so far
    for column in columns:
        cells = np.where(np.isnan(column), np.inf, column)[order[tied]]
        within = np.lexsort((cells, run[tied]))
        order[tied], cells = order[tied[within]], cells[within]
        starts = np.ones(tied.size + 1, dtype=bool)  # of runs of equal rows, and the end
        starts[1:-1] = (cells[1:] != cells[:-1]) | (run[tied[1:]] != run[tied[:-1]])
        run[tied] = np.cumsum(starts[:-1])
        tied = tied[~(starts[:-1] & starts[1:])]
        if not tied.size:
            break
    return order


def numbers_of(
    values: np.ndarray,
    encoding: NumericEncoding,
    shift: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> NumericRows:
    """Rows of a table's codes, shape (N, M), kept in memory where they are not too many.

    They are taken about the shift, shape (P,), by default about the mean of each number.
    """
    weights = ALIKE if weights is None else np.require(weights, np.float64, ["C", "W"])
    if len(values) * len(encoding.names) <= KEPT_NUMBERS:
        return Rows.taking(encoding.apply(values).T, shift, weights)
    if shift is None:
        return StreamedRows.about_mean(values, encoding, weights)
    return StreamedRows(values, encoding, shift, weights)
