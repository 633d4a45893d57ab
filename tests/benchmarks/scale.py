"""Tables beyond one machine: what fits take here and on two workers.

    python -m tests.benchmarks.scale [rows]

4e6 rows of 10 mixed columns: one process, then twice two workers, the first time one of them killed
in the middle. Then the driver's memory with 50 and 500 parts.
"""

import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

from mapdp_studio.core.scale.fit_large import fit_large
from tests.benchmarks.performance import mixed_table


def write_table(frame: pd.DataFrame, folder: Path, n_files: int) -> Path:
    """The folder with the rows in so many files."""
    if folder.exists():
        return folder
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


def main(rows: float = 4e6) -> None:
    """Every fit in a process of its own."""
    folder, lines = Path(tempfile.mkdtemp(prefix="scale-")), []
    table, million = mixed_table(int(rows))[0], mixed_table(1_000_000)[0]
    for what, frame, n_files, way in (
        ("here", table, 16, "here"),
        ("two workers, one killed", table, 16, "killed"),
        ("two workers", table, 16, "workers"),
        ("1e6 rows, 50 parts", million, 50, "workers"),
        ("1e6 rows, 500 parts", million, 500, "workers"),
    ):
        files = write_table(frame, folder / str(n_files), n_files)
        one = [sys.executable, "-m", "tests.benchmarks.scale", "--one", str(files), way]
        run = subprocess.run(one, stdout=subprocess.PIPE, check=True)
        lines.append({"what": what} | json.loads(run.stdout.splitlines()[-1]))
        print(lines[-1], flush=True)
    print(pd.DataFrame(lines).set_index("what").to_string(float_format="{:,.2f}".format))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(fit(*sys.argv[2:])))
    else:
        main(*map(float, sys.argv[1:]))
