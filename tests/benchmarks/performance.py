"""The engine's speed against the peers that are installed, as ratios measured in one run.

    python -m tests.benchmarks.performance                      # every workload, medians of three
    python -m tests.benchmarks.performance A M                  # some of them
    python -m tests.benchmarks.performance --before ../before [case ...]      # ratios to a checkout

Times are CPU seconds on a warm engine, in one run, wall seconds where a process is started: lead
with the ratios. With ``--before`` both checkouts do the same work in turn, each in processes of its
own where ``mapdp_studio`` is a link to it, on tables and schemas that are written out here.
"""

from __future__ import annotations

import argparse
import os
import pickle
import resource
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
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

from mapdp_studio.core import (
    MAPDP,
    ColumnSpec,
    Progress,
    Schema,
    choose_model,
)
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.models.descent import Descent, Points
from mapdp_studio.core.partitions.scores import ari
from tests.benchmarks.checkouts import HERE, run_in

Row = tuple[str, str, str]


def timed(
    run: Callable[[int], Any], repeats: int = 3, clock: Callable[[], float] = process_time
) -> tuple[float, Any]:
    """Median time over seeds 0, 1, 2 and the last result."""
    seconds, result = [], None
    for seed in range(repeats):
        began = clock()
        result = run(seed)
        seconds.append(clock() - began)
    return median(seconds), result


def blobs() -> list[Row]:
    """Workload A: 100,000 x 10 well-separated blobs."""
    X, truth = make_blobs(100_000, n_features=10, centers=10, random_state=0)
    ours, model = timed(lambda seed: MAPDP(random_state=seed).fit(X))
    given, _ = timed(lambda seed: KMeans(10, random_state=seed).fit(X))
    ten, _ = timed(lambda seed: KMeans(10, n_init=10, random_state=seed).fit(X))
    each, _ = timed(lambda seed: [KMeans(k, random_state=seed).fit(X) for k in range(1, 21)], 1)
    found = f"K = {model.n_clusters_}, ARI {ari(truth, model.labels_):.4f}"
    return [
        ("A: MAP-DP, K inferred, prior by E", f"{ours:.2f} s", f"{found}; target 0.5 s"),
        ("A: KMeans over K = 1..20 against MAP-DP", f"{each / ours:.1f} x", "target 15 x"),
        ("A: against KMeans, K given, one start", f"{ours / given:.1f} x", "target 4 x"),
        ("A: against KMeans, K given, ten starts", f"{ours / ten:.1f} x", f"{ten:.2f} s"),
    ]


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


def mixed_specs(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """What the columns of a ``mixed_table`` are."""
    return [
        {"name": name, "family": "normal" if name.startswith("number") else "categorical"}
        for name in frame
    ]


def survey_table(n: int = 17_000) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """A simulated survey and what its columns are: 31 to cluster on, and weights.

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
    return cells, [*specs, {"name": "weight", "family": "normal", "role": "weight"}]


def schema_of(specs: list[dict[str, Any]]) -> Schema:
    """The schema of columns that are written out as ``ColumnSpec`` takes them."""
    return Schema([ColumnSpec(**spec) for spec in specs])


def mixed() -> list[Row]:
    """Workload M: mixed columns with missing cells."""
    frame, truth = mixed_table()
    schema = schema_of(mixed_specs(frame))
    ours, model = timed(lambda seed: MAPDP(random_state=seed).fit(frame, schema))
    found = f"K = {model.n_clusters_}, ARI {ari(truth, model.labels_):.4f}"
    return [("M: MAP-DP", f"{ours:.2f} s", f"{found}; target 2 s")]


def weighted_table() -> tuple[np.ndarray, np.ndarray]:
    """Overlapping clusters, 25,000 x 5, and weights of mean 1."""
    X, _ = make_blobs(25_000, n_features=5, centers=10, random_state=0, cluster_std=6.0)
    return X, np.random.default_rng(0).gamma(2.0, 0.5, len(X))


def weighted() -> list[Row]:
    """Workload O: overlapping clusters whose rows count by weights."""
    X, weights = weighted_table()
    plain, _ = timed(lambda seed: MAPDP(random_state=seed).fit(X))
    ours, model = timed(lambda seed: MAPDP(random_state=seed).fit(X, sample_weight=weights))
    told = f"K = {model.n_clusters_}; {ours / plain:.1f} x the same without weights"
    return [("O: weighted overlap, 25,000 x 5", f"{ours:.2f} s", told)]


class _TooLongError(Exception):
    """Ends what takes longer than it may."""


def within(most: float, work: Callable[[Callable[[Progress], None]], Any]) -> tuple[float, Any]:
    """CPU seconds and result of what takes a callback, given up (None) after so many of them."""
    began = process_time()

    def end(progress: Progress) -> None:
        if process_time() - began > most:
            raise _TooLongError

    try:
        result = work(end)
    except _TooLongError:
        result = None
    return process_time() - began, result


def survey(most: float = 120.0) -> list[Row]:
    """Workload V: a survey of 17,000 x 31, fitted and its model chosen, with weights and without.

    What is not done after so many CPU seconds is given up.
    """
    frame, specs = survey_table()
    schema = schema_of(specs)
    plain, fit = schema.with_column("weight", role="ignore"), MAPDP(random_state=0).fit
    kinds = {
        "weights ignored": lambda end: fit(frame, plain, callback=end),
        "with weights": lambda end: fit(frame, schema, callback=end),
        "choice, weights ignored": lambda end: choose_model(frame, plain, callback=end).model,
        "choice": lambda end: choose_model(frame, schema, callback=end).model,
    }
    rows = []
    for name, work in kinds.items():
        seconds, model = within(most, work)
        told = "not done" if model is None else f"K = {model.n_clusters_}, E {model.objective_:.0f}"
        rows.append((f"V: survey, {name}", f"{seconds:.1f} s", told))
    return rows


def choice() -> list[Row]:
    """Workload CH: the model of a mixed table of 4,000 x 20 chosen by E."""
    frame, _ = mixed_table(4_000, n_each=10)
    schema = schema_of(mixed_specs(frame))
    fit, _ = timed(lambda seed: MAPDP(random_state=seed).fit(frame, schema))
    ours, chosen = timed(lambda seed: choose_model(frame, schema, random_state=seed))
    told = f"K = {chosen.model.n_clusters_}; {ours / fit:.1f} x the fit as suggested"
    return [("CH: choice, 4,000 x 20", f"{ours:.2f} s", told)]


def overlapping() -> list[Row]:
    """A with clusters six and eight units wide: E against a descent from the truth."""
    rows = []
    for spread, n_seeds, target in ((6.0, 3, "all within 5"), (8.0, 2, "4 of 6 within 50")):
        gaps, seconds = [], []
        for centers in range(3):
            X, truth = make_blobs(
                100_000, n_features=10, centers=10, random_state=centers, cluster_std=spread
            )
            for seed in range(n_seeds):
                began = process_time()
                model = MAPDP(random_state=seed).fit(X)
                seconds.append(process_time() - began)
                gaps.append(model.objective_ - _from_truth(model, truth))
        told = " ".join(f"{gap:.0f}" for gap in sorted(gaps))
        rows.append((f"A, std {spread:g}: MAP-DP", f"{median(seconds):.2f} s", ""))
        rows.append((f"A, std {spread:g}: E above a descent from the truth", told, target))
    return rows


def _from_truth(model: MAPDP, truth: np.ndarray) -> float:
    """E of a descent from the truth, under the model's prior."""
    partition = Partition(model.columns_, model.concentration, truth)
    random = np.random.default_rng(0)
    points = Points(model.columns_, random)
    Descent(partition, points, random, lambda step: partition.objective()).run()
    return partition.objective()


def count_tables() -> dict[str, np.ndarray]:
    """Counts of 100,000 x 10 in eight groups, by likelihood."""
    random, n = np.random.default_rng(0), 100_000
    rates = np.exp(random.normal(1.5, 1.0, size=(8, 10)))[random.integers(8, size=n)]
    return {
        "negative_binomial": random.poisson(random.gamma(2.0, rates / 2.0)).astype(float),
        "poisson": random.poisson(rates).astype(float),
    }


def told_k() -> list[Row]:
    """Kinds and shapes of table, of separated and of overlapping groups, against a peer told K."""
    counts = count_tables()
    rows = [
        _against_told(likelihood, values, KMeans, np.log1p(values), 8, target, likelihood)
        for (likelihood, values), target in zip(counts.items(), (8.0, 6.0), strict=True)
    ]
    shapes = (
        ("1,000,000 x 10", (1_000_000, 10, 10), "normal", KMeans, 2.5),
        ("block D = 20, 20,000 rows", (20_000, 20, 10), "gaussian", GaussianMixture, 3.0),
        ("K = 200, 50,000 x 10", (50_000, 10, 200), "normal", KMeans, 2.0),
        ("500 x 2,000", (500, 2_000, 5), "normal", KMeans, 20.0),
    )
    for name, (n_rows, n_columns, k), likelihood, peer, target in shapes:
        for spread in (1.0, 6.0):
            X, _ = make_blobs(
                n_rows, n_features=n_columns, centers=k, random_state=0, cluster_std=spread
            )
            what = f"{name}, std {spread:g}"
            rows.append(_against_told(what, X, peer, X, k, target, likelihood))
    return rows


def _against_told(
    what: str,
    values: np.ndarray,
    peer: type,
    peer_values: np.ndarray,
    k: int,
    target: float,
    likelihood: str,
) -> Row:
    """CPU seconds of MAP-DP and of a peer told K, in turn, two seeds each."""
    ours, theirs = [], []
    for seed in (0, 1):
        seconds, model = timed(
            lambda _, s=seed: MAPDP(likelihood=likelihood, random_state=s).fit(values), 1
        )
        ours.append(seconds)
        theirs.append(timed(lambda _, s=seed: peer(k, random_state=s).fit(peer_values), 1)[0])
    ratio = median(ours) / median(theirs)
    told = f"{median(ours):.2f} s; K {model.n_clusters_} for {k}; target {target:g} x"
    return f"{what}: against {peer.__name__}, K given", f"{ratio:.1f} x", told


class Case(NamedTuple):
    """Work that two versions do in turn."""

    #: Table and, of a frame, what its columns are; None: the simulated cohort, as each draws it.
    table: Callable[[], tuple[Any, list[dict[str, Any]] | None]] | None
    #: Seeds, and rounds in each of which both versions do them all.
    n_seeds: int = 3
    rounds: int = 2
    #: Of ``MAPDP``; None: ``choose_model`` instead.
    arguments: Mapping[str, Any] | None = MappingProxyType({})
    #: Of ``fit``.
    weights: Callable[[], np.ndarray] | None = None


#: CPU seconds of the work on a table by seeds 0, 1, ... on a warm engine, then E of the last.
_TIMED = """
import pickle, sys
from time import process_time
from mapdp_studio import MAPDP, ColumnSpec, Schema, choose_model
from mapdp_studio.demo_datasets import load_parkinsonism
with open(sys.argv[1], "rb") as file:
    table, n_seeds, arguments, weights = pickle.load(file)
if table is None:
    frame, schema, _ = load_parkinsonism(seed=0)
else:
    frame, specs = table
    schema = specs and Schema([ColumnSpec(**spec) for spec in specs])
def work(rows, seed):
    if arguments is None:
        return choose_model(rows, schema, random_state=seed).objective
    some = weights if weights is None else weights[: len(rows)]
    model = MAPDP(random_state=seed, **arguments)
    return model.fit(rows, schema, sample_weight=some).objective_
work(frame[:500], 0)
for seed in range(n_seeds):
    began = process_time()
    objective = work(frame, seed)
    print(process_time() - began)
print(objective)
"""


def _blobs_of(
    n: int, spread: float = 1.0, n_columns: int = 10, k: int = 10
) -> tuple[np.ndarray, None]:
    X, _ = make_blobs(n, n_features=n_columns, centers=k, random_state=0, cluster_std=spread)
    return X, None


def _mixed_of(*size: int) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    frame, _ = mixed_table(*size)
    return frame, mixed_specs(frame)


def _survey_without_weights() -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """Of which c123c8e4 comes to an end: with weights it does not in minutes."""
    frame, specs = survey_table()
    return frame, [spec for spec in specs if spec.get("role") != "weight"]


#: By name, for ``--before``.
CASES = {
    "A": Case(partial(_blobs_of, 100_000)),
    "A6": Case(partial(_blobs_of, 100_000, 6.0)),
    "M": Case(_mixed_of),
    "C": Case(None, 2, arguments={"n_init": 10}),
    "million": Case(partial(_blobs_of, 1_000_000), 1, 1),
    "counts": Case(
        lambda: (count_tables()["negative_binomial"], None),
        arguments={"likelihood": "negative_binomial"},
    ),
    "block": Case(partial(_blobs_of, 20_000, n_columns=20), arguments={"likelihood": "gaussian"}),
    "K200": Case(partial(_blobs_of, 50_000, k=200), 2),
    "wide": Case(partial(_blobs_of, 500, 6.0, 2_000, 5), 2),
    "O": Case(
        lambda: (weighted_table()[0], None),
        weights=lambda: weighted_table()[1],
    ),
    "V": Case(_survey_without_weights, 1, 1),
    "CH": Case(partial(_mixed_of, 4_000, 10, 10), arguments=None),
}


def against(before: Path, names: Sequence[str] = ()) -> Iterator[Row]:
    """Ratios to the version before: both do the same work, one process after the other."""
    for name in names or CASES:
        case = CASES[name]
        taken: dict[Path, list[float]] = {before: [], HERE: []}
        reached: dict[Path, float] = {}
        with tempfile.NamedTemporaryFile(suffix=".pickle") as file:
            table = case.table and case.table()
            arguments = None if case.arguments is None else dict(case.arguments)
            pickle.dump((table, case.n_seeds, arguments, case.weights and case.weights()), file)
            file.flush()
            for _ in range(case.rounds):
                for checkout, seconds in taken.items():
                    printed = run_in(checkout, _TIMED, file.name).printed
                    *times, reached[checkout] = map(float, printed.split())
                    seconds += times
        now, then = median(taken[HERE]), median(taken[before])
        told = f"{now:.2f} s, was {then:.2f} s; E {reached[HERE] - reached[before]:+.1f}"
        yield f"{name}: against the version before", f"{now / then:.2f} x", told


WORKLOADS = {
    "A": blobs,
    "M": mixed,
    "A6": overlapping,
    "K": told_k,
    "O": weighted,
    "V": survey,
    "CH": choice,
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="workloads, or cases with --before")
    parser.add_argument("--before", type=Path, help="checkout of the version to compare with")
    asked = parser.parse_args()
    known = CASES if asked.before else WORKLOADS
    if unknown := [name for name in asked.names if name not in known]:
        parser.error(f"there is no {unknown[0]}: choose among {', '.join(known)}")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if asked.before:
        for what, value, note in against(asked.before.resolve(), asked.names):
            print(f"{what:52s} {value:>14s}   {note}", flush=True)
        return
    MAPDP(random_state=0).fit(np.random.default_rng(0).normal(size=(3000, 2)))
    for name in asked.names or WORKLOADS:
        for what, value, note in WORKLOADS[name]():
            print(f"{what:52s} {value:>14s}   {note}", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak memory of this process {peak:.1f} GB")


if __name__ == "__main__":
    main()
