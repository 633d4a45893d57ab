"""The columns of a finite mixture whose log density is linear in a few numbers of the cell.

Two kinds. A *choice* spreads a cell's counts s_v over v with probabilities q_v, ln p = sum s_v ln
q_v: a category's level; a rating's successes and failures; a geometric count's one success and x
failures. A *rate* has e events in an exposure t, ln p = e ln(lambda) - lambda t: a Poisson count's
x events in one row; an exponential time's one event in x.

A conjugate prior is such counts seen beforehand, so the M step adds both up: q_v in proportion to
the counts, lambda events by exposure. These are the posterior's modes in ln q and ln lambda, where
they exist for every prior; there the log prior is again linear in the counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from ...families import FAMILIES, Prior
from ...families.prior import CellCounts
from ...schema.encoded import Encoded, Unit
from .normal import VANISHING

_ROWS = 1 << 15


class LinearParameters(NamedTuple):
    """Log density = counts of the row @ coefficients; (K, R), R the counts of all columns."""

    coefficients: np.ndarray


@dataclass(frozen=True)
class LinearRows:
    """Counts of runs of rows as sparse matrices (rows, R), and the rest of every row's ln p."""

    runs: tuple[tuple[slice, sparse.csr_array], ...]
    base: np.ndarray


@dataclass(frozen=True)
class LinearColumns:
    """Choices and rates under their priors."""

    units: tuple[Unit, ...]
    #: They know which of the two kinds a unit is, and what its cells count.
    priors: tuple[Prior, ...]
    #: int64. Where they stand in ``Encoded.values``.
    columns: np.ndarray
    #: First of each unit's counts, and their end.
    starts: np.ndarray
    #: float64, shape (R,). The prior's counts.
    pseudo: np.ndarray

    Parameters: ClassVar = LinearParameters

    @classmethod
    def of(
        cls,
        encoded: Encoded,
        positions: Sequence[int],
        priors: Sequence[Prior],
        floor: float | None,
    ) -> LinearColumns:
        """The units at these positions; a floor instead of None asks for maximum likelihood."""
        units = tuple(encoded.units[u] for u in positions)
        pseudo = [prior.pseudo_counts() for prior in priors]
        starts = np.cumsum([0, *(counts.size for counts in pseudo)])
        weight = 1.0 if floor is None else VANISHING
        columns = np.array([encoded.starts[u] for u in positions])
        return cls(units, tuple(priors), columns, starts, weight * np.concatenate(pseudo))

    def read(self, encoded: Encoded) -> LinearRows:
        """Rows of a table with the fitted one's columns, or ValueError where a cell cannot be."""
        values = encoded.values
        for unit, prior, j, *_ in self._places():
            _check_cells(unit, prior, values[:, j])
        base = np.zeros(len(values))
        runs = []
        for start in range(0, len(values), _ROWS):
            rows = slice(start, start + _ROWS)
            where, counts = [], []
            for _, prior, j, first, _ in self._places():
                cells = _counts(prior, values[rows, j])
                where.append(cells.where + np.int32(first))
                counts.append(cells.counts)
                base[rows] += cells.rest
            where, counts = np.hstack(where), np.hstack(counts)
            n, width = where.shape
            cells = (counts.ravel(), where.ravel(), np.arange(0, n * width + 1, width, np.int32))
            runs.append((rows, sparse.csr_array(cells, shape=(n, self.pseudo.size))))
        return LinearRows(tuple(runs), base)

    def maximise(
        self, rows: LinearRows, weight: np.ndarray, previous: LinearParameters | None = None
    ) -> LinearParameters:
        """M step under the responsibilities ``weight`` (K, N)."""
        counts = np.tile(self.pseudo, (len(weight), 1))
        for part, run in rows.runs:
            counts += (run.T @ np.ascontiguousarray(weight[:, part].T)).T
        logs = np.log(counts)
        coefficients = logs - self._spread(
            np.log(np.add.reduceat(counts, self.starts[:-1], axis=1))
        )
        events = self._events
        coefficients[:, events] = logs[:, events] - logs[:, events + 1]
        coefficients[:, events + 1] = -np.exp(coefficients[:, events])
        return LinearParameters(coefficients)

    def add_log_density(
        self, rows: LinearRows, parameters: LinearParameters, out: np.ndarray
    ) -> None:
        """Add ln p of every row under every component to ``out`` (K, N)."""
        by_count = np.ascontiguousarray(parameters.coefficients.T)
        for part, run in rows.runs:
            out[:, part] += (run @ by_count).T
        out += rows.base

    def log_prior(self, parameters: LinearParameters) -> float:
        """Log prior density of the parameters, in ln q and ln lambda."""
        total = np.add.reduceat(self.pseudo, self.starts[:-1])
        constant = gammaln(total).sum() - gammaln(self.pseudo).sum()
        shape, rate = self.pseudo[self._events], self.pseudo[self._events + 1]
        # For a rate: alpha ln beta - lgamma(alpha) in place of the Dirichlet's constant.
        constant += (shape * np.log(rate) + gammaln(rate) - gammaln(shape + rate)).sum()
        coefficients = parameters.coefficients
        return float((coefficients @ self.pseudo).sum() + len(coefficients) * constant)

    def describe(self, parameters: LinearParameters) -> dict[str, dict[str, np.ndarray]]:
        """Probabilities and means of every unit in every component."""
        found = {}
        for unit, prior, _, first, stop in self._places():
            own = parameters.coefficients[:, first:stop]
            found[unit.name] = prior.described(-own[:, 1:] if prior.is_rate else np.exp(own))
        return found

    def _places(self) -> Iterator[tuple[Unit, Prior, int, int, int]]:
        """Every unit, its prior, its column, its first count and the one after its last."""
        spans = (self.starts[:-1], self.starts[1:])
        return zip(self.units, self.priors, self.columns, *spans, strict=True)

    def _spread(self, by_unit: np.ndarray) -> np.ndarray:
        """Repeat a number of each unit (K, units) for each of its counts."""
        return np.repeat(by_unit, np.diff(self.starts), axis=1)

    @property
    def _events(self) -> np.ndarray:
        """Where the rates' events are counted; their exposures follow."""
        is_rate = [prior.is_rate for prior in self.priors]
        return self.starts[:-1][is_rate]


def _counts(prior: Prior, column: np.ndarray) -> CellCounts:
    """The counts of a column's cells; one that is missing counts nothing and has no rest.

    The family is asked about those that are there only: no number stands for a missing cell in
    every support.
    """
    seen = ~np.isnan(column)
    cells = prior.cell_counts(column[seen], np.ones(np.count_nonzero(seen)))
    shape = column.size, cells.where.shape[1]
    where, counts, rest = np.zeros(shape, np.int32), np.zeros(shape), np.zeros(column.size)
    where[seen], counts[seen], rest[seen] = cells
    return CellCounts(where, counts, rest)


def _check_cells(unit: Unit, prior: Prior, column: np.ndarray) -> None:
    """Refuse values that the family does not have; codes must not point outside their tables."""
    support, top = FAMILIES[unit.family].support, prior.top
    for wrong, _, _ in support.faults(column, top):
        if wrong.any():
            row = int(np.argmax(wrong))
            raise ValueError(
                f"Column {unit.name!r} holds {column[row]:g} in row {row}: {unit.family!r} takes"
                f" {support.described(top)}."
            )
