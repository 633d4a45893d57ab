"""The engine's speed against the peers that are installed, as ratios measured in one run.

    python -m tests.benchmarks.performance                      # every workload, medians of three
    python -m tests.benchmarks.performance A M                  # some of them
    python -m tests.benchmarks.performance --before ../before   # and the ratios to that checkout

Times are CPU seconds on a warm engine, in one run, wall seconds where a process is started: lead
with the ratios.
"""

from __future__ import annotations

import argparse
import os
import pickle
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.mixture import GaussianMixture

from core import MAPDP, CollapsedGibbs, DPMeans, KMeansBIC, MixtureEM, infer_schema
from core.engine.columns import Columns, default_priors
from core.engine.partition import Partition
from core.models.descent import Descent, Points
from core.models.kmeans import lloyd_states
from core.models.rows import Rows
from core.partitions.scores import ari
from core.schema.encoded import Encoded
from demo_datasets import load_parkinsonism, load_scenario

#: Seconds a sweep of the authors' Python code took at 2,000 x 2, as measured for this project.
AUTHORS_SWEEP = 2.05

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


def mixed_table(n: int = 100_000, n_clusters: int = 10) -> tuple[pd.DataFrame, np.ndarray]:
    """Five normal and five four-level columns with a tenth of the cells missing."""
    random = np.random.default_rng(0)
    truth = random.integers(n_clusters, size=n)
    means = random.normal(scale=4.0, size=(n_clusters, 5))
    levels = random.dirichlet(np.full(4, 0.5), size=(n_clusters, 5))
    frame = pd.DataFrame(means[truth] + random.normal(size=(n, 5)), columns=list("abcde"))
    for j, name in enumerate("vwxyz"):
        steps = np.cumsum(levels[truth, j], axis=1)
        codes = np.minimum((random.random(n)[:, None] > steps).sum(axis=1), 3)
        frame[name] = np.array(["red", "green", "blue", "grey"], dtype=object)[codes]
    for name in frame:
        frame.loc[random.random(n) < 0.1, name] = None
    return frame, truth


def mixed() -> list[Row]:
    """Workload M: mixed columns with missing cells."""
    frame, truth = mixed_table()
    schema = infer_schema(frame)
    ours, model = timed(lambda seed: MAPDP(random_state=seed).fit(frame, schema))
    found = f"K = {model.n_clusters_}, ARI {ari(truth, model.labels_):.4f}"
    return [("M: MAP-DP", f"{ours:.2f} s", f"{found}; target 2 s")]


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


def scenario() -> list[Row]:
    """Workload S: one scenario, five algorithms."""
    frame, _ = load_scenario("5.6", n=4000, seed=0)
    X = frame[["x", "y"]].to_numpy()
    mapdp, model = timed(lambda seed: MAPDP(likelihood="gaussian", random_state=seed).fit(X))
    prior = model.prior_

    def others(seed: int) -> None:
        DPMeans(n_clusters_hint=3).fit(X)
        KMeansBIC(k_max=20, n_init=3, random_state=seed).fit(X)
        MixtureEM(3, likelihood="gaussian", random_state=seed).fit(X)
        gibbs = CollapsedGibbs(likelihood="gaussian", prior=prior, n_sweeps=100, random_state=seed)
        gibbs.fit(X)

    rest, _ = timed(others)
    return [
        ("S: MAP-DP", f"{mapdp:.2f} s", "target 0.2 s"),
        ("S: all five, 100 Gibbs sweeps", f"{mapdp + rest:.2f} s", "target 1.0 s"),
    ]


def told_k() -> list[Row]:
    """Kinds and shapes of table, of separated and of overlapping groups, against a peer told K."""
    random, n = np.random.default_rng(0), 100_000
    rates = np.exp(random.normal(1.5, 1.0, size=(8, 10)))[random.integers(8, size=n)]
    counts = {
        "negative_binomial": random.poisson(random.gamma(2.0, rates / 2.0)).astype(float),
        "poisson": random.poisson(rates).astype(float),
    }
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


def cohort() -> list[Row]:
    """Workload C: 527 x 215 mixed columns, ten searches."""
    frame, schema, truth = load_parkinsonism(seed=0)
    ours, model = timed(lambda seed: MAPDP(n_init=10, random_state=seed).fit(frame, schema))
    found = f"K = {model.n_clusters_}, ARI {ari(truth, model.labels_):.3f}"
    return [("C: ten searches", f"{ours:.2f} s", f"{found}; target 2 s")]


def sweeps() -> list[Row]:
    """Workload W, linearity, and the authors' size: one sweep at rest."""

    def seconds(n: int, d: int, k: int, likelihood: str) -> float:
        X, truth = make_blobs(n, n_features=d, centers=k, random_state=0)
        encoded = Encoded.from_array(X, likelihood)
        columns = Columns.pack(encoded, default_priors(encoded, 0.1))
        partition = Partition(columns, 3.0, truth)
        order = np.arange(n)
        return timed(lambda seed: partition.sweep(order), 5)[0]

    wide = seconds(1_000_000, 2, 6, "gaussian")
    small = seconds(2_000, 2, 3, "gaussian")
    base = seconds(50_000, 16, 15, "normal")
    doubled = {
        "rows": seconds(100_000, 16, 15, "normal"),
        "columns": seconds(50_000, 32, 15, "normal"),
        "clusters": seconds(50_000, 16, 31, "normal"),
    }
    rows = [
        ("W: one sweep, 1,000,000 x 2, K = 6", f"{wide:.2f} s", "target 0.3 s"),
        ("a sweep at 2,000 x 2 against the authors' code", f"{AUTHORS_SWEEP / small:,.0f} x", ""),
    ]
    for what, value in doubled.items():
        rows.append((f"a sweep, twice the {what}", f"{value / base:.2f} x", "target 2.2 x"))
    return rows


def peers() -> list[Row]:
    """One Lloyd pass and one E-M iteration against scikit-learn's, at A."""
    X, truth = make_blobs(100_000, n_features=10, centers=10, random_state=0, cluster_std=6.0)
    centers = X[:10].copy()

    def theirs(seed: int) -> None:
        KMeans(10, init=centers, n_init=1, max_iter=20, tol=0.0).fit(X)

    packed = Rows.of(X)

    def lloyd(seed: int) -> None:
        for _ in lloyd_states(packed, centers, max_iter=20, tol=0.0):
            pass

    a, b = timed(lloyd, 5)[0], timed(theirs, 5)[0]
    rows = [("20 Lloyd passes against KMeans", f"{a / b:.2f} x", "target 2 x")]
    responsibilities = np.eye(10)[truth]
    means = np.array([X[truth == k].mean(axis=0) for k in range(10)])
    for likelihood, kind in (("normal", "diag"), ("gaussian", "full")):
        model = MixtureEM(
            10, likelihood=likelihood, prior=None, init=responsibilities, max_iter=10, tol=0.0
        )
        peer = GaussianMixture(
            10, covariance_type=kind, means_init=means, max_iter=10, tol=0.0, init_params="random"
        )
        a = timed(lambda seed, model=model: model.fit(X))[0]
        b = timed(lambda seed, peer=peer: peer.fit(X))[0]
        rows.append((f"10 E-M iterations against GaussianMixture, {kind}", f"{a / b:.2f} x", "1 x"))
    return rows


_SMALL_FIT = "import numpy as np; from core import MAPDP; MAPDP(patience=0).fit(np.eye(20)[:, :3])"


def starts() -> list[Row]:
    """From ``python`` to the first small fit: compiling everything, and from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": folder}
        command = [sys.executable, "-W", "ignore", "-c", _SMALL_FIT]
        began = perf_counter()
        subprocess.run(command, check=True, env=environment)
        first = perf_counter() - began
        run = partial(subprocess.run, command, check=True, env=environment)
        again, _ = timed(lambda seed: run(), clock=perf_counter)
    return [
        ("first start ever to a small fit", f"{first:.1f} s", "target 40 s"),
        ("later start to a small fit", f"{again:.1f} s", "target 4 s"),
    ]


_MEMORY = """
import sys
import numpy as np
from core import MAPDP

def peak():  # ru_maxrss begins at what the process that started this one held
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

X = np.load(sys.argv[1])
MAPDP(patience=0).fit(X[:3000])
before = peak()
MAPDP(random_state=0).fit(X)
print((peak() - before) * 1024 / X.nbytes)
"""


def memory() -> list[Row]:
    """Peak memory of a fit beyond the table, in copies of N x columns float64."""
    rows = []
    for n, columns in ((1_000_000, 20), (3_000_000, 10)):
        with tempfile.NamedTemporaryFile(suffix=".npy") as file:
            np.save(file, make_blobs(n, n_features=columns, centers=10, random_state=0)[0])
            file.flush()
            command = [sys.executable, "-c", _MEMORY, file.name]
            out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        told = f"{float(out):.1f} tables"
        rows.append((f"peak memory of a fit, {n:,} x {columns}", told, "target 2 beside the table"))
    return rows


#: CPU seconds of fits of a table by seeds 0, 1, ... on a warm engine, and E of the last.
_FITS = """
import pickle, sys
from time import process_time
import numpy as np
from core import MAPDP, infer_schema
from demo_datasets import load_parkinsonism
MAPDP(random_state=0).fit(np.random.default_rng(0).normal(size=(3000, 2)))
with open(sys.argv[1], "rb") as file:
    table, arguments, n_fits = pickle.load(file)
if table is None:
    of = load_parkinsonism(seed=0)[:2]
else:
    of = (table, infer_schema(table)) if hasattr(table, "columns") else (table,)
for seed in range(n_fits):
    began = process_time()
    model = MAPDP(random_state=seed, **arguments).fit(*of)
    print(process_time() - began)
print(model.objective_)
"""
#: The first fits of the five methods, as an empty cache makes them.
_FIRST_FITS = """
import numpy as np
from core import MAPDP, CollapsedGibbs, DPMeans, KMeansBIC, MixtureEM
rows = np.repeat([[0.0, 0.0], [1.0, 2.0]], 6, axis=0) + np.linspace(0.0, 0.1, 12)[:, None]
for model in (
    KMeansBIC(k_max=2, n_init=1, random_state=0),
    DPMeans(n_clusters_hint=2),
    MAPDP(random_state=0),
    MixtureEM(n_components=2, random_state=0),
    CollapsedGibbs(n_sweeps=2, random_state=0),
):
    model.fit(rows)
"""


def _of_checkout(folder: Path, code: str, *arguments: str, **environment: str) -> str:
    """What code prints that imports the library of a checkout."""
    command = [sys.executable, "-W", "ignore", "-c", code, *arguments]
    variables = {**os.environ, "PYTHONPATH": str(folder), **environment}
    run = subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=True
    )
    return run.stdout


def _first_fits(folder: Path) -> float:
    """CPU seconds until all five methods are compiled, in one process."""
    with tempfile.TemporaryDirectory() as cache:
        began = resource.getrusage(resource.RUSAGE_CHILDREN)
        _of_checkout(folder, _FIRST_FITS, XDG_CACHE_HOME=cache)
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime - began.ru_utime + ended.ru_stime - began.ru_stime


def against(before: Path) -> list[Row]:
    """Ratios to the version before: both fit the same tables, one process after the other."""

    def blobs_of(n: int, spread: float = 1.0) -> np.ndarray:
        return make_blobs(n, n_features=10, centers=10, random_state=0, cluster_std=spread)[0]

    cases = (
        ("A", "", blobs_of(100_000), {}, 3),
        ("M", "target .5 x", mixed_table()[0], {}, 3),
        ("A, std 6", "target .33 x", blobs_of(100_000, 6.0), {}, 3),
        ("C, ten searches", "target .4 x", None, {"n_init": 10}, 2),
        ("1,000,000 x 10", "target .4 x", blobs_of(1_000_000), {}, 1),
    )
    here, rows = Path(__file__).parents[2], []
    for name, target, *case in cases:
        taken: dict[Path, list[float]] = {before: [], here: []}
        reached: dict[Path, float] = {}
        with tempfile.NamedTemporaryFile(suffix=".pickle") as file:
            pickle.dump(case, file)
            file.flush()
            for _ in range(1 if case[-1] == 1 else 2):
                for folder, seconds in taken.items():
                    *fits, reached[folder] = map(
                        float, _of_checkout(folder, _FITS, file.name).split()
                    )
                    seconds += fits
        now, then = median(taken[here]), median(taken[before])
        told = f"{now:.2f} s, was {then:.2f} s; E {reached[here] - reached[before]:+.1f}; {target}"
        rows.append((f"{name}: against the version before", f"{now / then:.2f} x", told))
    taken = {before: [], here: []}
    for _ in range(2):
        for folder, seconds in taken.items():
            seconds.append(_first_fits(folder))
    now, then = min(taken[here]), min(taken[before])
    told = f"{now:.1f} CPU s, was {then:.1f}; target .75 x"
    rows.append(("first fits of five methods, nothing compiled", f"{now / then:.2f} x", told))
    return rows


WORKLOADS = {
    "A": blobs,
    "M": mixed,
    "A6": overlapping,
    "K": told_k,
    "S": scenario,
    "C": cohort,
    "W": sweeps,
    "peers": peers,
    "start": starts,
    "memory": memory,
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("workloads", nargs="*", help=f"any of {', '.join(WORKLOADS)}, or before")
    parser.add_argument("--before", type=Path, help="checkout of the version to compare with")
    asked = parser.parse_args()
    workloads = dict(WORKLOADS)
    if asked.before:
        workloads["before"] = partial(against, asked.before.resolve())
    chosen = asked.workloads or list(workloads)
    MAPDP(random_state=0).fit(np.random.default_rng(0).normal(size=(3000, 2)))
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name in chosen:
        for what, value, note in workloads[name]():
            print(f"{what:52s} {value:>14s}   {note}", flush=True)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak memory of this process {peak:.1f} GB")


if __name__ == "__main__":
    main()
