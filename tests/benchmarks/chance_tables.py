"""Tables to judge chance by, written before its rule: eight designs without groups, and groups.

Every table is drawn from its number alone, as an export would hold it: the page reads what its
columns are. Numbers below ``OTHERS`` were looked at while the rule was made; those from there on
decide.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

#: Rows of the tables in turn, and from which number on tables decide.
SIZES, OTHERS = (100, 300, 1_000), 1_000
#: Columns, and items of the battery.
COLUMNS, ITEMS = 6, 8


def factor(n: int, random: np.random.Generator, columns: int = COLUMNS) -> np.ndarray:
    """One Gaussian factor behind all columns, (n, columns), of variance 1."""
    loads = random.uniform(0.5, 0.9, columns)
    return random.normal(size=(n, 1)) * loads + np.sqrt(1 - loads**2) * random.normal(
        size=(n, columns)
    )


def heavy(n: int, random: np.random.Generator) -> np.ndarray:
    """Student's t of 3 degrees: each cell its own spread, or one spread a row."""
    if random.integers(2):
        return random.standard_t(3, (n, COLUMNS))
    return random.normal(size=(n, COLUMNS)) / np.sqrt(random.chisquare(3, (n, 1)) / 3)


def rounded(n: int, random: np.random.Generator) -> np.ndarray:
    """Whole numbers about a dozen of which occur, along one factor in half of the tables."""
    cells = factor(n, random) if random.integers(2) else random.normal(size=(n, COLUMNS))
    return np.rint(60.0 + 2.0 * cells)


def likert(n: int, random: np.random.Generator) -> np.ndarray:
    """Items from 1 to 5 of one trait, each with its own easiness."""
    cells = factor(n, random, ITEMS) + random.normal(0.0, 0.5, ITEMS)
    return np.digitize(cells, [-1.2, -0.4, 0.4, 1.2]) + 1


def counts(n: int, random: np.random.Generator) -> np.ndarray:
    """Skewed counts whose rates rise with one severity."""
    rates = np.exp(random.uniform(0.0, 1.0, COLUMNS) + 0.7 * random.normal(size=(n, 1)))
    return random.poisson(rates)


def mixed(n: int, random: np.random.Generator) -> pd.DataFrame:
    """Columns of every kind, a tenth of the cells missing, with one factor in half of them."""
    cells = factor(n, random, 9) if random.integers(2) else random.normal(size=(n, 9))
    table = pd.DataFrame(
        {
            "weight": np.round(70.0 + 12.0 * cells[:, 0], 1),
            "pressure": np.round(120.0 + 15.0 * cells[:, 1]),
            "protein": np.round(np.exp(1.0 + 0.8 * cells[:, 2]), 2),
            "visits": random.poisson(np.exp(0.5 + 0.5 * cells[:, 3])),
            "falls": random.poisson(np.exp(0.2 * cells[:, 4])),
            "smoker": np.where(cells[:, 5] > 0.5, "yes", "no"),
            "diabetes": np.where(cells[:, 6] > 1.0, "yes", "no"),
            "blood": random.choice(list("ABO"), n, p=[0.45, 0.15, 0.4]),
            "pain": np.digitize(cells[:, 7], [-1.0, -0.3, 0.3, 1.0]),
        }
    )
    return table.mask(random.random(table.shape) < 0.1)


#: Cells of n rows without groups, by the words of the issue.
WITHOUT: dict[str, Callable[[int, np.random.Generator], np.ndarray | pd.DataFrame]] = {
    "normal": lambda n, random: random.normal(size=(n, COLUMNS)),
    "one factor": factor,
    "t(3)": heavy,
    "uniform": lambda n, random: random.uniform(size=(n, COLUMNS)),
    "rounded": rounded,
    "Likert battery": likert,
    "skewed counts": counts,
    "mixed, 10 % missing": mixed,
}


def without_groups(design: str, number: int) -> pd.DataFrame:
    """A table of one population."""
    random = np.random.default_rng([52, list(WITHOUT).index(design), number])
    return _as_read(WITHOUT[design](SIZES[number % len(SIZES)], random))


def three_groups(number: int, n: int = 300) -> pd.DataFrame:
    """Three groups, each high by 1.5 SD in another third of six columns."""
    random = np.random.default_rng([53, number])
    group = random.integers(3, size=n)
    high = 1.5 * (group[:, None] == np.arange(COLUMNS) % 3)
    return _as_read(high + random.normal(size=high.shape))


def three_places(number: int) -> pd.DataFrame:
    """Places 30 SD apart on one column of six, which are all that there is."""
    random = np.random.default_rng([54, number])
    n = SIZES[number % len(SIZES)]
    cells = random.normal(size=(n, COLUMNS))
    cells[:, 2] += 30.0 * random.choice(3, n, p=[0.6, 0.3, 0.1])
    return _as_read(cells)


def _as_read(cells: np.ndarray | pd.DataFrame) -> pd.DataFrame:
    """Four decimals, under names."""
    return (
        cells if isinstance(cells, pd.DataFrame) else pd.DataFrame(cells.round(4)).add_prefix("q")
    )
