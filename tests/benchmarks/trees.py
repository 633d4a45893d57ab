"""Bayesian hierarchical clustering beside average linkage: speed, evidence, purity and ARI.

python -m tests.benchmarks.trees

Both are cut at the true K. M12's Table 25.1 prints purity .83 of BHC against .60-.67 of single,
complete and average linkage on its own synthetic data, which are not public.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits, load_iris, load_wine

from mapdp_studio.core import Agglomerative, BayesianHierarchy
from mapdp_studio.core.partitions.scores import ari, purity
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.demo_datasets import SCENARIOS, load_scenario
from tests.several_groupings import three_groupings


def tables() -> Iterator[tuple[str, Encoded, np.ndarray]]:
    """Name, table and classes."""
    for name, load in (("digits", load_digits), ("iris", load_iris), ("wine", load_wine)):
        values, truth = load(return_X_y=True)
        yield name, Encoded.from_array(values, "normal"), truth
        holes = np.random.default_rng(0).random(values.shape) < 0.1
        missing = Encoded.from_array(np.where(holes, np.nan, values), "normal")
        yield f"{name}, a tenth missing", missing, truth
    for key in SCENARIOS:
        frame, truth = load_scenario(key, 1_000)
        numbers = frame.select_dtypes("number").iloc[:, :2].to_numpy(float)
        yield f"scenario {key}", Encoded.from_array(numbers, "normal"), np.asarray(truth)
    for seed in range(3):
        encoded, _, truths = three_groupings(seed, widths=(8,), n_noise=0)
        yield f"mixed columns, a tenth missing, {seed}", encoded, truths[0]


def one(name: str, encoded: Encoded, truth: np.ndarray) -> dict[str, object]:
    """Both methods on one table."""
    k = np.unique(truth).size
    began = time.perf_counter()
    tree = BayesianHierarchy(random_state=0).fit_encoded(encoded)
    seconds = time.perf_counter() - began
    average = Agglomerative(k, "average").fit_encoded(encoded, schema=_Standardise())
    ours, theirs = tree.labels_at(k), average.labels_
    return {
        "table": name,
        "N": len(truth),
        "K": k,
        "purity": purity(truth, ours),
        "average: purity": purity(truth, theirs),
        "ARI": ari(truth, ours),
        "average: ARI": ari(truth, theirs),
        "K by odds": tree.n_clusters_,
        "ARI by odds": ari(truth, tree.labels_),
        "evidence above -E": tree.log_evidence_ + tree.partition_.objective(),
        "seconds": seconds,
    }


class _Standardise:
    """Stands for a schema, with which numbers are standardised."""


def speed() -> pd.DataFrame:
    """Seconds by number of rows, ten normal columns."""
    rows = []
    for n in (500, 1_000, 2_000, 4_000, 20_000):
        random = np.random.default_rng(0)
        values = random.normal(size=(n, 10)) + 4.0 * random.integers(4, size=n)[:, None]
        began = time.perf_counter()
        model = BayesianHierarchy(random_state=0).fit(values)
        rows.append({"N": n, "seconds": time.perf_counter() - began, "K": model.n_clusters_})
    return pd.DataFrame(rows)


if __name__ == "__main__":
    pd.set_option("display.width", 220, "display.max_columns", 30)
    print(speed().round(2).to_string())
    table = pd.DataFrame(one(*row) for row in tables())
    print(table.round(3).to_string())
    print(table.median(numeric_only=True).round(3).to_string())
