"""Whole folders of real tables through every page, the report and the settings.

    python -m tests.benchmarks.raw_tables [folder] [most]

The first 300 rows of each. Without a folder: the raw tables and the data beside this project. A
table counts where a page shows a traceback or an error that is no sentence, or the report fails.
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path

from mapdp_studio.core import TableError, infer_schema, read_table
from mapdp_studio.pages import Session, Table
from tests.pages.test_analyst_pages import TABS, page, write_report

ROWS = 300
SHARED = Path(__file__).parents[2].parent / "shared"


def through_every_page(path: Path) -> str:
    """What went wrong; "" where nothing did."""
    try:
        frame = read_table(path).head(ROWS)
    except TableError:
        return ""
    schema = infer_schema(frame)
    for question in schema.questions:
        schema = question.answers[0](schema)
    if not schema.names("cluster"):
        return ""
    studio = Session()
    studio.take(Table(frame, path.name, path.stem), schema)
    places = [(name, tab) for name, (_, tabs) in TABS.items() for tab in tabs]
    places += [(name, None) for name in ("data", "new_rows", "clinical", "stability", "snapshots")]
    for name, tab in places:
        try:
            page(name, studio, tab)
        except AssertionError as error:
            return f"{name} {tab or ''}: {str(error).splitlines()[0][:200]}"
    return write_report(studio)


def main() -> None:
    """Print what went wrong, and how many tables went through."""
    logging.disable(logging.CRITICAL)
    paths = sorted(Path(sys.argv[1]).glob("*.csv")) if sys.argv[1:] else []
    paths = paths or sorted([*SHARED.glob("raw-tables/*.csv"), *SHARED.glob("data/*/*.csv")])
    most = int(sys.argv[2]) if len(sys.argv) > 2 else len(paths)
    chosen = paths[:: max(len(paths) // most, 1)][:most]
    began, wrong = time.process_time(), 0
    for path in chosen:
        if said := through_every_page(path):
            wrong += 1
            print(f"{path.stem}: {said}", flush=True)
    seconds = time.process_time() - began
    print(f"{len(chosen) - wrong} of {len(chosen)} tables through every page, {seconds:.0f} s")


if __name__ == "__main__":
    main()
