"""How many groups one population gives whose counts vary more than Poisson.

    python -m tests.benchmarks.overdispersion            # twenty tables for each r

Each table has 300 rows: a negative binomial count of mean 6 and three normal columns, all of one
population. K should be 1.
"""

from __future__ import annotations

import argparse

import numpy as np
import pandas as pd

from mapdp_studio.core import MAPDP, Schema
from mapdp_studio.core.schema.schema import ColumnSpec

N_ROWS, MEAN = 300, 6.0
FAMILIES = ("negative_binomial", "geometric", "poisson")


def one_population(r: float, seed: int, family: str) -> tuple[pd.DataFrame, Schema]:
    """One table, its count column under the named likelihood."""
    random = np.random.default_rng([seed, int(4 * r)])
    frame = pd.DataFrame(random.normal(size=(N_ROWS, 3)), columns=list("abc"))
    frame["visits"] = random.negative_binomial(r, r / (r + MEAN), N_ROWS)
    normal = [ColumnSpec(name, "normal") for name in "abc"]
    return frame, Schema([*normal, ColumnSpec("visits", family)])


def main() -> None:
    """Print one line for each likelihood and r."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=20)
    n_tables = parser.parse_args().tables
    for family in FAMILIES:
        ones = 0
        for r in (1, 2, 4):
            found = []
            for seed in range(n_tables):
                frame, schema = one_population(r, seed, family)
                found.append(MAPDP(random_state=0).fit(frame, schema).n_clusters_)
            ones += found.count(1)
            tally = dict(zip(*np.unique(found, return_counts=True), strict=True))
            text = ", ".join(f"K = {k}: {count}" for k, count in tally.items())
            print(f"{family:18s} r = {r}   {text}", flush=True)
        print(f"{family:18s} K = 1 in {ones} of {3 * n_tables}", flush=True)


if __name__ == "__main__":
    main()
