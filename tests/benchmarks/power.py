"""How often groups are found, by patients, columns, kind of column and distance: the study's power.

    python -m tests.benchmarks.power > power.txt     # about half an hour on one core

Three groups of about the same size, each high by so many SD in another third of the columns, so
that every two differ in two thirds of them. Ratings from 0 to 4 and yes/no are such measurements
cut into steps. Found: each group comes back with at least half of its patients in common with a
group of its own (Jaccard similarity), as is asked before a t-test. Prints the lines of
``core.clinical.power_figures``; what is on the standard error tells how far it is.
"""

from __future__ import annotations

import sys

import numpy as np

from core import MAPDP
from core.clinical.left_out import LEAST_OVERLAP, matched, overlap
from core.clinical.power_figures import COLUMNS, DISTANCES, PATIENTS, TABLES
from core.schema.encoded import Encoded, Unit

#: Where a measurement is cut, from its mean on, to make columns of each kind.
CUTS = {"measurement": (), "rating": (-1.5, -0.5, 0.5, 1.5), "yes/no": (0.0,)}
FAMILIES = {"measurement": "normal", "rating": "binomial", "yes/no": "bernoulli"}
OPTIONS = {"measurement": {}, "rating": {"trials": 4}, "yes/no": {"levels": ("no", "yes")}}


def table_of(
    kind: str, n: int, m: int, distance: float, random: np.random.Generator
) -> tuple[Encoded, np.ndarray]:
    """A table of n patients and m columns, and the group of each patient."""
    group, column = random.integers(3, size=n), np.arange(m) % 3
    values = distance * (group[:, None] == column) + random.normal(size=(n, m))
    if CUTS[kind]:
        cuts = distance / 3.0 + np.array(CUTS[kind])
        values = (values[:, :, None] > cuts).sum(axis=2).astype(np.float64)
    units = [Unit(f"{j}", FAMILIES[kind], (f"{j}",), OPTIONS[kind]) for j in range(m)]
    return Encoded(np.ascontiguousarray(values), tuple(units)), group


def is_found(encoded: Encoded, group: np.ndarray) -> bool:
    """Whether one search finds the groups."""
    labels = matched(group, MAPDP(3.0, random_state=0).fit_encoded(encoded).labels_)
    found = [overlap((group == k,) * 2, (labels == k,) * 2) for k in range(3)]
    return min(found) >= LEAST_OVERLAP


def share_found(kind: str, n: int, m: int, distance: float) -> float:
    """Of ``TABLES`` tables."""
    draws = (np.random.default_rng([32, n, m, int(100 * distance), b]) for b in range(TABLES))
    return float(np.mean([is_found(*table_of(kind, n, m, distance, draw)) for draw in draws]))


if __name__ == "__main__":
    for kind in CUTS:
        print(f'    "{kind}": (')
        for n in PATIENTS:
            print(f"        (  # {n} patients")
            for m in COLUMNS:
                shares = [share_found(kind, n, m, distance) for distance in DISTANCES]
                print(f"            ({', '.join(f'{share:.2f}' for share in shares)}),", flush=True)
                print(kind, n, m, shares, file=sys.stderr, flush=True)
            print("        ),")
        print("    ),", flush=True)
