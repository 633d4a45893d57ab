"""Data of lessons beyond R16's scenarios: points and clusters, one cluster after the other."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.special import ndtr

from .taught import Drawn, numbered

Random, Rows = np.random.Generator, tuple[np.ndarray, np.ndarray]


def _by_shares(n: int, shares: tuple[float, ...]) -> np.ndarray:
    return np.searchsorted(np.cumsum(shares)[:-1] * n, np.arange(n), side="right")


def _alike(n: int, n_clusters: int) -> np.ndarray:
    return np.sort(np.arange(n) % n_clusters)


#: Middles of bunches, in a cluster's SDs; its clusters about the middle, as shares of the gap.
_MIDDLES = np.array([[0.0, 0.0], [44.0, 4.0], [19.0, 38.0]])
_WITHIN = np.array([[-0.5, -0.29], [0.5, -0.29], [0.0, 0.58]])


def _bunches(n: int, random: Random, gap: float) -> Rows:
    """Nine equally large, round and wide clusters, three to a bunch, of this gap."""
    centres = (_MIDDLES[:, None] + gap * _WITHIN).reshape(-1, 2)
    truth = _alike(n, len(centres))
    return centres[truth] + random.standard_normal((n, 2)), truth


def _dependent(n: int, random: Random, correlation: float) -> Rows:
    """Three clusters with the same correlation of x and y within each."""
    means = np.array([[0.0, 0.0], [3.5, -3.5], [5.0, 4.0]])
    truth = _by_shares(n, (0.5, 0.3, 0.2))
    root = np.linalg.cholesky([[1.0, correlation], [correlation, 1.0]])
    return means[truth] + 1.5 * random.standard_normal((n, 2)) @ root.T, truth


#: Of the rows, those with a top income; and what times the knob a top income is, in euros.
TOP_SHARE, TOP = 0.02, 30_000.0


def _incomes(n: int, random: Random, top: float) -> Rows:
    """Two groups separated by income alone, of all ages, and 2 % top incomes in one place."""
    n_top = round(TOP_SHARE * n) if top > 0.0 else 0
    truth = np.concatenate([_alike(n - n_top, 2), np.full(n_top, 2)])
    medians = np.array([22_000.0, 38_000.0, TOP * top])
    income = medians[truth] + 3_000.0 * random.standard_normal(n)
    return np.column_stack([income, 45.0 + 9.0 * random.standard_normal(n)]), truth


def _of_incomes(top: float) -> list[str]:
    return ["lower incomes", "higher incomes", *(["top incomes"] if top > 0.0 else [])]


def _income_and_age(top: float) -> Mapping[str, Mapping[str, Any]]:
    return {name: {"family": "normal"} for name in ("income (euros)", "age (years)")}


def _many_columns(n: int, random: Random, n_columns: float) -> Rows:
    """Equally large round clusters that the first two columns tell apart; the others are noise."""
    truth = _alike(n, 3)
    points = random.standard_normal((n, round(n_columns)))
    points[:, :2] += np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.5]])[truth]
    return points, truth


def _two_and_noise(n_columns: float) -> Mapping[str, Mapping[str, Any]]:
    noise = (f"noise {j + 1}" for j in range(round(n_columns) - 2))
    return {name: {"family": "normal"} for name in ("x", "y", *noise)}


_KINDS: Mapping[str, Mapping[str, Any]] = {
    "age": {"family": "normal"},
    "marker": {"family": "normal", "transform": "log"},
    "falls": {"family": "poisson"},
    "pain": {"family": "binomial", "trials": 10},
    "tremor": {"family": "bernoulli", "levels": ("no", "yes")},
    "lives": {"family": "categorical", "levels": ("alone", "together", "in care")},
}
# By group: mean age, marker (median), falls, pain of 10, share with tremor; alone, together, care.
_OF_GROUPS = (62, 70, 78), (3, 12, 45), (0.4, 1.5, 5), (2.5, 6.5, 4), (0.15, 0.85, 0.5)
_LIVES = np.array([[0.3, 0.65, 0.05], [0.6, 0.35, 0.05], [0.1, 0.2, 0.7]])


def _mixed_cells(n: int, random: Random, missing: float) -> Rows:
    """Three groups in six columns, each on its own given the group; cells are missing at random."""
    truth = _by_shares(n, (0.45, 0.35, 0.2))
    age, marker, falls, pain, tremor = (np.array(v, dtype=float)[truth] for v in _OF_GROUPS)
    columns = [
        (age + 7.0 * random.standard_normal(n)).round(1),
        (marker * np.exp(0.7 * random.standard_normal(n))).round(2),
        random.poisson(falls),
        random.binomial(10, pain / 10.0),
        random.random(n) < tremor,
        (random.random(n)[:, None] > np.cumsum(_LIVES, axis=1)[truth][:, :2]).sum(axis=1),
    ]
    points = np.column_stack(columns).astype(np.float64)
    points[random.random(points.shape) < missing] = np.nan
    return points, truth


def _one_cloud(n: int, random: Random, squareness: float) -> Rows:
    """A normal cloud, every step moved towards an even spread of the same variance."""
    steps = random.standard_normal((n, 2))
    even = np.sqrt(3.0) * (2.0 * ndtr(steps) - 1.0)
    return (1.0 - squareness) * steps + squareness * even, np.zeros(n, dtype=np.int64)


#: SD of a row about its curve (a moon's radius is 1); inner ring's radius, place of the rings.
NOISE, INNER, RINGS = 0.05, 0.45, (4.0, 0.25)
# By name: radius, centre, first and last share of a turn.
_MOONS = {
    "upper moon": (1.0, (0.0, 0.0), 0.0, 0.5),
    "lower moon": (1.0, (1.0, 0.5), 0.5, 1.0),
}
_RINGS = {"outer ring": (1.0, RINGS, 0.0, 1.0), "inner ring": (INNER, RINGS, 0.0, 1.0)}


def _shapes(n: int, random: Random, ring_share: float) -> Rows:
    """Rows spread evenly along each curve, with this share of them on the two rings."""
    ends = {0.0: 0, 1.0: n}
    on_rings = ends.get(ring_share, int(np.clip(ring_share * n, 2, n - 2)))
    points, sizes = [], []
    for total, curves in ((n - on_rings, _MOONS), (on_rings, _RINGS)):
        for size, curve in zip((total - total // 2, total // 2), curves.values(), strict=True):
            if size:
                points.append(_curve(random.random(size), *curve))
                sizes.append(size)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return np.concatenate(points) + NOISE * random.standard_normal((n, 2)), truth


def _curve(
    share: np.ndarray, radius: float, centre: tuple[float, float], first: float, last: float
) -> np.ndarray:
    """Points of a part of a circle by their share of it, shape (n, 2)."""
    angle = 2.0 * np.pi * (first + (last - first) * share)
    return np.column_stack([np.cos(angle), np.sin(angle)]) * radius + centre


def _of_shapes(ring_share: float) -> list[str]:
    """The moons or the rings alone at an end of the knob, all four between."""
    return [*(_MOONS if ring_share < 1.0 else ()), *(_RINGS if ring_share > 0.0 else ())]


#: By key; their texts and knobs stand in ``taught.toml``.
SHAPES = Drawn.of(
    "shapes",
    draw=_shapes,
    names=_of_shapes,
    origin="Drawn along two moons or two rings.",
    beside=("SpectralDPMeans", "PenalisedCut", "KernelDPMeans"),
)
OF_LESSONS = (
    Drawn.of("starts", draw=_bunches, names=lambda value: numbered(9)),
    Drawn.of(
        "units",
        draw=_incomes,
        names=_of_incomes,
        specs=_income_and_age,
        origin="Drawn: two groups by income, of all ages.",
    ),
    Drawn.of(
        "high",
        draw=_many_columns,
        names=lambda value: numbered(3),
        specs=_two_and_noise,
        origin="Drawn: two columns tell the clusters apart, the others are noise.",
        is_block=False,
    ),
    Drawn.of(
        "none", draw=_one_cloud, names=lambda value: ["everyone"], origin="Drawn from one cloud."
    ),
    Drawn.of(
        "dependence",
        draw=_dependent,
        names=lambda value: numbered(3),
        origin="Drawn: x and y vary together within every cluster.",
        is_block=False,
    ),
    Drawn.of(
        "mixed",
        draw=_mixed_cells,
        names=lambda value: ["mild", "shaky", "frail"],
        specs=lambda value: _KINDS,
        origin="Drawn: three groups of patients.",
        is_block=False,
    ),
)
