"""Profile cards: what is high, low, more or less common in each cluster, in natural units.

Groups differ by construction on what made them: the intervals only keep out what few rows make.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pandas as pd

from ..cache import cached_on
from ..families.family import CATEGORY
from ..schema.encoded import Encoded
from ..schema.words import denies
from ..statistics.differences import difference_interval, effective, median, share, welch_interval
from ..wording import percent
from .profiles import (
    ALL,
    LEAST_ROWS,
    OUTCOME,
    NaturalColumn,
    level_weights,
    natural_columns,
    standardised_differences,
    summary_of,
)

#: Differences from all rows that are worth a line, in standard deviations.
NOTABLE = 0.3
MOST_TRAITS = 6
MOST_CONTRASTS = 2
#: Share of the rows of both clusters whose cells have to be observed for that.
OBSERVED = 0.5
#: Digits more than usual that are tried to tell two numbers apart.
MOST_DIGITS = 8
BORNE_OUT = (
    f"Each line rests on {LEAST_ROWS} rows of the group or more, and the 95 % interval of the "
    "difference from all other rows leaves out 0."
)
NOTHING = f"nothing stands out clearly in {LEAST_ROWS} rows or more"

_COMPARED = {"high": "higher", "low": "lower"}


@dataclass(frozen=True)
class Trait:
    """One thing that sets a cluster apart."""

    #: "high", "low", "more often" or "less often".
    word: str
    what: str
    #: Median, mean or share in the cluster, and in all rows or the nearest one, in natural units.
    here: str
    overall: str
    n_observed: int
    #: From what stands beside it, in standard deviations of all rows.
    difference: float


@dataclass(frozen=True)
class Card:
    """One cluster in a few lines."""

    size: int
    #: Of all rows, 0 to 1.
    share: float
    #: The furthest from all rows first; empty where too few rows say anything, or say it clearly.
    traits: tuple[Trait, ...]
    #: The cluster most like it; None where no other one is large enough.
    nearest: int | None = None
    contrasts: tuple[Trait, ...] = ()


def profile_cards(
    encoded: Encoded, labels: np.ndarray, most: int = MOST_TRAITS
) -> tuple[Card, ...]:
    """A card for each cluster, with so many traits at most."""
    differences = standardised_differences(encoded, labels)
    columns = {c.name: _Column(c, labels, differences) for c in natural_columns(encoded)}
    sizes = np.bincount(labels)
    near = _nearest(differences, sizes)
    cards = []
    for k, size in enumerate(sizes):
        traits = _traits(columns, differences[k], k, ALL)
        contrasts: tuple[Trait, ...] = ()
        if near[k] is not None:
            gaps = differences[k] - differences[near[k]]
            contrasts = tuple(islice(_traits(columns, gaps, k, near[k]), MOST_CONTRASTS))
        of_all = size / labels.size
        cards.append(Card(int(size), of_all, tuple(islice(traits, most)), near[k], contrasts))
    return tuple(cards)


def _nearest(differences: pd.DataFrame, sizes: np.ndarray) -> list[int | None]:
    """The cluster most like each one, of those with ``LEAST_ROWS`` or more."""
    values, found = differences.to_numpy(), [None] * sizes.size
    starts = np.flatnonzero(~differences.index.get_level_values("column").duplicated())
    for k in range(sizes.size if starts.size else 0):
        others = np.flatnonzero((sizes >= LEAST_ROWS) & (np.arange(sizes.size) != k))
        gaps = np.nan_to_num(np.abs(values[:, others] - values[:, [k]]))
        far = np.maximum.reduceat(gaps, starts, axis=0).mean(axis=0)
        found[k] = int(others[far.argmin()]) if others.size else None
    return found


def _traits(
    columns: "Mapping[str, _Column]", differences: pd.Series, k: int, other: int
) -> Iterator[Trait]:
    weights = [columns[name].weight(level, k) for name, level in differences.index]
    far = (differences * weights).dropna()
    far = far[far.abs() >= NOTABLE]
    far = far.reindex(far.abs().sort_values(ascending=False, kind="stable").index)
    used = set()
    for (name, level), difference in far.items():
        column = columns[name]
        if name in used or (other != ALL and column.observed[[k, other]].min() < OBSERVED):
            continue
        if trait := column.trait(level, k, other, float(difference)):
            used.add(name)
            yield trait


class _Column:
    """A column's figures that distinguish a cluster from all rows or from another cluster."""

    def __init__(
        self, column: NaturalColumn, labels: np.ndarray, differences: pd.DataFrame
    ) -> None:
        if column.is_by_levels:
            self.own = _Levels(column, labels)
        else:
            self.own = _Amounts(column, labels, differences.loc[(column.name, "")].to_numpy())
        self.outcomes = None if column.outcomes is None else _Levels(column.outcomes, labels)
        #: Shape (K,). In which share of its rows each cluster has a value or a special outcome.
        sizes = np.bincount(labels)
        missing = np.bincount(labels, column.is_unknown, sizes.size)
        self.observed = 1.0 - missing / np.maximum(sizes, 1)

    def weight(self, level: str, k: int) -> float:
        """Weight of a difference: of numbers in two parts, their share of the cells."""
        if level or self.outcomes is None:
            return 1.0
        return 1.0 - self.outcomes.shares(k)[1:].sum()

    def trait(self, level: str, k: int, other: int, difference: float) -> Trait | None:
        """The trait of a difference, if it distinguishes the cluster; else None."""
        of_outcome = self.outcomes is not None and level in self.outcomes.column.levels
        return (self.outcomes if of_outcome else self.own).trait(level, k, other, difference)


class _Amounts:
    """Measurements, ratings or counts of one column, of groups against each other or the rest."""

    def __init__(self, column: NaturalColumn, labels: np.ndarray, differences: np.ndarray) -> None:
        self.column, weights = column, column.row_weights
        observed = ~np.isnan(column.values) & (weights > 0.0)
        order = np.flatnonzero(observed)[np.argsort(column.values[observed], kind="stable")]
        self.values, self.weights, self.groups = column.values[order], weights[order], labels[order]
        self.summary = summary_of(column, labels)
        self.usual, other = ("median", "mean") if column.by_rank else ("mean", "median")
        #: One for all cards: the usual one, unless the other tells more clusters apart.
        self.statistic = self.usual
        far = [k for k, difference in enumerate(differences) if abs(difference) >= NOTABLE]
        n_told = self._n_told(self.usual, differences, far)
        if n_told < len(far) and self._n_told(other, differences, far) > n_told:
            self.statistic = other

    def _n_told(self, statistic: str, differences: np.ndarray, groups: list[int]) -> int:
        return sum(self.side(statistic, k, ALL) * differences[k] > 0.0 for k in groups)

    def trait(self, level: str, k: int, other: int, difference: float) -> Trait | None:
        """The trait of a difference, if the column's statistic distinguishes the cluster."""
        name, here = self.column.name, self.summary.loc[k]
        side = 1 if difference > 0 else -1
        if self.side(self.statistic, k, other) != side:
            return None
        overall = self.summary.loc[other, self.statistic]
        text = distinct_texts(self.column.notation.write, here[self.statistic], overall)
        what = name if self.statistic == self.usual else f"{self.statistic} {name}"
        word = "high" if side > 0 else "low"
        return Trait(word, what, *text, int(here["n_observed"]), difference)

    @cached_on
    def side(self, statistic: str, k: int, other: int) -> int:
        """1 where the group lies above the other rows, -1 where below, 0 where that is open."""
        inside = self.groups == k
        outside = ~inside if other == ALL else self.groups == other
        here, weights = self.values[inside], self.weights[inside]
        rest, others = self.values[outside], self.weights[outside]
        if here.size < LEAST_ROWS or not rest.size:
            return 0
        if statistic == "median":
            figure = median(rest, others)
            low, high = difference_interval(median(here, weights), figure)
            figure = figure.value
        else:
            low, high = welch_interval(here, rest, weights, others)
            figure = np.average(rest, weights=others)
        side = int(low > 0.0) - int(high < 0.0)
        gap = self.summary.loc[k, statistic] - self.summary.loc[other, statistic]
        is_so = side * gap > 0.0 and (side * (here - figure) > 0.0).sum() >= LEAST_ROWS
        return side if is_so else 0


class _Levels:
    def __init__(self, column: NaturalColumn, labels: np.ndarray) -> None:
        self.column, weights = column, column.row_weights
        #: Shape (K, V). Sums of weights; rows of any weight; sums of squared weights.
        self.weights, self.rows, self.squares = (
            level_weights(column, labels, each)
            for each in (weights, weights > 0.0, np.square(weights))
        )

    def trait(self, level: str, k: int, other: int, difference: float) -> Trait | None:
        """A level more common than elsewhere, where one says it, else the one that is less so."""
        kind, levels = self.column.kind, self.column.levels or ()
        here, overall, of_all = (self.shares(group) for group in (k, other, ALL))
        sides = self.sides(k, other)
        deviation = np.sqrt(np.maximum(of_all * (1.0 - of_all), np.finfo(float).tiny))
        rises = np.where(sides > 0, (here - overall) / deviation, -np.inf)
        best = int(rises.argmax())
        is_better_so = kind == CATEGORY and rises[best] >= NOTABLE
        is_better_so |= kind != OUTCOME and denies(level)
        is_other = not level or (difference <= 0 and is_better_so)
        place = best if is_other else levels.index(level)
        word, side = ("more often", 1) if is_other or difference > 0 else ("less often", -1)
        if sides[place] != side:
            return None
        text = distinct_texts(percent, here[place], overall[place])
        n_observed = round(float(self.weights[k].sum()))
        what = f"{self.column.name} = {levels[place]}"
        return Trait(word, what, *text, n_observed, difference)

    def shares(self, k: int) -> np.ndarray:
        """How common the levels are in a group, or in all rows, shape (V,); NaN of no rows."""
        found = self.weights.sum(axis=0) if k == ALL else self.weights[k]
        with np.errstate(invalid="ignore"):
            return found / found.sum()

    def sides(self, k: int, other: int) -> np.ndarray:
        """By level, (V,): 1 if surely more common than in other rows, -1 if less, 0 if open."""
        numbers = np.arange(len(self.weights))
        parts = []
        for groups in (numbers == k, numbers != k if other == ALL else numbers == other):
            weights = self.weights[groups].sum(axis=0)
            total = weights.sum()
            n = effective(total, self.squares[groups].sum())
            parts.append(share(weights / (total or 1.0), n))
        low, high = difference_interval(*parts)
        side = (low > 0.0).astype(int) - (high < 0.0)
        rows = self.rows[k]
        return np.where(np.where(side > 0, rows, rows.sum() - rows) >= LEAST_ROWS, side, 0)


def distinct_texts(write: Callable[..., str], here: float, overall: float) -> tuple[str, str]:
    """Two different numbers with as few digits more as tell them apart."""
    for more in range(MOST_DIGITS):
        text = write(here, more=more), write(overall, more=more)
        if text[0] != text[1]:
            return text
    return f"{here:.17g}", f"{overall:.17g}"


def sentence(card: Card, nearest: str, plain: Callable[[str], str] = str) -> str:
    """Say which group a card's is most like, and the strongest contrasts with it."""
    if not card.contrasts:
        return f"Like {plain(nearest)}: no column clearly tells the two apart."
    contrasts = " and ".join(_phrase(trait, plain) for trait in card.contrasts)
    return f"Like {plain(nearest)}, but {contrasts}."


def _phrase(trait: Trait, plain: Callable[[str], str]) -> str:
    what, there = plain(trait.what), plain(trait.overall)
    if trait.here in ("0 %", "100 %"):
        return f"{'never' if trait.here == '0 %' else 'always'} {what} (there {there})"
    word = _COMPARED.get(trait.word, trait.word)
    return f"{word} {what} ({plain(trait.here)}, there {there})"
