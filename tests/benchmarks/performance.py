"""How long fits take, beside peers that are given K, or next to another checkout, as ratios.

    python -m tests.benchmarks.performance [case ...]
    python -m tests.benchmarks.performance [case ...] --before ../before

CPU seconds on a warm engine, medians over seeds; lead with the ratios. Each case is fitted in
processes of its own where ``mapdp_studio`` is a link to the checkout, on tables and schemas that
are written out here, so that two checkouts do the same work in turn; peers are fitted here.
"""

import argparse
import os
import pickle
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from statistics import median
from time import process_time
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.mixture import GaussianMixture

#: The one that this file belongs to.
HERE = Path(__file__).parents[2]


class Ran(NamedTuple):
    printed: str
    #: User and system time, of the processes that it started and waited for, too.
    cpu_seconds: float


def run_in(checkout: Path, code: str, *arguments: str, **environment: str) -> Ran:
    """Run code whose `mapdp_studio` is a checkout, in a process of its own.

    The package is a link to the checkout, in a new folder that is the first place where Python
    looks: what is installed, and whatever else the checkout's parent holds, has no say.
    """
    folder = _linked(checkout.resolve()).name
    variables = {**os.environ, "PYTHONPATH": folder, **environment}
    began = _children()
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *arguments],
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return Ran(run.stdout, _children() - began)


@cache
def _linked(checkout: Path) -> tempfile.TemporaryDirectory[str]:
    """A folder with the link, one for all runs: numba keeps what it compiles by a file's path."""
    folder = tempfile.TemporaryDirectory()
    Path(folder.name, "mapdp_studio").symlink_to(checkout, target_is_directory=True)
    return folder


def _children() -> float:
    """CPU seconds of all processes that this one started and that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


#: A table and, of a frame, what its columns are, as ``ColumnSpec`` takes them.
Table = tuple[Any, list[dict[str, Any]] | None]


def blobs(n: int, spread: float = 1.0, n_columns: int = 10, k: int = 10) -> Table:
    """Round clusters, of standard deviation 1 well apart."""
    X, _ = make_blobs(n, n_features=n_columns, centers=k, random_state=0, cluster_std=spread)
    return X, None


def mixed_table(
    n: int = 100_000, n_clusters: int = 10, n_each: int = 5
) -> tuple[pd.DataFrame, np.ndarray]:
    """So many normal and as many four-level columns with a tenth of the cells missing."""
    random = np.random.default_rng(0)
    truth = random.integers(n_clusters, size=n)
    means = random.normal(scale=4.0, size=(n_clusters, n_each))
    levels = random.dirichlet(np.full(4, 0.5), size=(n_clusters, n_each))
    numbers = means[truth] + random.normal(size=(n, n_each))
    frame = pd.DataFrame(numbers, columns=[f"number {j}" for j in range(n_each)])
    for j in range(n_each):
        steps = np.cumsum(levels[truth, j], axis=1)
        codes = np.minimum((random.random(n)[:, None] > steps).sum(axis=1), 3)
        frame[f"colour {j}"] = np.array(["red", "green", "blue", "grey"], dtype=object)[codes]
    for name in frame:
        frame.loc[random.random(n) < 0.1, name] = None
    return frame, truth


def survey_table(role: str, n: int = 17_000) -> Table:
    """A simulated survey of 31 columns, and weights.

    Eighteen ratings from 1 to 5 on two scales, which four kinds of people answer much alike, six
    nominal questions, three of yes and no, three numbers and a count; some do not answer single
    questions, some a whole page.
    """
    random = np.random.default_rng(0)
    kind = random.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    mood = random.normal(scale=0.5, size=(n, 2)) + random.normal(scale=0.7, size=(4, 2))[kind]
    frame, specs = {}, []

    def add(name: str, cells: np.ndarray, **spec: Any) -> None:
        frame[name] = cells
        specs.append({"name": name, **spec})

    for j in range(18):
        answer = mood[:, j % 2] * random.uniform(0.4, 1.0) + random.normal(size=n)
        cuts = np.sort(random.normal(scale=1.2, size=4))
        steps = 1.0 + np.searchsorted(cuts, answer)
        add(f"rating {j}", steps, family="binomial", offset=1.0, trials=4)
    for j in range(6):
        n_levels = 3 + j % 4
        chances = random.dirichlet(np.full(n_levels, 2.0), size=4)
        passed = random.random(n)[:, None] > np.cumsum(chances, axis=1)[kind, :-1]
        named = np.array(list("abcdef"), dtype=object)[passed.sum(axis=1)]
        add(f"nominal {j}", named, family="categorical")
    for j in range(3):
        is_yes = random.random(n) < 1.0 / (1.0 + np.exp(-mood[:, j % 2] + 0.5 * j))
        yes_no = np.where(is_yes, "yes", "no").astype(object)
        add(f"yes or no {j}", yes_no, family="bernoulli", levels=("no", "yes"))
    income = np.exp(7.5 + 0.3 * mood[:, 0] + random.normal(0.0, 0.6, n)).round(-1)
    add("age", random.integers(18, 86, n).astype(float), family="normal")
    add("income", income, family="normal", transform="log")
    hours = random.normal(35.0 + 4.0 * mood[:, 1], 10.0)
    add("hours", np.clip(hours, 0.0, None).round(), family="normal")
    add("household", 1.0 + random.poisson(1.3, n), family="poisson")
    cells = pd.DataFrame(frame)
    empty = random.random(cells.shape) < 0.03
    empty[:, 9:18] |= (random.random(n) < 0.1)[:, None]
    cells = cells.mask(empty)
    cells["weight"] = random.gamma(16.0, 1.0 / 16.0, n)
    return cells, [*specs, {"name": "weight", "family": "normal", "role": role}]


def weighted_table(role: str) -> Table:
    """Overlapping clusters, 25,000 x 5, and weights of mean 1."""
    X, _ = make_blobs(25_000, n_features=5, centers=10, random_state=0, cluster_std=6.0)
    frame = pd.DataFrame(X).add_prefix("x")
    specs = [{"name": name, "family": "normal"} for name in frame]
    frame["weight"] = np.random.default_rng(0).gamma(2.0, 0.5, len(X))
    return frame, [*specs, {"name": "weight", "family": "normal", "role": role}]


def counts(is_dispersed: bool) -> Table:
    """Counts of 100,000 x 10 in eight groups."""
    random, n = np.random.default_rng(0), 100_000
    rates = np.exp(random.normal(1.5, 1.0, size=(8, 10)))[random.integers(8, size=n)]
    rates = random.gamma(2.0, rates / 2.0) if is_dispersed else rates
    return random.poisson(rates).astype(float), None


def mixed(*size: int) -> Table:
    frame, _ = mixed_table(*size)
    families = {"number": "normal", "colour": "categorical"}
    return frame, [{"name": name, "family": families[name.split()[0]]} for name in frame]


class Case(NamedTuple):
    #: None: the simulated cohort, as each checkout draws it.
    table: Callable[[], Table] | None
    n_seeds: int = 3
    #: Of ``MAPDP``; None: ``choose_model`` instead.
    arguments: Mapping[str, Any] | None = MappingProxyType({})
    #: Other tools by name: what fits a table of numbers and a seed.
    peers: Mapping[str, Callable[[np.ndarray, int], Any]] = MappingProxyType({})
    target: str = ""


def with_k(k: int, peer: type = KMeans, **more: Any) -> dict[str, Callable[[np.ndarray, int], Any]]:
    """A peer that is given K."""
    name = f"{peer.__name__}, K given"
    return {name: lambda X, seed: peer(k, random_state=seed, **more).fit(X)}


def every_k(X: np.ndarray, seed: int) -> None:
    for k in range(1, 21):
        KMeans(k, random_state=seed).fit(X)


_A = {**with_k(10), "KMeans, ten starts": with_k(10, n_init=10)["KMeans, K given"]}
_BLOCK = {"likelihood": "gaussian"}
_DISPERSED = {"likelihood": "negative_binomial"}
_LOGS = {"KMeans of logs, K given": lambda X, seed: with_k(8)["KMeans, K given"](np.log1p(X), seed)}
#: By name.
CASES = {
    "A": Case(partial(blobs, 100_000), peers=_A | {"KMeans, K = 1..20": every_k}, target=".5 s"),
    "A6": Case(partial(blobs, 100_000, 6.0)),
    "M": Case(mixed, target="2 s"),
    "C": Case(None, 2, {"n_init": 10}),
    "million": Case(partial(blobs, 1_000_000), 1, peers=with_k(10), target="2.5 x"),
    "million6": Case(partial(blobs, 1_000_000, 6.0), 1, peers=with_k(10), target="2.5 x"),
    "counts": Case(partial(counts, True), 3, _DISPERSED, _LOGS, "8 x"),
    "poisson": Case(partial(counts, False), 3, {"likelihood": "poisson"}, _LOGS, "6 x"),
    "block": Case(partial(blobs, 20_000, 1.0, 20), 3, _BLOCK, with_k(10, GaussianMixture), "3 x"),
    "block6": Case(partial(blobs, 20_000, 6.0, 20), 3, _BLOCK, with_k(10, GaussianMixture), "3 x"),
    "K200": Case(partial(blobs, 50_000, k=200), 2, peers=with_k(200), target="2 x"),
    "K200-6": Case(partial(blobs, 50_000, 6.0, k=200), 2, peers=with_k(200), target="2 x"),
    "wide": Case(partial(blobs, 500, 1.0, 2_000, 5), 2, peers=with_k(5), target="20 x"),
    "wide6": Case(partial(blobs, 500, 6.0, 2_000, 5), 2, peers=with_k(5), target="20 x"),
    "O": Case(partial(weighted_table, "weight")),
    "O, weights ignored": Case(partial(weighted_table, "ignore")),
    "V": Case(partial(survey_table, "weight"), 1),
    "V, weights ignored": Case(partial(survey_table, "ignore"), 1),
    "V, choice": Case(partial(survey_table, "weight"), 1, None),
    "V, choice, weights ignored": Case(partial(survey_table, "ignore"), 1, None),
    "CH": Case(partial(mixed, 4_000, 10, 10), arguments=None),
    "CH, as suggested": Case(partial(mixed, 4_000, 10, 10)),
}
#: On a warm engine: CPU seconds by seeds 0, 1, ..., then K and E of the last.
_TIMED = """
import pickle, sys
from time import process_time
from mapdp_studio import MAPDP, ColumnSpec, Schema, choose_model
from mapdp_studio.demo_datasets import load_parkinsonism
with open(sys.argv[1], "rb") as file:
    table, n_seeds, arguments = pickle.load(file)
if table is None:
    frame, schema, _ = load_parkinsonism(seed=0)
else:
    frame, specs = table
    schema = specs and Schema([ColumnSpec(**spec) for spec in specs])
def fit(rows, seed):
    if arguments is None:
        return choose_model(rows, schema, random_state=seed).model
    return MAPDP(random_state=seed, **arguments).fit(rows, schema)
fit(frame[:500], 0)
for seed in range(n_seeds):
    began = process_time()
    model = fit(frame, seed)
    print(process_time() - began)
print(model.n_clusters_, model.objective_)
"""


def measured(case: Case, table: Table | None, checkouts: list[Path]) -> list[tuple[float, ...]]:
    """Of every checkout, in turn: median of CPU seconds, K and E."""
    taken: list[list[float]] = [[] for _ in checkouts]
    last: list[tuple[float, float]] = [(0.0, 0.0)] * len(checkouts)
    with tempfile.NamedTemporaryFile(suffix=".pickle") as file:
        arguments = None if case.arguments is None else dict(case.arguments)
        pickle.dump((table, case.n_seeds, arguments), file)
        file.flush()
        for _ in range(1 if len(checkouts) == 1 else 2):
            for place, checkout in enumerate(checkouts):
                printed = run_in(checkout, _TIMED, file.name).printed
                *times, k, objective = map(float, printed.split())
                taken[place] += times
                last[place] = k, objective
    return [(median(times), *found) for times, found in zip(taken, last, strict=True)]


def line(case: Case, before: Path | None) -> str:
    table = case.table and case.table()
    checkouts = [HERE] if before is None else [HERE, before]
    (now, k, objective), *then = measured(case, table, checkouts)
    parts = [f"{now:7.2f} s", f"K {k:.0f}, E {objective:.1f}"]
    for was, _, its_objective in then:
        parts.append(f"{now / was:.2f} x, was {was:.2f} s, E {objective - its_objective:+.1f}")
    for name, peer in () if then else case.peers.items():
        times = []
        for seed in range(min(case.n_seeds, 2)):
            began = process_time()
            peer(table[0], seed)
            times.append(process_time() - began)
        parts.append(f"{now / median(times):.2f} x {name}")
    return "; ".join([*parts, *([f"target {case.target}"] if case.target else [])])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=", ".join(CASES))
    parser.add_argument("--before", type=Path, help="checkout of the version to compare with")
    args = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name in args.names or CASES:
        print(f"{name:27s} {line(CASES[name], args.before and args.before.resolve())}", flush=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    print(f"peak memory of a process {peak:.1f} GB")


if __name__ == "__main__":
    main()
