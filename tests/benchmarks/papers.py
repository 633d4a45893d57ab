"""The papers' experiments on whole data sets, ours beside what is printed, as the documentation's.

    python -m tests.benchmarks.papers [r16 figure hdp kj12 r14 mixtures trees] [quick]

R16 section 5, KJ12 Figure 2, section 6.3 and Table 1, R14 Tables 2 and 3 and section 4.1, M12 Table
25.1; the tables of KJ12 and R14 where they lie beside the project. With the papers' own effort
those take hours, R16's a minute.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from mapdp_studio.core.wording import in_digits
from tests.reproductions import kj12, m12, r14, r16, uci
from tests.reproductions.r16 import compared

QUICK, FIGURE = "quick", "KJ12 Figure 2"
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


def held(names: pd.Index) -> dict[str, uci.Table]:
    """Those of a paper's tables that lie here."""
    return {
        name: load(DATA / file, label)
        for name, (file, label) in FILES.items()
        if name in names and (DATA / file).exists()
    }


def measured(name: str, is_quick: bool) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """What one experiment measures: its name, the mean of every method, what is printed."""
    effort = uci.Effort(2, 60, 20) if is_quick else uci.Effort()
    if name == "r16":
        runs, printed = r16.scenario_runs(r16.LIVE if is_quick else r16.Effort()), r16.PUBLISHED
        # No number of clusters where it is given, no sweeps of other moves.
        is_k_given = runs["method"].isin((r16.KMEANS, r16.EM, r16.EM_KMEANS))
        runs["n_clusters"] = runs["n_clusters"].mask(is_k_given)
        runs["iterations"] = runs["iterations"].mask(runs["method"] == r16.MAPDP_SEARCH)
    elif name == "figure":
        ours, (low, high, penalty) = kj12.figure_two(*((20, 300) if is_quick else (100, 5000)))
        print(f"three clusters for lambda from {low:.3g} to {high:.3g}, {penalty:.3g} suggested")
        runs = pd.DataFrame({"data": ours, FIGURE: ours.values(), "method": "measured"})
        printed = {FIGURE: pd.DataFrame({"measured": kj12.PUBLISHED})}
    elif name == "hdp":
        runs, printed = kj12.hdp_runs(1 if is_quick else 20), kj12.HDP_PUBLISHED
    elif name == "kj12":
        printed = uci.KJ12_PUBLISHED
        runs = uci.kj12_table_1(held(printed["nmi"].index), effort)
    elif name == "r14":
        printed = uci.R14_PUBLISHED
        runs = uci.r14_tables(held(printed["nmi"].index), effort)
    elif name == "trees":
        runs, printed = m12.table_25_1(3 if is_quick else 20), m12.PUBLISHED
    else:
        found = r14.crp_experiment(10, n_sweeps=200) if is_quick else r14.crp_experiment()
        data = f"{found['draw'].nunique()} draws"
        runs, of = found.assign(data=data), r14.PUBLISHED
        printed = {measure: of.loc[[measure]].set_axis([data]) for measure in of.index}
    for measure, values in printed.items():
        yield measure, runs, values


def in_markdown(runs: pd.DataFrame, measure: str, printed: pd.DataFrame) -> str:
    """Data sets down, methods across; ours, and in brackets the paper's where it prints one."""
    table = compared(runs, measure, printed).dropna(subset="ours").reset_index()
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
    names = [word for word in words if word != QUICK]
    for name in names or ("r16", "figure", "hdp", "kj12", "r14", "mixtures", "trees"):
        print(f"\n{name}", flush=True)
        for measure, runs, printed in measured(name, QUICK in words):
            print(f"\n{in_markdown(runs, measure, printed)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
