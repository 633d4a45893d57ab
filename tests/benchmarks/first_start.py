"""What a first start costs: five methods and their predictions, with nothing compiled.

    python -m tests.benchmarks.first_start                      # this checkout
    python -m tests.benchmarks.first_start --before ../before   # and another, in turn

Each line is a process of its own with an empty cache of kernels, from ``import`` to the last
prediction: on numbers alone, on a mixed table (measurements, logarithms, amounts with zeros apart,
ratings, yes/no, categories, two kinds of counts, waiting times, two blocks, missing cells), and the
mixed table once more with what the first process kept. The tables are so small that nearly all is
imports and the compiler. CPU seconds are user and system time, of all processes together.
"""

import argparse
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

from tests.benchmarks.performance import HERE, run_in

#: By the five methods, as an app or a script would call them.
WORK = """
import sys
import numpy as np
import pandas as pd
from mapdp_studio import (
    MAPDP, CollapsedGibbs, ColumnSpec, DPMeans, KMeansBIC, MixtureEM, Schema
)

random, n = np.random.default_rng(0), 240
group = np.repeat([0, 1, 2], 80)
X = random.normal(size=(n, 4)) + 5.0 * group[:, None]
schema = None
if sys.argv[1] == "mixed":
    X = pd.DataFrame(X, columns=["height", "weight", "north", "east"])
    X["up"], X["down"] = random.normal(size=(2, n)) + 4.0 * group
    X["crp"] = np.exp(random.normal(size=n) + group)
    X["cost"] = np.where(random.random(n) < 0.3, 0.0, np.exp(random.normal(size=n) + 2.0 * group))
    X["stage"] = 1.0 + random.binomial(4, 0.2 + 0.3 * group)
    X["smokes"] = np.array(["no", "yes"])[random.binomial(1, 0.1 + 0.4 * group)]
    X["kind"] = np.array(list("abcd"))[(group + random.binomial(1, 0.3, n)) % 4]
    X["visits"] = random.poisson(1.0 + 4.0 * group).astype(float)
    X["days"] = random.poisson(random.gamma(2.0, 1.0 + 4.0 * group)).astype(float)
    X["wait"] = random.exponential(1.0 + 6.0 * group)
    X = X.mask(random.random(X.shape) < 0.05)
    families = {
        "crp": {"transform": "log"},
        "cost": {"transform": "log", "special": {"zero": 0}},
        "stage": {"family": "binomial", "offset": 1.0, "trials": 4},
        "smokes": {"family": "bernoulli", "levels": ("no", "yes")},
        "kind": {"family": "categorical"},
        "visits": {"family": "poisson"},
        "days": {"family": "negative_binomial"},
        "wait": {"family": "exponential"},
    }
    schema = Schema(
        [ColumnSpec(name, **{"family": "normal", **families.get(name, {})}) for name in X]
    )
    schema = schema.with_block("place", ["north", "east"], "gaussian")
    schema = schema.with_block("level", ["up", "down"], "spherical")
mapdp = MAPDP(random_state=0).fit(X, schema)
for model in (
    mapdp,
    DPMeans(n_clusters_hint=3).fit(X, schema),
    KMeansBIC(k_max=5, n_init=2, random_state=0).fit(X, schema),
    MixtureEM(3, n_init=2, random_state=0).fit(X, schema),
    CollapsedGibbs(
        n_sweeps=20, prior=mapdp.prior_, init=mapdp.labels_, read_out="centre", random_state=0
    ).fit(X, schema),
):
    for method in ("predict", "predict_proba", "score_samples"):
        if hasattr(model, method):
            getattr(model, method)(X[:60])
"""
#: Name, the argument of ``WORK``, and whether the cache is that of the line before.
LINES = (
    ("numbers alone, nothing compiled", "numbers", False),
    ("mixed table, nothing compiled", "mixed", False),
    ("mixed table, second start", "mixed", True),
)


def measured(checkout: Path) -> list[tuple[float, float]]:
    """CPU and wall seconds of every line, by one checkout."""
    found: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (_, table, again) in enumerate(LINES):
            cache = str(Path(folder, str(number - again)))
            began = perf_counter()
            ran = run_in(checkout, WORK, table, XDG_CACHE_HOME=cache, NUMBA_CACHE_DIR=cache)
            found.append((ran.cpu_seconds, perf_counter() - began))
    return found


def main() -> None:
    """Print the table: the lowest of the rounds, which others on the machine disturb least."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, help="checkout of the version to compare with")
    parser.add_argument("--rounds", type=int, default=2)
    args = parser.parse_args()
    checkouts = {"here": HERE} | ({"before": args.before} if args.before else {})
    rounds = {name: [] for name in checkouts}
    for _ in range(args.rounds):
        for name, checkout in checkouts.items():
            rounds[name].append(measured(checkout))
    print(f"{'':34s}" + "".join(f"{name + ': CPU s':>16s}{'wall s':>8s}" for name in checkouts))
    for number, (line, *_) in enumerate(LINES):
        lowest = [np.min([found[number] for found in all_], axis=0) for all_ in rounds.values()]
        print(f"{line:34s}" + "".join(f"{cpu:16.1f}{wall:8.1f}" for cpu, wall in lowest))


if __name__ == "__main__":
    main()
