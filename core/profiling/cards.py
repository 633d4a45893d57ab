"""Profile cards: what is high, low, frequent and rare in each cluster, in natural units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pandas as pd

from ..schema.encoded import Encoded
from ..wording import in_digits, percent
from .profiles import ALL, prevalences, standardised_differences, summaries

#: Differences from all rows that are worth a line, in standard deviations.
NOTABLE = 0.3
MOST_TRAITS = 6


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
    amounts, shares = summaries(encoded, labels), prevalences(encoded, labels)
    sizes = np.bincount(labels)
    cards = []
    for k, size in enumerate(sizes):
        far = differences[k].dropna()
        far = far[far.abs() >= NOTABLE]
        far = far.reindex(far.abs().sort_values(ascending=False, kind="stable").index)
        traits = _one_a_column(far, amounts, shares, k)
        cards.append(Card(int(size), size / labels.size, tuple(islice(traits, most))))
    return tuple(cards)


def _one_a_column(
    far: pd.Series, amounts: pd.DataFrame, shares: pd.DataFrame, k: int
) -> Iterator[Trait]:
    """The furthest trait of each column: its other levels would say the same thing again."""
    told = set()
    for (column, level), difference in far.items():
        if column in told:
            continue
        told.add(column)
        if (column, k) in amounts.index and column in shares.index.get_level_values("column"):
            word = "frequent" if difference > 0 else "rare"
            if not level:
                word = "high" if difference > 0 else "low"
            said = tuple(_two_part(amounts, shares, column, group) for group in (k, ALL))
            n = int(shares.loc[column].xs(k, level="cluster")["n_observed"].iloc[0])
            what = f"{column} = {level}" if level else column
            yield Trait(word, what, *said, n, float(difference))
            continue
        if level:
            here, overall = shares.loc[(column, level, k)], shares.loc[(column, level, ALL)]
            word = "frequent" if difference > 0 else "rare"
            said = (percent(here["share"]), percent(overall["share"]))
            what = f"{column} = {level}"
        else:
            here, overall = amounts.loc[(column, k)], amounts.loc[(column, ALL)]
            word = "high" if difference > 0 else "low"
            middle = "median" if here["kind"] == "measurement" else "mean"
            said = (in_digits(here[middle]), in_digits(overall[middle]))
            what = column
        yield Trait(word, what, *said, int(here["n_observed"]), float(difference))


def _two_part(amounts: pd.DataFrame, shares: pd.DataFrame, column: str, group: int) -> str:
    """One line for a column with special outcomes: "below 0.5 in 47 %, else median 3.1"."""
    outcomes = shares.loc[column].xs(group, level="cluster")["share"]
    said = [f"{name} in {percent(share)}" for name, share in outcomes.items() if share > 0]
    middle = in_digits(amounts.loc[(column, group), "median"])
    return f"{', '.join(said)}, else median {middle}" if said else f"median {middle}"
