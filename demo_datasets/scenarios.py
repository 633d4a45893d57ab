"""Six two-dimensional Gaussian data sets that show where K-means fails (R16 section 5)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self

import numpy as np

from .taught import Drawn, numbered

Point = tuple[float, float]
Matrix = tuple[Point, Point]


@dataclass(frozen=True)
class Outliers:
    """Two rows that lie together, far from everything else."""

    center: Point
    #: Standard deviation of the rows about the centre, in either coordinate.
    sd: float

    rows = 2


@dataclass(frozen=True)
class Spec:
    """Parameters of a generator: K Gaussian clusters, and pairs of outliers beside them."""

    #: Shares of the rows that are not outliers; they sum to 1.
    weights: tuple[float, ...]
    means: tuple[Point, ...]
    covariances: tuple[Matrix, ...]
    #: Each pair is a cluster of the truth, numbered after the K.
    outliers: tuple[Outliers, ...] = ()

    @property
    def centers(self) -> np.ndarray:
        """Means of the clusters and of the pairs, shape (K + pairs, 2)."""
        return np.array([*self.means, *(pair.center for pair in self.outliers)])

    @property
    def spreads(self) -> np.ndarray:
        """Covariances of the clusters and of the pairs, shape (K + pairs, 2, 2)."""
        return np.array([*self.covariances, *(_ellipse(p.sd, p.sd) for p in self.outliers)])

    def sizes(self, n: int) -> np.ndarray:
        """Rows of every cluster and pair among n: the shares, rounded, and never none."""
        in_pairs = [pair.rows for pair in self.outliers]
        shares = np.array(self.weights) * (n - sum(in_pairs))
        sizes = np.maximum(np.floor(shares), 1).astype(np.int64)
        rest = n - sum(in_pairs) - sizes.sum()
        sizes[np.argsort(sizes - shares, kind="stable")[: max(rest, 0)]] += 1
        sizes[np.argmax(sizes)] += min(rest, 0)
        return np.concatenate([sizes, np.array(in_pairs, dtype=np.int64)])

    @property
    def names(self) -> list[str]:
        """Clusters by their number, then the pairs of outliers."""
        pairs = (f"outliers {k + 1}" for k in range(len(self.outliers)))
        return [*numbered(len(self.weights)), *pairs]

    def draw(self, n: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Every cluster's exact share of n rows; outlier pairs come last."""
        truth = np.repeat(np.arange(len(self.centers)), self.sizes(n))
        steps = random.standard_normal((n, 2))
        roots = np.linalg.cholesky(self.spreads)[truth]
        return self.centers[truth] + np.einsum("nij,nj->ni", roots, steps), truth


@dataclass(frozen=True, kw_only=True)
class Scenario(Drawn):
    """One scenario of R16 section 5; its key is the section, "5.1" to "5.6"."""

    #: The generator's parameters, by the knob's value.
    spec_at: Callable[[float], Spec] | None = None

    @classmethod
    def at(cls, key: str, spec_at: Callable[[float], Spec]) -> Self:
        """The scenario whose generator has these parameters."""
        return cls.of(
            key,
            draw=lambda n, random, value: spec_at(value).draw(n, random),
            names=lambda value: spec_at(value).names,
            spec_at=spec_at,
        )

    @property
    def spec(self) -> Spec:
        """The generator's parameters at the knob's default."""
        return self.spec_at(self.knob.default)


def _ellipse(long: float, short: float, degrees: float = 0.0) -> Matrix:
    """Covariance with these standard deviations, the first turned that far from the x axis."""
    angle = np.deg2rad(degrees)
    axes = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return tuple(map(tuple, (axes * [long**2, short**2] @ axes.T).tolist()))


def _spec(weights: tuple[float, ...], means, covariances, outliers=()) -> Spec:
    shares = tuple(weight / sum(weights) for weight in weights)
    return Spec(shares, tuple(means), tuple(covariances), tuple(outliers))


_ROUND = _ellipse(1.0, 1.0)

# x and y have the same variance at the knob's default, so that standardising keeps the geometry.


def _radii(ratio: float) -> Spec:
    return _spec(
        (1, 1, 1),
        [(0.0, 0.0), (13.08, 9.55), (9.55, 13.08)],
        [_ellipse(ratio, ratio), _ROUND, _ellipse(0.8, 0.8)],
    )


def _populations(imbalance: float) -> Spec:
    return _spec(
        (69**imbalance, 29**imbalance, 2**imbalance),
        [(0.0, 0.0), (4.95, -4.95), (4.95, 0.42)],
        [_ROUND] * 3,
    )


def _far_pairs(distance: float) -> Spec:
    # Both pairs lie to the upper right, 13 apart, one on either side of the diagonal.
    along, across = np.array([1.0, 1.0]) / np.sqrt(2.0), np.array([-1.0, 1.0]) / np.sqrt(2.0)
    pairs = [Outliers(tuple(distance * along + side * across), 0.3) for side in (6.5, -6.5)]
    return _spec((1, 1, 1), [(-1.54, 1.54), (1.54, -1.54), (-4.24, -4.24)], [_ROUND] * 3, pairs)


def _rotated(degrees: float) -> Spec:
    # Equal volumes: 3.6 x 1 = 2.4 x 1.5.
    return _spec(
        (1, 1, 1),
        [(0.0, 0.0), (0.64, 5.57), (10.06, -7.32)],
        [_ellipse(3.6, 1.0, 9), _ellipse(3.6, 1.0, 9), _ellipse(2.4, 1.5, 9 + degrees)],
    )


def _separated(separation: float) -> Spec:
    means = [(2.74, 6.92), (7.68, -4.46), (0.0, 0.0)]
    return _spec(
        (12, 28, 60),
        [(separation * x, separation * y) for x, y in means],
        [_ellipse(1.2, 0.8, 159), _ellipse(1.35, 0.8, 19), _ellipse(1.0, 0.5, 89)],
    )


def _overlapping(overlap: float) -> Spec:
    means = [(3.08, -2.45), (-1.96, 0.9), (0.0, 0.0)]
    return _spec(
        (30, 5, 65),
        [(x / overlap, y / overlap) for x, y in means],
        [_ellipse(1.55, 0.54, 84), _ellipse(0.9, 0.6, 89), _ellipse(1.0, 0.67, 85)],
    )


_SPECS = (_radii, _populations, _far_pairs, _rotated, _separated, _overlapping)
SCENARIOS: Mapping[str, Scenario] = MappingProxyType(
    {f"5.{k}": Scenario.at(f"5.{k}", spec_at) for k, spec_at in enumerate(_SPECS, start=1)}
)
