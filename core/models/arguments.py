"""Checks of an estimator's arguments against its table ``limits``, one sentence for each error."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np

#: Given an argument's name and value: a ValueError where it may not be so.
Limit = Callable[[str, Any], Any]


def check_whole(name: str, value: Any, least: int) -> int:
    """Return a whole number of at least ``least``, or raise ValueError naming the argument."""
    if isinstance(value, Integral) and not isinstance(value, bool | np.bool_) and value >= least:
        return int(value)
    raise ValueError(f"{name}={value!r} is not allowed: give a whole number of at least {least}.")


def check_number(name: str, value: Any, least: float, allow_equal: bool = True) -> float:
    """Return a finite number not below (or above) ``least``, or raise ValueError naming it."""
    if isinstance(value, Real) and not isinstance(value, bool | np.bool_):
        number = float(value)
        if np.isfinite(number) and (number > least or (allow_equal and number == least)):
            return number
    allowed = f"of at least {least:g}" if allow_equal else f"above {least:g}"
    raise ValueError(f"{name}={value!r} is not allowed: give a finite number {allowed}.")


def check_share(name: str, value: Any) -> float:
    """Return a number above 0 and at most 1, or raise ValueError naming the argument."""
    number = check_number(name, value, 0.0, allow_equal=False)
    if number > 1.0:
        raise ValueError(f"{name}={value!r} is not allowed: give a number above 0 and at most 1.")
    return number


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise ValueError naming the argument where it is none of some words."""
    if value not in choices:
        allowed = " or ".join(map(repr, choices))
        raise ValueError(f"{name}={value!r} is not allowed: give {allowed}.")


def whole(least: int) -> Limit:
    """A whole number of at least that."""
    return partial(check_whole, least=least)


def number(least: float = -np.inf) -> Limit:
    """A finite number of at least that."""
    return partial(check_number, least=least)


def above(least: float) -> Limit:
    """A finite number above that."""
    return partial(check_number, least=least, allow_equal=False)


def one_of(*choices: str) -> Limit:
    """One of some words."""
    return partial(check_choice, choices=choices)


def or_none(limit: Limit) -> Limit:
    """The same, or None."""
    return lambda name, value: None if value is None else limit(name, value)
