"""Held-out log predictive density of mixed tables with holes: what each way of treating them costs.

    python -m tests.benchmarks.heldout [seed of the folds]

Of ../shared/data: pbc and hcc, each with its CSV file and schema.json. Five folds, the same for
all; held-out rows are scored on their observed cells only, in nats a row. Levels are those of the
whole table, so that no fold lacks one; everything else is learnt from the training rows.
"""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from mapdp_studio.core import MAPDP, Schema
from mapdp_studio.core.engine.packed import PackedTable, default_priors
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.inference.clusters import RowScores
from mapdp_studio.core.models.priors import SCALES
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.schema.schema import ColumnSpec
from tests.benchmarks.papers import DATA

FOLDS = 5


def _spec(name: str, kind: str) -> ColumnSpec:
    family, inside = re.fullmatch(r"(\w+)(?:\((.*)\))?", kind).groups()
    if family == "continuous":
        return ColumnSpec(name, "normal", transform=inside)
    if family == "ordinal" and "," in inside:
        return ColumnSpec(name, "binomial", levels=tuple(float(x) for x in inside.split(",")))
    if family == "ordinal":
        low, high = (int(x) for x in inside.split("-"))
        return ColumnSpec(name, "binomial", offset=low, trials=high - low)
    return ColumnSpec(name, {"binary": "bernoulli", "count": "poisson"}.get(family, "categorical"))


def fitted(train: Encoded, **arguments: object) -> RowScores:
    model = MAPDP(random_state=0, **arguments)
    model._fit(train, lambda progress: None)
    return RowScores.of(model.partition_)


def one_cluster(train: Encoded) -> RowScores:
    """All rows together, under the prior scale of lowest E."""
    partitions = [
        Partition(PackedTable.pack(train, default_priors(train, scale)), 3.0) for scale in SCALES
    ]
    return RowScores.of(min(partitions, key=Partition.settle))


def mean_filled(train: Encoded) -> Encoded:
    """Holes filled with the column's mean, or its commonest level."""
    values = train.values.copy()
    for unit, start in zip(train.units, train.starts, strict=True):
        column = values[:, start]
        if unit.family == "normal":
            fill = np.nanmean(column)
        else:
            fill = np.bincount(column[~np.isnan(column)].astype(int)).argmax()
        column[np.isnan(column)] = fill
    return replace(train, values=values)


CONTENDERS: dict[str, Callable[[Encoded], RowScores]] = {
    "MAP-DP, missing cells left out": fitted,
    "MAP-DP, R16's imputation in the loop": lambda train: fitted(train, missing="impute"),
    "one cluster": one_cluster,
    "MAP-DP, rows with holes dropped": lambda train: fitted(
        replace(train, values=train.values[~np.isnan(train.values).any(axis=1)])
    ),
    "MAP-DP, holes filled with the mean": lambda train: fitted(mean_filled(train)),
}


def compare(encoded: Encoded, seed: int) -> pd.DataFrame:
    """Held-out density of every contender, and how far each lies below the first."""
    n = len(encoded.values)
    fold = np.random.default_rng(seed).permutation(n) % FOLDS
    found = {name: np.empty(n) for name in CONTENDERS}
    clusters: dict[str, list[int]] = {name: [] for name in CONTENDERS}
    for f in range(FOLDS):
        train = replace(encoded, values=encoded.values[fold != f])
        test = replace(encoded, values=encoded.values[fold == f])
        for name, fit in CONTENDERS.items():
            scores = fit(train)
            found[name][fold == f] = logsumexp(scores.log_joint(test), axis=1)
            clusters[name].append(scores.n_clusters)
    ours = found[next(iter(CONTENDERS))]
    lines = {}
    for name, x in found.items():
        below = ours - x
        lines[name] = {
            "nats a row": x.mean(),
            "below ours": below.mean(),
            "standard error": below.std() / np.sqrt(n),
            "folds lost": sum(below[fold == f].mean() > 0 for f in range(FOLDS)),
            "K": " ".join(map(str, clusters[name])),
        }
    return pd.DataFrame(lines).T


def main(seed: int = 0) -> None:
    for name in ("pbc", "hcc"):
        frame = pd.read_csv(DATA / name / f"{name}.csv")
        stated = json.loads((DATA / name / "schema.json").read_text(encoding="utf-8"))["columns"]
        encoded = Schema([_spec(column, kind) for column, kind in stated.items()]).encode(frame)
        missing = np.isnan(encoded.values).mean()
        rows, columns = encoded.values.shape
        print(f"\n{name}: {rows} rows, {columns} columns, {missing:.1%} of cells missing")
        print(compare(encoded, seed).round(2).to_string())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
