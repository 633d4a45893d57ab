"""No groups at all: one cloud, from a normal one to an even square."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from .taught import Drawn, Knob


class OneCloud(Drawn):
    """Rows of one group; the knob leads from a normal cloud to an even square."""

    origin = "Drawn from one cloud."

    def names(self, value: float) -> list[str]:
        """The one."""
        return ["everyone"]

    def draw(
        self, n: int, random: np.random.Generator, value: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw a normal cloud, every step moved towards an even spread of the same variance."""
        steps = random.standard_normal((n, 2))
        even = np.sqrt(3.0) * (2.0 * ndtr(steps) - 1.0)
        return (1.0 - value) * steps + value * even, np.zeros(n, dtype=np.int64)


ONE_CLOUD = OneCloud(
    "none",
    "No groups at all",
    "K-means answers with K groups whether there are any or not, and its groups look tidy. Here is "
    "one cloud without any: the question is who says so.",
    Knob(
        "squareness",
        "Squareness",
        0.0,
        1.0,
        0.0,
        "0 draws one normal cloud, 1 an even square, which is no normal cloud but has no groups "
        "either.",
    ),
)
