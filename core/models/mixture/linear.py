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
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import gammaln

from ...families import Prior
from ...schema.encoded import Encoded, Unit
from .normal import VANISHING

_LEVELS = ("categorical", "bernoulli")
_TOPPED = (*_LEVELS, "binomial")
_RATES = ("poisson", "exponential")
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
    """Choices and rates under their priors.

    Parameters
    ----------
    columns : ndarray of int64
        Where they stand in ``Encoded.values``.
    starts : ndarray of int64, one more than the units
        First of each unit's counts.
    pseudo : ndarray of float64, shape (R,)
        The prior's counts.
    """

    families = ("exponential", "bernoulli", "binomial", "categorical", "poisson", "geometric")

    units: tuple[Unit, ...]
    columns: np.ndarray
    starts: np.ndarray
    pseudo: np.ndarray

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
        pseudo = [prior.packed(0.0, 1.0) for prior in priors]
        for unit, counts in zip(units, pseudo, strict=True):
            _check_prior(unit, counts)
        starts = np.cumsum([0, *(counts.size for counts in pseudo)])
        weight = 1.0 if floor is None else VANISHING
        columns = np.array([encoded.starts[u] for u in positions])
        return cls(units, columns, starts, weight * np.concatenate(pseudo))

    def read(self, encoded: Encoded) -> LinearRows:
        """Rows of a table with the fitted one's columns, or ValueError where a cell cannot be."""
        values = encoded.values
        for unit, j, first, stop in self._places():
            _check_cells(unit, values[:, j], stop - first)
        base = np.zeros(len(values))
        runs = []
        for start in range(0, len(values), _ROWS):
            rows = slice(start, start + _ROWS)
            where, counts = [], []
            for unit, j, first, _ in self._places():
                at, number, rest = _counts(unit, values[rows, j])
                where.append(at + np.int32(first))
                counts.append(number)
                base[rows] += rest
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
        return {
            unit.name: _described(unit, parameters.coefficients[:, first:stop])
            for unit, _, first, stop in self._places()
        }

    def _places(self) -> Iterator[tuple[Unit, int, int, int]]:
        """Every unit, its column, its first count and the one after its last."""
        return zip(self.units, self.columns, self.starts[:-1], self.starts[1:], strict=True)

    def _spread(self, by_unit: np.ndarray) -> np.ndarray:
        """Repeat a number of each unit (K, units) for each of its counts."""
        return np.repeat(by_unit, np.diff(self.starts), axis=1)

    @property
    def _events(self) -> np.ndarray:
        """Where the rates' events are counted; their exposures follow."""
        is_rate = [unit.family in _RATES for unit in self.units]
        return self.starts[:-1][is_rate]


def _check_prior(unit: Unit, counts: np.ndarray) -> None:
    levels = unit.options.get("levels", ())
    if unit.family == "categorical" and counts.size < len(levels):
        raise ValueError(
            f"The prior of {unit.name!r} counts {counts.size} levels where the column has"
            f" {len(levels)}: give one count a level."
        )


def _counts(unit: Unit, column: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray | float]:
    """Which counts of the unit a cell adds to, (n, 1 or 2), how much, and the rest of its ln p."""
    missing = np.isnan(column)
    x = np.where(missing, 0.0, column)
    present = 1.0 - missing
    if unit.family in _LEVELS:
        return x[:, None].astype(np.int32), present[:, None], 0.0
    where = np.broadcast_to(np.arange(2, dtype=np.int32), (len(x), 2))
    if unit.family == "binomial":
        trials = unit.options["trials"]
        base = gammaln(trials + 1.0) - gammaln(x + 1.0) - gammaln(trials - x + 1.0)
        return where, np.column_stack([x, trials * present - x]), base * present
    if unit.family == "poisson":
        return where, np.column_stack([x, present]), -gammaln(x + 1.0)
    return where, np.column_stack([present, x]), 0.0


def _check_cells(unit: Unit, column: np.ndarray, size: int) -> None:
    """Refuse values that the family does not have; codes must not point outside their tables."""
    wrong = column < 0
    allowed = "numbers from 0 on"
    if unit.family != "exponential":
        wrong |= column % 1.0 > 0.0
        allowed = f"whole {allowed}"
    if unit.family in _TOPPED:
        top = unit.options["trials"] if unit.family == "binomial" else size - 1
        wrong |= column > top
        allowed = f"whole numbers from 0 to {top}"
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"Column {unit.name!r} holds {column[row]:g} in row {row}: {unit.family!r} takes"
            f" {allowed}."
        )


def _described(unit: Unit, coefficients: np.ndarray) -> dict[str, np.ndarray]:
    """What the coefficients (K, counts) of one unit say in plain numbers."""
    if unit.family in _RATES:
        rate = -coefficients[:, 1]
        return {"mean": rate if unit.family == "poisson" else 1.0 / rate}
    probabilities = np.exp(coefficients)
    if unit.family == "categorical":
        return {"probabilities": probabilities}
    if unit.family == "bernoulli":
        return {"probability": probabilities[:, 1]}
    success, failure = probabilities.T
    mean = failure / success if unit.family == "geometric" else success * unit.options["trials"]
    return {"mean": mean, "probability": success}
