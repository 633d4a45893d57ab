"""``mapdp-studio fit``: cluster a Parquet dataset larger than memory."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from .arguments import Parser, positive
from .progress_bar import clear_progress, show_progress

STOPPED = "Stopped: nothing was written."


def run(arguments: Sequence[str]) -> None:
    """Fit, and say what came of it."""
    asked = parser().parse_args(arguments)
    from ..exports.settings_file import load_settings
    from ..scale.fit_large import fit_large

    schema = load_settings(asked.schema.read_bytes()).schema if asked.schema else None
    try:
        found = fit_large(
            asked.table,
            asked.labels,
            schema,
            n_sample=asked.sample,
            concentration=asked.concentration,
            random_state=asked.seed,
            callback=show_progress,
        )
    finally:
        clear_progress()
    *sizes, n_none = found.sizes.tolist()
    print(f"{found.n_rows:,} rows in {len(sizes):,} clusters, found in a random sample")
    for k, size in enumerate(sizes):
        print(f"  {k}: {size:,} rows")
    if n_none:
        print(f"  {len(sizes)}: {n_none:,} rows that are in none of them")
    print(f"Labels, the model and the sample are in {asked.labels}")


def parser() -> argparse.ArgumentParser:
    """What the command takes."""
    parser = Parser(
        prog="mapdp-studio fit",
        description="Find groups in a random sample of a Parquet dataset, then the group of every"
        " row, in constant memory.",
    )
    parser.add_argument("table", help="Parquet file, or folder of such files; s3:// and gs:// too")
    parser.add_argument(
        "--labels", required=True, type=Path, help="new folder for labels, model and sample"
    )
    parser.add_argument(
        "--schema",
        type=Path,
        metavar="S.json",
        help="settings saved by the app: what every column is taken for",
    )
    parser.add_argument(
        "--concentration", type=positive(float), default=3.0, help="N_0, the prior count"
    )
    parser.add_argument(
        "--sample", type=positive(int), default=200_000, help="rows of the sample (200,000)"
    )
    parser.add_argument("--seed", type=int, default=0)
    return parser
