"""What lessons beyond the six scenarios of R16 draw: one class a data set, with its knob."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy.special import ndtr

from .taught import Drawn, numbered

#: Middles of the bunches, in standard deviations of a cluster.
BUNCH_MIDDLES = np.array([[0.0, 0.0], [44.0, 4.0], [19.0, 38.0]])
#: A bunch's clusters about its middle, as shares of the gap.
_WITHIN = np.array([[-0.5, -0.29], [0.5, -0.29], [0.0, 0.58]])
N_CLUSTERS = len(BUNCH_MIDDLES) * len(_WITHIN)


class Bunches(Drawn):
    """Equally large, round and wide clusters, three to a bunch; the knob is the gap in a bunch."""

    def names(self, value: float) -> list[str]:
        """Clusters by their number, bunch by bunch."""
        return numbered(N_CLUSTERS)

    def draw(
        self, n: int, random: np.random.Generator, value: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw nine clusters of the same size and a standard deviation of 1."""
        centres = (BUNCH_MIDDLES[:, None] + value * _WITHIN).reshape(-1, 2)
        truth = np.sort(np.arange(n) % N_CLUSTERS)
        return centres[truth] + random.standard_normal((n, 2)), truth


# Of columns that vary together: shares of the rows, means, and the deviation of either column.
_JOINT_SHARES = (0.5, 0.3, 0.2)
_JOINT_MEANS = np.array([[0.0, 0.0], [3.5, -3.5], [5.0, 4.0]])
_JOINT_SD = 1.5


class Dependent(Drawn):
    """Three clusters; the knob is the correlation of x and y within each."""

    origin = "Drawn: x and y vary together within every cluster."
    is_block = False

    def names(self, value: float) -> list[str]:
        """Clusters by their number."""
        return numbered(len(_JOINT_MEANS))

    def draw(
        self, n: int, random: np.random.Generator, value: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw clusters of 50, 30 and 20 % with the same correlation."""
        truth = np.searchsorted(np.cumsum(_JOINT_SHARES)[:-1] * n, np.arange(n), side="right")
        root = np.linalg.cholesky([[1.0, value], [value, 1.0]])
        return _JOINT_MEANS[truth] + _JOINT_SD * random.standard_normal((n, 2)) @ root.T, truth


INCOME, AGE = "income (euros)", "age (years)"
#: Median income of the two groups, and its standard deviation in either.
MEDIANS, INCOME_SD = (22_000.0, 38_000.0), 3_000.0
#: Of the rows, those with a top income; and what times the knob a top income is.
TOP_SHARE, TOP = 0.02, 30_000.0


class Incomes(Drawn):
    """Two groups told apart by income alone; the knob is how high the top incomes are."""

    origin = "Drawn: two groups by income, of all ages."

    def specs(self, value: float) -> Mapping[str, Mapping[str, Any]]:
        """Income and age."""
        return {INCOME: {"family": "normal"}, AGE: {"family": "normal"}}

    def names(self, value: float) -> list[str]:
        """The two groups, and those with a top income once there are any."""
        return ["lower incomes", "higher incomes", *(["top incomes"] if value > 0.0 else [])]

    def draw(
        self, n: int, random: np.random.Generator, value: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw both groups, and 2 % top incomes in one place; ages are alike in all."""
        top = round(TOP_SHARE * n) if value > 0.0 else 0
        truth = np.concatenate([np.sort(np.arange(n - top) % 2), np.full(top, 2)])
        middles = np.array([*MEDIANS, TOP * value])
        income = middles[truth] + INCOME_SD * random.standard_normal(n)
        age = 45.0 + 9.0 * random.standard_normal(n)
        return np.column_stack([income, age]), truth


# Of many columns: means of the clusters in the two that tell them apart.
_TELLING_MEANS = np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.5]])


class ManyColumns(Drawn):
    """Equally large round clusters; the knob is the number of columns, two of which tell."""

    origin = "Drawn: two columns tell the clusters apart, the others are noise."
    is_block = False

    def specs(self, value: float) -> Mapping[str, Mapping[str, Any]]:
        """The two columns that tell, then the noise by its number."""
        noise = (f"noise {j + 1}" for j in range(round(value) - 2))
        return {name: {"family": "normal"} for name in ("x", "y", *noise)}

    def names(self, value: float) -> list[str]:
        """Clusters by their number."""
        return numbered(len(_TELLING_MEANS))

    def draw(
        self, n: int, random: np.random.Generator, value: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw clusters of a standard deviation of 1 in every column."""
        truth = np.sort(np.arange(n) % len(_TELLING_MEANS))
        points = random.standard_normal((n, round(value)))
        points[:, :2] += _TELLING_MEANS[truth]
        return points, truth


_SPECS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "age": {"family": "normal"},
        "marker": {"family": "normal", "transform": "log"},
        "falls": {"family": "poisson"},
        "pain": {"family": "binomial", "trials": 10},
        "tremor": {"family": "bernoulli", "levels": ("no", "yes")},
        "lives": {"family": "categorical", "levels": ("alone", "together", "in care")},
    }
)
# By group: mean age, median marker, mean falls, mean pain of 10, share with a tremor, shares living
# alone, together and in care.
_AGE, _MARKER, _FALLS = (62.0, 70.0, 78.0), (3.0, 12.0, 45.0), (0.4, 1.5, 5.0)
_PAIN, _TREMOR = (2.5, 6.5, 4.0), (0.15, 0.85, 0.5)
_LIVES = np.array([[0.3, 0.65, 0.05], [0.6, 0.35, 0.05], [0.1, 0.2, 0.7]])
_MIXED_SHARES = (0.45, 0.35, 0.2)


class MixedCells(Drawn):
    """Three groups in six columns of five kinds; the knob is the share of missing cells."""

    origin = "Drawn: three groups of patients."
    is_block = False

    def specs(self, value: float) -> Mapping[str, Mapping[str, Any]]:
        """A measurement, one in logarithms, a count, a rating, an answer and a word."""
        return _SPECS

    def names(self, value: float) -> list[str]:
        """What the groups are called."""
        return ["mild", "shaky", "frail"]

    def draw(
        self, n: int, random: np.random.Generator, value: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw every column on its own given the group; cells are missing at random."""
        truth = np.searchsorted(np.cumsum(_MIXED_SHARES)[:-1] * n, np.arange(n), side="right")
        of_group = [np.array(values)[truth] for values in (_AGE, _MARKER, _FALLS, _PAIN, _TREMOR)]
        age, marker, falls, pain, tremor = of_group
        columns = [
            (age + 7.0 * random.standard_normal(n)).round(1),
            (marker * np.exp(0.7 * random.standard_normal(n))).round(2),
            random.poisson(falls),
            random.binomial(10, pain / 10.0),
            random.random(n) < tremor,
            (random.random(n)[:, None] > np.cumsum(_LIVES, axis=1)[truth][:, :2]).sum(axis=1),
        ]
        points = np.column_stack(columns).astype(np.float64)
        points[random.random(points.shape) < value] = np.nan
        return points, truth


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


#: By key; their texts and knobs stand in ``taught.toml``.
SHAPES = Shapes.of("shapes")
OF_LESSONS = (
    Bunches.of("starts"),
    Incomes.of("units"),
    ManyColumns.of("high"),
    OneCloud.of("none"),
    Dependent.of("dependence"),
    MixedCells.of("mixed"),
)
