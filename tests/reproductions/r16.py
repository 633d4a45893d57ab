"""R16 section 5: the six scenarios, Tables 1 and 2, and the number of clusters that BIC chooses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import multivariate_normal

from mapdp_studio.core.engine.columns import default_priors
from mapdp_studio.core.models.em import MixtureEM
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.models.gibbs import CollapsedGibbs
from mapdp_studio.core.models.kmeans import KMeansBIC
from mapdp_studio.core.models.mapdp import MAPDP
from mapdp_studio.core.models.priors import SCALES
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.schema.encoded import Encoded

#: Clusters that K-means and E-M are told of; 5.3 has two pairs of outliers besides.
N_CLUSTERS = 3
KMEANS, EM, EM_KMEANS = "K-means", "E-M from the truth", "E-M from K-means"
PUBLISHED_MAPDP, MAPDP_SEARCH, GIBBS = "MAP-DP, published", "MAP-DP", "Gibbs"
BIC = "K-means, K by BIC"
ALGORITHMS = (KMEANS, PUBLISHED_MAPDP, MAPDP_SEARCH, EM, EM_KMEANS, GIBBS, BIC)

SECTIONS = ("5.1", "5.2", "5.3", "5.4", "5.5", "5.6")
#: R16 Table 1 (NMI), by section.
TABLE_ONE = {
    KMEANS: (0.57, 0.48, 0.67, 0.56, 1.00, 0.56),
    PUBLISHED_MAPDP: (0.97, 0.98, 0.93, 0.98, 1.00, 0.88),
    MAPDP_SEARCH: (0.97, 0.98, 0.93, 0.98, 1.00, 0.88),
    EM: (0.89, 0.98, 0.65, 0.93, 0.99, 0.86),
    GIBBS: (0.92, 0.86, 0.91, 0.90, 1.00, 0.84),
}
#: R16 Table 2 (iterations), by section.
TABLE_TWO = {
    KMEANS: (6, 13, 5, 15, 6, 9),
    PUBLISHED_MAPDP: (11, 5, 5, 11, 7, 11),
    EM: (10, 21, 32, 6, 21, 7),
    GIBBS: (299, 403, 292, 330, 459, 302),
}
#: Clusters in the text of each section: by BIC, and by MAP-DP.
CLUSTERS = {
    BIC: (2, 2, 4, 9, 4, 3),
    PUBLISHED_MAPDP: (3, 3, 5, 3, 3, 3),
    MAPDP_SEARCH: (3, 3, 5, 3, 3, 3),
}
#: Measure -> section -> algorithm -> what the paper has.
PUBLISHED = {
    measure: {
        section: {algorithm: float(row[place]) for algorithm, row in table.items()}
        for place, section in enumerate(SECTIONS)
    }
    for measure, table in (("nmi", TABLE_ONE), ("iterations", TABLE_TWO), ("n_clusters", CLUSTERS))
}


#: Data set -> method -> value.
Published = Mapping[str, Mapping[str, float]]


def beside(runs: pd.DataFrame, measure: str, published: Published) -> pd.DataFrame:
    """Mean of a measure over the runs, for each data set and method, and the printed value."""
    ours = runs.groupby(["data", "method"], sort=False)[measure].mean()
    printed = {(d, m): value for d, row in published.items() for m, value in row.items()}
    index = ours.index.append(pd.MultiIndex.from_tuples(printed)).drop_duplicates()
    pairs = {"ours": ours.reindex(index), "published": pd.Series(printed).reindex(index)}
    return pd.DataFrame(pairs).rename_axis(["data", "method"]).reset_index()


@dataclass(frozen=True)
class Effort:
    """How long every algorithm may take; the defaults are the paper's own."""

    n_rows: int = 4000
    #: Of K-means, at three clusters and for every K that BIC compares.
    kmeans_restarts: int = 100
    #: Largest K that BIC compares.
    k_max: int = 20
    #: Random orders of the published MAP-DP under each prior scale, of which the lowest E wins (R16
    #: Appendix G, second way); R16 does not say how many it took.
    mapdp_restarts: int = 10
    #: Starts of E-M from K-means.
    em_restarts: int = 10
    #: Of Gibbs.
    sweeps: int = 600
    #: N_0 of MAP-DP and Gibbs.
    concentration: float = 3.0


#: What a test can afford.
LIVE = Effort(kmeans_restarts=10, mapdp_restarts=3, em_restarts=3, sweeps=200)

#: Draws a scenario: (section, rows, seed) -> table (N, 2) and the cluster of every row.
Load = Callable[[str, int, int], tuple[pd.DataFrame, np.ndarray]]


def scenario_runs(
    load: Load,
    seeds: Sequence[int] = (0,),
    *,
    sections: Sequence[str] = SECTIONS,
    algorithms: Sequence[str] = ALGORITHMS,
    effort: Effort | None = None,
) -> pd.DataFrame:
    """Run the algorithms of R16 section 5 on its scenarios, one data set a section for each seed.

    E-M from the truth starts, as in R16, with the true clusters' own means, covariances and shares,
    which nobody has outside a simulation. The effort is the paper's own by default.
    """
    effort = effort or Effort()
    rows = []
    for section in sections:
        for seed in seeds:
            frame, truth = load(section, effort.n_rows, seed)
            values = frame.to_numpy(dtype=np.float64)
            prior: Any = "scale-grid"
            for algorithm in algorithms:
                began = perf_counter()
                candidates = _models(algorithm, values, truth, effort, prior, seed)
                fitted = [model.fit(values) for model in candidates]
                model = min(fitted, key=lambda model: model.objective_)
                seconds = perf_counter() - began
                if algorithm == MAPDP_SEARCH:
                    prior = list(model.prior_)
                rows.append(
                    {
                        "data": section,
                        "seed": seed,
                        "method": algorithm,
                        "nmi": nmi(truth, model.labels_),
                        "iterations": model.n_iter_,
                        "n_clusters": model.n_clusters_,
                        "seconds": seconds,
                    }
                )
    return pd.DataFrame(rows)


def _models(
    algorithm: str, values: np.ndarray, truth: np.ndarray, effort: Effort, prior: Any, seed: int
) -> list[ClusterEstimator]:
    """The estimator of one algorithm, set as the paper set it; of several the lowest E counts."""
    if algorithm in (KMEANS, BIC):
        low, high = (1, effort.k_max) if algorithm == BIC else (N_CLUSTERS, N_CLUSTERS)
        # R16 takes the K of the highest BIC over all cycles, whichever start it came from.
        kept = "bic" if algorithm == BIC else "error"
        return [KMeansBIC(low, high, effort.kmeans_restarts, best_start=kept, random_state=seed)]
    common = {"likelihood": "gaussian", "random_state": seed}
    n_0 = effort.concentration
    if algorithm == PUBLISHED_MAPDP:
        encoded = Encoded.from_array(values, "gaussian")
        settings = {"refine": False, "n_init": effort.mapdp_restarts, **common}
        priors = [default_priors(encoded, scale) for scale in SCALES]
        return [MAPDP(n_0, prior=list(prior), **settings) for prior in priors]
    if algorithm == MAPDP_SEARCH:
        return [MAPDP(n_0, **common)]
    if algorithm == EM:
        start = true_responsibilities(values, truth)
        return [MixtureEM(N_CLUSTERS, prior=None, init=start, **common)]
    if algorithm == EM_KMEANS:
        return [MixtureEM(N_CLUSTERS, prior=None, n_init=effort.em_restarts, **common)]
    one_cluster = np.zeros(len(values), dtype=np.int64)
    settings = {"n_sweeps": effort.sweeps, "prior": prior, "init": one_cluster}
    return [CollapsedGibbs(n_0, **settings, **common)]


def true_responsibilities(values: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Responsibilities (N, 3) of the first three true clusters under their own parameters."""
    log_density = np.empty((len(values), N_CLUSTERS))
    for k in range(N_CLUSTERS):
        rows = values[truth == k]
        gaussian = multivariate_normal(rows.mean(axis=0), np.cov(rows.T))
        log_density[:, k] = np.log(len(rows)) + gaussian.logpdf(values)
    return np.exp(log_density - np.logaddexp.reduce(log_density, axis=1)[:, None])
