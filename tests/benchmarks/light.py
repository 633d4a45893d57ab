"""The page's full protocol on gradients and on real classes: how often the light is green.

    python -m tests.benchmarks.light                # B = 99, about 20 minutes on one core
    python -m tests.benchmarks.light --draws 19     # a quick look

14 mixed columns a table, and the simulated cohort. The reference of B tables of each kind ends as
soon as enough of them gain as much that p exceeds 5 % whatever comes (the same verdict as all B).
Other patients and other starts can only take green away from what the reference and the rank-1
share leave green: they are drawn, in full, where these do, and wherever there are real classes.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
import pandas as pd

from core import MAPDP, Schema
from core.clinical.checks import Checks
from core.clinical.subgroups import Subgroups
from core.clinical.traffic_light import ONE_LINE
from core.schema.spec import ColumnSpec
from core.statistics.copula import FULL, CopulaReference, copula_reference
from core.statistics.multiplicity import LEVEL
from core.statistics.stability import Protocol, assess
from demo_datasets import load_parkinsonism

#: Latent means of n rows, shape (n, 14).
Means = Callable[[int, np.random.Generator], np.ndarray]
#: Families of the 14 columns.
MIXED = ("normal",) * 6 + ("binomial",) * 4 + ("bernoulli",) * 2 + ("poisson",) * 2


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


@dataclass(frozen=True)
class Scenario:
    """Tables drawn alike."""

    title: str
    #: Table number -> a table and what its columns are.
    table: Callable[[int], tuple[pd.DataFrame, Schema]]
    n_tables: int
    #: Whether there are classes, so that every verdict is wanted in full.
    has_classes: bool = False


def scenario(title: str, means: Means, n: int, n_tables: int, has_classes: bool = False):
    """Tables whose latent means are drawn by ``means(n, random)``."""

    def table(seed: int) -> tuple[pd.DataFrame, Schema]:
        random = np.random.default_rng([4, seed, n])
        return mixed(means(n, random), random)

    return Scenario(f"{title}, N {n}", table, n_tables, has_classes)


SCENARIOS = (
    scenario("exponential severity", skewed, 240, 20),
    scenario("exponential severity", skewed, 400, 20),
    scenario("Gaussian severity", gaussian, 240, 20),
    scenario("bending course", bending, 240, 10),
    scenario("three crossing classes, 1 SD", crossing(1.0), 240, 8, True),
    scenario("three crossing classes, .6 SD", crossing(0.6), 240, 8, True),
    scenario("two separated classes", separated, 240, 8, True),
    Scenario("the cohort, N 527", lambda seed: load_parkinsonism(seed)[:2], 1, True),
)


class Decided(Exception):
    """Whatever the other tables gain, p exceeds the level."""


def reference_of(model: MAPDP, n_draws: int) -> CopulaReference:
    """The reference, ended once its verdict is known; what is not drawn counts as no gain."""
    known: list[CopulaReference] = []

    def share(reference: CopulaReference) -> None:
        known.append(reference)
        for draws in reference.kinds.values():
            if (1 + (draws >= reference.observed - 1e-9).sum()) / (1 + n_draws) > LEVEL:
                raise Decided

    try:
        return copula_reference(model, n_draws, share=share)
    except Decided:
        return known[-1]


def verdict(
    frame: pd.DataFrame, schema: Schema, n_draws: int, has_classes: bool
) -> tuple[str, float, bool]:
    """Colour, rank-1 share, and whether both references were exceeded."""
    first = MAPDP(3.0, random_state=0).fit(frame, schema)
    groups = Subgroups(first, first.prior_scale_, np.array([first.objective_]), 0.0)
    if not groups.found_any:
        return "grey", np.nan, False
    reference = reference_of(first, n_draws)
    checks = Checks(groups, reference=reference)
    share = np.nan if checks.rank_one is None else checks.rank_one
    exceeded = reference.n_draws == n_draws and reference.p <= LEVEL
    if not (has_classes or (exceeded and not share >= ONE_LINE)):
        return "not green", share, exceeded
    protocol = Protocol.full()
    light = replace(checks, stability=assess(first, protocol)).light
    return light.colour, share, exceeded


def main(n_draws: int) -> None:
    """Print one line a scenario."""
    for one in SCENARIOS:
        began = perf_counter()
        found = [
            verdict(*one.table(seed), n_draws, one.has_classes) for seed in range(one.n_tables)
        ]
        colours, shares, exceeded = zip(*found, strict=True)
        median = f"{np.nanmedian(shares):.2f}" if np.isfinite(shares).any() else "none"
        tally = ", ".join(f"{n} {colour}" for colour, n in Counter(colours).most_common())
        print(
            f"{one.title:36} {one.n_tables:2} tables: {tally}; more than both references "
            f"{sum(exceeded)}; rank-1 share {median}   ({perf_counter() - began:.0f} s)",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=FULL)
    main(parser.parse_args().draws)
