"""How often gradients turn the light green, and how often real classes do.

    python -m tests.benchmarks.light                # B = 19, about 20 minutes on one core
    python -m tests.benchmarks.light --draws 99     # the page's full protocol, about 2 hours

Of every table: the rank-1 share, the worse p-value of both references, and whether they would let
the light be green. Its other clauses (other patients, other starts) can only take green away, so
what is printed is the most that can be green. 14 mixed columns; one table a line of counts.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
import pandas as pd

from core import MAPDP, Schema
from core.clinical.checks import Checks
from core.clinical.subgroups import Subgroups
from core.clinical.traffic_light import ONE_LINE
from core.schema.spec import ColumnSpec
from core.statistics.copula import copula_reference
from core.statistics.multiplicity import LEVEL

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


def crossing(reach: float) -> Callable[[int, np.random.Generator], np.ndarray]:
    """Three classes, each high in another third of the columns."""

    def means(n: int, random: np.random.Generator) -> np.ndarray:
        group, column = random.integers(3, size=n), np.arange(len(MIXED)) % 3
        return np.where(group[:, None] == column, reach, -reach)

    return means


def separated(n: int, random: np.random.Generator) -> np.ndarray:
    """Two classes that do not cross, 2.5 SD apart in every column."""
    return np.repeat(2.5 * random.integers(2, size=n)[:, None] - 1.25, len(MIXED), axis=1)


SCENARIOS = (
    ("exponential severity, N 240", skewed, 240, 10),
    ("exponential severity, N 400", skewed, 400, 10),
    ("Gaussian severity, N 240", gaussian, 240, 20),
    ("bending course, N 240", bending, 240, 10),
    ("three crossing classes, 1 SD", crossing(1.0), 240, 8),
    ("three crossing classes, .6 SD", crossing(0.6), 240, 8),
    ("two separated classes", separated, 240, 8),
)


def main(n_draws: int) -> None:
    """Print one line a scenario."""
    for title, draw, n, n_tables in SCENARIOS:
        shares, p_values, green, found = [], [], 0, 0
        for seed in range(n_tables):
            random = np.random.default_rng([4, seed, n])
            frame, schema = mixed(draw(n, random), random)
            model = MAPDP(3.0, random_state=0).fit(frame, schema)
            if model.n_clusters_ == 1:
                continue
            found += 1
            groups = Subgroups(model, model.prior_scale_, np.array([model.objective_]), 0.0)
            share = Checks(groups).rank_one if groups.found_any else None
            p = copula_reference(model, n_draws).p
            green += p <= LEVEL and (share is None or share < ONE_LINE)
            shares.append(np.nan if share is None else share)
            p_values.append(p)
        median = f"{np.nanmedian(shares):.2f}" if np.isfinite(shares).any() else "none"
        print(
            f"{title:30} tables {n_tables}, with groups {found}, could be green {green}; "
            f"rank-1 share {median}, p at most {LEVEL}: {np.sum(np.array(p_values) <= LEVEL)}",
            flush=True,
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=19)
    main(parser.parse_args().draws)
