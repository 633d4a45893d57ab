"""Two-dimensional views of a mixed table, the same for every partition drawn on it."""

from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from sklearn.decomposition import PCA

from ..models.numeric import numeric_encoding
from ..schema.encoded import Encoded, Unit
from ..schema.transforms import TRANSFORMS
from ..ticks import decade_ticks, round_ticks
from ..wording import counted

#: Of a larger table a random sample is shown.
MOST_ROWS = 10_000
SEED = 0
#: Whole numbers with at most this many distinct values are jittered like categories.
FEW_VALUES = 20
#: Labels on an axis up to this many; beyond, every so many.
MOST_TICKS = 8
_MARGIN, _GUTTER, _JITTER = 0.05, 0.12, 0.3
# A panel in one unit is at most so many times as wide as high, or as high as wide.
_MOST_OBLONG = 1.3
#: Percentiles of the bulk; what is farther than so many times its width lies far outside.
_BULK, _REACH = (5.0, 95.0), 1.25
# An arrow to such a row begins at this share of its distance from the middle; at most so many.
_ARROW, _MOST_ARROWS = 0.8, 12

#: An axis as a weighted sum of the P features of a table, shape (P,), plus a constant.
Weights = tuple[np.ndarray, float]


@dataclass(frozen=True)
class Axis:
    """One fixed axis, shared by all panels: its range, and labels in natural units by place."""

    title: str
    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def widened(self, width: float) -> Self:
        """The axis about the same middle, at least so wide."""
        extra = max(width - (self.high - self.low), 0.0) / 2.0
        return replace(self, low=self.low - extra, high=self.high + extra)


@dataclass(frozen=True)
class Edge:
    """Points far outside are moved towards the middle, (2,), to within two corners, (2,)."""

    middle: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def place(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where points stand, shape (P, 2), and the arrows to those far outside, (A, 2, 2)."""
        steps = points - self.middle
        # Where the line from the middle through each point meets the edge; the point lies at 1.
        limits = np.where(steps < 0.0, self.low - self.middle, self.high - self.middle)
        shares = np.divide(limits, steps, out=np.ones_like(steps), where=steps != 0.0).min(axis=1)
        outside = shares < 1.0 - 1e-6
        places = np.where(outside[:, None], self.middle + shares[:, None] * steps, points)
        ends = places[outside]
        inside = self.middle + _ARROW * (ends - self.middle)
        return places.astype(np.float32), np.stack([inside, ends], axis=1).astype(np.float32)


@dataclass(frozen=True)
class View:
    """Where every shown row lies."""

    #: float32, shape (n, 2), and int64, shape (n,), rising.
    points: np.ndarray
    rows: np.ndarray
    x: Axis
    y: Axis
    note: str
    units: tuple[Unit, ...]
    #: None where an axis is jittered categories or nothing.
    weights: tuple[Weights, Weights] | None
    #: float32, shape (A, 2, 2): arrows to rows at the edge, from start to end.
    arrows: np.ndarray | None = None
    edge: Edge | None = None
    has_one_unit: bool = False


def choose_view(encoded: Encoded, pair: tuple[str, str] | None = None) -> View:
    """Show two columns, or the same twice as a strip; by default, more than two by their PCA."""
    n_rows, rows, note = len(encoded.values), np.arange(len(encoded.values)), ""
    if n_rows > MOST_ROWS:
        rows = np.sort(np.random.default_rng(SEED).choice(n_rows, MOST_ROWS, replace=False))
        note = f"A random sample of {MOST_ROWS:,} of the {n_rows:,} rows is drawn. "
    if pair is None and len(encoded.columns) > 2 and rows.size > 1:
        view, is_plain = _plane(encoded, rows), True
    else:
        view, is_plain = _pair(encoded, rows, *(pair or (encoded.columns[0], encoded.columns[-1])))
    view = _closer(view) if is_plain else view
    if view.has_one_unit:  # else a panel would be too low, or too narrow
        least = max(axis.high - axis.low for axis in (view.x, view.y)) / _MOST_OBLONG
        view = replace(view, x=view.x.widened(least), y=view.y.widened(least))
    return replace(view, note=f"{note}{view.note}".strip())


def _closer(view: View) -> View:
    """Enlarge the bulk of two numeric axes, outliers at the edge, counted in the note."""
    points = view.points.astype(np.float64)
    low, high = np.percentile(points, _BULK, axis=0)
    reach = _REACH * (high - low)
    least, most = points.min(axis=0), points.max(axis=0)
    edge = Edge((low + high) / 2.0, np.maximum(least, low - reach), np.minimum(most, high + reach))
    places, arrows = edge.place(points)
    if not len(arrows):
        return view
    lie, each = (" lies", "it") if len(arrows) == 1 else (" lie", "each")
    lie = counted(len(arrows), "row") + lie
    return replace(
        view,
        points=places,
        x=_plain_axis(places[:, 0], view.x.title),
        y=_plain_axis(places[:, 1], view.y.title),
        note=f"{view.note} {lie} far outside: {each} stands at the edge, in its direction.",
        edge=edge,
        arrows=arrows if len(arrows) <= _MOST_ARROWS else None,
    )


def _plane(encoded: Encoded, rows: np.ndarray) -> View:
    """Principal components of the numeric encoding of the shown rows."""
    encoding, basis = numeric_encoding(encoded), PCA(2, random_state=SEED)
    points, note = basis.fit_transform(encoding.apply(encoded.values[rows])), ""
    if np.unique(points.round(9), axis=0).shape[0] < 0.8 * len(points):
        noise = np.random.default_rng(SEED).standard_normal(points.shape)
        points = points + 0.012 * np.ptp(points, axis=0) * noise
        note = "Many rows coincide, so the points are jittered."
    shares = 100 * np.nan_to_num(basis.explained_variance_ratio_)
    axes = [
        _plain_axis(points[:, j], f"component {j + 1}, {shares[j]:.0f} % of variance")
        for j in (0, 1)
    ]
    # A level of a category is a 0/1 feature as it is; other columns are standardised.
    widths = np.maximum(encoding.n_levels, 1)
    is_level = np.repeat(np.array(encoding.n_levels) > 0, widths)
    center = np.where(is_level, 0.0, np.repeat(encoding.center, widths))
    scale = np.where(is_level, 1.0, np.repeat(encoding.scale, widths))
    weights = tuple(
        (component / scale, -float(component @ (center / scale + basis.mean_)))
        for component in basis.components_
    )
    # Both are sums of the same standardised columns, turned.
    points = points.astype(np.float32)
    return View(points, rows, *axes, note, encoded.units, weights, has_one_unit=True)


def _plain_axis(values: np.ndarray, title: str) -> Axis:
    low, high = _range(values)
    return Axis(title, low, high, tuple((tick, f"{tick:g}") for tick in round_ticks(low, high)))


def _range(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = _MARGIN * (high - low) or 0.5
    return low - margin, high + margin


class _Placed(NamedTuple):
    """One column along an axis; ``is_plain`` where what lies far outside may be brought nearer."""

    values: np.ndarray
    axis: Axis
    weights: Weights | None = None
    is_jittered: bool = False
    has_missing: bool = False
    is_plain: bool = False


def _pair(encoded: Encoded, rows: np.ndarray, first: str, second: str) -> tuple[View, bool]:
    """Two columns, or one as a strip, and whether both are plain numbers."""
    random, is_strip = np.random.default_rng(SEED), first == second
    x = _place(encoded, rows, first, random)
    y = (
        _Placed(random.random(rows.size), Axis("", -0.5, 1.5, ()))
        if is_strip
        else _place(encoded, rows, second, random)
    )
    jittered = [name for name, one in ((first, x), (second, y)) if one.is_jittered]
    notes = {
        f"Jittered so that equal values stay apart: {' and '.join(jittered)}.": jittered,
        "Rows with a missing value stand in the margin.": x.has_missing or y.has_missing,
        "The height of a point means nothing.": is_strip,
    }
    note = " ".join(text for text, is_so in notes.items() if is_so)
    weights = None if x.weights is None or y.weights is None else (x.weights, y.weights)
    points = np.column_stack([x.values, y.values]).astype(np.float32)
    is_plain = x.is_plain and y.is_plain
    is_one = is_plain and {first.casefold(), second.casefold()} == {"x", "y"}
    units = encoded.units
    return View(points, rows, x.axis, y.axis, note, units, weights, has_one_unit=is_one), is_plain


def _place(encoded: Encoded, rows: np.ndarray, name: str, random: np.random.Generator) -> _Placed:
    """Positions, range and labels of one column; missing cells go to a margin below the least."""
    j = encoded.names.index(name)
    unit = next(unit for unit in encoded.units if name in unit.columns)
    levels = unit.options.get("levels") if unit.is_nominal else None
    transform = unit.transform_of(unit.columns.index(name))
    values = encoded.values[rows, j].copy()
    hole = np.isnan(values)
    distinct = np.unique(values[~hole])
    is_jittered = distinct.size > 0 and (
        levels is not None
        or (distinct.size <= FEW_VALUES and np.array_equal(distinct, distinct.round()))
    )
    if is_jittered:
        values += random.uniform(-_JITTER, _JITTER, values.size)
    low, high = _range(values[~hole]) if distinct.size else (-0.5, 0.5)
    if levels is not None:
        shown = range(0, len(levels), -(-len(levels) // MOST_TICKS))
        ticks = [(float(k), str(levels[k])) for k in shown]
    elif transform is not None:
        ticks = _scale_ticks(transform, low, high)
    else:  # ratings from their offset
        offset = unit.options.get("offset", 0.0)
        numbers = round_ticks(low, high, float(is_jittered))
        ticks = [(number, f"{number + offset:g}") for number in numbers]
    if hole.any():
        gutter = _GUTTER * (high - low)
        values[hole] = low - random.uniform(0.25, 0.75, int(hole.sum())) * gutter
        ticks.insert(0, (low - 0.5 * gutter, "missing"))
        low -= gutter
    weights = None
    if levels is None:  # which pick the column among the features
        widths = [n or 1 for n in numeric_encoding(encoded).n_levels]
        weights = np.eye(sum(widths))[sum(widths[:j])], 0.0
    title = name if transform is None else f"{name} ({TRANSFORMS[transform].scale})"
    # Levels stand where they stand, and so does what is missing; a log scale brings all near.
    is_plain = not (is_jittered or hole.any() or levels or transform)
    axis = Axis(title, low, high, tuple(ticks))
    return _Placed(values, axis, weights, is_jittered, bool(hole.any()), is_plain)


def _scale_ticks(transform: str, low: float, high: float) -> list[tuple[float, str]]:
    """Round numbers where their logarithms or roots are, of roots more of them low down."""
    scale = TRANSFORMS[transform]
    least, middle, most = scale.back(np.array([low, (2.0 * low + high) / 3.0, high])).tolist()
    numbers = sorted({*round_ticks(least, middle), *round_ticks(middle, most)})
    if transform == "log":  # less than a factor of ten has no powers of it
        steps = (1.0,), (1.0, 3.0), (1.0, 2.0, 5.0)
        found = [decade_ticks(least, most, each) for each in steps]
        numbers = next((each for each in found if each.size >= 3), round_ticks(least, most))
        numbers = numbers[:: -(-len(numbers) // MOST_TICKS)]
    return [(float(scale.forward(number)), f"{number:,.6g}") for number in numbers if number > 0]
