"""What the coordinator of a table in parts takes, by its parts: time beside a visit's work, memory.

    python -m tests.benchmarks.coordinator [parts ...] [--clusters 100] [--columns 50]

One part is visited in earnest, once where 5 % of its rows would rather move and once at rest; its
report, pickled, then comes from a make-believe worker for each of so many parts. Told are the CPU
seconds of this one process for a visit (what it sends, takes in, folds) and its peak memory, each
size in a process of its own, beside the work of the visit on all rows. Then the look at cells and
the last look, whose answers are folded in the same way.
"""

from __future__ import annotations

import argparse
import json
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from core import Schema
from core.parts import look
from core.parts.finish import finish
from core.parts.journal import Journal
from core.parts.labels import LABEL, Reading, label_file, write_array
from core.parts.look import look_at_rows
from core.parts.place import Place
from core.parts.search import Job, PartsSearch
from core.parts.source import ROWS_OF_PART, Source, open_source
from core.parts.splits import most_misfits
from core.parts.start import Start
from core.parts.sums import Sums
from core.parts.visit import RowReader
from core.schema.schema import ColumnSpec

#: Rows of the part that is visited; all are as long as ``ROWS_OF_PART``, so that it is scaled.
ROWS = 2**16
PHASES = ("5 % move", "at rest", "cells", "finish")


class Replayed:
    """Does a task once, and gives the same answer to all others: as a worker would, pickled."""

    def __init__(self) -> None:
        self.answer, self.sent, self.work, self.elsewhere = b"", 0, 0.0, 0.0

    def submit(self, function: Any, *arguments: Any) -> Future:
        self.sent += len(pickle.dumps(arguments))
        if not self.answer:
            before = time.process_time()
            function(*arguments)  # what is compiled or loaded once
            began = time.process_time()
            self.answer = pickle.dumps(function(*arguments))
            self.work = time.process_time() - began
            self.elsewhere = time.process_time() - before
        future: Future = Future()
        future.set_result(pickle.loads(self.answer))
        return future


def make_frame(n_columns: int, k: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Three of five columns normal, the others of words, counts and yes or no; their clusters."""
    random = np.random.default_rng(0)
    truth = random.integers(k, size=ROWS)
    columns = {}
    for j in range(n_columns):
        middle = random.normal(0, 4, k)[truth]
        if j % 5 < 3:
            columns[f"m{j}"] = middle + random.normal(size=ROWS)
        elif j % 10 == 3:
            columns[f"v{j}"] = random.poisson(np.exp(0.3 * middle + 1))
        elif j % 10 == 8:
            columns[f"b{j}"] = np.where(random.random(ROWS) < 1 / (1 + np.exp(-middle)), "y", "n")
        else:
            words = np.array(list("abcd"), dtype=object)
            columns[f"c{j}"] = words[(truth + (random.random(ROWS) < 0.2) * j) % 4]
    return pd.DataFrame(columns), truth


def schema_of(frame: pd.DataFrame) -> Schema:
    families = {"m": "normal", "v": "poisson", "b": "bernoulli", "c": "categorical"}
    return Schema([ColumnSpec(name, families[name[0]]) for name in frame]).completed(frame)


def searched(folder: Place, n_parts: int, n_columns: int, k: int) -> tuple[PartsSearch, np.ndarray]:
    """A search in its second visit, of so many parts that are all the same file."""
    frame, truth = make_frame(n_columns, k)
    pq.write_table(pa.Table.from_pandas(frame), (folder / "part.parquet").address)
    one = open_source((folder / "part.parquet").address, folder)
    part = replace(one.parts[0], groups=tuple(range(len(one.parts[0].groups))))
    parts = [replace(part, first_row=place * ROWS) for place in range(n_parts)]
    source = Source(tuple(parts), one.columns)
    read = RowReader(tuple(frame), schema_of(frame), 0)
    job = Job(source, read, Replayed(), Journal(folder / "work", ""), lambda p: None, 0.0)
    seen = look_at_rows(one, read, 2_000, 1)
    whole = replace(seen.whole(read.schema.units, 0.05, 3.0), n_rows=n_parts * ROWS)
    rows = whole.columns.of_rows(read.schema.encode_part(frame))
    sums = Sums.of(rows, truth, k)
    # As sums of all parts would be, as long as no one looks at more than the counts.
    search = PartsSearch(
        job, whole, Start(whole.columns.priors, 0.05, sums), seen.samples[0], "s", {}
    )
    search.number, search.few_moved, search.near_share = 1, True, 0.01
    search.trace.append((0.0, "start"))
    return search, truth


def one(phase: str, n_parts: int, n_columns: int, k: int) -> dict[str, float]:
    """What a phase takes, in this process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Place(name)
        search, truth = searched(folder, n_parts, n_columns, k)
        told = search.job.executor
        labels = truth.copy()
        if phase == "5 % move":
            moved = np.random.default_rng(1).random(ROWS) < 0.05
            labels[moved] = (labels[moved] + 1) % k
        written = np.zeros(ROWS, dtype=LABEL)
        written["label"] = labels
        for part in search.job.source.runs[0]:
            write_array(label_file(search.folder, 1, part.first_row), written)
        search.reading = Reading(np.arange(k))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.process_time()
        if phase == "cells":
            # Not the guess that follows: it looks at 20,000 rows, of any table as many.
            source = search.job.source
            look._tallied(source, source.columns, 20_000 / source.n_rows, 0, told, lambda *n: None)
        elif phase == "finish":
            search.number = 1
            search.sums = Sums(search.sums.state, search.sums.members * n_parts)
            search.report = FirstRows(np.arange(k))
            finish(search, folder / "out", search.job.source.columns, 20_000)
        else:
            seeds = {
                "share": np.full(k, 2_000 * k / (n_parts * ROWS_OF_PART)),
                "fit": np.full(k, -np.inf if phase == "5 % move" else -95.0),
                "most_misfits": most_misfits(k),
            }
            search.look(**seeds)
        taken = time.process_time() - began - told.elsewhere
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return {
            "parts": n_parts,
            "CPU s of the coordinator": taken,
            "CPU s of the work": told.work * len(search.job.source.runs) * ROWS_OF_PART / ROWS,
            "MB sent": told.sent / 2**20,
            "kB a report": len(told.answer) / 2**10,
            "peak MB": peak / 2**10,
            "more than before MB": (peak - before) / 2**10,
        }


class FirstRows:
    """Stands for the report of the last visit."""

    def __init__(self, first_row: np.ndarray) -> None:
        self.first_row = first_row


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", type=int, default=[500, 4_000])
    parser.add_argument("--clusters", type=int, default=100)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--phases", nargs="*", default=list(PHASES))
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(one(asked.one, asked.parts[0], asked.columns, asked.clusters)))
        return
    lines = []
    size = ["--clusters", str(asked.clusters), "--columns", str(asked.columns)]
    for phase in asked.phases:
        for n_parts in asked.parts:
            command = [sys.executable, "-m", "tests.benchmarks.coordinator", str(n_parts), *size]
            done = subprocess.run([*command, "--one", phase], stdout=subprocess.PIPE, check=True)
            lines.append({"phase": phase} | json.loads(done.stdout.splitlines()[-1]))
            print(lines[-1], flush=True)
    found = pd.DataFrame(lines).set_index("phase")
    share = found["CPU s of the coordinator"] / found["CPU s of the work"]
    found["% of the work"] = 100 * share
    found["% on 64 cores"] = 6_400 * share
    print(found.to_string(float_format="{:,.2f}".format))


if __name__ == "__main__":
    main()
