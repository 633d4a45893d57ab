"""Every method on whole folders of real tables: K, or the sentence that refuses.

    python -m tests.benchmarks.further [folder] [seconds]

Without a folder: the raw tables and the data beside this project, read and typed as the app would,
first answers taken. A fit is stopped after so many seconds (60), as a visitor would: "stopped".
"""

from __future__ import annotations

import sys
import time
import traceback
from pathlib import Path

import pandas as pd

from mapdp_studio.core import TableError, infer_schema, read_table
from mapdp_studio.core.comparing.comparison import FitError, Results, tasks
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.schema.schema import Schema

NAMES = tuple(METHODS)
SHARED = Path(__file__).parents[2].parent / "shared"


class _Enough(BaseException):
    """So long nobody waits."""


def answer(name: str, results: Results, frame: pd.DataFrame, schema: Schema, seconds: float) -> str:
    """K; "refused" for a sentence, "stopped", or the name of an exception, which is a mistake.

    What needs the prior of a method that was stopped is so, too.
    """
    end = time.monotonic() + seconds

    def stop(progress) -> None:
        if time.monotonic() > end:
            raise _Enough

    task = tasks("table", schema, Settings(), len(frame), NAMES)[name]
    if task.prior_of is not None and results.get(task.prior_of) is None:
        return "stopped"
    try:
        model = results.fit(task, frame, schema, stop)
    except _Enough:
        return "stopped"
    except Exception as error:
        traceback.print_exc()
        return f"WRONG {type(error).__name__}"
    if isinstance(model, FitError):
        return "refused" if model.reason.endswith(".") else f"WRONG {model.reason}"
    return str(model.n_clusters_)


def main() -> None:
    """Print the table, and how many answers are neither K nor a sentence."""
    paths = sorted(Path(sys.argv[1]).glob("*.csv")) if sys.argv[1:] else []
    paths = paths or sorted([*SHARED.glob("raw-tables/*.csv"), *SHARED.glob("data/*/*.csv")])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
    rows, took = {}, dict.fromkeys(NAMES, 0.0)
    for path in paths:
        try:
            frame = read_table(path)
        except TableError:
            continue
        schema = infer_schema(frame)
        for question in schema.questions:
            schema = question.answers[0](schema)
        rows[path.stem], results = {}, Results()
        for name in NAMES:
            began = time.process_time()
            rows[path.stem][METHODS[name].title] = answer(name, results, frame, schema, seconds)
            took[name] = max(took[name], time.process_time() - began)
        print(path.stem, rows[path.stem], flush=True)
    table = pd.DataFrame(rows).T
    print(table.to_string())
    print("longest, CPU s:", {METHODS[name].title: round(s, 1) for name, s in took.items()})
    n_wrong = int(table.apply(lambda column: column.str.startswith("WRONG")).to_numpy().sum())
    print(f"{n_wrong} of {table.size} answers are neither K nor a sentence")


if __name__ == "__main__":
    main()
