"""Outcomes of classes of which 15 % of the rows are assigned to the wrong one.

python -m tests.benchmarks.three_step [sets]

Two classes, four normal columns, one outcome of each kind; E-M finds the classes, the outcome is
told as it is among the rows assigned (naive) and corrected (BCH, ML). Naive differences are too
small by the known factor 1 - 2 x .15. Where stepmix is installed, the same sets go through it.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

import numpy as np
from scipy.stats import norm

from mapdp_studio.core import MixtureEM, three_step
from mapdp_studio.core.public.three_step import METHODS

#: Error of the best assignment, rows, columns, and the outcomes of the two classes.
ERROR, N, M = 0.15, 1_000, 4
MEANS, SHARES = (0.0, 1.0), (0.2, 0.6)


def draw(
    seed: int, n: int = N, error: float = ERROR
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Class, columns (n, M), a normal outcome and a yes/no outcome of every row."""
    random = np.random.default_rng(seed)
    group = random.integers(2, size=n)
    apart = 2.0 * norm.isf(error) / np.sqrt(M)
    rows = random.normal(size=(n, M)) + apart * group[:, None]
    amount = random.normal(np.array(MEANS)[group])
    yes = random.random(n) < np.array(SHARES)[group]
    return group, rows, amount, np.where(yes, "yes", "no")


def differences(seed: int, n: int = N) -> dict[str, float]:
    """Differences between the two classes over the true ones, by outcome and way of telling."""
    _, rows, amount, answer = draw(seed, n)
    model = MixtureEM(2, prior=None, random_state=seed).fit(rows)
    upward = np.argsort(model.parameters_["x0"]["mean"])
    told = {}
    for method in METHODS:
        found = three_step(model, amount, method).table
        shares = three_step(model, answer, method).table.xs("yes", level="level")
        for name, table, truth in (("amount", found, MEANS), ("share", shares, SHARES)):
            for column, said in (("naive", "naive"), ("estimate", method)):
                told[f"{name}, {said}"] = _ratio(table[column].to_numpy()[upward], truth)
    return told


def theirs(seed: int) -> dict[str, float]:
    """The same by stepmix."""
    from stepmix.stepmix import StepMix

    _, rows, amount, answer = draw(seed)
    told = {}
    for method in METHODS:
        for name, kind, outcome, truth in (
            ("amount", "gaussian_diag", amount, MEANS),
            ("share", "binary", (answer == "yes").astype(int), SHARES),
        ):
            model = StepMix(
                2, n_steps=3, measurement="gaussian_diag", structural=kind, assignment="modal",
                correction=method.upper(), random_state=seed, progress_bar=0, verbose=0,
                abs_tol=1e-9, rel_tol=0, max_iter=3_000,
            ).fit(rows, outcome[:, None])  # fmt: skip
            found = model.get_parameters()
            upward = np.argsort(found["measurement"]["means"][:, 0])
            numbers = next(iter(found["structural"].values()))[:, 0]
            told[f"{name}, {method}"] = _ratio(numbers[upward], truth)
    return told


def _ratio(found: np.ndarray, truth: tuple[float, float]) -> float:
    return float((found[1] - found[0]) / (truth[1] - truth[0]))


def _print(sets: list[dict[str, float]]) -> None:
    for name in sets[0]:
        ratios = np.array([found[name] for found in sets])
        error = ratios.std(ddof=1) / np.sqrt(ratios.size)
        print(f"  {name:15} {ratios.mean():6.3f} of the truth (standard error {error:.3f})")


def main() -> None:
    """Print the mean over the sets."""
    n_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(f"{n_sets} sets of {N:,} rows; naive differences should be {1 - 2 * ERROR:.2f}")
    _print([differences(seed) for seed in range(n_sets)])
    if find_spec("stepmix"):
        few = min(n_sets, 20)
        print(f"The first {few}, ours and stepmix's:")
        _print([differences(seed) for seed in range(few)])
        _print([theirs(seed) for seed in range(few)])


if __name__ == "__main__":
    main()
