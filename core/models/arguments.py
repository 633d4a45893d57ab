"""Checks of what a user passes to an estimator: one sentence for each thing that can be wrong."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np


def check_whole(name: str, value: Any, least: int) -> int:
    """Return a whole number of at least ``least``, or raise ValueError naming the argument."""
    if isinstance(value, Integral) and not isinstance(value, bool | np.bool_) and value >= least:
        return int(value)
    raise ValueError(f"{name}={value!r} is not allowed: give a whole number of at least {least}.")


def check_share(name: str, value: Any) -> float:
    """Return a number above 0 and at most 1, or raise ValueError naming the argument."""
    number = check_number(name, value, 0.0, allow_equal=False)
    if number > 1.0:
        raise ValueError(f"{name}={value!r} is not allowed: give a number above 0 and at most 1.")
    return number


def check_number(name: str, value: Any, least: float, allow_equal: bool = True) -> float:
    """Return a finite number not below (or above) ``least``, or raise ValueError naming it."""
    if isinstance(value, Real) and not isinstance(value, bool | np.bool_):
        number = float(value)
        if np.isfinite(number) and (number > least or (allow_equal and number == least)):
            return number
    allowed = f"of at least {least:g}" if allow_equal else f"above {least:g}"
    raise ValueError(f"{name}={value!r} is not allowed: give a finite number {allowed}.")
