"""Two-dimensional views of a mixed table, the same for every partition drawn on it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
from sklearn.decomposition import PCA

from ..models.numeric import numeric_encoding
from ..schema.encoded import Encoded, Unit
from ..schema.transforms import TRANSFORMS, Transform
from ..ticks import decade_ticks, round_ticks
from ..wording import counted

#: A larger table is shown by a random sample of this many rows.
MOST_ROWS = 10_000
SEED = 0
#: Whole numbers with at most this many distinct values are jittered like categories.
FEW_VALUES = 20
#: Names of categories are written on an axis up to this many; beyond, every so many.
MOST_TICKS = 8
_MARGIN, _GUTTER, _JITTER = 0.05, 0.12, 0.3
# A panel in one unit is at most so many times as wide as high, or as high as wide.
_MOST_OBLONG = 2.0
# What a column's name says of its unit: "sepal length (cm)", "bill_length_mm".
_UNIT = re.compile(
    r"[(\[](?P<within>[^()\[\]]+)[)\]]$"
    r"|[_ ](?P<last>[num]m|[cdk]?m|inch(?:es)?|ft|[umk]?g|lbs?|m?s|sec|min|hours?|days?|weeks?"
    r"|months?|years?|mmhg|bpm|usd|eur|gbp|pct|percent|%)$",
    re.IGNORECASE,
)
#: The bulk of the rows, in percent along each axis; a row that is farther from it than so many
#: times its width lies far outside.
_BULK, _REACH = (5.0, 95.0), 1.25
# An arrow to such a row begins at this share of its way out from the middle; more rows have none.
_ARROW, _MOST_ARROWS = 0.8, 12


@dataclass(frozen=True)
class Axis:
    """One fixed axis, shared by all panels."""

    title: str
    #: Its range; never changed by what is drawn.
    low: float
    high: float
    #: Where a label stands, and the label, in natural units.
    ticks: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class Edge:
    """Where what lies far outside a view comes to stand: on its way out from the middle.

    Parameters
    ----------
    middle, low, high : ndarray, shape (2,)
        Of the bulk of the rows; and two corners of what is shown.
    """

    middle: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def place(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where points stand, shape (P, 2), and the ways there of those far outside, (A, 2, 2)."""
        steps = points - self.middle
        # How far each point may go on its way out from the middle; 1 is where it lies.
        room = np.where(steps < 0.0, self.low - self.middle, self.high - self.middle)
        shares = np.divide(room, steps, out=np.ones_like(steps), where=steps != 0.0).min(axis=1)
        outside = shares < 1.0 - 1e-6
        places = np.where(outside[:, None], self.middle + shares[:, None] * steps, points)
        ends = places[outside]
        inside = self.middle + _ARROW * (ends - self.middle)
        return places.astype(np.float32), np.stack([inside, ends], axis=1).astype(np.float32)


@dataclass(frozen=True)
class View:
    """Where every shown row lies."""

    #: float32, shape (n, 2).
    points: np.ndarray
    #: int64, shape (n,). Rows of the table shown, in rising order.
    rows: np.ndarray
    x: Axis
    y: Axis
    #: What was sampled, jittered or put aside, in a sentence or two; may be empty.
    note: str
    #: Of the table.
    units: tuple[Unit, ...]
    #: Each axis as a weighted sum of the P features of the table (codes, and one 0/1 feature for
    #: each level of a category) plus a constant; None where an axis is jittered categories or
    #: nothing at all, so that no outline can be drawn.
    weights: tuple[tuple[np.ndarray, float], tuple[np.ndarray, float]] | None
    #: float32, shape (A, 2, 2). For rows that stand at the edge since they lie far outside: a place
    #: on the way there, and the row's own.
    ways: np.ndarray | None = None
    #: Of a view that brings far rows nearer.
    edge: Edge | None = None
    #: Whether both axes have the same unit, so that a step across is to be as long as one up.
    has_one_unit: bool = False

    def no_lower(self, shape: float) -> View:
        """A view in one unit with room above and below, where it were lower by its width."""
        least = shape * (self.x.high - self.x.low)
        if not self.has_one_unit or self.y.high - self.y.low >= least:
            return self
        return replace(self, y=_widened(self.y, least))

    def centroids(self, labels: np.ndarray) -> dict[int, tuple[float, float]]:
        """Middle of each cluster's shown points, given the labels of the shown rows."""
        names, codes = np.unique(labels, return_inverse=True)
        counts = np.bincount(codes)
        x, y = (np.bincount(codes, self.points[:, axis]) / counts for axis in (0, 1))
        return {int(name): (float(x[k]), float(y[k])) for k, name in enumerate(names)}


def choose_view(encoded: Encoded, pair: tuple[str, str] | None = None) -> View:
    """Show a pair of columns, or by default what suits the table.

    One column becomes a strip, two are shown as they are, more are shown in the plane of their
    first two principal components.

    Parameters
    ----------
    pair : (str, str), optional
        Names of two columns; the same name twice is a strip.
    """
    if pair is None and len(encoded.columns) <= 2:
        pair = encoded.columns[0], encoded.columns[-1]
    rows = _shown_rows(encoded.values.shape[0])
    view = _closer(_plane(encoded, rows)) if pair is None else _pair(encoded, rows, pair)
    return _less_oblong(view) if view.has_one_unit else view


def _less_oblong(view: View) -> View:
    """Widen the shorter axis of a view in one unit where a panel would be too low or too narrow."""
    axes = view.x, view.y
    least = max(axis.high - axis.low for axis in axes) / _MOST_OBLONG
    x, y = (axis if axis.high - axis.low >= least else _widened(axis, least) for axis in axes)
    return replace(view, x=x, y=y)


def _widened(axis: Axis, width: float) -> Axis:
    """An axis about the same middle."""
    middle = (axis.low + axis.high) / 2.0
    return replace(axis, low=middle - width / 2.0, high=middle + width / 2.0)


def _closer(view: View) -> View:
    """Enlarge the bulk of the rows; what lies far outside comes to stand at the edge.

    Of two numeric axes. The same view where nothing lies far outside; else its note counts them.
    """
    points = view.points.astype(np.float64)
    low, high = np.percentile(points, _BULK, axis=0)
    reach = _REACH * (high - low)
    first, last = points.min(axis=0), points.max(axis=0)
    corners = np.maximum(first, low - reach), np.minimum(last, high + reach)
    edge = Edge((low + high) / 2.0, *corners)
    places, ways = edge.place(points)
    if not len(ways):
        return view
    axes = [_plain_axis(places[:, j], axis.title) for j, axis in enumerate((view.x, view.y))]
    lie = counted(len(ways), "row") + (" lies" if len(ways) == 1 else " lie")
    said = f"{lie} far outside: each stands at the edge, in its direction."
    note = _sentences(view.note, said)
    return replace(
        view,
        points=places,
        x=axes[0],
        y=axes[1],
        note=note,
        edge=edge,
        ways=ways if len(ways) <= _MOST_ARROWS else None,
    )


def _shown_rows(n_rows: int) -> np.ndarray:
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(SEED).choice(n_rows, MOST_ROWS, replace=False))


def _sampled(rows: np.ndarray, n_rows: int) -> str:
    if rows.size == n_rows:
        return ""
    return f"A random sample of {rows.size:,} of the {n_rows:,} rows is drawn."


def _sentences(*parts: str) -> str:
    return " ".join(filter(None, parts))


# ---- the plane of the first two principal components


def _plane(encoded: Encoded, rows: np.ndarray) -> View:
    """Principal components of the numeric encoding of the shown rows."""
    encoding = numeric_encoding(encoded)
    numbers = encoding.apply(encoded.values[rows])
    basis = PCA(2, random_state=SEED).fit(numbers) if min(numbers.shape) >= 2 else None
    if basis is None:
        return _pair(encoded, rows, (encoded.columns[0], encoded.columns[-1]))
    points = basis.transform(numbers)
    jitter = ""
    if np.unique(points.round(9), axis=0).shape[0] < 0.8 * len(points):
        random = np.random.default_rng(SEED)
        points = points + 0.012 * np.ptp(points, axis=0) * random.standard_normal(points.shape)
        jitter = "Many rows coincide, so the points are jittered."
    shares = np.nan_to_num(basis.explained_variance_ratio_)
    axes = [
        _plain_axis(points[:, j], f"component {j + 1}, {100 * shares[j]:.0f} % of variance")
        for j in (0, 1)
    ]
    spread = np.concatenate(
        [np.ones(n) if n else [s] for n, s in zip(encoding.n_levels, encoding.scale, strict=True)]
    )
    center = np.concatenate(
        [np.zeros(n) if n else [c] for n, c in zip(encoding.n_levels, encoding.center, strict=True)]
    )
    weights = tuple(
        (component / spread, -float(component @ (center / spread + basis.mean_)))
        for component in basis.components_
    )
    note = _sentences(_sampled(rows, encoded.values.shape[0]), jitter)
    places = points.astype(np.float32)
    # Both are sums of the same standardised columns, turned.
    return View(places, rows, *axes, note, encoded.units, weights, has_one_unit=True)


def _plain_axis(values: np.ndarray, title: str) -> Axis:
    low, high = _range(values)
    return Axis(title, low, high, tuple((tick, f"{tick:g}") for tick in round_ticks(low, high)))


def _range(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = _MARGIN * (high - low) or 0.5
    return low - margin, high + margin


# ---- a pair of columns


@dataclass(frozen=True)
class _Placed:
    """One column along an axis."""

    values: np.ndarray
    axis: Axis
    is_jittered: bool
    n_missing: int
    weights: tuple[np.ndarray, float] | None
    transform: str | None = None


def _share_unit(first: str, second: str) -> bool:
    """Whether two columns' names say that they have the same unit: places, lengths in cm."""
    if {first.casefold(), second.casefold()} == {"x", "y"}:
        return True
    units = [_unit_in(name) for name in (first, second)]
    return first != second and units[0] == units[1] != ""


def _unit_in(name: str) -> str:
    """Unit that a column's name ends in, "" if it says none."""
    said = _UNIT.search(name.strip())
    return "" if said is None else (said["within"] or said["last"]).strip().casefold()


def _pair(encoded: Encoded, rows: np.ndarray, pair: tuple[str, str]) -> View:
    random = np.random.default_rng(SEED)
    x = _place(encoded, rows, pair[0], random)
    y = _place(encoded, rows, pair[1], random) if pair[1] != pair[0] else _strip(rows, random)
    jittered = [name for name, axis in zip(pair, (x, y), strict=True) if axis.is_jittered]
    note = _sentences(
        _sampled(rows, encoded.values.shape[0]),
        f"Jittered so that equal values stay apart: {' and '.join(jittered)}." if jittered else "",
        "Rows with a missing value stand in the margin." if x.n_missing or y.n_missing else "",
        "The height of a point means nothing." if pair[0] == pair[1] else "",
    )
    weights = None if x.weights is None or y.weights is None else (x.weights, y.weights)
    points = np.column_stack([x.values, y.values]).astype(np.float32)
    is_one = _share_unit(*pair) and weights is not None and x.transform == y.transform
    view = View(points, rows, x.axis, y.axis, note, encoded.units, weights, has_one_unit=is_one)
    # Levels stand where they stand, and so does what is missing; a log scale brings all near.
    is_plain = not any(
        one.is_jittered or one.n_missing or one.weights is None or one.axis.title not in pair
        for one in (x, y)
    )
    return _closer(view) if is_plain else view


def _strip(rows: np.ndarray, random: np.random.Generator) -> _Placed:
    return _Placed(random.random(rows.size), Axis("", -0.5, 1.5, ()), False, 0, None)


def _place(encoded: Encoded, rows: np.ndarray, name: str, random: np.random.Generator) -> _Placed:
    """Positions, range and labels of one column; missing cells go to a margin below the least."""
    j = encoded.names.index(name)
    unit = next(unit for unit in encoded.units if name in unit.columns)
    values = encoded.values[rows, j].copy()
    hole = np.isnan(values)
    known = values[~hole]
    distinct = np.unique(known)
    levels = unit.options.get("levels") if unit.is_nominal else None
    is_discrete = levels is not None or (
        distinct.size <= FEW_VALUES and np.array_equal(distinct, distinct.round())
    )
    if is_discrete and known.size:
        values += random.uniform(-_JITTER, _JITTER, values.size)
    low, high = _range(values[~hole]) if known.size else (-0.5, 0.5)
    ticks = _ticks(unit, name, low, high, levels, is_discrete)
    if hole.any():
        gutter = _GUTTER * (high - low)
        values[hole] = low - random.uniform(0.25, 0.75, int(hole.sum())) * gutter
        ticks = ((low - 0.5 * gutter, "missing"), *ticks)
        low -= gutter
    transform = unit.transform_of(unit.columns.index(name))
    title = name if transform is None else f"{name} ({TRANSFORMS[transform].scale})"
    axis = Axis(title, low, high, ticks)
    weights = None if levels is not None else _selector(encoded, j)
    return _Placed(values, axis, is_discrete, int(hole.sum()), weights, transform)


def _selector(encoded: Encoded, j: int) -> tuple[np.ndarray, float]:
    """Weights that pick one column among the features."""
    n_levels = numeric_encoding(encoded).n_levels
    widths = [n or 1 for n in n_levels]
    weights = np.zeros(sum(widths))
    weights[sum(widths[:j])] = 1.0
    return weights, 0.0


def _ticks(
    unit: Unit, name: str, low: float, high: float, levels: tuple | None, is_discrete: bool
) -> tuple[tuple[float, str], ...]:
    """Labels in natural units: level names, unlogged numbers, ratings from their offset."""
    if levels is not None:
        every = -(-len(levels) // MOST_TICKS)
        return tuple((float(k), str(levels[k])) for k in range(0, len(levels), every))
    transform = unit.transform_of(unit.columns.index(name))
    if transform == "log":
        return _log_ticks(low, high)
    if transform is not None:
        return _root_ticks(TRANSFORMS[transform], low, high)
    offset = unit.options.get("offset", 0.0)
    least_step = 1.0 if is_discrete else 0.0
    return tuple((tick, f"{tick + offset:g}") for tick in round_ticks(low, high, least_step))


def _root_ticks(root: Transform, low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Round numbers where their roots are, the first about a third of the way up."""
    ends = root.back(np.maximum([low, (2.0 * low + high) / 3.0, high], 0.0))
    numbers = {*round_ticks(ends[0], ends[1]), *round_ticks(ends[1], ends[2])}
    return tuple((float(root.forward(x)), f"{x:g}") for x in sorted(numbers))


def _log_ticks(low: float, high: float) -> tuple[tuple[float, str], ...]:
    """Powers of ten; with twos and fives, or between round values, where those are too few."""
    for steps in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0)):
        inside = decade_ticks(np.exp(low), np.exp(high), steps)
        if inside.size >= 3:
            break
    else:
        # Less than a factor of ten: round values of the unlogged column.
        inside = np.array([v for v in round_ticks(np.exp(low), np.exp(high)) if v > 0])
    inside = inside[:: max(1, -(-inside.size // 5))]
    return tuple((float(np.log(v)), f"{v:,.6g}") for v in inside)
