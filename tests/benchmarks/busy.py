"""How busy the workers of a dask cluster are, and whether they find what one process finds.

    python -m tests.benchmarks.busy [rows] [--workers 2]

Rows as 4e6, of the table of ``tests.benchmarks.parts``. Prints, for the visits and for what is
between them (the looks, and the search of clusters that hide, by the driver), the seconds, those of
CPU that the workers and the driver took, and the share of as many cores as there are workers that
was busy with these, and with the driver, which needs one of them; then whether labels and E are
those of one process. Other work on the machine lowers the shares.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from core import MAPDPParts
from core.parts import mapdp_parts, search
from tests.benchmarks.parts import digest, write_table

SECONDS_OF_TICK = 1.0 / os.sysconf("SC_CLK_TCK")
#: What takes long, by its function. The search of a sample, which one worker does, is the rest.
PHASES = {
    "visits": (search.PartsSearch, "_visit_all"),
    "look at all cells": (mapdp_parts.MAPDPParts, "_read"),
    "look at all rows": (mapdp_parts.MAPDPParts, "_look"),
    "last look": (mapdp_parts, "finish"),
    "hidden clusters": (search, "part_misfits"),
}


def cpu_of(processes: list[int]) -> float:
    """Seconds of CPU that processes took so far."""
    taken = 0.0
    for process in processes:
        told = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        taken += SECONDS_OF_TICK * (int(told[11]) + int(told[12]))
    return taken


def timed(workers: list[int], fit: Callable[[], MAPDPParts]) -> tuple[MAPDPParts, pd.DataFrame]:
    """A fit, and what its phases took."""
    driver = [os.getpid()]

    def now() -> tuple[float, float, float]:
        return time.perf_counter(), cpu_of(workers), cpu_of(driver)

    taken = {name: [0.0, 0.0, 0.0] for name in PHASES}

    def measured(name: str, real: Callable) -> Callable:
        def run(*arguments, **more):
            before = now()
            answer = real(*arguments, **more)
            taken[name] = [t + a - b for t, a, b in zip(taken[name], now(), before, strict=True)]
            return answer

        return run

    kept = {name: getattr(*place) for name, place in PHASES.items()}
    for name, (owner, function) in PHASES.items():
        setattr(owner, function, measured(name, kept[name]))
    try:
        before = now()
        model = fit()
        whole = [a - b for a, b in zip(now(), before, strict=True)]
    finally:
        for name, (owner, function) in PHASES.items():
            setattr(owner, function, kept[name])
    names = ["s", "CPU s, workers", "CPU s, driver"]
    found = pd.DataFrame.from_dict(taken, orient="index", columns=names)
    found.loc["the rest"] = [w - t for w, t in zip(whole, found.sum(), strict=True)]
    found.loc["all"] = whole
    return model, found


def main() -> None:
    from distributed import Client, LocalCluster

    parser = argparse.ArgumentParser()
    parser.add_argument("rows", nargs="?", type=float, default=4e6)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="busy-"))
    write_table(int(asked.rows), folder / "table")
    one, alone = timed(
        [os.getpid()],
        lambda: MAPDPParts(random_state=0).fit(folder / "table", labels=folder / "one"),
    )
    with (
        LocalCluster(
            n_workers=asked.workers, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        workers = list(client.run(os.getpid).values())
        settings = {"random_state": 0, "executor": client}
        small = folder / "small"
        write_table(20_000, small)  # what is imported and loaded once
        MAPDPParts(**settings).fit(small, labels=folder / "warm")
        many, found = timed(
            workers,
            lambda: MAPDPParts(**settings).fit(folder / "table", labels=folder / "many"),
        )
    found["busy"] = found["CPU s, workers"] / (asked.workers * found["s"])
    both = found["CPU s, workers"] + found["CPU s, driver"]
    found["with the driver"] = both / (asked.workers * found["s"])
    found["s of one process"] = alone["s"]
    found["times faster"] = alone["s"] / found["s"]
    print(f"{int(asked.rows):,} rows, {asked.workers} workers, load {os.getloadavg()[0]:.1f}")
    print(found.to_string(float_format="{:.2f}".format))
    print(f"labels {digest(one)} of one process, {digest(many)} of the workers")
    print(f"E {one.objective_!r} and {many.objective_!r}, {many.n_visits_} visits")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
