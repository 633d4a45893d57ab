"""`mapdp-studio cluster` on folders of tables: what is written, the exit status, what is said.

    python -m tests.benchmarks.command_line [folder or file ...]

Without words: the raw tables and the exports beside this project. Every table is clustered as the
app would, with groups, report and settings written; a line counts as wrong where the status is not
0 or 1, a refusal is no single sentence, a file is missing, or its rows are not the table's.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

from mapdp_studio.core import read_table

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent.parent / "shared"
COMMAND = [sys.executable, "-c", "from app import main; main()"]


def command(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    return subprocess.run(
        [*COMMAND, *map(str, words)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )


def measured(path: Path, folder: Path) -> dict[str, object]:
    """One table."""
    out, report, schema = (folder / name for name in ("g.csv", "r.html", "s.json"))
    began = time.perf_counter()
    done = command(*("cluster", path, "--out", out, "--report", report, "--save-schema", schema))
    line = {"table": path.name, "status": done.returncode, "seconds": time.perf_counter() - began}
    said = done.stderr.strip()
    if done.returncode:
        wrong = "" if done.returncode == 1 and said.count("\n") == 0 else "no sentence"
        return line | {"rows": 0, "groups": 0, "wrong": wrong, "said": said[-100:]}
    n_rows, groups = len(read_table(path)), pd.read_csv(out, low_memory=False)["cluster"]
    wrong = "" if len(groups) == n_rows else f"{len(groups)} rows"
    wrong += "" if report.read_text(encoding="utf-8").endswith("</html>\n") else " report"
    wrong += " traceback" if "Traceback" in said else ""
    sizes = f"{len(groups):,}", groups.nunique()
    return line | dict(zip(("rows", "groups"), sizes, strict=True)) | {"wrong": wrong, "said": said}


def main(places: list[Path]) -> None:
    """Print a line for each table."""
    files = [
        path
        for place in places
        for path in (sorted(place.iterdir()) if place.is_dir() else [place])
    ]
    files = [path for path in files if path.suffix in (".csv", ".sav", ".xlsx", ".dta", ".parquet")]
    wrong = 0
    for number, path in enumerate(files):
        with tempfile.TemporaryDirectory() as folder:
            line = measured(path, Path(folder))
        wrong += bool(line["wrong"])
        shown = pd.DataFrame([line]).round(1).to_string(index=False, header=not number)
        print(shown, flush=True)
    print(f"{len(files) - wrong} of {len(files)} as they should be")


if __name__ == "__main__":
    main([Path(word) for word in sys.argv[1:]] or [SHARED / "raw-tables", SHARED / "exports"])
