"""``mapdp-studio fit``: cluster a Parquet dataset larger than memory."""

import argparse
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from ..optional import require
from ..wording import counted
from .main import Parser, positive, progress_line, show_progress

STOPPED = "Stopped: the same command goes on from here."


def parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
    parser = Parser(
        prog="mapdp-studio fit",
        description="Find groups in a random sample of a Parquet dataset, then in all of its rows,"
        " in constant memory, here or on a dask cluster.",
    )
    add = parser.add_argument
    add("table", help="Parquet file, or folder of such files; s3:// and gs:// too")
    folder = "new folder for labels, model and sample; s3:// and gs:// too"
    add("--labels", required=True, metavar="OUT", help=folder)
    workers = "of a dask cluster whose workers reach the table and OUT, such as tcp://10.0.0.1:8786"
    add("--scheduler", metavar="ADDRESS", help=workers)
    settings = "settings saved by the app: what every column is taken for"
    add("--schema", type=Path, metavar="S.json", help=settings)
    add("--concentration", type=positive(float), default=3.0, help="N_0, the prior count")
    add("--sample", type=positive(int), default=200_000, help="rows of the sample (200,000)")
    add("--seed", type=int, default=0)
    return parser


def run(arguments: Sequence[str]) -> None:
    """Fit, and print a summary."""
    args = parser().parse_args(arguments)
    from ..exports.settings_file import load_settings
    from ..scale.fit_large import fit_large

    schema = load_settings(args.schema.read_bytes()).schema if args.schema else None
    client: Any = nullcontext()
    if args.scheduler:
        require("distributed", "A cluster needs", extra="scale")
        from distributed import Client

        client = Client(args.scheduler)
    with client as cluster, progress_line():
        model = fit_large(
            args.table,
            schema,
            cluster,
            labels=args.labels,
            n_sample=args.sample,
            concentration=args.concentration,
            random_state=args.seed,
            callback=show_progress,
        )
    sizes = [found.size for found in model.clusters_]
    print(f"{sum(sizes):,} rows in {counted(len(sizes), 'cluster')}, E = {model.objective_:,.1f}")
    print(*(f"  {k}: {counted(size, 'row')}" for k, size in enumerate(sizes)), sep="\n")
    print(f"Labels, the model and a sample are in {args.labels}")
