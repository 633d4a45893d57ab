"""A scenario without Gaussian clusters: two moons, two rings, or both side by side."""

from __future__ import annotations

import numpy as np

from .taught import Drawn, Knob

#: Standard deviation of a row about its curve, in either coordinate; a moon's radius is 1.
NOISE = 0.05
#: Radius of the inner ring; the outer one's is 1.
INNER = 0.45
#: Where the rings lie beside the moons.
RINGS = (4.0, 0.25)
MOON_NAMES, RING_NAMES = ["upper moon", "lower moon"], ["outer ring", "inner ring"]


class Shapes(Drawn):
    """Rows along curves; the knob is the share of the rows that lie on the two rings."""

    origin = "Drawn along two moons or two rings."

    @property
    def beside(self) -> tuple[str, ...]:
        """Those that follow a shape instead of a centre."""
        return ("SpectralDPMeans", "PenalisedCut", "KernelDPMeans")

    def names(self, value: float) -> list[str]:
        """The moons or the rings alone at an end of the knob, all four between."""
        return [*(MOON_NAMES if value < 1.0 else []), *(RING_NAMES if value > 0.0 else [])]

    def draw(
        self, n: int, random: np.random.Generator, value: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw the curves' rows, evenly spread along each, and their noise."""
        on_rings = 0 if value == 0.0 else n if value == 1.0 else int(np.clip(value * n, 2, n - 2))
        sizes, curves = [], []
        if on_rings < n:
            sizes += _halves(n - on_rings)
            curves += [_upper_moon, _lower_moon]
        if on_rings:
            sizes += _halves(on_rings)
            curves += [_outer_ring, _inner_ring]
        points = np.concatenate(
            [curve(random.random(size)) for curve, size in zip(curves, sizes, strict=True)]
        )
        truth = np.repeat(np.arange(len(sizes)), sizes)
        return points + NOISE * random.standard_normal((n, 2)), truth


def _halves(n: int) -> list[int]:
    return [n - n // 2, n // 2]


def _arc(turn: np.ndarray, radius: float, center: tuple[float, float]) -> np.ndarray:
    """Points of a circle by their share of a turn, shape (n, 2)."""
    angle = 2.0 * np.pi * turn
    return np.column_stack([np.cos(angle), np.sin(angle)]) * radius + center


def _upper_moon(share: np.ndarray) -> np.ndarray:
    return _arc(0.5 * share, 1.0, (0.0, 0.0))


def _lower_moon(share: np.ndarray) -> np.ndarray:
    return _arc(0.5 + 0.5 * share, 1.0, (1.0, 0.5))


def _outer_ring(share: np.ndarray) -> np.ndarray:
    return _arc(share, 1.0, RINGS)


def _inner_ring(share: np.ndarray) -> np.ndarray:
    return _arc(share, INNER, RINGS)


SHAPES = Shapes(
    "shapes",
    "Not Gaussian at all",
    "K-means takes every cluster to be round, and the mixtures take it to be an ellipse. Two moons "
    "that reach into each other, or a ring within a ring, are neither: what holds such a cluster "
    "together is that every row has a neighbour, not that all lie about a centre.",
    Knob(
        "ring_share",
        "Share on rings",
        0.0,
        1.0,
        0.0,
        "0 draws two moons, 1 two rings, one within the other, and anything between both side by "
        "side, with that share of the rows on the rings.",
    ),
)
