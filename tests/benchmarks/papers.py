"""The papers' experiments on whole data sets, ours beside what is printed, as the documentation's.

    python -m tests.benchmarks.papers [hdp kj12 r14 mixtures trees] [quick]

KJ12 section 6.3 and Table 1, R14 Tables 2 and 3 and section 4.1, M12 Table 25.1; the tables of KJ12
and R14 where they lie beside the project. With the papers' own effort KJ12's and R14's take hours.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from core.wording import in_digits
from tests.reproductions import kj12_hdp, m12, r14, uci
from tests.reproductions.beside import Published, beside

QUICK = "quick"
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


def held(names: Mapping[str, object]) -> dict[str, uci.Table]:
    """Those of a paper's tables that lie here."""
    return {
        name: load(DATA / file, label)
        for name, (file, label) in FILES.items()
        if name in names and (DATA / file).exists()
    }


def measured(name: str, is_quick: bool) -> Iterator[tuple[str, pd.DataFrame, Published]]:
    """What one experiment measures: its name, the mean of every method, what is printed."""
    effort = uci.Effort(2, 60, 20) if is_quick else uci.Effort()
    if name == "hdp":
        runs, printed = kj12_hdp.hdp_runs(1 if is_quick else 20), kj12_hdp.PUBLISHED
    elif name == "kj12":
        printed = uci.KJ12_PUBLISHED
        runs = uci.kj12_table_1(held(printed["nmi"]), effort)
    elif name == "r14":
        printed = uci.R14_PUBLISHED
        runs = uci.r14_tables(held(printed["nmi"]), effort)
    elif name == "trees":
        runs, printed = m12.table_25_1(3 if is_quick else 20), m12.PUBLISHED
    else:
        found = r14.crp_experiment(10, n_sweeps=200) if is_quick else r14.crp_experiment()
        runs = found.runs.assign(data=f"{found.runs['draw'].nunique()} draws")
        printed = {
            measure: {runs["data"][0]: {method: mean for method, (mean, *_) in row.items()}}
            for measure, row in r14.PUBLISHED.items()
        }
    for measure, values in printed.items():
        yield measure, runs, values


def in_markdown(runs: pd.DataFrame, measure: str, printed: Published) -> str:
    """Data sets down, methods across; ours, and in brackets the paper's where it prints one."""
    table = beside(runs, measure, printed).dropna(subset="ours")
    cells = [
        in_digits(ours) + ("" if pd.isna(theirs) else f" ({in_digits(theirs)})")
        for ours, theirs in zip(table["ours"], table["published"], strict=True)
    ]
    crossed = table.assign(cell=cells).pivot(index="data", columns="method", values="cell")
    crossed = crossed.loc[table["data"].unique(), table["method"].unique()].fillna("")
    lines = [(measure, *crossed.columns), ("---",) * (1 + len(crossed.columns))]
    lines += [(data, *row) for data, row in zip(crossed.index, crossed.to_numpy(), strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(words: list[str]) -> None:
    """Measure the experiments named, or all."""
    names = [word for word in words if word != QUICK]
    for name in names or ("hdp", "kj12", "r14", "mixtures", "trees"):
        print(f"\n{name}", flush=True)
        for measure, runs, printed in measured(name, QUICK in words):
            print(f"\n{in_markdown(runs, measure, printed)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
