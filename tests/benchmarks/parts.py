"""What MAP-DP in parts takes: memory, CPU a visit against a sweep in memory, E, agreement.

    python -m tests.benchmarks.parts [rows ...] [--resume] [--dask]

Rows as 1e6 4e6; 10 mixed columns, 5 % missing, 12 clusters, the smallest .03 %. Every size runs in
a process of its own, whose peak memory is printed. ``--resume`` stops each fit once on the way and
takes it up again; ``--dask`` adds a cluster of two workers, one of them killed in mid-visit.
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
        "K": model.n_clusters_,
        "E": model.objective_,
        "visits": model.n_visits_,
        "CPU s": taken,
        "wall s": wall,
        "CPU s a visit": float(np.median(visits)) if visits else float("nan"),
        "peak MB": peak,
        "ARI": adjusted_rand_score(truth[: labels.size], labels),
        "smallest": min(cluster.size for cluster in model.clusters_),
        "labels": digest(model),
    }


def in_memory(folder: Path, seed: int) -> dict:
    """The same rows, as many as are held, in memory: a sweep at rest, a fit, K-means told K."""
    files = sorted(folder.glob("*.parquet"))[: IN_MEMORY // ROWS_OF_FILE]
    frame = pd.concat([pd.read_parquet(file) for file in files], ignore_index=True)
    truth = np.load(folder / "truth.npy")[: len(frame)]
    began = time.process_time()
    model = MAPDP(random_state=seed).fit(frame)
    taken = time.process_time() - began
    partition = model.partition_
    shuffled = np.random.default_rng(seed).permutation(len(frame))
    sweeps = {}
    for name, order in (("as fits do", shuffled), ("in the rows' order", np.arange(len(frame)))):
        began = time.process_time()
        moves = partition.sweep(order)
        sweeps[f"CPU s a sweep {name}"] = time.process_time() - began
    numbers = np.column_stack(
        [frame[c].fillna(frame[c].mean()) for c in frame if frame[c].dtype.kind in "fi"]
    )
    numbers = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    began = time.process_time()
    means = MiniBatchKMeans(CLUSTERS, random_state=seed, n_init=3).fit(numbers)
    return {
        "rows": len(frame),
        "E": model.objective_,
        "CPU s": taken,
        **sweeps,
        "moves at rest": moves,
        "ARI": adjusted_rand_score(truth, model.labels_),
        "MiniBatchKMeans told K, CPU s": time.process_time() - began,
        "its ARI": adjusted_rand_score(truth, means.labels_),
    }


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
    return {
        "rows": model.n_rows_,
        "wall s": time.perf_counter() - began,
        "killed": len(killed),
        "labels": digest(model),
    }


TASKS = {"fit": fit, "in memory": in_memory, "dask": on_dask}


def _alone(task: str, folder: Path, seed: int = 0, stop_at: float | None = None) -> dict | None:
    """What a task says that runs in a process of its own; None if that was killed."""
    given = json.dumps({"task": task, "folder": str(folder), "seed": seed, "stop_at": stop_at})
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.parts", "--one", given], stdout=subprocess.PIPE
    )
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="*", type=float, default=[250_000])
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        given = json.loads(asked.one)
        task, stop_at = given.pop("task"), given.pop("stop_at")
        given["folder"] = Path(given["folder"])
        extra = {"stop_at": stop_at} if task == "fit" else {}
        print(json.dumps(TASKS[task](**given, **extra)))
        return
    for n in map(int, asked.rows):
        folder = Path(tempfile.mkdtemp(prefix="parts-")) / "table"
        write_table(n, folder)
        for seed in range(asked.seeds):
            print(f"{n:,} rows, seed {seed}")
            _tell("in parts", found := _alone("fit", folder, seed))
            if asked.resume:
                shutil.rmtree(folder / "labels")
                assert _alone("fit", folder, seed, stop_at=1.5) is None
                _tell("killed and resumed", _alone("fit", folder, seed))
            if asked.dask:
                shutil.rmtree(folder / "labels")
                _tell("dask, a worker killed", _alone("dask", folder, seed))
            whole = _alone("in memory", folder, seed)
            _tell("in memory", whole)
            for name, a_sweep in whole.items():
                if name.startswith("CPU s a sweep"):
                    times = found["CPU s a visit"] / n / (a_sweep / whole["rows"])
                    print(
                        f"  a visit takes {times:.2f} times the CPU of{name[5:]} in memory",
                        flush=True,
                    )
            shutil.rmtree(folder / "labels")
        shutil.rmtree(folder.parent)


def _tell(name: str, found: dict | None) -> None:
    told = ", ".join(
        f"{key} {value:,.2f}" if isinstance(value, float) else f"{key} {value}"
        for key, value in (found or {}).items()
    )
    print(f"  {name}: {told}", flush=True)


if __name__ == "__main__":
    main()
