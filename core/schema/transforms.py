"""What is done to the numbers of a measurement before its likelihood reads them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Transform:
    """The logarithm, or a root of numbers from 0 on, by its name in ``ColumnSpec.transform``."""

    name: str
    word: str
    scale: str
    forward: Callable[[np.ndarray], np.ndarray]
    #: Of a root; 0 of the logarithm.
    degree: int = 0

    @property
    def of(self) -> str:
        """Of what a likelihood is: "normal of the logarithm"."""
        return f"the {self.word}"

    @property
    def takes_zero(self) -> bool:
        """Whether 0 has an image."""
        return self.degree > 0

    def takes(self, numbers: np.ndarray) -> np.ndarray:
        """Which numbers have an image."""
        return numbers >= 0.0 if self.takes_zero else numbers > 0.0

    def back(self, images: np.ndarray) -> np.ndarray:
        """The numbers; 0 of an image below that of 0, which a draw may be."""
        return np.maximum(images, 0.0) ** self.degree if self.degree else np.exp(images)

    def slope(self, x: np.ndarray, step: float) -> np.ndarray:
        """The slope of ``forward`` at multiples of a step, 0 where that is not known.

        Of a root its mean over the step around a number, as it has no bound at 0.
        """
        if not self.degree:
            return 1.0 / x
        power = 1.0 / self.degree
        if not step:
            with np.errstate(divide="ignore"):
                return x ** (power - 1.0) / self.degree
        low, high = np.maximum(x - step / 2.0, 0.0), x + step / 2.0
        return (high**power - low**power) / (high - low)


TRANSFORMS: Mapping[str, Transform] = {
    one.name: one
    for one in (
        Transform("log", "logarithm", "log scale", np.log),
        Transform("sqrt", "square root", "square root scale", np.sqrt, 2),
        Transform("cbrt", "cube root", "cube root scale", np.cbrt, 3),
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
    nouns = f"{TRANSFORMS[transform or 'log'].word}s"
    return f"without {nouns}" if transform is None else f"in {nouns}"
