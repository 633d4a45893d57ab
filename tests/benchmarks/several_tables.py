"""KJ12's experiment on 50 data sets that share 15 Gaussians: hard and exact HDP beside others.

python -m tests.benchmarks.several_tables [number of draws]

Means uniform in the unit square, covariance .01 I, five of the 15 in each data set, five points of
each. NMI is per data set, averaged; penalties are chosen without the classes. K-means is told K.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pandas as pd

from core import MAPHDP, DPMeans, HardHDP, KMeansBIC
from core.partitions.scores import nmi

#: What KJ12 section 6.3 prints.
PUBLISHED = {
    "hard HDP": 0.81,
    "K-means, pooled": 0.77,
    "DP-means, pooled": 0.73,
    "K-means, each": 0.79,
    "DP-means, each": 0.79,
}


def draw(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, their data set and their Gaussian."""
    random = np.random.default_rng(seed)
    means = random.random((15, 2))
    truth = np.concatenate([np.repeat(random.choice(15, 5, replace=False), 5) for _ in range(50)])
    rows = means[truth] + 0.1 * random.normal(size=(truth.size, 2))
    return rows, np.repeat(np.arange(50), 25), truth


def score(truth: np.ndarray, labels: np.ndarray, groups: np.ndarray) -> float:
    """NMI within each data set, averaged."""
    return float(np.mean([nmi(truth[groups == j], labels[groups == j]) for j in range(50)]))


def each(make, rows: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Labels of an estimator fitted to every data set alone."""
    labels = np.empty(len(rows), dtype=np.int64)
    for j in range(50):
        labels[groups == j] = make().fit(rows[groups == j]).labels_
    return labels


def one_draw(seed: int) -> dict[str, float]:
    """NMI of every method, and what the shared ones found."""
    rows, groups, truth = draw(seed)
    began = time.perf_counter()
    hard = HardHDP().fit(rows, groups=groups)
    hard_seconds = time.perf_counter() - began
    began = time.perf_counter()
    exact = MAPHDP(random_state=0).fit(rows, groups=groups)
    exact_seconds = time.perf_counter() - began

    def told(k: int) -> KMeansBIC:
        return KMeansBIC(k_min=k, k_max=k, random_state=0)

    found = {
        "hard HDP": hard.labels_,
        "MAP-HDP": exact.labels_,
        "K-means, pooled": told(15).fit(rows).labels_,
        "DP-means, pooled": DPMeans(n_clusters_hint=15).fit(rows).labels_,
        "K-means, each": each(lambda: told(5), rows, groups),
        "DP-means, each": each(lambda: DPMeans(n_clusters_hint=5), rows, groups),
    }
    return {name: score(truth, labels, groups) for name, labels in found.items()} | {
        "hard: global": hard.n_clusters_,
        "hard: local each": hard.result_.details["n_local"] / 50,
        "exact: global": exact.n_clusters_,
        "exact: local each": exact.n_local_ / 50,
        "hard: seconds": hard_seconds,
        "exact: seconds": exact_seconds,
    }


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    table = pd.DataFrame([one_draw(seed) for seed in range(n)])
    pd.set_option("display.width", 200, "display.max_columns", 30)
    print(table.round(3).to_string())
    summary = pd.DataFrame({"median": table.median(), "published": pd.Series(PUBLISHED)})
    print(summary.reindex(table.columns).round(3).to_string())
