"""The Chinese restaurant: where N_0 comes from, and how many clusters it expects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..models.arguments import check_number

#: Rows seated one by one before the steps grow, and steps in all.
ONE_BY_ONE, MOST_STEPS = 12, 32


@dataclass(frozen=True)
class Seating:
    """Rows seated one after the other."""

    #: N_0.
    concentration: float
    #: d of the Pitman-Yor process; 0 is the Dirichlet process.
    discount: float
    #: int64, shape (N,). Table of every row, in the order in which they were opened.
    labels: np.ndarray
    #: int64, shape (S,). Rows seated at the steps that are shown.
    numbers: np.ndarray
    #: float64, shape (S,). Mean and standard deviation of the number of tables at those steps,
    #: exactly.
    expected: np.ndarray
    deviation: np.ndarray
    #: float64, shape (S,). N_0 ln n, the rule of thumb.
    rule: np.ndarray

    @property
    def n_tables(self) -> np.ndarray:
        """Tables after every row, shape (N,)."""
        return np.maximum.accumulate(self.labels) + 1

    def sizes(self, n: int) -> np.ndarray:
        """Rows at each table once n are seated."""
        return np.bincount(self.labels[:n])

    def newcomer(self, n: int) -> float:
        """Chance that the next row opens a table once n are seated."""
        tables = self.labels[:n].max(initial=-1) + 1
        return (self.concentration + self.discount * tables) / (self.concentration + n)


def seat(n: int, concentration: float, seed: int = 0, discount: float = 0.0) -> Seating:
    """Seat n rows: at a table of m in proportion to m - d, at a new one to N_0 + d K.

    A discount d, at least 0 and below 1, makes it a Pitman-Yor process: many small tables.
    """
    check_number("discount", discount, 0.0)
    if discount >= 1.0:
        raise ValueError(f"discount={discount!r} is not allowed: give a number below 1.")
    random = np.random.default_rng(seed)
    labels = np.zeros(n, dtype=np.int64)
    n_tables, weights = 0, np.zeros(n)
    for i, (chance, row) in enumerate(zip(random.random(n), random.random(n), strict=True)):
        # Sitting down beside a row chosen at random is choosing a table by its size; the first row
        # of a table counts d less.
        founds = chance * (concentration + i) < concentration + discount * n_tables
        if founds:
            labels[i] = n_tables
            n_tables += 1
        else:
            beside = np.searchsorted(weights[:i], row * (i - discount * n_tables), side="right")
            labels[i] = labels[min(int(beside), i - 1)]
        weights[i] = (weights[i - 1] if i else 0.0) + (1.0 - discount if founds else 1.0)
    late = np.geomspace(ONE_BY_ONE, max(n, ONE_BY_ONE), MOST_STEPS - ONE_BY_ONE + 1).round()
    numbers = np.unique(np.concatenate([np.arange(1, ONE_BY_ONE + 1), late]).astype(np.int64))
    numbers = numbers[numbers <= n]
    expected, variances = _tables_expected(n, concentration, discount)
    return Seating(
        concentration,
        discount,
        labels,
        numbers,
        expected[numbers - 1],
        np.sqrt(variances[numbers - 1]),
        concentration * np.log(numbers),
    )


def _tables_expected(
    n: int, concentration: float, discount: float
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance of the number of tables after every row, exactly, shape (n,) each."""
    expected, variances = np.empty(n), np.empty(n)
    mean = variance = 0.0
    for i in range(n):
        chance = (concentration + discount * mean) / (concentration + i)
        variance += 2.0 * discount * variance / (concentration + i) + chance * (1.0 - chance)
        mean += chance
        expected[i], variances[i] = mean, variance
    return expected, variances
