"""KJ12 section 6.3: fifty small data sets that share fifteen Gaussians."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mapdp_studio.core.models.dpmeans import DPMeans, farthest_first_penalty
from mapdp_studio.core.models.hard_hdp import HardHDP
from mapdp_studio.core.models.kmeans import KMeansBIC
from mapdp_studio.core.partitions.scores import nmi

N_GAUSSIANS, N_DATA_SETS, OF_EACH, POINTS = 15, 50, 5, 5
SPREAD = 0.1
HARD = "hard HDP"
KMEANS, DPMEANS = "K-means, pooled", "DP-means, pooled"
KMEANS_EACH, DPMEANS_EACH = "K-means, each", "DP-means, each"
METHODS = (HARD, KMEANS, DPMEANS, KMEANS_EACH, DPMEANS_EACH)
#: The name of the one table.
DATA = "fifty data sets"
#: Measure -> data -> method -> what section 6.3 says.
PUBLISHED = {
    "nmi": {DATA: {HARD: 0.81, KMEANS: 0.77, DPMEANS: 0.73, KMEANS_EACH: 0.79, DPMEANS_EACH: 0.79}},
    "n_global": {DATA: {HARD: 17.0}},
    "n_local": {DATA: {HARD: 4.4}},
    "seconds": {DATA: {HARD: 28.8, KMEANS: 2.7}},
}


def draw(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, their data set and their Gaussian.

    Means uniform in the unit square, covariance .01 I, five of the fifteen in each data set, five
    points of each.
    """
    random = np.random.default_rng(seed)
    means = random.random((N_GAUSSIANS, 2))
    chosen = [random.choice(N_GAUSSIANS, OF_EACH, replace=False) for _ in range(N_DATA_SETS)]
    truth = np.repeat(np.concatenate(chosen), POINTS)
    rows = means[truth] + SPREAD * random.normal(size=(truth.size, 2))
    return rows, np.repeat(np.arange(N_DATA_SETS), OF_EACH * POINTS), truth


def hdp_runs(n_draws: int = 1, seed: int = 0) -> pd.DataFrame:
    """Run the hard HDP and the paper's baselines; the paper has one draw.

    Penalties are farthest-first's for the true numbers of clusters, which K-means is told. ``seed``
    is that of the first draw; the others follow.
    """
    runs = []
    for one in range(seed, seed + n_draws):
        rows, groups, truth = draw(one)
        for method in METHODS:
            labels, seconds = _fitted(method, rows, groups)
            runs.append(
                {
                    "draw": one,
                    "data": DATA,
                    "method": method,
                    "nmi": within(truth, labels, groups),
                    "n_global": float(np.unique(labels).size),
                    "n_local": len({*zip(groups, labels, strict=True)}) / N_DATA_SETS,
                    "seconds": seconds,
                }
            )
    return pd.DataFrame(runs)


def within(truth: np.ndarray, labels: np.ndarray, groups: np.ndarray) -> float:
    """NMI within every data set, averaged."""
    parts = [groups == j for j in range(N_DATA_SETS)]
    return float(np.mean([nmi(truth[part], labels[part]) for part in parts]))


def _fitted(method: str, rows: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, float]:
    """Labels of all rows, and the seconds they took; of separate fits no two data sets share."""
    if method == HARD:
        model = HardHDP(*_penalties(rows, groups)).fit(rows, groups=groups)
        return model.labels_, model.result_.seconds
    if method in (KMEANS, DPMEANS):
        model = _told(method == KMEANS, N_GAUSSIANS).fit(rows)
        return model.labels_, model.result_.seconds
    labels, seconds = np.empty(len(rows), dtype=np.int64), 0.0
    for j in range(N_DATA_SETS):
        part = groups == j
        model = _told(method == KMEANS_EACH, OF_EACH).fit(rows[part])
        labels[part] = model.labels_ + j * len(rows)
        seconds += model.result_.seconds
    return labels, seconds


def _penalties(rows: np.ndarray, groups: np.ndarray) -> tuple[float, float]:
    """Section 6.1's: the local one of a data set, averaged over them; the global one of all rows.

    The paper sums the distances of a data set's rows for the global one, which leaves one cluster.
    """
    parts = [rows[groups == j] for j in range(N_DATA_SETS)]
    local = np.mean([farthest_first_penalty(part, OF_EACH) for part in parts])
    return float(local), farthest_first_penalty(rows, N_GAUSSIANS)


def _told(is_kmeans: bool, n_clusters: int) -> KMeansBIC | DPMeans:
    if is_kmeans:
        return KMeansBIC(n_clusters, n_clusters, random_state=0)
    return DPMeans(n_clusters_hint=n_clusters)
