"""``mapdp-studio fit``: cluster a folder of Parquet from the command line."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ..models.progress import Progress
from ..reading.read_options import TableError
from ..schema.spec import SchemaError
from ..wording import install

WIDTH = 24  # of the progress bar


def run(arguments: Sequence[str]) -> int:
    """Fit, and say what came of it; the exit status."""
    asked = _parser().parse_args(arguments)
    from .mapdp_parts import MAPDPParts

    with ExitStack() as stack:
        try:
            model = MAPDPParts(
                asked.concentration,
                random_state=asked.seed,
                sample=asked.sample,
                n_init=asked.samples,
                executor=_executor(asked, stack),
            )
            model.fit(asked.folder, labels=asked.labels, callback=_bar)
        except KeyboardInterrupt:
            print("\nStopped. The same command goes on where it was.", file=sys.stderr)
            return 130
        except (TableError, SchemaError, RuntimeError, ValueError, OSError) as error:
            print(f"\n{error}", file=sys.stderr)
            return 1
    print(file=sys.stderr)
    print(f"{model.n_rows_:,} rows in {model.n_clusters_:,} clusters, E = {model.objective_:,.1f}")
    for k, cluster in enumerate(model.clusters_):
        print(f"  {k}: {cluster.size:,} rows")
    print(f"Labels, the model and a sample of the rows are in {asked.labels}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mapdp-studio fit", description="Cluster a table in Parquet files, part by part."
    )
    parser.add_argument("folder", type=Path, help="Parquet file, or folder of such files")
    parser.add_argument(
        "--labels", type=Path, required=True, help="folder for labels; a stopped fit goes on there"
    )
    parser.add_argument("--concentration", type=float, default=3.0, help="N_0, the prior count")
    parser.add_argument("--sample", type=int, default=20_000, help="rows of a sample")
    parser.add_argument("--samples", type=int, default=1, help="samples to begin with")
    parser.add_argument("--seed", type=int, default=0)
    workers = parser.add_mutually_exclusive_group()
    workers.add_argument("--workers", type=int, default=1, help="processes on this computer")
    workers.add_argument("--scheduler", help="address of a dask scheduler, tcp://...")
    return parser


def _executor(asked: argparse.Namespace, stack: ExitStack) -> Any:
    """Who does the work."""
    if asked.scheduler:
        try:
            from distributed import Client
        except ImportError:
            raise ValueError(f"A scheduler needs dask: {install('scale')}.") from None
        return stack.enter_context(Client(asked.scheduler))
    if asked.workers > 1:
        return stack.enter_context(ProcessPoolExecutor(asked.workers))
    return None


def _bar(progress: Progress) -> None:
    share = min(progress.done / max(progress.total, 1), 1.0)
    filled = "#" * round(share * WIDTH)
    known = f"  K = {progress.n_clusters}" if progress.n_clusters else ""
    if known and math.isfinite(progress.objective):
        known += f"  E = {progress.objective:,.1f}"
    print(
        f"\r[{filled:<{WIDTH}}] {progress.phase}{known}\x1b[K", end="", file=sys.stderr, flush=True
    )
