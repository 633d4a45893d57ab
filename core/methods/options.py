"""What one method alone is told: which linkage, how many neighbours, its own price of a cluster."""

from __future__ import annotations

import math
from dataclasses import dataclass


def one_two_five(low: int, high: int, sign: float = 1.0) -> tuple[float, ...]:
    """1, 2 and 5 in every power of ten from ``low`` to below ``high``, rising."""
    found = [float(f"{sign * step:g}e{power}") for power in range(low, high) for step in (1, 2, 5)]
    return tuple(sorted(found))


@dataclass(frozen=True)
class Option:
    """An argument of one estimator that its reader may choose."""

    #: The estimator's argument.
    name: str
    label: str
    #: Numbers in rising order, or words; any number from 0 on where there are none.
    choices: tuple[float, ...] | tuple[str, ...]
    #: What it is where nothing is chosen; None: what the estimator does by itself.
    default: float | str | None
    #: What it does, and what None stands for.
    help: str

    def read(self, value: object) -> float | str | None:
        """Return the choice that a saved value or the text of an address stands for.

        Raises
        ------
        ValueError
            It stands for none.
        """
        if value is None or value == "":
            return None
        if self.choices and isinstance(self.choices[0], str):
            if value not in self.choices:
                raise ValueError(f"{value!r} is no {self.label.lower()}")
            return str(value)
        try:
            number = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number) or (not self.choices and number < 0.0):
            raise ValueError(f"{value!r} is no {self.label.lower()}")
        if not self.choices:
            return number
        return min(self.choices, key=lambda choice: abs(choice - number))
