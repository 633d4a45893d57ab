"""Clusters in natural units, from 0 on, -1 for all rows; rows count by their weights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np
import pandas as pd
from scipy import stats

from ..cache import cached_on
from ..families.family import CATEGORY, COUNT, MEASUREMENT, RATING, YES_NO
from ..prepare.step import is_number
from ..schema.encoded import Encoded
from ..schema.facts import spelled_range
from ..schema.schema import Schema
from ..schema.spec import TIME_TO_EVENT, SchemaError
from ..schema.transforms import back
from ..wording import Notation

OUTCOME = "special outcome"
ALL = -1
#: Bars of a histogram; whole numbers up to this many distinct values get a bar each.
BARS = 30
#: Skewness of all rows from which on a measurement is summarised by median and quartiles.
SKEWED = 1.0
#: Rows of a group that something has to be true of to be shown.
LEAST_ROWS = 5


@dataclass(frozen=True)
class NaturalColumn:
    """One column of a table, in its user's units."""

    name: str
    #: "measurement", "rating", "count", "yes/no" or "category".
    kind: str
    #: float64, (N,). Logarithms of a log column, places of levels, else numbers; NaN is missing.
    codes: np.ndarray
    #: Of a category or yes/no, (no, yes); of a rating with named steps.
    levels: tuple[str, ...] | None = None
    is_log: bool = False
    #: Of a two-part column: which special outcome each cell has, its level 0 for a number.
    outcomes: "NaturalColumn | None" = None
    #: How often each row counts; None for once.
    weights: np.ndarray | None = None

    @property
    def parts(self) -> tuple[Self, ...]:
        """The column, and its special outcomes where it has some."""
        return (self,) if self.outcomes is None else (self, self.outcomes)

    @property
    def row_weights(self) -> np.ndarray:
        """How often each row counts, shape (N,)."""
        return np.ones(self.codes.size) if self.weights is None else self.weights

    @property
    def is_unknown(self) -> np.ndarray:
        """Which rows have neither a value nor a special outcome, shape (N,)."""
        missing = np.isnan(self.codes)
        return missing if self.outcomes is None else missing & ~(self.outcomes.codes > 0)

    @property
    def first_level(self) -> int:
        """First level worth telling: the no of yes/no, and being a number, go without saying."""
        return 0 if self.kind == CATEGORY or self.is_worded else 1

    def text(self, row: int) -> str | None:
        """What stands in a row's cell, in words; None where it is missing."""
        if self.outcomes is not None and self.outcomes.codes[row] > 0:
            return self.outcomes.text(row)
        if np.isnan(self.codes[row]):
            return None
        if self.levels is not None:
            return self.levels[int(self.codes[row])]
        return self.notation.write(self.values[row])

    @property
    def has_amounts(self) -> bool:
        """Whether its values add up: measurements, ratings (by their place) and counts."""
        return self.kind not in (YES_NO, CATEGORY, OUTCOME)

    @cached_property
    def by_rank(self) -> bool:
        """Whether a median says what is usual, as of a skewed measurement, else a mean."""
        observed = self.values[~np.isnan(self.values)]
        is_skewed = observed.size > 2 and abs(stats.skew(observed)) > SKEWED
        return self.kind == MEASUREMENT and (self.is_log or bool(is_skewed))

    @cached_property
    def _steps(self) -> np.ndarray | None:
        """Its levels as numbers; None where there are none, or one is a word."""
        try:
            return None if not self.levels else np.array(self.levels, dtype=np.float64)
        except ValueError:
            return None

    @property
    def is_worded(self) -> bool:
        """Whether its steps are words, whose places are no amounts."""
        return self.kind == RATING and bool(self.levels) and self._steps is None

    @property
    def is_by_levels(self) -> bool:
        """Whether it is described by how common its levels are: by no mean or median."""
        return self.is_worded or not self.has_amounts

    @cached_property
    def values(self) -> np.ndarray:
        """Values in natural units, shape (N,); steps that are words by their place from 0."""
        if self.is_log:
            return np.exp(self.codes)
        if self._steps is None:
            return self.codes
        observed = ~np.isnan(self.codes)
        values = self.codes.copy()
        values[observed] = self._steps[self.codes[observed].astype(np.int64)]
        return values

    @cached_property
    def notation(self) -> Notation:
        """How its values, and figures made of them, are written."""
        return Notation.of(self.values)


@cached_on
def natural_columns(encoded: Encoded) -> tuple[NaturalColumn, ...]:
    """The columns of a table, in its order."""
    outcomes = {
        name: NaturalColumn(
            name,
            OUTCOME,
            encoded.values[:, encoded.starts[u]],
            tuple(map(str, encoded.units[u].options["levels"])),
            weights=encoded.weights,
        )
        for name, u in encoded.outcome_of.items()
    }
    found = []
    for unit, start in zip(encoded.units, encoded.starts, strict=True):
        levels = unit.options.get("levels")
        levels = None if levels is None else tuple(map(str, levels))
        for d, name in enumerate(() if unit.is_outcome else unit.columns):
            codes, transform = encoded.values[:, start + d], unit.transform_of(d)
            is_log = transform == "log"
            if not is_log:
                codes = back(codes, transform) + unit.options.get("offset", 0.0)
            more = outcomes.get(name), encoded.weights
            found.append(NaturalColumn(name, unit.kind, codes, levels, is_log, *more))
    return tuple(found)


def natural_column(encoded: Encoded, name: str) -> NaturalColumn:
    """The column of that name."""
    return next(column for column in natural_columns(encoded) if column.name == name)


def column_of_table(cells: pd.Series, order: Sequence[object] | None = None) -> NaturalColumn:
    """A column before any model: numbers as they are, words as the commonest levels."""
    name = str(cells.name)
    if is_number(cells):
        values = cells.to_numpy(dtype=np.float64, na_value=np.nan)
        return NaturalColumn(name, MEASUREMENT, np.where(np.isfinite(values), values, np.nan))
    place = {str(step): at for at, step in enumerate(order or ())}
    common = cells.value_counts().index
    levels = sorted(common, key=lambda level: place.get(str(level), len(place)))[:BARS]
    codes = pd.Index(levels, dtype=common.dtype).get_indexer(cells).astype(np.float64)
    codes[codes < 0] = np.nan
    return NaturalColumn(name, CATEGORY, codes, tuple(map(str, levels)))


def summary_of(column: NaturalColumn, labels: np.ndarray) -> pd.DataFrame:
    """One column of amounts in natural units: a row a cluster, 0..K-1 of ``labels``, then ``ALL``.

    ``sd`` is of a sample, NaN below 2 values; ``lower`` and ``upper`` are quartiles.
    """
    weights = column.row_weights
    observed = ~np.isnan(column.values) & (weights > 0.0)
    k = int(labels.max()) + 1
    # All rows are one more group, of the same rows again.
    groups = np.append(labels[observed], np.full(observed.sum(), k, dtype=np.int64))
    values, weights = np.tile(column.values[observed], 2), np.tile(weights[observed], 2)
    order = np.lexsort((values, groups))
    values, groups, weights = values[order], groups[order], weights[order]
    n = np.bincount(groups, weights, k + 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(groups, weights * values, k + 1) / n
        squares = np.bincount(groups, weights * np.square(values - mean[groups]), k + 1)
        sd = np.where(n > 1, np.sqrt(squares / (n - 1)), np.nan)
    found = {"n_observed": _whole(n), "mean": mean, "sd": sd}
    for name, q in (("median", 0.5), ("lower", 0.25), ("upper", 0.75)):
        found[name] = _quantile(values, groups, weights, n, q)
    return pd.DataFrame(found, index=[*range(k), ALL])


def _whole(counts: np.ndarray) -> np.ndarray:
    """Sums of weights as they are shown: to the nearest row."""
    return np.rint(counts).astype(np.int64)


def _quantile(
    values: np.ndarray, groups: np.ndarray, weights: np.ndarray, n: np.ndarray, q: float
) -> np.ndarray:
    """Quantile of the sorted values of every group, between neighbours in proportion."""
    last = np.cumsum(np.bincount(groups, minlength=n.size)) - 1
    some, ends = n > 0.0, np.cumsum(weights)
    place = q * np.maximum(n[some] - 1.0, 0.0)
    below, above = (
        np.minimum(
            np.searchsorted(ends, (np.cumsum(n) - n)[some] + at + 1e-9, side="right"), last[some]
        )
        for at in (np.floor(place), np.ceil(place))
    )
    out = np.full(n.size, np.nan)
    # The larger weight first, so that equal neighbours give exactly their value.
    out[some] = values[below] + (place - np.floor(place)) * (values[above] - values[below])
    return out


def level_weights(
    column: NaturalColumn, labels: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """Sums of weights, shape (N,), of every cluster at every level, shape (K, V)."""
    observed = ~np.isnan(column.codes)
    shape = (int(labels.max()) + 1, len(column.levels))
    cells = labels[observed] * shape[1] + column.codes[observed].astype(np.int64)
    weights = column.row_weights if weights is None else weights
    return np.bincount(cells, weights[observed], shape[0] * shape[1]).reshape(shape)


def standardised_differences(encoded: Encoded, labels: np.ndarray, least: int = 1) -> pd.DataFrame:
    """How far every cluster's mean lies from that of all rows, in standard deviations.

    By (column, level, "" of amounts), a column a cluster; of a log column in logarithms, of levels
    shares and sqrt(p (1 - p)). NaN where fewer than ``least`` are observed, or nothing varies.
    """
    n_clusters = int(labels.max()) + 1
    rows: dict[tuple[str, str], np.ndarray] = {}
    for column in (part for one in natural_columns(encoded) for part in one.parts):
        observed = ~np.isnan(column.codes)
        codes, groups = column.codes[observed], labels[observed]
        weights = column.row_weights[observed]
        total = weights.sum()
        parts = {"": codes}
        if not column.has_amounts:
            places = range(column.first_level, len(column.levels))
            parts = {column.levels[j]: (codes == j).astype(np.float64) for j in places}
        with np.errstate(invalid="ignore", divide="ignore"):
            n = np.bincount(groups, weights, n_clusters)
            n = np.where(n < least, np.nan, n)
            for level, numbers in parts.items():
                center = weights @ numbers / total
                variance = weights @ np.square(numbers - center) / total
                spread = np.sqrt(variance) if numbers.size and np.ptp(numbers) else 0.0
                means = np.bincount(groups, weights * numbers, n_clusters) / n
                rows[column.name, level] = (means - center) / (spread or np.nan)
    index = pd.MultiIndex.from_tuples(rows, names=["column", "level"])
    return pd.DataFrame(np.array(list(rows.values())), index=index, columns=range(n_clusters))


def strongest(differences: pd.DataFrame, most: int) -> pd.DataFrame:
    """The rows of ``standardised_differences`` in which some cluster lies furthest away."""
    furthest = differences.abs().max(axis=1).sort_values(ascending=False, kind="stable")
    return differences.loc[furthest.dropna().index[:most]]


@dataclass(frozen=True)
class Distribution:
    """How the values of one column are spread in every cluster."""

    name: str
    kind: str
    labels: tuple[str, ...]
    #: float64, (B + 1,). Ends of bars in natural units; None where a bar is one value or level.
    edges: np.ndarray | None
    #: int64, shape (K, B).
    counts: np.ndarray
    is_log: bool

    @property
    def n_observed(self) -> np.ndarray:
        """Rows of each cluster with a value, shape (K,)."""
        return self.counts.sum(axis=1)


def distribution(column: NaturalColumn, labels: np.ndarray) -> Distribution:
    """Count the values of a column in every cluster."""
    if column.levels is not None:
        counts = _whole(level_weights(column, labels))
        return Distribution(column.name, column.kind, column.levels, None, counts, False)
    observed = ~np.isnan(column.codes)
    codes, groups = column.codes[observed], labels[observed]
    distinct, places = np.unique(codes, return_inverse=True)
    single = distinct.size <= BARS and np.array_equal(distinct, distinct.round())
    if single and not column.is_log:
        # Values nobody has keep their place between those that occur.
        steps = np.arange(distinct[0], distinct[-1] + 1) if distinct.size else distinct
        if steps.size <= 2 * BARS:
            distinct, places = steps, (codes - steps[:1]).astype(np.int64)
        names = tuple(column.notation.write(value) for value in distinct)
        edges, n_bars = None, distinct.size
    else:
        ends = np.histogram_bin_edges(codes, bins=BARS)
        if column.kind in (COUNT, RATING):
            width = max(1, -(-int(np.ptp(codes) + 1) // BARS))
            ends = np.arange(codes.min(), codes.max() + width + 1, width) - 0.5
        n_bars = ends.size - 1
        places = np.clip(np.searchsorted(ends, codes, side="right") - 1, 0, n_bars - 1)
        edges = np.exp(ends) if column.is_log else ends
        names = tuple(spelled_range(low, high) for low, high in pairwise(edges))
    n_clusters = int(labels.max()) + 1
    cells, weights = groups * n_bars + places, column.row_weights[observed]
    counts = _whole(np.bincount(cells, weights, n_clusters * n_bars)).reshape(n_clusters, n_bars)
    return Distribution(column.name, column.kind, names, edges, counts, column.is_log)


def described_by(frame: pd.DataFrame, schema: Schema) -> Mapping[str, Encoded]:
    """Numbers of every column that the groups are to be described by, by its name."""
    found = {}
    for name in schema.names("validator"):
        spec = schema[name]
        if spec.family is None or spec.family == TIME_TO_EVENT:
            continue
        alone = Schema([replace(spec, role="cluster")])
        try:
            found[name] = alone.completed(frame).encode(frame)
        except SchemaError:  # which Data says of it
            continue
    return found
