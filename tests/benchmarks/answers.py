"""Labels of twelve tables by the five methods, kept as data: what a rebuilt engine must give again.

    python -m tests.benchmarks.answers [table ...]             # what moved since they were kept
    python -m tests.benchmarks.answers --keep [table ...]      # keep all anew, or those of some

Every table is drawn or loaded anew by what the repository holds, under a schema that is written
out here, so that no guess about a column can move an answer. The methods run as Compare runs them
at first. Kept are E and the labels, a character a row: 0 to 9 and what follows them in Unicode.
``tests.test_answers`` compares.
"""

import argparse
import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

from mapdp_studio import (
    MAPDP,
    CollapsedGibbs,
    ColumnSpec,
    DPMeans,
    KMeansBIC,
    MixtureEM,
    Schema,
)
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.demo_datasets import load_parkinsonism, load_scenario

KEPT = Path(__file__).parents[1] / "data" / "answers.json"
#: Share of E by which it may differ: sums in another order.
ROUNDING = 1e-9
#: So many cells have all restarts that Compare asks for; larger tables fewer.
CELLS_AT_ONCE = 200_000


class Table(NamedTuple):
    X: pd.DataFrame | np.ndarray
    schema: Schema | None = None
    #: Of an array, whose columns have no schema.
    likelihood: str = "normal"


def _block() -> Table:
    """Two numbers that vary together, three ellipses."""
    X, _ = load_scenario("5.4", n=1_000, seed=1)
    schema = Schema([ColumnSpec("x", "normal"), ColumnSpec("y", "normal")])
    return Table(X, schema.with_block("place", ["x", "y"], "gaussian"))


def _array() -> Table:
    """Numbers alone, of round clusters that overlap."""
    X, _ = load_scenario("5.5", n=1_500, seed=2)
    return Table(X.to_numpy(), None, "spherical")


def _large() -> Table:
    """More rows than the search looks at first, of clusters that overlap."""
    random = np.random.default_rng(3)
    truth = np.repeat(np.arange(6), 3_700)
    means = random.normal(scale=3.0, size=(6, 4))
    return Table(means[truth] + random.normal(size=(truth.size, 4)))


def _cohort() -> Table:
    """A questionnaire: 215 columns of yes/no, ratings, categories and counts, and missing cells."""
    X, schema, _ = load_parkinsonism(seed=4)
    return Table(X, schema)


def _wine() -> Table:
    """Thirteen measurements, some as logarithms or roots."""
    bunch = load_wine()
    X = pd.DataFrame(bunch.data, columns=bunch.feature_names)
    transforms = {"malic_acid": "log", "color_intensity": "log", "proline": "sqrt"}
    return Table(
        X, Schema([ColumnSpec(name, "normal", transform=transforms.get(name)) for name in X])
    )


def _blocks() -> Table:
    """Blocks of three columns and of two, one round, and a twentieth of the cells missing."""
    random = np.random.default_rng(5)
    truth = np.repeat(np.arange(4), [220, 160, 120, 80])
    values = random.normal(size=(truth.size, 7))
    for columns in (slice(0, 3), slice(3, 5)):  # that vary together, in each group otherwise
        width = columns.stop - columns.start
        roots = np.eye(width) + random.normal(scale=0.5, size=(4, width, width))
        values[:, columns] = np.einsum("nij,nj->ni", roots[truth], values[:, columns])
    X = pd.DataFrame(values + random.normal(scale=2.5, size=(4, 7))[truth], columns=list("abcdefg"))
    X["a"] = np.exp(0.5 * X["a"])
    X = X.mask(random.random(X.shape) < 0.05)
    specs = [ColumnSpec(name, "normal", transform="log" if name == "a" else None) for name in X]
    schema = Schema(specs).with_block("three", ["a", "b", "c"], "gaussian")
    schema = schema.with_block("two", ["d", "e"], "gaussian")
    return Table(X, schema.with_block("round", ["f", "g"], "spherical"))


def _mixed() -> Table:
    """Measurements and categories, a tenth of the cells missing."""
    random = np.random.default_rng(6)
    truth = np.repeat(np.arange(5), [300, 250, 200, 150, 100])
    means = random.normal(scale=2.5, size=(5, 3))
    X = pd.DataFrame(means[truth] + random.normal(size=(truth.size, 3)), columns=list("abc"))
    levels = ("red", "green", "blue", "grey")
    for name in "xyz":
        steps = random.dirichlet(np.full(4, 0.7), size=5).cumsum(axis=1)[truth, :3]
        X[name] = np.array(levels, dtype=object)[_step(steps, random)]
    X = X.mask(random.random(X.shape) < 0.1)
    specs = [ColumnSpec(name, "normal") for name in "abc"]
    return Table(X, Schema([*specs, *(ColumnSpec(n, "categorical", levels=levels) for n in "xyz")]))


def _step(steps: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Which of the rising chances a row's own number has passed, shape (N,)."""
    return (random.random(len(steps))[:, None] > steps).sum(axis=1)


def _counts() -> Table:
    """Counts of three kinds of dispersion and waiting times."""
    random = np.random.default_rng(7)
    truth = np.repeat(np.arange(4), [250, 200, 150, 100])
    n, rates = truth.size, np.array([1.0, 4.0, 12.0, 30.0])
    X = pd.DataFrame(
        {
            "visits": random.poisson(rates[truth]),
            "days": random.poisson(random.gamma(2.0, rates[[1, 3, 0, 2]][truth] / 2.0)),
            "tries": random.geometric(1.0 / (1.0 + rates[[2, 0, 3, 1]][truth])) - 1,
            "calls": random.poisson(rates[[3, 3, 1, 1]][truth]),
            "wait": random.exponential(rates[[0, 2, 2, 0]][truth]),
        }
    ).astype(float)
    X = X.mask(random.random((n, 5)) < 0.05)
    families = ("poisson", "negative_binomial", "geometric", "poisson", "exponential")
    return Table(X, Schema([ColumnSpec(*column) for column in zip(X, families, strict=True)]))


def _ratings() -> Table:
    """Few steps a column, so that many rows are alike, and words in an order."""
    random = np.random.default_rng(8)
    truth = np.repeat(np.arange(3), [400, 300, 200])
    high = random.uniform(0.15, 0.85, size=(3, 5))
    steps = random.binomial(4, high[truth])
    words = ("never", "seldom", "often", "always")
    X = pd.DataFrame(1 + steps[:, :4], columns=["warm", "calm", "open", "busy"]).astype(float)
    X["tired"] = np.array(words, dtype=object)[np.minimum(steps[:, 4], 3)]
    X["smokes"] = np.where(
        random.random(truth.size) < np.array([0.2, 0.7, 0.4])[truth], "yes", "no"
    )
    X.loc[random.random(truth.size) < 0.08, "calm"] = 9.0
    ratings = [
        ColumnSpec(n, "binomial", offset=1.0, trials=4, missing_codes=(9,)) for n in X.columns[:4]
    ]
    more = (
        ColumnSpec("tired", "binomial", levels=words),
        ColumnSpec("smokes", "bernoulli", levels=("no", "yes")),
    )
    return Table(X, Schema([*ratings, *more]))


def _weights() -> Table:
    """Rows that count by weights, some not at all."""
    random = np.random.default_rng(9)
    truth = np.repeat(np.arange(4), [300, 200, 200, 100])
    means = random.normal(scale=3.0, size=(4, 3))
    X = pd.DataFrame(means[truth] + random.normal(size=(truth.size, 3)), columns=list("abc"))
    X["kind"] = np.array(["p", "q", "r"])[(truth + random.integers(2, size=truth.size)) % 3]
    X["count"] = random.gamma(2.0, 150.0, truth.size) * (random.random(truth.size) > 0.05)
    X.loc[random.random(truth.size) < 0.1, "b"] = np.nan
    specs = [ColumnSpec(name, "normal") for name in "abc"]
    more = ColumnSpec("kind", "categorical"), ColumnSpec("count", "normal", "weight")
    return Table(X, Schema([*specs, *more]))


def _limits() -> Table:
    """Zeros apart from amounts, cells below a limit of detection, amounts with a unit."""
    random = np.random.default_rng(10)
    truth = np.repeat(np.arange(3), [200, 150, 150])
    cost = np.exp(1.5 * truth + random.normal(size=truth.size))
    crp = np.exp(np.array([0.0, 1.5, 3.0])[truth] + random.normal(size=truth.size))
    iron = 80.0 - 15.0 * truth + random.normal(0.0, 8.0, truth.size)
    X = pd.DataFrame(
        {
            "cost": np.where(random.random(truth.size) < 0.4 - 0.15 * truth, 0.0, cost),
            "crp": ["<1" if x < 1.0 else f"{x:.2f}" for x in crp],
            "iron": [f"{x:.1f} mg".replace(".", ",") for x in iron],
            "age": random.normal(50.0 + 8.0 * truth, 6.0).round(),
        }
    )
    X.loc[random.random(truth.size) < 0.1, "age"] = np.nan
    return Table(
        X,
        Schema(
            [
                ColumnSpec("cost", "normal", transform="log", special={"zero": 0}),
                ColumnSpec("crp", "normal", transform="log", special={"below 1": "<1"}),
                ColumnSpec("iron", "normal", reading="decimal comma"),
                ColumnSpec("age", "normal"),
            ]
        ),
    )


def _few() -> Table:
    """Sixty rows, and a rare kind among them."""
    random = np.random.default_rng(11)
    truth = np.repeat([0, 1, 2], [30, 26, 4])
    X = pd.DataFrame(
        {
            "height": random.normal(160.0, 4.0, 60) + 12.0 * truth,
            "visits": random.poisson(2.0 + 5.0 * truth).astype(float),
            "stage": 1.0 + random.binomial(3, 0.2 + 0.3 * truth),
            "kind": np.array(["a", "b", "c"])[truth],
        }
    )
    X.loc[::7, "height"] = np.nan
    X.loc[::9, "kind"] = None
    return Table(
        X,
        Schema(
            [
                ColumnSpec("height", "normal"),
                ColumnSpec("visits", "poisson"),
                ColumnSpec("stage", "binomial", offset=1.0, trials=3),
                ColumnSpec("kind", "categorical"),
            ]
        ),
    )


#: By name.
TABLES: dict[str, Callable[[], Table]] = {
    "a block of two": _block,
    "an array": _array,
    "many rows": _large,
    "the cohort": _cohort,
    "wine": _wine,
    "blocks with holes": _blocks,
    "mixed": _mixed,
    "counts": _counts,
    "ratings": _ratings,
    "weights": _weights,
    "limits and zeros": _limits,
    "few rows": _few,
}


def fits(table: Table) -> Iterator[Any]:
    """The five methods on a table, as Compare runs them before anything is chosen."""
    likelihood = {} if table.schema is not None else {"likelihood": table.likelihood}
    starts = max(1, min(10, 10 * CELLS_AT_ONCE // table.X.size))
    mapdp = MAPDP(random_state=0, **likelihood).fit(table.X, table.schema)
    yield mapdp
    yield DPMeans(n_clusters_hint=3).fit(table.X, table.schema)
    yield KMeansBIC(k_max=20, n_init=starts, random_state=0).fit(table.X, table.schema)
    yield MixtureEM(3, n_init=starts, random_state=0, **likelihood).fit(table.X, table.schema)
    yield CollapsedGibbs(
        n_sweeps=max(20, min(125, 125 * CELLS_AT_ONCE // table.X.size)),
        burn_in=0.2,
        read_out="centre",
        prior=mapdp.prior_,
        init=mapdp.labels_,
        random_state=0,
        **likelihood,
    ).fit(table.X, table.schema)


def answers(table: Table) -> dict[str, Any]:
    """What is kept of a table: the sum of its cells, and labels and E by method."""
    found = {
        type(model).__name__: {
            "E": round(float(model.objective_), 6),
            "labels": "".join(chr(ord("0") + label) for label in model.labels_),
        }
        for model in fits(table)
    }
    return {"cells": checksum(table), **found}


def checksum(table: Table) -> int:
    """Of the cells as text, numbers to six digits: whether a table is the one that was kept."""
    columns = table.X.T if isinstance(table.X, np.ndarray) else [table.X[name] for name in table.X]
    cells = (cell for column in columns for cell in np.asarray(column, dtype=object))
    return zlib.crc32(" ".join(map(_as_text, cells)).encode())


def _as_text(cell: Any) -> str:
    if pd.isna(cell):
        return ""
    return str(cell) if isinstance(cell, str | bool) else f"{cell:.6g}"


def moved(kept: dict[str, Any], found: dict[str, Any], name: str) -> list[str]:
    """What is another answer than the one kept, a sentence each."""
    if kept["cells"] != found["cells"]:
        return [f"The table “{name}” itself is another one: its cells are not those kept."]
    lines = []
    for method in sorted(found.keys() - {"cells"}):
        was, now = kept[method], found[method]
        labels = [[one["labels"].index(label) for label in one["labels"]] for one in (was, now)]
        if labels[0] != labels[1] or abs(now["E"] - was["E"]) > ROUNDING * max(1.0, abs(was["E"])):
            lines.append(
                f"{method} on “{name}”: ARI {ari(*map(np.array, labels)):.4f} with the labels kept"
                f" (K {len({*labels[0]})} -> {len({*labels[1]})},"
                f" E {was['E']:.6f} -> {now['E']:.6f})."
            )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", nargs="*", choices=[[], *TABLES])
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    for name in args.table or TABLES:
        found = answers(TABLES[name]())
        if args.keep:
            kept[name] = found
            KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
        else:
            print("\n".join(moved(kept[name], found, name) or [f"“{name}”: nothing moved."]))


if __name__ == "__main__":
    main()
