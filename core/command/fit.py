"""``mapdp-studio fit``: cluster a folder of Parquet part by part."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ..extras import needs
from .arguments import Parser, positive
from .progress_bar import clear_progress, show_progress

STOPPED = "Stopped. The same command goes on where it was."


def run(arguments: Sequence[str]) -> None:
    """Fit, and say what came of it."""
    asked = parser().parse_args(arguments)
    from ..parts.mapdp_parts import MAPDPParts
    from ..parts.place import folder_to_write, place_of

    table, labels = place_of(asked.folder), folder_to_write(asked.labels)
    if table.is_local and not Path(table.address).exists():
        raise FileNotFoundError(2, "there is no such file or folder", table.address)
    with ExitStack() as stack:
        stack.callback(clear_progress)
        model = MAPDPParts(
            asked.concentration,
            random_state=asked.seed,
            sample=asked.sample,
            n_init=asked.samples,
            executor=_executor(asked, stack),
        )
        model.fit(asked.folder, labels=asked.labels, callback=show_progress)
    print(f"{model.n_rows_:,} rows in {model.n_clusters_:,} clusters, E = {model.objective_:,.1f}")
    for k, cluster in enumerate(model.clusters_):
        print(f"  {k}: {cluster.size:,} rows")
    print(f"Labels, the model and a sample of the rows are in {labels}")


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    parser = Parser(
        prog="mapdp-studio fit",
        description="Cluster a table in Parquet files, part by part, in constant memory.",
    )
    parser.add_argument(
        "folder", help="Parquet file, or folder of such files; s3://, gs:// and https:// as well"
    )
    parser.add_argument(
        "--labels", required=True, help="folder for labels; a stopped fit goes on there"
    )
    parser.add_argument(
        "--concentration", type=positive(float), default=3.0, help="N_0, the prior count"
    )
    parser.add_argument("--sample", type=positive(int), default=20_000, help="rows of a sample")
    parser.add_argument("--samples", type=positive(int), default=1, help="samples to begin with")
    parser.add_argument("--seed", type=int, default=0)
    workers = parser.add_mutually_exclusive_group()
    workers.add_argument(
        "--workers", type=positive(int), default=1, help="processes on this computer"
    )
    workers.add_argument("--scheduler", help="address of a dask scheduler, tcp://...")
    return parser


def _executor(asked: argparse.Namespace, stack: ExitStack) -> Any:
    """Who does the work."""
    if asked.scheduler:
        needs("distributed", "A scheduler needs")
        from distributed import Client

        return stack.enter_context(Client(asked.scheduler))
    if asked.workers > 1:
        return stack.enter_context(ProcessPoolExecutor(asked.workers))
    return None
