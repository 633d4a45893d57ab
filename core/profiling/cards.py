"""Profile cards: what is high, low, frequent and rare in each cluster, in natural units."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pandas as pd

from ..families.family import CATEGORY
from ..schema.encoded import Encoded
from ..wording import in_digits, percent
from .profiles import (
    ALL,
    NaturalColumn,
    natural_columns,
    prevalences,
    prevalences_of,
    standardised_differences,
    summaries,
)

#: Differences from all rows that are worth a line, in standard deviations.
NOTABLE = 0.3
MOST_TRAITS = 6
#: Digits more than usual that are tried to tell two numbers apart.
MOST_DIGITS = 8
#: Statistics of measurements, the usual one first; of ratings and counts the other way round.
USUAL = ("median", "mean")
#: Levels that say no: of these what is frequent is told, never that "no" is rare.
NEGATIVE = frozenset({"0", "0.0", "no", "n", "none", "not", "false", "f", "absent", "negative"})

#: Word, what, here, overall and n of a trait.
_Said = tuple[str, str, str, str, int]


@dataclass(frozen=True)
class Trait:
    """One thing that sets a cluster apart."""

    #: "high", "low", "frequent" or "rare".
    word: str
    #: The column, and the level of a category or yes/no.
    what: str
    #: Median, mean score, mean count or share in the cluster and in all rows, in natural units.
    here: str
    overall: str
    #: Rows of the cluster that have a value.
    n_observed: int
    #: In standard deviations of all rows.
    difference: float


@dataclass(frozen=True)
class Card:
    """One cluster in a few lines."""

    #: Rows.
    size: int
    #: Of all rows, 0 to 1.
    share: float
    #: The furthest from all rows first; empty where nothing stands out.
    traits: tuple[Trait, ...]


def profile_cards(
    encoded: Encoded, labels: np.ndarray, most: int = MOST_TRAITS
) -> tuple[Card, ...]:
    """A card for each cluster, with so many traits at most."""
    differences = standardised_differences(encoded, labels)
    told = _Told(encoded, labels)
    sizes = np.bincount(labels)
    cards = []
    for k, size in enumerate(sizes):
        far = (differences[k] * [told.weight(*key, k) for key in differences.index]).dropna()
        far = far[far.abs() >= NOTABLE]
        far = far.reindex(far.abs().sort_values(ascending=False, kind="stable").index)
        cards.append(Card(int(size), size / labels.size, tuple(islice(told.traits(far, k), most))))
    return tuple(cards)


class _Told:
    """What every column says of a cluster, in figures that tell it from all rows."""

    def __init__(self, encoded: Encoded, labels: np.ndarray) -> None:
        self.labels = labels
        self.amounts, self.shares = summaries(encoded, labels), prevalences(encoded, labels)
        self.columns = {column.name: column for column in natural_columns(encoded)}
        self._levels: dict[str, pd.DataFrame] = {}

    def traits(self, far: pd.Series, k: int) -> Iterator[Trait]:
        """The furthest trait of each column: its other levels would say the same thing again."""
        told = set()
        for (name, level), difference in far.items():
            if name in told:
                continue
            told.add(name)
            column = self.columns[name]
            if column.outcomes is not None:
                found = self._of_two_parts(name, level, k, difference > 0)
            elif column.is_worded or level:
                found = self._of_levels(column, level, k, difference)
            else:
                found = self._of_amounts(name, k, difference > 0)
            if found is not None:
                yield Trait(*found, float(difference))

    def weight(self, name: str, level: str, k: int) -> float:
        """How much a difference counts: of a two-part column's numbers, their share of its cells.

        A median of the few cells that are not below a limit says little about a cluster.
        """
        if level or self.columns[name].outcomes is None:
            return 1.0
        return 1.0 - self.shares.loc[name].xs(k, level="cluster")["share"].sum()

    def _of_amounts(self, name: str, k: int, is_high: bool) -> _Said | None:
        """The usual statistic, or the other one where the usual does not tell the cluster apart."""
        here, overall = self.amounts.loc[(name, k)], self.amounts.loc[(name, ALL)]
        usual, other = USUAL if here["kind"] == "measurement" else USUAL[::-1]
        for statistic in (usual, other):
            if here[statistic] != overall[statistic] and is_high == (
                here[statistic] > overall[statistic]
            ):
                said = told_apart(in_digits, here[statistic], overall[statistic])
                what = name if statistic == usual else f"{statistic} {name}"
                return ("high" if is_high else "low"), what, *said, int(here["n_observed"])
        return None

    def _of_levels(
        self, column: NaturalColumn, level: str, k: int, difference: float
    ) -> _Said | None:
        """A level that is frequent, where there is one that says it, else the one that is rare."""
        if column.name not in self._levels:
            self._levels[column.name] = prevalences_of(column, self.labels)
        shares = self._levels[column.name].iloc[:, 1:]
        n = int(self._levels[column.name].iloc[:, 0].loc[k])
        here, overall = shares.loc[k].to_numpy(), shares.loc[ALL].to_numpy()
        deviation = np.sqrt(np.maximum(overall * (1.0 - overall), np.finfo(float).tiny))
        rises = (here - overall) / deviation
        place, best = shares.columns.get_indexer([level])[0], int(rises.argmax())
        is_rare = difference < 0
        if column.is_worded or (
            is_rare and (level.strip().casefold() in NEGATIVE or self._says_it(column, rises[best]))
        ):
            place, is_rare = best, False
        if here[place] == overall[place]:
            return None
        what = f"{column.name} = {shares.columns[place]}"
        said = told_apart(percent, here[place], overall[place])
        return ("rare" if is_rare else "frequent"), what, *said, n

    @staticmethod
    def _says_it(column: NaturalColumn, rise: float) -> bool:
        """Whether one level of a category rises enough to stand for another's fall."""
        return column.kind == CATEGORY and rise >= NOTABLE

    def _of_two_parts(self, name: str, level: str, k: int, is_high: bool) -> _Said | None:
        words = ("rare", "frequent") if level else ("low", "high")
        here, overall = (_two_part(self.amounts, self.shares, name, group) for group in (k, ALL))
        n = int(self.shares.loc[name].xs(k, level="cluster")["n_observed"].iloc[0])
        if here == overall:
            return None
        return words[is_high], f"{name} = {level}" if level else name, here, overall, n


def told_apart(write: Callable[..., str], here: float, overall: float) -> tuple[str, str]:
    """Two different numbers with as few digits more as tell them apart."""
    for more in range(MOST_DIGITS):
        said = write(here, more=more), write(overall, more=more)
        if said[0] != said[1]:
            return said
    return f"{here:.17g}", f"{overall:.17g}"


def _two_part(amounts: pd.DataFrame, shares: pd.DataFrame, column: str, group: int) -> str:
    """One line for a column with special outcomes: "below 0.5 in 47 %, else median 3.1"."""
    outcomes = shares.loc[column].xs(group, level="cluster")["share"]
    met = shares.loc[column].xs(ALL, level="cluster")["share"] > 0
    said = [f"{name} in {percent(share)}" for name, share in outcomes[met].items()]
    if (column, group) not in amounts.index:  # yes or no beside its outcomes: no median
        return ", ".join(said) or "none of its outcomes"
    median = amounts.loc[(column, group), "median"]
    if np.isnan(median):  # nothing but special outcomes
        return ", ".join(said)
    middle = in_digits(median)
    return f"{', '.join(said)}, else median {middle}" if said else f"median {middle}"
