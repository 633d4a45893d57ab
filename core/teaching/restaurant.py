"""The Chinese restaurant: where N_0 comes from, and how many clusters it expects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..models.concentration import expected_clusters

#: Rows seated one by one before the steps grow, and steps in all.
ONE_BY_ONE, MOST_STEPS = 12, 32


@dataclass(frozen=True)
class Seating:
    """Rows seated one after the other."""

    #: N_0.
    concentration: float
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
        return self.concentration / (self.concentration + n)


def seat(n: int, concentration: float, seed: int = 0) -> Seating:
    """Seat n rows: at a table of m with chance m / (N_0 + i), at a new one N_0 / (N_0 + i)."""
    random = np.random.default_rng(seed)
    labels = np.zeros(n, dtype=np.int64)
    n_tables = 0
    for i, (chance, row) in enumerate(zip(random.random(n), random.random(n), strict=True)):
        # Sitting down beside a row chosen at random is choosing a table by its size.
        if chance * (concentration + i) < concentration:
            labels[i] = n_tables
            n_tables += 1
        else:
            labels[i] = labels[int(row * i)]
    late = np.geomspace(ONE_BY_ONE, max(n, ONE_BY_ONE), MOST_STEPS - ONE_BY_ONE + 1).round()
    numbers = np.unique(np.concatenate([np.arange(1, ONE_BY_ONE + 1), late]).astype(np.int64))
    numbers = numbers[numbers <= n]
    before = np.arange(n)
    variances = np.cumsum(concentration * before / (concentration + before) ** 2)
    return Seating(
        concentration,
        labels,
        numbers,
        np.array([expected_clusters(concentration, int(m)) for m in numbers]),
        np.sqrt(variances[numbers - 1]),
        concentration * np.log(numbers),
    )
