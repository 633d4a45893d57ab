"""What is known of the patients of one column, and how many whole numbers it leaves for a cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp


class Known:
    """Patients by group and level of one column, the last level being the missing.

    Sums that lie between two bounds, and cells of which only some whole numbers are left.
    """

    def __init__(self, n_groups: int, n_levels: int, n_patients: int) -> None:
        self.shape, self.n_patients = (n_groups, n_levels), n_patients
        self._rows: list[np.ndarray] = []
        self._low: list[float] = []
        self._high: list[float] = []
        self._left: dict[tuple[int, int], set[int]] = {}
        #: Of what is known now, the programmes solved already.
        self._solved: dict[tuple[bytes, bytes, int], float] = {}
        everybody = np.ones(self.shape)
        self.know(everybody, n_patients, n_patients)
        for k in range(n_groups):  # nobody is in no group, and groups are named by size
            self.know(self.of(k), 1, np.inf)
            if k:
                self.know(self.of(k - 1) - self.of(k), 0, np.inf)

    def of(self, group: int, weights: Sequence[float] | float = 1.0) -> np.ndarray:
        """Weights of the levels of one group."""
        found = np.zeros(self.shape)
        found[group] = weights
        return found

    def know(self, weights: np.ndarray, low: float, high: float) -> None:
        """A weighted sum of the counts lies between two numbers."""
        self._solved.clear()
        self._rows.append(weights.ravel())
        self._low.append(low)
        self._high.append(high)

    def only(self, cell: tuple[int, int], numbers: Iterable[int]) -> None:
        """A count is one of some whole numbers."""
        numbers = set(numbers)
        self._solved.clear()
        self._left[cell] = self._left.get(cell, numbers) & numbers

    def range_of(self, weights: np.ndarray) -> tuple[int, int]:
        """The lowest and the highest that a sum can be."""
        ends = [sign * self._solve(sign * weights.ravel()) for sign in (1.0, -1.0)]
        return int(np.ceil(ends[0] - 1e-6)), int(np.floor(ends[1] + 1e-6))

    def left(self, cell: tuple[int, int], truth: int, most: int) -> int:
        """How many whole numbers fit for a count, up to ``most`` of them."""
        weights = np.zeros(self.shape)
        weights[cell] = 1.0
        low, high = self.range_of(weights)
        assert low <= truth <= high, "what is let out contradicts the table"
        if high - low + 1 < most:
            return high - low + 1
        # From the true one up and down: equal sums can leave steps of two or three.
        found = 1
        for number in sorted(range(low, high + 1), key=lambda number: abs(number - truth))[1:]:
            if found >= most:
                break
            allowed = self._left.get(cell)
            if allowed is None or number in allowed:  # both ends were reached
                found += number in (low, high) or self._fits(weights.ravel(), number)
        return found

    def _fits(self, weights: np.ndarray, number: int) -> bool:
        return np.isfinite(self._solve(0 * weights, (weights, number)))

    def _solve(self, price: np.ndarray, also: tuple[np.ndarray, int] | None = None) -> float:
        key = price.tobytes(), *((also[0].tobytes(), also[1]) if also else (b"", 0))
        if key not in self._solved:
            self._solved[key] = self._solve_anew(price, also)
        return self._solved[key]

    def _solve_anew(self, price: np.ndarray, also: tuple[np.ndarray, int] | None) -> float:
        rows = np.array([*self._rows, *([also[0]] if also else [])])
        low = np.array([*self._low, *([also[1]] if also else [])]) - 1e-6
        high = np.array([*self._high, *([also[1]] if also else [])]) + 1e-6
        least, most = np.zeros(price.size), np.full(price.size, float(self.n_patients))
        for cell, numbers in self._left.items():
            place = np.ravel_multi_index(cell, self.shape)
            least[place], most[place] = min(numbers), max(numbers)
        found = milp(
            price,
            constraints=LinearConstraint(rows, low, high),
            integrality=np.ones(price.size),
            bounds=Bounds(least, most),
        )
        return found.fun if found.success else np.inf
