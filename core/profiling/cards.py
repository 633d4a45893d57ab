"""Profile cards: what is high, low, more or less common in each cluster, in natural units."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pandas as pd

from ..families.family import CATEGORY, MEASUREMENT
from ..schema.encoded import Encoded
from ..schema.words import denies
from ..wording import percent
from .contrasts import LEAST_ROWS, AmountContrasts, LevelContrasts
from .profiles import (
    ALL,
    NaturalColumn,
    describe_by_group,
    natural_columns,
    standardised_differences,
)

#: Differences from all rows that are worth a line, in standard deviations.
NOTABLE = 0.3
MOST_TRAITS = 6
#: Differences from the nearest cluster that are told.
MOST_CONTRASTS = 2
#: Share of the rows of both clusters whose cells have to be known for that.
KNOWN = 0.5
#: Lines by which two cards that begin with the same ones say the same.
ALIKE = 3
#: Digits more than usual that are tried to tell two numbers apart.
MOST_DIGITS = 8
#: Statistics of measurements, the usual one first; of ratings and counts the other way round.
USUAL = ("median", "mean")
#: What every line has behind it, and what is said of a cluster without one.
BORNE_OUT = (
    f"Each line rests on {LEAST_ROWS} rows of the group or more, and the 95 % interval of the "
    "difference from all other rows leaves out 0."
)
NOTHING = f"nothing stands out clearly in {LEAST_ROWS} rows or more"

#: A special outcome and its share, as lines tell them: "zero in 47 %, else median 3.1".
_OUTCOMES = re.compile(r"(?:^|, )(?!else )(.+?) in ([\d.]+ %)")
_COMPARED = {"high": "higher", "low": "lower"}

#: Word, what, here, overall and n of a trait.
_Said = tuple[str, str, str, str, int]


@dataclass(frozen=True)
class Trait:
    """One thing that sets a cluster apart."""

    #: "high", "low", "more often" or "less often".
    word: str
    #: The column, and the level of a category or yes/no.
    what: str
    #: Median, mean score, mean count or share in the cluster and beside it, in natural units:
    #: in all rows, or in the nearest cluster.
    here: str
    overall: str
    #: Rows of the cluster that have a value.
    n_observed: int
    #: From what stands beside it, in standard deviations of all rows.
    difference: float


@dataclass(frozen=True)
class Card:
    """One cluster in a few lines."""

    #: Rows.
    size: int
    #: Of all rows, 0 to 1.
    share: float
    #: The furthest from all rows first; empty where too few rows say anything, or say it clearly.
    traits: tuple[Trait, ...]
    #: The cluster most like it; None where no other one is large enough.
    nearest: int | None = None
    #: What tells it from that one, the furthest first.
    contrasts: tuple[Trait, ...] = ()


def profile_cards(
    encoded: Encoded, labels: np.ndarray, most: int = MOST_TRAITS
) -> tuple[Card, ...]:
    """A card for each cluster, with so many traits at most.

    A trait lies ``NOTABLE`` or more from all rows, ``LEAST_ROWS`` of the cluster lie on its side
    of the other rows, and the interval of the difference from those leaves out 0.
    """
    differences = standardised_differences(encoded, labels)
    told = _Told(encoded, labels)
    sizes = np.bincount(labels)
    near = nearest_groups(differences, sizes)
    cards = []
    for k, size in enumerate(sizes):
        traits = told.traits(differences[k], k, ALL)
        contrasts: tuple[Trait, ...] = ()
        if near[k] is not None:
            apart = differences[k] - differences[near[k]]
            contrasts = tuple(islice(told.traits(apart, k, near[k]), MOST_CONTRASTS))
        share = size / labels.size
        cards.append(Card(int(size), share, tuple(islice(traits, most)), near[k], contrasts))
    return tuple(cards)


def nearest_groups(differences: pd.DataFrame, sizes: np.ndarray) -> list[int | None]:
    """The cluster most like each one, of those with ``LEAST_ROWS`` or more.

    The mean over the columns of how far two clusters' means, or the shares of their furthest level,
    lie apart in standard deviations of all rows. ``differences`` are ``standardised_differences``.
    """
    values = differences.to_numpy()
    columns = differences.index.get_level_values("column")
    starts = np.flatnonzero(np.r_[True, columns[1:] != columns[:-1]]) if len(columns) else []
    large = sizes >= LEAST_ROWS
    found: list[int | None] = []
    for k in range(sizes.size):
        apart = np.nan_to_num(np.abs(values - values[:, [k]]))
        if not len(starts) or large.sum() - large[k] < 1:
            found.append(None)
            continue
        far = np.maximum.reduceat(apart, starts, axis=0).mean(axis=0)
        far[k] = np.inf
        found.append(int(np.where(large, far, np.inf).argmin()))
    return found


def alike(cards: tuple[Card, ...], first: int = ALIKE) -> tuple[tuple[int, int], ...]:
    """Pairs of clusters whose cards begin with the same lines, figures aside, in any order."""
    said: dict[frozenset[tuple[str, str]], int] = {}
    pairs = []
    for k, card in enumerate(cards):
        lines = frozenset((trait.word, trait.what) for trait in card.traits[:first])
        if len(lines) == first:
            other = said.setdefault(lines, k)
            pairs += [(other, k)] if other != k else []
    return tuple(pairs)


class _Told:
    """What every column says of a cluster, in figures that tell it from all rows or another."""

    def __init__(self, encoded: Encoded, labels: np.ndarray) -> None:
        self.labels = labels
        self.amounts, _ = describe_by_group(encoded, labels)
        self.columns = {column.name: column for column in natural_columns(encoded)}
        self._contrasts: dict[tuple[str, str], AmountContrasts | LevelContrasts] = {}
        self._shares_known: dict[str, np.ndarray] = {}

    def traits(self, differences: pd.Series, k: int, beside: int) -> Iterator[Trait]:
        """The furthest trait of each column: its other levels would say the same thing again.

        ``differences`` are those of cluster ``k`` from the cluster ``beside``, or from ALL.
        """
        far = (differences * [self.weight(*key, k) for key in differences.index]).dropna()
        far = far[far.abs() >= NOTABLE]
        far = far.reindex(far.abs().sort_values(ascending=False, kind="stable").index)
        told = set()
        for (name, level), difference in far.items():
            if name in told or (beside != ALL and min(self._known(name)[[k, beside]]) < KNOWN):
                continue
            column = self.columns[name]
            if column.outcomes is not None and level in column.outcomes.levels:
                found = self._of_outcome(column, level, k, beside, difference > 0)
            elif column.is_told_by_levels:
                found = self._of_levels(column, level, k, beside, difference > 0)
            else:
                found = self._of_amounts(column, k, beside, difference > 0)
            if found is not None:
                told.add(name)
                yield Trait(*found, float(difference))

    def weight(self, name: str, level: str, k: int) -> float:
        """How much a difference counts: of a two-part column's numbers, their share of its cells.

        A median of the few cells that are not below a limit says little about a cluster.
        """
        outcomes = self.columns[name].outcomes
        if level or outcomes is None:
            return 1.0
        return 1.0 - self._contrasts_of(outcomes).shares(k)[1:].sum()

    def _known(self, name: str) -> np.ndarray:
        """In which share of its rows each cluster has a value or a special outcome, shape (K,)."""
        if name not in self._shares_known:
            missing = self.columns[name].is_unknown
            sizes = np.bincount(self.labels)
            part = np.bincount(self.labels, missing, sizes.size)
            self._shares_known[name] = 1.0 - part / np.maximum(sizes, 1)
        return self._shares_known[name]

    def _contrasts_of(self, column: NaturalColumn) -> AmountContrasts | LevelContrasts:
        """A column, or its special outcomes, in every cluster beside others."""
        key = column.name, column.kind
        if key not in self._contrasts:
            kind = LevelContrasts if column.is_told_by_levels else AmountContrasts
            self._contrasts[key] = kind(column, self.labels)
        return self._contrasts[key]

    def _of_amounts(
        self, column: NaturalColumn, k: int, beside: int, is_high: bool
    ) -> _Said | None:
        """The usual statistic, or the other one where the usual does not tell the cluster apart."""
        here, overall = (self.amounts.loc[(column.name, group)] for group in (k, beside))
        statistics = USUAL if column.kind == MEASUREMENT else USUAL[::-1]
        word, side = ("high", 1) if is_high else ("low", -1)
        for statistic in statistics if column.outcomes is None else ("median",):
            if side * (here[statistic] - overall[statistic]) <= 0.0:
                continue
            if self._contrasts_of(column).side(k, statistic, beside) != side:
                continue
            if column.outcomes is not None:
                return self._of_two_parts(column, column.name, word, k, beside)
            said = told_apart(column.notation.write, here[statistic], overall[statistic])
            what = column.name if statistic == statistics[0] else f"{statistic} {column.name}"
            return word, what, *said, int(here["n_observed"])
        return None

    def _of_levels(
        self, column: NaturalColumn, level: str, k: int, beside: int, is_more: bool
    ) -> _Said | None:
        """A level more common than elsewhere, where one says it, else the one that is less so."""
        levels, found = column.levels or (), self._contrasts_of(column)
        here, overall, of_all = (found.shares(group) for group in (k, beside, ALL))
        sides = found.sides(k, beside)
        deviation = np.sqrt(np.maximum(of_all * (1.0 - of_all), np.finfo(float).tiny))
        rises = np.where(sides > 0, (here - overall) / deviation, -np.inf)
        best = int(rises.argmax())
        says_it = column.kind == CATEGORY and rises[best] >= NOTABLE
        if not level or (not is_more and (denies(level) or says_it)):
            place, word, side = best, "more often", 1
        else:
            place = levels.index(level)
            word, side = ("more often", 1) if is_more else ("less often", -1)
        if sides[place] != side:
            return None
        said = told_apart(percent, here[place], overall[place])
        return word, f"{column.name} = {levels[place]}", *said, found.n_observed(k)

    def _of_outcome(
        self, column: NaturalColumn, level: str, k: int, beside: int, is_more: bool
    ) -> _Said | None:
        """A special outcome, told with all that its column holds."""
        word, side = ("more often", 1) if is_more else ("less often", -1)
        place = column.outcomes.levels.index(level)
        if self._contrasts_of(column.outcomes).sides(k, beside)[place] != side:
            return None
        return self._of_two_parts(column, f"{column.name} = {level}", word, k, beside)

    def _of_two_parts(
        self, column: NaturalColumn, what: str, word: str, k: int, beside: int
    ) -> _Said | None:
        n = self._contrasts_of(column.outcomes).n_observed(k)
        here, overall = (self._two_parts(column, group) for group in (k, beside))
        return None if here == overall else (word, what, here, overall, n)

    def _two_parts(self, column: NaturalColumn, group: int) -> str:
        """What a column with special outcomes holds: "below 0.5 in 47 %, else median 3.1"."""
        outcomes = self._contrasts_of(column.outcomes)
        met = zip(column.outcomes.levels, outcomes.shares(group), outcomes.shares(ALL), strict=True)
        said = [f"{name} in {percent(share)}" for name, share, any_row in met if any_row > 0.0][1:]
        if column.is_told_by_levels or self._contrasts_of(column).n_rows(group) < LEAST_ROWS:
            return ", ".join(said)
        middle = column.notation.write(self.amounts.loc[(column.name, group), "median"])
        return f"{', '.join(said)}, else median {middle}" if said else f"median {middle}"


def told_apart(write: Callable[..., str], here: float, overall: float) -> tuple[str, str]:
    """Two different numbers with as few digits more as tell them apart."""
    for more in range(MOST_DIGITS):
        said = write(here, more=more), write(overall, more=more)
        if said[0] != said[1]:
            return said
    return f"{here:.17g}", f"{overall:.17g}"


def sentence(card: Card, nearest: str, plain: Callable[[str], str] = str) -> str:
    """Say which group a card's is most like, and the strongest contrasts with it.

    Parameters
    ----------
    card : Card
        Of a group that has a nearest one.
    nearest : str
        What that one is called.
    plain : callable
        Makes names and figures of the table safe where the sentence is shown.
    """
    if not card.contrasts:
        return f"Like {plain(nearest)}: no column clearly tells the two apart."
    told = " and ".join(_phrase(trait, plain) for trait in card.contrasts)
    return f"Like {plain(nearest)}, but {told}."


def _phrase(trait: Trait, plain: Callable[[str], str]) -> str:
    here, beside = (_short(text, trait.what) for text in (trait.here, trait.overall))
    what = plain(trait.what)
    if here in ("0 %", "100 %"):
        word = "never" if here == "0 %" else "always"
        return f"{word} {what} (there {plain(beside)})"
    word = _COMPARED.get(trait.word, trait.word)
    return f"{word} {what} ({plain(here)}, there {plain(beside)})"


def _short(figure: str, what: str) -> str:
    """Of "zero in 47 %, else median 3.1", what is spoken of: the share of "= zero", or the median.

    Any other figure as it is.
    """
    for outcome, share in _OUTCOMES.findall(figure):
        if what.endswith(f" = {outcome}"):
            return share
    return figure.rpartition(", else ")[2]
