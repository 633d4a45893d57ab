"""KJ12 Figure 2, DP-means and Gibbs on three Gaussians, and section 6.3, the hard HDP.

The paper prints neither the means nor the number of rows of the figure. Ours are chosen so that
DP-means scores about what it scored there; everything else is then measured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from mapdp_studio.core import CollapsedGibbs, DPMeans, HardHDP, KMeansBIC
from mapdp_studio.core.families import SphericalPrior
from mapdp_studio.core.inference.clusters import RowScores
from mapdp_studio.core.models.dpmeans import dp_means_states, farthest_first_penalty
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.schema.encoded import Encoded

N_CLUSTERS = 3
MEANS = np.array([[0.0, 0.0], [4.6, 0.0], [2.3, 4.0]])
VARIANCE = 1.0
#: Variance of the means' prior; "rho" in KJ12.
MEAN_VARIANCE = 100.0
#: Shape and rate of the prior of N_0 where Gibbs learns it; KJ12 does not print its own.
GAMMA_PRIOR = (1.0, 1.0)
#: Values of N_0 among which the validation rows choose.
CANDIDATES = (0.01, 0.1, 1.0, 10.0)
LEARNT, VALIDATED = "N₀ learnt under a Gamma prior", "N₀ chosen by validation rows"

#: What section 6.2 says of the figure; each sentence in our own words, with its number.
PUBLISHED = {
    "mean NMI of DP-means": 0.89,
    "clusters in every run of DP-means": 3,
    "most passes of DP-means": 8,
    "passes until DP-means' NMI is above .8": 3,
    "sweeps until Gibbs with a validated N₀ has 3 clusters": 3000,
}

N_GAUSSIANS, N_DATA_SETS, OF_EACH, POINTS, SPREAD = 15, 50, 5, 5, 0.1
HARD, POOLED, DP_POOLED = "hard HDP", "K-means, pooled", "DP-means, pooled"
EACH, DP_EACH = "K-means, each", "DP-means, each"
HDP_METHODS = (HARD, POOLED, DP_POOLED, EACH, DP_EACH)
DATA = "fifty data sets"
#: Measure -> data -> method -> what section 6.3 says.
HDP_PUBLISHED = {
    "nmi": {DATA: {HARD: 0.81, POOLED: 0.77, DP_POOLED: 0.73, EACH: 0.79, DP_EACH: 0.79}},
    "n_global": {DATA: {HARD: 17.0}},
    "n_local": {DATA: {HARD: 4.4}},
    "seconds": {DATA: {HARD: 28.8, POOLED: 2.7}},
}


@dataclass(frozen=True)
class FigureTwo:
    """What the three panels of the figure show."""

    #: Lambda by farthest-first for three clusters.
    penalty: float
    #: ``penalty``, ``n_clusters``, ``nmi``, ``sweeps`` of DP-means, in the rows' own order.
    by_penalty: pd.DataFrame
    #: ``run``, ``sweep``, ``n_clusters``, ``nmi`` after every pass of runs in random orders.
    dp_means: pd.DataFrame
    #: ``method``, ``concentration``, ``sweep``, ``n_clusters``, ``nmi`` of every sweep.
    gibbs: pd.DataFrame

    def summary(self) -> pd.DataFrame:
        """What the paper says in numbers: ``measure``, ``ours``, ``published``."""
        last = self.dp_means.groupby("run").last()
        good = self.dp_means[self.dp_means["nmi"] > 0.8].groupby("run")["sweep"].min()
        chain = self.gibbs[self.gibbs["method"] == VALIDATED]
        settled = chain.loc[chain["n_clusters"] == N_CLUSTERS, "sweep"]
        clusters = last["n_clusters"].unique()
        ours = (
            last["nmi"].mean(),
            clusters[0] if clusters.size == 1 else np.nan,
            last["sweep"].max(),
            good.median(),
            settled.min(),
        )
        return pd.DataFrame(
            {"measure": PUBLISHED.keys(), "ours": ours, "published": PUBLISHED.values()}
        )

    def plateau(self) -> tuple[float, float]:
        """Lowest and highest penalty of the widest run that gives three clusters, else NaN."""
        right = (self.by_penalty["n_clusters"] == N_CLUSTERS).to_numpy()
        penalties = self.by_penalty["penalty"].to_numpy()
        blocks = np.split(np.arange(right.size), np.flatnonzero(np.diff(right)) + 1)
        spans = [(penalties[block[0]], penalties[block[-1]]) for block in blocks if right[block[0]]]
        return max(spans, key=lambda span: span[1] / span[0], default=(np.nan, np.nan))


def three_gaussians(random: np.random.Generator, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Draw rows (n, 2) of three equally likely spherical Gaussians, and their clusters (n,)."""
    truth = random.permutation(np.arange(n) % N_CLUSTERS)
    return random.normal(MEANS[truth], np.sqrt(VARIANCE)), truth


def figure_two(
    n_runs: int = 100,
    n_sweeps: int = 5000,
    *,
    n: int = 300,
    n_penalties: int = 60,
    seed: int = 0,
) -> FigureTwo:
    """Measure what KJ12 Figure 2 shows on n rows.

    ``n_runs`` of DP-means, each visiting the rows in a random order (KJ12 has 100), ``n_sweeps`` of
    each Gibbs chain (KJ12 has 5,000), and ``n_penalties`` values of lambda, evenly spaced in its
    logarithm about the suggested one.
    """
    random = np.random.default_rng(seed)
    values, truth = three_gaussians(random, n)
    penalty = farthest_first_penalty(values, N_CLUSTERS)
    grid = [
        {"penalty": value, **_passes(values, truth, value)[-1]}
        for value in penalty * np.geomspace(0.02, 20.0, n_penalties)
    ]
    by_penalty = pd.DataFrame(grid).rename(columns={"sweep": "sweeps"})
    passes = []
    for run in range(n_runs):
        order = random.permutation(n)
        passes += [{"run": run, **one} for one in _passes(values[order], truth[order], penalty)]
    gibbs = _gibbs(values, truth, three_gaussians(random, n)[0], n_sweeps, random)
    return FigureTwo(penalty, by_penalty, pd.DataFrame(passes), gibbs)


def _passes(rows: np.ndarray, truth: np.ndarray, penalty: float) -> list[dict[str, float]]:
    """K and NMI after every pass of DP-means."""
    return [
        {"sweep": sweep, "n_clusters": len(state.centers), "nmi": nmi(truth, state.labels)}
        for sweep, state in enumerate(dp_means_states(rows, penalty))
    ]


def _gibbs(
    values: np.ndarray,
    truth: np.ndarray,
    validation: np.ndarray,
    n_sweeps: int,
    random: np.random.Generator,
) -> pd.DataFrame:
    """K and NMI after every sweep of two chains from one cluster, without burn-in.

    The Gaussians' variance is given; KJ12 gave it a prior.
    """

    def chain(concentration: float, sweeps: int, **more) -> CollapsedGibbs:
        return CollapsedGibbs(
            concentration,
            likelihood="spherical",
            prior=SphericalPrior(values.mean(axis=0), MEAN_VARIANCE, VARIANCE),
            n_sweeps=sweeps,
            burn_in=0.0,
            n_kept=sweeps,
            init=np.zeros(len(values), dtype=np.int64),
            random_state=random,
            **more,
        ).fit(values)

    held_out = {}
    unseen = Encoded.from_array(validation, "spherical")
    for n_0 in CANDIDATES:
        model = chain(n_0, max(n_sweeps // 10, 1))
        joint = RowScores.of(model.partition_, model.clusters_).log_joint(unseen)
        held_out[n_0] = np.logaddexp.reduce(joint, axis=1).sum()
    best = max(held_out, key=held_out.get)
    chains = {
        LEARNT: chain(1.0, n_sweeps, concentration_prior=GAMMA_PRIOR),
        VALIDATED: chain(best, n_sweeps),
    }
    columns = {
        method: {
            "method": method,
            "concentration": model.chains_[0].concentrations,
            "sweep": np.arange(1, n_sweeps + 1),
            "n_clusters": model.n_clusters_trace_,
            "nmi": [nmi(truth, labels) for labels in model.chains_[0].draws],
        }
        for method, model in chains.items()
    }
    return pd.concat(map(pd.DataFrame, columns.values()), ignore_index=True)


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
    is that of the first draw; the others follow. NMI is within every data set, averaged.
    """
    runs = []
    for one in range(seed, seed + n_draws):
        rows, groups, truth = draw(one)
        parts = [groups == j for j in range(N_DATA_SETS)]
        for method in HDP_METHODS:
            labels, seconds = _fitted(method, rows, groups, parts)
            runs.append(
                {
                    "draw": one,
                    "data": DATA,
                    "method": method,
                    "nmi": float(np.mean([nmi(truth[part], labels[part]) for part in parts])),
                    "n_global": float(np.unique(labels).size),
                    "n_local": len({*zip(groups, labels, strict=True)}) / N_DATA_SETS,
                    "seconds": seconds,
                }
            )
    return pd.DataFrame(runs)


def _fitted(
    method: str, rows: np.ndarray, groups: np.ndarray, parts: list[np.ndarray]
) -> tuple[np.ndarray, float]:
    """Labels of all rows, and the seconds they took; of separate fits no two data sets share."""

    def told(n_clusters: int) -> KMeansBIC | DPMeans:
        if method in (POOLED, EACH):
            return KMeansBIC(n_clusters, n_clusters, random_state=0)
        return DPMeans(n_clusters_hint=n_clusters)

    if method == HARD:
        # The local penalty is that of a data set, averaged; the paper sums the distances of a data
        # set's rows for the global one, which leaves one cluster: ours is that of all rows.
        local = np.mean([farthest_first_penalty(rows[part], OF_EACH) for part in parts])
        both = farthest_first_penalty(rows, N_GAUSSIANS)
        model = HardHDP(float(local), both).fit(rows, groups=groups)
        return model.labels_, model.result_.seconds
    if method in (POOLED, DP_POOLED):
        model = told(N_GAUSSIANS).fit(rows)
        return model.labels_, model.result_.seconds
    fits = [told(OF_EACH).fit(rows[part]) for part in parts]  # rows stand data set by data set
    labels = [model.labels_ + j * len(rows) for j, model in enumerate(fits)]
    return np.concatenate(labels), sum(model.result_.seconds for model in fits)
