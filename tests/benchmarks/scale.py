"""Tables beyond one machine: what fits take here and on two workers, what a turn moves and holds.

    python -m tests.benchmarks.scale [rows] [--beside CHECKOUT]

4e6 rows of 10 mixed columns: one process, then twice two workers, the first time one of them killed
in the middle; beside these ``MAPDPParts`` of a checkout of c123c8e4 that has a ``.venv`` with dask.
Then the driver's memory with 50 and 500 parts, and a turn of 1,000 parts of 1e6 rows of 50 columns
in 100 clusters: every report is made, of fewer rows, and joined as in a fit.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import time
import tracemalloc
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

from mapdp_studio.core import MAPDP, save_model
from mapdp_studio.core.scale import source, turns
from mapdp_studio.core.scale.fit_large import fit_large
from mapdp_studio.core.scale.workers import run_all
from mapdp_studio.core.schema.encoded import Encoded
from tests.benchmarks.performance import mixed_table

BESIDE = """
import json, sys, tempfile, time
from importlib import import_module
from distributed import Client, LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        client, began = Client(cluster), time.perf_counter()
        model = import_module("core").MAPDPParts(random_state=0, executor=client)
        model.fit(sys.argv[1], labels=tempfile.mkdtemp())
        found = {"wall s": time.perf_counter() - began, "K": model.n_clusters_}
        cpu = time.process_time() + sum(client.run(time.process_time).values())
        print(json.dumps(found | {"CPU s": cpu, "E": model.objective_}))
"""


def write_table(frame: pd.DataFrame, folder: Path, n_files: int) -> Path:
    folder.mkdir()
    for place, first in enumerate(range(0, len(frame), len(frame) // n_files)):
        part = frame.iloc[first : first + len(frame) // n_files]
        part.to_parquet(folder / f"{place:05d}.parquet", index=False, row_group_size=2**16)
    return folder


def fit(table: str, way: str) -> dict:
    """What one fit takes: "here", "workers" or "killed"."""
    killed: list[int] = []
    pair = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        nullcontext() if way == "here" else LocalCluster(**pair) as cluster,
        nullcontext() if way == "here" else Client(cluster) as client,
        tempfile.TemporaryDirectory() as out,
    ):

        def kill(progress) -> None:
            if way == "killed" and progress.phase == "turn 2" and not killed:
                time.sleep(1.0)  # in the middle of the turn
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        began, folder = time.perf_counter(), Path(out) / "labels"
        model = fit_large(table, client=client, labels=folder, callback=kill)
        taken, cpu = time.perf_counter() - began, time.process_time()
        cpu += sum(client.run(time.process_time).values()) if client else 0.0
        files = sorted(folder.glob("labels-*.parquet"))
        labels = np.concatenate([pd.read_parquet(file)["label"] for file in files])
    return {
        "wall s": taken,
        "CPU s": cpu,
        "driver MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "K": model.n_clusters_,
        "E": model.objective_,
        "labels": hashlib.sha256(labels.tobytes()).hexdigest()[:8],
    }


class Drawn(source.Part):
    """A part whose rows are drawn when they are read."""

    def encoded(self, schema):
        random = np.random.default_rng(self.number)
        middle = np.random.default_rng(0).normal(0, 5, (100, 50))
        values = middle[random.integers(100, size=self.n_rows)]
        yield self.first, Encoded(values + random.normal(size=values.shape), schema.units)


def simulated() -> dict:
    """What a turn of 1,000 parts of 1e6 rows, K = 100, 50 columns moves and holds."""
    middle = np.random.default_rng(0).normal(0, 5, (100, 50))
    rows = np.repeat(middle, 200, axis=0) + np.random.default_rng(1).normal(size=(20_000, 50))
    model = MAPDP(prior="empirical", random_state=0, patience=0)
    model.fit(pd.DataFrame(rows).add_prefix("m"))
    told, moved = save_model(model), []

    def joined(a: turns.Report, b: turns.Report, told: str) -> turns.Report:
        moved.append(len(pickle.dumps(b)))  # to the worker that has the other
        return turns.joined(a, b, told)

    parts = [(Drawn(i, i * 10**6, 4_096, None),) for i in range(1_000)]
    report = len(pickle.dumps(run_all(None, turns.visit, parts, told, lambda done: None, joined)))
    batch = Drawn(0, 0, source.BATCH, None)
    tracemalloc.start()
    turns.visit(batch, told)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    began = time.process_time()
    turns.visit(batch, told)
    return {
        "K": model.n_clusters_,
        "MB told, once to a worker": len(told) / 1e6,
        "MB of a report": report / 1e6,
        "MB of reports that move, at most": sum(moved) / 1e6,
        "MB that a task holds": held / 1e6,
        "MB that the driver holds": (len(told) + report) / 1e6,
        "CPU s of a part": (time.process_time() - began) / source.BATCH * 1e6,
    }


def _said(*words: object, **environment: str) -> dict:
    run = subprocess.run(
        [*map(str, words)], env=os.environ | environment, stdout=subprocess.PIPE, check=True
    )
    return json.loads(run.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="?", type=float, default=4e6)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(fit(*asked.one)))
        return
    one = sys.executable, "-m", "tests.benchmarks.scale", "--one"
    folder, lines = Path(tempfile.mkdtemp(prefix="scale-")), []

    def tell(what: str, *words: object, **environment: str) -> None:
        lines.append({"what": what} | _said(*words, **environment))
        print(lines[-1], flush=True)

    table = write_table(mixed_table(int(asked.rows))[0], folder / "table", 16)
    (folder / "beside.py").write_text(BESIDE)
    tell("here", *one, table, "here")
    for way in ("killed", "workers"):
        tell(way, *one, table, way)
        if asked.beside:
            python = asked.beside / ".venv" / "bin" / "python"
            beside = str(asked.beside)
            tell("MAPDPParts", python, folder / "beside.py", table, PYTHONPATH=beside)
    frame = mixed_table(1_000_000)[0]
    for n in (50, 500):
        tell(f"1e6 rows, {n} parts", *one, write_table(frame, folder / str(n), n), "workers")
    print(pd.DataFrame(lines).set_index("what").to_string(float_format="{:,.2f}".format))
    print(pd.Series(simulated()).to_string(float_format="{:,.2f}".format))


if __name__ == "__main__":
    main()
