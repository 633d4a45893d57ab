"""Groups under a power: the exact minimum, known classes, and misfit made on purpose.

python -m tests.benchmarks.tolerance tables          # the tables in ../shared/data
python -m tests.benchmarks.tolerance misfit          # skewed, heavy-tailed, correlated groups
python -m tests.benchmarks.tolerance misfit --seeds 5 --rows 300
python -m tests.benchmarks.tolerance misfit --first 100 --apart 0    # other draws, any centres
python -m tests.benchmarks.tolerance scenarios       # the six of R16
python -m tests.benchmarks.tolerance exact           # lowest E of all partitions of 7 rows
python -m tests.benchmarks.tolerance bootstraps      # do they come back with other rows
python -m tests.benchmarks.tolerance sweeps          # what the power costs
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from mapdp_studio.core import MAPDP, Schema, infer_schema, read_table, tolerance_path
from mapdp_studio.core.engine.columns import Columns
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.engine.product import score_table
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.models.plateaus import count_clusters, finest_plateau
from mapdp_studio.core.models.tolerance import TolerancePath
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.statistics.bootstraps import STABLE
from mapdp_studio.core.statistics.resampling import Protocol, assess
from mapdp_studio.demo_datasets import load_parkinsonism, load_scenario
from tests.random_tables import random_families, random_table
from tests.reference import set_partitions

DATA = Path(__file__).parents[2].parent / "shared" / "data"
#: Rows of the largest table that is tried.
LARGEST = 2_000
#: Tables whose groups are sought again in resamples of the rows, and how many.
RESAMPLED = ("wine", "iris", "breast-cancer-wisconsin-original", "pbc", "hcc")
RESAMPLES = 100
#: Rows that are scored to see what the power costs.
SWEPT = 20_000
SHOWN = (1.0, 0.5, 0.3, 0.2, 0.1)
#: Standard deviations of a group between two centres, at least, unless asked; and of the centres.
APART = 4.0
NOISES = ("normal", "correlated", "t(4)", "log-normal")


def tables() -> Iterator[tuple[str, object, Schema, np.ndarray]]:
    """Name, table, schema without the class, and the class (None without), of every table."""
    for facts in sorted(DATA.glob("*/schema.json")):
        known = json.loads(facts.read_text())
        frame = read_table(min(facts.parent.glob("*.csv"), key=lambda file: len(file.name)))
        label, schema = known["class_column"], infer_schema(frame)
        if len(frame) > LARGEST:
            continue
        classes = np.full(len(frame), None)
        if label is not None:
            frame = frame[frame[label].notna()]
            classes, schema = frame[label].to_numpy(), schema.with_column(label, role="ignore")
        for name in (*known["id_columns"], *known["outcome_columns"]):
            schema = schema.with_column(name, role="ignore")
        yield known["name"], frame, schema, classes
    for name, load in (
        ("iris, array", load_iris),
        ("wine, array", load_wine),
        ("Wisconsin", load_breast_cancer),
    ):
        bunch = load()
        yield name, bunch.data, None, bunch.target


def against_classes() -> None:
    """K and NMI with the class at some powers, searched and cut, and of the proposed cut."""
    at = "  ".join(f"{power:>12g}" for power in SHOWN)
    print(f"{'table':32s} {at}   proposed       (each: K, NMI searched | K on the path alone)")
    for name, frame, schema, classes in tables():
        began = perf_counter()
        path = tolerance_path(MAPDP(random_state=0).fit(frame, schema))
        cells = []
        for power in SHOWN:
            at = int(np.argmin(np.abs(np.log(path.powers / power))))
            cut = np.unique(path.cuts[at]).size
            cells.append(f"{path.n_clusters[at]:3d}, {nmi(classes, path.labels[at]):.2f} |{cut:3d}")
        print(f"{name:32s} {'  '.join(cells)}   {_proposal(path, classes)}", end="   ")
        print(f"{perf_counter() - began:.0f} s", flush=True)


def _proposal(path: TolerancePath, classes: np.ndarray) -> str:
    if path.proposed is None:
        return "none"
    agreement = nmi(classes, path.labels[path.proposed])
    return (
        f"{path.n_clusters[path.proposed]}, {agreement:.2f} from {path.powers[path.proposed]:.2f}"
    )


def misfit(
    noise: str, n_rows: int, n_groups: int, seed: int, apart: float = APART
) -> tuple[np.ndarray, np.ndarray]:
    """Groups in four columns, centres at random and so many standard deviations apart or more."""
    random = np.random.default_rng([seed, NOISES.index(noise), n_rows, n_groups])
    truth = random.integers(n_groups, size=n_rows)
    centers = random.normal(0.0, APART, (n_groups, 4))
    while n_groups > 1 and pdist(centers).min() < apart:
        centers = random.normal(0.0, APART, (n_groups, 4))
    rows = random.normal(size=(n_rows, 4))
    if noise == "correlated":
        rows = rows @ np.linalg.cholesky(np.full((4, 4), 0.35) + 0.65 * np.eye(4)).T
    elif noise == "t(4)":
        rows = random.standard_t(4, (n_rows, 4)) / np.sqrt(2.0)
    elif noise == "log-normal":
        rows = np.exp(0.6 * rows)
        rows = (rows - np.exp(0.18)) / np.sqrt((np.exp(0.36) - 1.0) * np.exp(0.36))
    elif noise != "normal":
        raise ValueError(f"noise {noise!r} is none of {', '.join(NOISES)}.")
    return centers[truth] + rows, truth


def _on_path(path: TolerancePath) -> int | None:
    """K that the same rule proposes of the cuts alone."""
    found = finest_plateau(path.powers, path.cuts)
    return None if found is None else count_clusters(path.cuts[found.first])


def on_purpose(seeds: range, sizes: list[int], apart: float) -> None:
    """How often the plateau gives the true number of groups."""
    for n_groups in (3, 1):
        wanted = n_groups if n_groups > 1 else None
        for noise in NOISES:
            for n_rows in sizes:
                found, cut, at_one = [], [], []
                for seed in seeds:
                    rows, _ = misfit(noise, n_rows, n_groups, seed, apart)
                    path = tolerance_path(MAPDP(patience=10, random_state=0).fit(rows))
                    at_one.append(int(path.n_clusters[0]))
                    kept = path.proposed
                    found.append(None if kept is None else int(path.n_clusters[kept]))
                    cut.append(_on_path(path))
                print(
                    f"{n_groups} group(s), {noise:10s} N = {n_rows:5d}: K at 1 {min(at_one)}-"
                    f"{max(at_one)}; right {found.count(wanted)} of {len(seeds)}, on the path alone"
                    f" {cut.count(wanted)}; proposed {found}",
                    flush=True,
                )


def scenarios(seeds: int) -> None:
    """How often the plateau gives the true K of the six scenarios."""
    for key in ("5.1", "5.2", "5.3", "5.4", "5.5", "5.6"):
        found = []
        for seed in range(seeds):
            frame, truth = load_scenario(key, n=1000, seed=seed)
            model = MAPDP(likelihood="gaussian", patience=10, random_state=0)
            path = tolerance_path(model.fit(frame[["x", "y"]].to_numpy()))
            kept = path.proposed
            found.append(None if kept is None else int(path.n_clusters[kept]))
        n_true = np.unique(truth).size
        right = found.count(n_true)
        print(f"scenario {key}: true K {n_true}, right {right} of {seeds}: {found}", flush=True)


def exact(seeds: int) -> None:
    """How often the search at a power ends at the lowest E of all partitions."""
    every = [np.array(labels) for labels in set_partitions(7)]
    for power in (0.3, 0.6):
        found, worst = 0, 0.0
        for seed in range(seeds):
            random = np.random.default_rng([seed, int(10 * power)])
            encoded, priors = random_table(random, 7, random_families(random))
            columns = Columns.pack(encoded, priors, power)
            lowest = min(Partition(columns, 1.0, labels).objective() for labels in every)
            model = MAPDP(1.0, prior=list(priors), likelihood_power=power, random_state=seed)
            above = model.fit_encoded(encoded).objective_ - lowest
            found, worst = found + (above <= 1e-8), max(worst, above)
        print(
            f"power {power}: the exact minimum on {found} of {seeds} tables, at worst {worst:.3g} "
            "nats above",
            flush=True,
        )


def bootstraps() -> None:
    """Mean Jaccard similarity of every group with its best match in resamples of the rows."""
    named = {name: (frame, schema) for name, frame, schema, _ in tables()}
    chosen = {name: named[name] for name in RESAMPLED if name in named}
    frame, schema, _ = load_parkinsonism(0)
    chosen["the cohort"] = frame, schema
    for name, (frame, schema) in chosen.items():
        model = MAPDP(random_state=0).fit(frame, schema)
        print(f"{name:32s} power 1:    {_comes_back(model)}", flush=True)
        path = tolerance_path(model)
        if path.proposed is None:
            print(f"{'':32s} no groups that stay", flush=True)
            continue
        power = float(path.powers[path.proposed])
        tolerant = clone(model).set_params(likelihood_power=power).fit(frame, schema)
        print(f"{'':32s} power {power:.2f}: {_comes_back(tolerant)}", flush=True)


def _comes_back(model: MAPDP) -> str:
    protocol = Protocol(restarts=1, bootstraps=RESAMPLES, fits=1)
    means = assess(model, protocol).bootstraps.mean_jaccard
    known = [mean for mean in means if mean is not None]
    stable = sum(mean >= STABLE for mean in known)
    worst, all_of_them = min(known), ", ".join(f"{mean:.2f}" for mean in known)
    return (
        f"K = {model.n_clusters_:2d}, {stable} of {len(known)} assessable groups stable, worst "
        f"{worst:.2f} ({all_of_them})"
    )


def sweeps(repeats: int) -> None:
    """Time to score all rows in ten clusters, as a sweep does, at power .3 over that at 1."""
    for name in FAMILIES:
        random = np.random.default_rng(0)
        encoded, priors = random_table(random, SWEPT, [name] * 4, missing=0.0)
        labels = random.integers(10, size=SWEPT)
        pair = [Partition(Columns.pack(encoded, priors, power), 3.0, labels) for power in (1, 0.3)]
        out, times = np.empty((SWEPT, 16)), np.empty((repeats + 1, 2))
        for repeat in range(repeats + 1):
            for at, found in enumerate(pair):
                state, work = found.clusters.state, found.clusters.work
                began = process_time()
                score_table(found.table, state, 10, labels, out, work)
                times[repeat, at] = process_time() - began
        one, less = times[1:].min(axis=0)
        print(f"{name:20s} {1e9 * one / SWEPT:7.0f} ns a row; at .3 x {less / one:.2f}", flush=True)


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "what", choices=("tables", "misfit", "scenarios", "exact", "bootstraps", "sweeps")
    )
    parser.add_argument("--seeds", type=int, help="20 a cell; 150 tables a power")
    parser.add_argument("--first", type=int, default=0, help="seed of misfit made on purpose")
    parser.add_argument("--rows", type=int, nargs="*", default=[300, 1000, 3000])
    parser.add_argument("--apart", type=float, default=APART, help="of the centres, at least")
    chosen = parser.parse_args()
    if chosen.what == "tables":
        against_classes()
    elif chosen.what == "misfit":
        seeds = range(chosen.first, chosen.first + (chosen.seeds or 20))
        on_purpose(seeds, chosen.rows, chosen.apart)
    elif chosen.what == "scenarios":
        scenarios(chosen.seeds or 20)
    elif chosen.what == "exact":
        exact(chosen.seeds or 150)
    elif chosen.what == "bootstraps":
        bootstraps()
    else:
        sweeps(chosen.seeds or 15)


if __name__ == "__main__":
    main()
