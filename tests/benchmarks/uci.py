"""KJ12 Table 1 and R14 Tables 2 and 3 on the papers' own tables, where they lie beside the project.

python -m tests.benchmarks.uci [runs] [Gibbs sweeps]
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from core.reproductions import uci
from core.reproductions.beside import beside

DATA = Path(__file__).parents[2].parent / "shared" / "data"
#: By the papers' names: the file, and the column with the classes.
FILES = {
    "Wine": ("wine/wine.csv", "class"),
    "Iris": ("iris/iris.csv", "class"),
    "Pima": ("pima/pima.csv", "class"),
    "Soybean": ("soybean-large/soybean_266_complete.csv", "class"),
    "Car": ("car/car.csv", "class"),
    "Balance scale": ("balance-scale/balance-scale.csv", "class"),
    "Vehicle": ("vehicle/vehicle.csv", "Class"),
    "Breast cancer": (
        "breast-cancer-wisconsin-original/breast-cancer-wisconsin-original.csv",
        "class",
    ),
    "Parkinson's": ("parkinsons-voice/parkinsons-voice.csv", "status"),
}
#: Columns that name a row.
NAMES = ("id", "name", "subject")


def load(path: Path, label: str) -> uci.Table:
    """A table's complete rows as numbers, words by their order in the file, and its classes."""
    frame = pd.read_csv(path).dropna()
    columns = frame.drop(columns=[label, *(name for name in NAMES if name in frame)])
    numbers = [
        column if pd.api.types.is_numeric_dtype(column) else pd.factorize(column)[0]
        for _, column in columns.items()
    ]
    values = pd.DataFrame({j: list(column) for j, column in enumerate(numbers)})
    return values.to_numpy(dtype=float), pd.factorize(frame[label])[0]


def main() -> None:
    """Print both papers' tables."""
    n_runs, sweeps = (int(text) for text in (sys.argv[1:] + ["2", "60"][len(sys.argv) - 1 :])[:2])
    effort = uci.Effort(n_runs, sweeps, max(sweeps // 3, 1))
    tables = {
        name: load(DATA / file, label)
        for name, (file, label) in FILES.items()
        if (DATA / file).exists()
    }
    for run, printed in (
        (uci.kj12_table_1, uci.KJ12_PUBLISHED),
        (uci.r14_tables, uci.R14_PUBLISHED),
    ):
        wanted = {name: table for name, table in tables.items() if name in printed["nmi"]}
        runs = run(wanted, effort)
        for measure, values in printed.items():
            print(measure)
            print(beside(runs, measure, values).round(2).to_string(), flush=True)


if __name__ == "__main__":
    main()
