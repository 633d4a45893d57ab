"""How often groups are found, by patients, columns and distance: what a study can find.

    python -m tests.benchmarks.power              # measurements: about 10 minutes on one core
    python -m tests.benchmarks.power --yes-no     # the same, cut in two at their mean

Three groups of about the same size, each high by so many SD in another third of the columns, so
that every two differ in two thirds of them. Ratings from 0 to 4 and yes/no are such measurements
cut into steps. Found: each group comes back with at least half of its patients in common with a
group of its own (Jaccard similarity), as is asked before a t-test. Prints the lines of
``core.clinical.power_figures``.
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np

from core import MAPDP
from core.clinical.left_out import LEAST_OVERLAP, matched, overlap
from core.clinical.power_figures import COLUMNS, DISTANCES, PATIENTS, TABLES
from core.schema.encoded import Encoded, Unit

#: What the columns of each kind are to the model.
UNITS = {
    "measurement": partial(Unit, family="normal"),
    "yes/no": partial(Unit, family="bernoulli", options={"levels": ("no", "yes")}),
}


def table_of(
    kind: str, n: int, m: int, distance: float, random: np.random.Generator
) -> tuple[Encoded, np.ndarray]:
    """A table of n patients and m columns, and the group of each patient."""
    group, column = random.integers(3, size=n), np.arange(m) % 3
    values = distance * (group[:, None] == column) + random.normal(size=(n, m))
    if kind == "yes/no":
        values = (values > distance / 3.0).astype(np.float64)  # about half of them yes
    units = [UNITS[kind](name=f"{j}", columns=(f"{j}",)) for j in range(m)]
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


def shares_found(kind: str, n: int, m: int) -> list[float]:
    """By distance, from the middle on outwards until all are found, and until none is."""
    middle, shares = len(DISTANCES) // 2, {}
    for places, end in ((range(middle, len(DISTANCES)), 1.0), (range(middle - 1, -1, -1), 0.0)):
        last = None
        for place in places:
            last = end if last == end else share_found(kind, n, m, DISTANCES[place])
            shares[place] = last
    return [shares[place] for place in sorted(shares)]


if __name__ == "__main__":
    kind = "yes/no" if "--yes-no" in sys.argv else "measurement"
    for n in PATIENTS:
        print(f"    (  # {n} patients")
        for m in COLUMNS:
            shares = ", ".join(f"{share:.2f}" for share in shares_found(kind, n, m))
            print(f"        ({shares}),", flush=True)
        print("    ),", flush=True)
