"""Tables to judge the light by: one cloud, gradients of several kinds, and real classes.

Every table is drawn from its number alone. The families are those that the page suggests for the
columns, or those of ``MIXED``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mapdp_studio.core import Schema, infer_schema
from mapdp_studio.core.schema.spec import ColumnSpec
from mapdp_studio.demo_datasets import load_parkinsonism

#: Latent means of n rows, shape (n, 14).
Means = Callable[[int, np.random.Generator], np.ndarray]
#: Cells of n rows, shape (n, 8).
Cells = Callable[[int, np.random.Generator], np.ndarray]
#: Families of the 14 mixed columns.
MIXED = ("normal",) * 6 + ("binomial",) * 4 + ("bernoulli",) * 2 + ("poisson",) * 2
#: Columns of the other tables.
COLUMNS = 8


@dataclass(frozen=True)
class Scenario:
    """Tables drawn alike."""

    title: str
    #: Table number -> a table and what its columns are.
    table: Callable[[int], tuple[pd.DataFrame, Schema]]
    n_tables: int
    #: Whether there are classes, so that every verdict is wanted in full.
    has_classes: bool = False


# ---- mixed columns that follow latent means


def mixed(means: np.ndarray, random: np.random.Generator) -> tuple[pd.DataFrame, Schema]:
    """A table whose columns follow the latent means (N, 14) in their own ways."""
    table, specs = {}, []
    for j, family in enumerate(MIXED):
        name = f"{family} {j}"
        table[name] = _column(family, means[:, j], random)
        specs.append(ColumnSpec(name, family, trials=4 if family == "binomial" else None))
    return pd.DataFrame(table), Schema(specs)


def _column(family: str, mean: np.ndarray, random: np.random.Generator) -> np.ndarray:
    if family == "normal":
        return mean + random.normal(size=mean.size)
    if family == "poisson":
        return random.poisson(np.exp(0.5 + 0.4 * mean))
    chance = 1 / (1 + np.exp(-mean))
    return random.binomial(4, chance) if family == "binomial" else random.binomial(1, chance)


def skewed(n: int, random: np.random.Generator) -> np.ndarray:
    """One exponential severity: many mild, few severe."""
    return np.outer(random.exponential(size=n) - 1.0, random.uniform(0.5, 1.5, len(MIXED)))


def gaussian(n: int, random: np.random.Generator) -> np.ndarray:
    """One Gaussian severity."""
    return np.outer(random.normal(size=n), random.uniform(0.5, 1.5, len(MIXED)))


def bending(n: int, random: np.random.Generator) -> np.ndarray:
    """A course along which half of the columns rise and the others rise and fall."""
    at = random.uniform(-1.5, 1.5, n)
    curve = np.column_stack([1.3 * at, 1.3 * (at**2 - 0.75)])
    return curve[:, np.arange(len(MIXED)) % 2]


def crossing(reach: float) -> Means:
    """Three classes, each high in another third of the columns."""

    def means(n: int, random: np.random.Generator) -> np.ndarray:
        group, column = random.integers(3, size=n), np.arange(len(MIXED)) % 3
        return np.where(group[:, None] == column, reach, -reach)

    return means


def separated(n: int, random: np.random.Generator) -> np.ndarray:
    """Two classes that do not cross, 2.5 SD apart in every column."""
    return np.repeat(2.5 * random.integers(2, size=n)[:, None] - 1.25, len(MIXED), axis=1)


def scenario(title: str, means: Means, n: int, n_tables: int, has_classes: bool = False):
    """Tables whose latent means are drawn by ``means(n, random)``."""

    def table(seed: int) -> tuple[pd.DataFrame, Schema]:
        random = np.random.default_rng([4, seed, n])
        return mixed(means(n, random), random)

    return Scenario(f"{title}, N {n}", table, n_tables, has_classes)


# ---- eight columns of one kind, with the families that the page suggests


def t_cloud(n: int, random: np.random.Generator) -> np.ndarray:
    """Multivariate t of 3 degrees, one spread a row; every second table with a common factor."""
    load = 0.6 * random.integers(2)
    cloud = load * random.normal(size=(n, 1)) + random.normal(size=(n, COLUMNS))
    return cloud * np.sqrt(3.0 / random.chisquare(3.0, size=(n, 1)))


def one_skewed_factor(n: int, random: np.random.Generator) -> np.ndarray:
    """One factor of a gamma distribution (skewness 2), rising or falling."""
    signs = random.choice([-1.0, 1.0], COLUMNS)
    loadings = random.uniform(0.4, 1.2, COLUMNS) * signs
    return np.outer(random.gamma(1.0, 1.0, n), loadings) + random.normal(size=(n, COLUMNS))


def several_factors(n: int, random: np.random.Generator) -> np.ndarray:
    """Three skewed factors, each column on one mostly and a little on the others."""
    factors = random.gamma(2.0, 1.0, (n, 3)) / np.sqrt(2.0)
    loadings = np.where(np.arange(COLUMNS) % 3 == np.arange(3)[:, None], 1.0, 0.3)
    return factors @ loadings + random.normal(0.0, 0.7, (n, COLUMNS))


def ageing(n: int, random: np.random.Generator) -> np.ndarray:
    """What changes with age: it grows until maturity, peaks in between, or fails late."""
    age = random.uniform(0.0, 1.0, n)[:, None]
    turn = random.uniform(0.2, 0.7, COLUMNS)
    grows, peaks = np.minimum(age / turn, 1.0), 1.0 - np.abs(age - turn) * 2.0
    fails = np.maximum(age - turn, 0.0) / (1.0 - turn)
    which = np.arange(COLUMNS) % 3
    course = np.where(which == 0, grows, np.where(which == 1, peaks, -fails))
    return 3.0 * course + random.normal(size=(n, COLUMNS)) * (0.5 + 0.5 * age)


def likert(n: int, random: np.random.Generator) -> np.ndarray:
    """Items from 1 to 5 of one Gaussian trait, each with its own easiness."""
    pull = random.uniform(0.8, 1.6, COLUMNS)
    ease = random.normal(0.0, 0.8, COLUMNS)
    latent = random.normal(size=(n, 1)) * pull + ease + random.normal(size=(n, COLUMNS))
    return 1.0 + (latent[:, :, None] > np.array([-1.8, -0.6, 0.6, 1.8])).sum(axis=2)


def skewed_counts(n: int, random: np.random.Generator) -> np.ndarray:
    """Counts whose rates all rise with one Gaussian severity."""
    rates = np.exp(random.uniform(0.0, 1.0, COLUMNS) + 0.7 * random.normal(size=(n, 1)))
    return random.poisson(rates).astype(np.float64)


def three_groups(n: int, random: np.random.Generator) -> np.ndarray:
    """Each high by 1.5 SD in another third of the columns: every two differ so in two thirds."""
    group, column = random.integers(3, size=n), np.arange(COLUMNS) % 3
    return 1.5 * (group[:, None] == column) + random.normal(size=(n, COLUMNS))


def of_cells(cells: Cells, sizes: tuple[int, ...], n_tables: int, has_classes: bool = False):
    """Tables of these cells, their numbers of rows in turn, as the page would read them."""

    def table(seed: int) -> tuple[pd.DataFrame, Schema]:
        random = np.random.default_rng([31, seed])
        values = cells(sizes[seed % len(sizes)], random)
        frame = pd.DataFrame(values, columns=[f"column {j}" for j in range(COLUMNS)])
        if (values == np.rint(values)).all():
            frame = frame.astype(np.int64)
        return frame, infer_schema(frame)

    words = cells.__name__.replace("_", " ")
    return Scenario(f"{words}, N {' or '.join(map(str, sizes))}", table, n_tables, has_classes)


SCENARIOS = (
    of_cells(t_cloud, (300, 400), 20),
    of_cells(one_skewed_factor, (300, 400), 20),
    of_cells(several_factors, (300, 400), 20),
    of_cells(ageing, (300, 400), 20),
    of_cells(likert, (300, 400), 20),
    of_cells(skewed_counts, (300, 400), 20),
    of_cells(three_groups, (400,), 20, True),
    scenario("exponential severity", skewed, 240, 20),
    scenario("exponential severity", skewed, 400, 20),
    scenario("Gaussian severity", gaussian, 240, 20),
    scenario("bending course", bending, 240, 10),
    scenario("three crossing classes, 1 SD", crossing(1.0), 240, 8, True),
    scenario("three crossing classes, .6 SD", crossing(0.6), 240, 8, True),
    scenario("two separated classes", separated, 240, 8, True),
    Scenario("the cohort, N 527", lambda seed: load_parkinsonism(seed)[:2], 1, True),
)
