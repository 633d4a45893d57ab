"""What is done to the numbers of a measurement before its likelihood reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

#: Of the numbers, (N,), and the step of which they are multiples, 0 where not known.
Slope = Callable[[np.ndarray, float], np.ndarray]


@dataclass(frozen=True)
class Transform:
    """An increasing function of numbers from 0 on, by its name in ``ColumnSpec.transform``."""

    name: str
    noun: str
    #: Of what a likelihood is: "normal of the logarithm".
    of: str
    scale: str
    forward: Callable[[np.ndarray], np.ndarray]
    #: Of an image below that of 0, which a draw may be, 0.
    back: Callable[[np.ndarray], np.ndarray]
    #: d forward / dx, its mean over the step around a number where known: a root has no bound at 0.
    slope: Slope
    takes_zero: bool

    def takes(self, numbers: np.ndarray) -> np.ndarray:
        """Which numbers have an image."""
        return numbers >= 0.0 if self.takes_zero else numbers > 0.0


def _slope_of_root(degree: int, x: np.ndarray, step: float) -> np.ndarray:
    if not step:
        with np.errstate(divide="ignore"):  # at 0 it has no bound
            return x ** (1.0 / degree - 1.0) / degree
    low, high = np.maximum(x - step / 2.0, 0.0), x + step / 2.0
    return (high ** (1.0 / degree) - low ** (1.0 / degree)) / (high - low)


def _root(
    name: str, degree: int, word: str, forward: Callable[[np.ndarray], np.ndarray]
) -> Transform:
    return Transform(
        name,
        f"{word}s",
        f"the {word}",
        f"{word} scale",
        forward,
        lambda images: np.maximum(images, 0.0) ** degree,
        partial(_slope_of_root, degree),
        takes_zero=True,
    )


_LOGARITHM = "log", "logarithms", "the logarithm", "log scale", np.log, np.exp
TRANSFORMS: Mapping[str, Transform] = {
    one.name: one
    for one in (
        Transform(*_LOGARITHM, lambda x, step: 1.0 / x, takes_zero=False),
        _root("sqrt", 2, "square root", np.sqrt),
        _root("cbrt", 3, "cube root", np.cbrt),
    )
}


def back(numbers: np.ndarray, transform: str | None) -> np.ndarray:
    """Numbers as the table has them, from what a transform made of them; None is no transform."""
    return numbers if transform is None else TRANSFORMS[transform].back(numbers)


def jacobian(images: np.ndarray, transform: str | None, step: float = 0.0) -> np.ndarray:
    """-ln of the slope at every number, from its image, (N,); 0 where missing."""
    found = np.zeros(len(images))
    if transform is not None:
        seen = ~np.isnan(images)
        numbers = TRANSFORMS[transform].back(images[seen])
        found[seen] = -np.log(TRANSFORMS[transform].slope(numbers, step))
    return found


def of_what(transform: str | None) -> str:
    """The end of a likelihood's name: " of the logarithm", or nothing."""
    return "" if transform is None else f" of {TRANSFORMS[transform].of}"


def rescaled_in_words(transform: str | None) -> str:
    """What a change of transform does to a column: "in logarithms", and those taken off again."""
    noun = TRANSFORMS[transform or "log"].noun
    return f"without {noun}" if transform is None else f"in {noun}"
