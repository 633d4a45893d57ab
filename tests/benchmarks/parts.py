"""What MAP-DP in parts takes: memory, CPU a visit against a sweep in memory, E, agreement.

    python -m tests.benchmarks.parts [rows ...] [--seeds 3] [--resume] [--dask]

Rows as 1e6 4e6; 10 mixed columns, 5 % missing, 12 clusters, the smallest .03 %. Prints a table for
this machine, a line a fit, each of which ran in a process of its own: in parts, in memory, and
k-means told K by scikit-learn and, where it is installed, dask-ml. ``--resume`` kills each fit once
on the way and takes it up again; ``--dask`` adds a cluster of two workers, one of them killed in
mid-visit. ``--quick`` leaves out what is not in parts.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.cluster import MiniBatchKMeans
from sklearn.metrics import adjusted_rand_score

from core import MAPDP, MAPDPParts
from core.parts import search

CLUSTERS, SMALLEST = 12, 0.0003
ROWS_OF_FILE, ROWS_OF_GROUP = 250_000, 65_536
#: Columns of the table: microseconds of CPU a row.
A_VISIT, IN_ORDER = "us a row a visit", "us a row in order"
#: Most rows that are also held in memory, for what is compared.
IN_MEMORY = 1_000_000


def make_frame(n: int, place: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Some rows of the table, and their clusters."""
    made = np.random.default_rng(7)
    weights = np.append(SMALLEST, np.linspace(1, 3, CLUSTERS - 1))
    weights[1:] *= (1 - SMALLEST) / weights[1:].sum()
    middle, words = made.normal(0, 4, (CLUSTERS, 6)), made.dirichlet(np.full(5, 0.5), (CLUSTERS, 2))
    rate, share = made.uniform(0.5, 8, CLUSTERS), made.uniform(0.05, 0.95, CLUSTERS)
    random = np.random.default_rng([1, place])
    truth = random.choice(CLUSTERS, n, p=weights)
    frame = pd.DataFrame(middle[truth] + random.normal(size=(n, 6)))
    frame.columns = [f"m{j}" for j in range(6)]
    frame = frame.mask(random.random((n, 6)) < 0.05)
    for j in range(2):
        code = (random.random(n)[:, None] > words[:, j].cumsum(axis=1)[truth]).sum(axis=1)
        names = np.array(list("abcdee"), dtype=object)[code]
        names[random.random(n) < 0.05] = None
        frame[f"c{j}"] = names
    frame["visits"] = random.poisson(rate[truth])
    frame["smokes"] = np.where(random.random(n) < share[truth], "yes", "no")
    return frame, truth


def write_table(n: int, folder: Path) -> None:
    """The table in files of some row groups each, the truth beside them."""
    folder.mkdir(parents=True)
    truths = []
    for place, first in enumerate(range(0, n, ROWS_OF_FILE)):
        frame, truth = make_frame(min(ROWS_OF_FILE, n - first), place)
        table = pa.Table.from_pandas(frame, preserve_index=False)
        pq.write_table(table, folder / f"{place:05d}.parquet", row_group_size=ROWS_OF_GROUP)
        truths.append(truth.astype(np.int8))
    np.save(folder / "truth.npy", np.concatenate(truths))


def digest(model: MAPDPParts) -> str:
    """Of all labels, in the order of the rows."""
    sha = hashlib.sha256()
    for file in sorted(Path(model.labels_path_).glob("labels-*.parquet")):
        sha.update(pq.read_table(file)["label"].to_numpy().astype("<i4").tobytes())
    return sha.hexdigest()[:16]


def fit(folder: Path, seed: int, stop_at: float | None = None, executor=None) -> dict:
    """Fit in this process, and say what it took."""
    visits: list[float] = []
    real = search.PartsSearch._visit_all

    def timed(self, plan):
        began = time.process_time()
        report = real(self, plan)
        visits.append(time.process_time() - began)
        return report

    search.PartsSearch._visit_all = timed

    def callback(progress):
        if stop_at is not None and progress.phase.startswith("visit") and progress.done > stop_at:
            os.kill(os.getpid(), signal.SIGKILL)

    began, wall = time.process_time(), time.perf_counter()
    model = MAPDPParts(random_state=seed, executor=executor)
    model.fit(folder, labels=folder / "labels", callback=callback)
    taken, wall = time.process_time() - began, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    truth = np.load(folder / "truth.npy")[:IN_MEMORY]
    labels = [
        pq.read_table(file)["label"].to_numpy()
        for file in sorted((folder / "labels").glob("labels-*.parquet"))[:8]
    ]
    labels = np.concatenate(labels)[:IN_MEMORY]
    return {
        "rows": model.n_rows_,
        "CPU s": taken,
        "wall s": wall,
        "peak MB": peak,
        "visits": model.n_visits_,
        A_VISIT: 1e6 * float(np.median(visits)) / model.n_rows_ if visits else float("nan"),
        "K": model.n_clusters_,
        "smallest": min(cluster.size for cluster in model.clusters_),
        "E": model.objective_,
        "ARI": adjusted_rand_score(truth[: labels.size], labels),
        "labels": digest(model),
    }


def in_memory(folder: Path, seed: int) -> dict:
    """The same rows, as many as are held, in memory; sweeps at rest stand for visits."""
    frame, truth = _held(folder)
    began, wall = time.process_time(), time.perf_counter()
    model = MAPDP(random_state=seed).fit(frame)
    taken, wall = time.process_time() - began, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    partition, shuffled = model.partition_, np.random.default_rng(seed).permutation(len(frame))
    sweeps = []
    for order in (shuffled, np.arange(len(frame))):
        began = time.process_time()
        assert partition.sweep(order) == 0
        sweeps.append(1e6 * (time.process_time() - began) / len(frame))
    return {
        "rows": len(frame),
        "CPU s": taken,
        "wall s": wall,
        "peak MB": peak,
        A_VISIT: sweeps[0],
        IN_ORDER: sweeps[1],
        "K": model.n_clusters_,
        "smallest": int(model.result_.sizes.min()),
        "E": model.objective_,
        "ARI": adjusted_rand_score(truth, model.labels_),
    }


def means(folder: Path, seed: int) -> dict:
    """Mini-batch k-means told K, on the numbers alone, missing cells filled by the mean."""
    numbers, truth = _numbers(folder)
    began, wall = time.process_time(), time.perf_counter()
    labels = MiniBatchKMeans(CLUSTERS, random_state=seed, n_init=3).fit(numbers).labels_
    return _of_means(labels, truth, began, wall)


def dask_means(folder: Path, seed: int) -> dict:
    """Scalable k-means of dask-ml told K, on the same numbers."""
    import dask.array
    from dask_ml.cluster import KMeans

    numbers, truth = _numbers(folder)
    chunks = dask.array.from_array(numbers, chunks=(ROWS_OF_FILE, numbers.shape[1]))
    began, wall = time.process_time(), time.perf_counter()
    labels = KMeans(CLUSTERS, random_state=seed).fit(chunks).labels_.compute()
    return _of_means(labels, truth, began, wall)


def _of_means(labels: np.ndarray, truth: np.ndarray, began: float, wall: float) -> dict:
    return {
        "rows": labels.size,
        "CPU s": time.process_time() - began,
        "wall s": time.perf_counter() - wall,
        "K": CLUSTERS,
        "smallest": int(np.bincount(labels).min()),
        "ARI": adjusted_rand_score(truth, labels),
    }


def _held(folder: Path) -> tuple[pd.DataFrame, np.ndarray]:
    """Rows that are held in memory, and their clusters."""
    files = sorted(folder.glob("*.parquet"))[: IN_MEMORY // ROWS_OF_FILE]
    frame = pd.concat([pd.read_parquet(file) for file in files], ignore_index=True)
    return frame, np.load(folder / "truth.npy")[: len(frame)]


def _numbers(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    frame, truth = _held(folder)
    frame = frame.select_dtypes("number")
    numbers = frame.fillna(frame.mean()).to_numpy(np.float64)
    return (numbers - numbers.mean(axis=0)) / numbers.std(axis=0), truth


def on_dask(folder: Path, seed: int) -> dict:
    """Two workers, one of them killed in the middle of a visit."""
    from distributed import Client, LocalCluster

    killed = []
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):

        def callback(progress):
            if not killed and progress.phase == "visit 2" and progress.done > 1.2:
                pids = client.run(os.getpid)
                killed.append(next(iter(pids.values())))
                os.kill(killed[0], signal.SIGKILL)

        began = time.perf_counter()
        model = MAPDPParts(random_state=seed, executor=client)
        model.fit(folder, labels=folder / "labels", callback=callback)
    assert killed
    return {
        "rows": model.n_rows_,
        "wall s": time.perf_counter() - began,
        "visits": model.n_visits_,
        "K": model.n_clusters_,
        "E": model.objective_,
        "labels": digest(model),
    }


TASKS = {
    "in parts": fit,
    "dask, a worker killed": on_dask,
    "in memory": in_memory,
    "MiniBatchKMeans, told K": means,
    "dask-ml KMeans, told K": dask_means,
}


def _alone(task: str, folder: Path, seed: int = 0, stop_at: float | None = None) -> dict:
    """What a task says that runs in a process of its own; nothing if that was killed."""
    given = json.dumps({"task": task, "folder": str(folder), "seed": seed, "stop_at": stop_at})
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.parts", "--one", given], stdout=subprocess.PIPE
    )
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="*", type=float, default=[250_000])
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        given = json.loads(asked.one)
        task, stop_at = given.pop("task"), given.pop("stop_at")
        given["folder"] = Path(given["folder"])
        extra = {"stop_at": stop_at} if task == "in parts" else {}
        print(json.dumps(TASKS[task](**given, **extra)))
        return
    lines = []
    for n in map(int, asked.rows):
        folder = Path(tempfile.mkdtemp(prefix="parts-")) / "table"
        write_table(n, folder)
        for seed in range(asked.seeds):
            for found in _found(folder, seed, asked):
                lines.append({"seed": seed} | found)
                print(_table(lines[-1:]), "\n", flush=True)
        shutil.rmtree(folder.parent)
    print(_table(lines))
    _tell_ratios(pd.DataFrame(lines))


def _found(folder: Path, seed: int, asked: argparse.Namespace) -> Iterator[dict]:
    """What every task says of one table."""
    labels = folder / "labels"
    yield {"what": "in parts"} | _alone("in parts", folder, seed)
    if asked.resume:
        shutil.rmtree(labels)
        assert not _alone("in parts", folder, seed, stop_at=1.5)
        yield {"what": "killed, resumed"} | _alone("in parts", folder, seed)
    others = ["dask, a worker killed"] if asked.dask else []
    if not asked.quick:
        others += ["in memory", "MiniBatchKMeans, told K"]
        others += ["dask-ml KMeans, told K"] if find_spec("dask_ml") else []
    for name in others:
        shutil.rmtree(labels, ignore_errors=True)
        yield {"what": name} | _alone(name, folder, seed)
    shutil.rmtree(labels, ignore_errors=True)


def _table(lines: list[dict]) -> str:
    frame = pd.DataFrame(lines).set_index("what")
    forms = {"E": "{:,.4f}".format, "ARI": "{:.3f}".format, "rows": "{:,.0f}".format}
    whole = dict.fromkeys(("peak MB", "visits", "K", "smallest", "seed"), "{:.0f}".format)
    return frame.to_string(formatters=forms | whole, float_format="{:.2f}".format, na_rep="-")


def _tell_ratios(found: pd.DataFrame) -> None:
    """The three figures that are held against targets."""
    in_parts = found[found["what"] == "in parts"]
    peaks = in_parts["peak MB"]
    print(f"\npeak memory over all sizes: {peaks.min():.0f} to {peaks.max():.0f} MB")
    for _, whole in found[found["what"] == "in memory"].iterrows():
        same = in_parts[(in_parts["seed"] == whole["seed"]) & (in_parts["rows"] == whole["rows"])]
        for _, one in same.iterrows():
            times = [one[A_VISIT] / whole[name] for name in (A_VISIT, IN_ORDER)]
            print(
                f"{whole['rows']:,} rows, seed {whole['seed']}: a visit takes {times[0]:.2f} times"
                f" the CPU of a sweep, {times[1]:.2f} of one in the rows' order; E in parts is"
                f" {one['E'] - whole['E']:+.4f} nats above the one in memory"
            )


if __name__ == "__main__":
    main()
