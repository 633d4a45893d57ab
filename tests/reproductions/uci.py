"""KJ12 Table 1 and R14 Tables 2 and 3: DP-means, K-means, Gibbs and MAP-DP on small real tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from mapdp_studio.core.families import NormalPrior, SphericalPrior
from mapdp_studio.core.models.dpmeans import DPMeans, dp_states, farthest_first, space_of
from mapdp_studio.core.models.gibbs import CollapsedGibbs
from mapdp_studio.core.models.kmeans import KMeansBIC
from mapdp_studio.core.models.mapdp import MAPDP
from mapdp_studio.core.partitions.scores import nmi
from tests.reproductions.r16 import scored

DPMEANS, KMEANS, GIBBS = "DP-means", "K-means", "Gibbs"
#: As published, single rows moving from one cluster on, and with this library's search.
MAP, SEARCH = "MAP-DP, published", "MAP-DP"

_KJ12 = {
    "Wine": (0.41, 0.43, 0.42),
    "Iris": (0.75, 0.76, 0.73),
    "Pima": (0.02, 0.03, 0.02),
    "Soybean": (0.72, 0.66, 0.73),
    "Car": (0.07, 0.05, 0.15),
    "Balance scale": (0.17, 0.11, 0.14),
    "Breast cancer": (0.04, 0.03, 0.04),
    "Vehicle": (0.18, 0.18, 0.17),
}
_R14 = {
    "Wine": (0.42, 0.72, 0.86),
    "Iris": (0.76, 0.75, 0.76),
    "Breast cancer": (0.75, 0.70, 0.71),
    "Soybean": (0.36, 0.49, 0.40),
    "Parkinson's": (0.02, 0.13, 0.12),
    "Pima": (0.03, 0.07, 0.07),
    "Vehicle": (0.21, 0.15, 0.15),
}
#: Iterations; where the paper prints that there was no convergence, the bound.
_R14_ITERATIONS = {
    "Wine": (19, 2365, 11),
    "Iris": (8, 1543, 5),
    "Breast cancer": (8, 939, 8),
    "Soybean": (14, 10_000, 9),
    "Parkinson's": (1_000, 1_307, 13),
    "Pima": (20, 1_189, 17),
    "Vehicle": (12, 939, 9),
}


#: By measure what KJ12 Table 1 prints, (data set, method).
KJ12_PUBLISHED = {"nmi": pd.DataFrame(_KJ12, (DPMEANS, KMEANS, GIBBS)).T}
#: The same of R14 Tables 2 and 3.
R14_PUBLISHED = {
    measure: pd.DataFrame(table, (DPMEANS, GIBBS, MAP)).T
    for measure, table in (("nmi", _R14), ("iterations", _R14_ITERATIONS))
}
#: N_0 among which KJ12's validation rows and R14's E choose; neither paper prints its own.
CONCENTRATIONS = (0.1, 1.0, 3.0, 10.0)
#: Known variance of a column as a share of its total, among which the validation rows choose.
VARIANCES = (0.02, 0.1, 0.5)
#: Variance of the means' prior; "rho" in KJ12.
MEAN_VARIANCE = 100.0
#: Penalties between the least and the most that DP-means is tried with for the true K.
N_PENALTIES = 200

#: Numbers (N, P) and the class of every row.
Table = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Effort:
    """How long the runs take; the defaults are the papers' own."""

    #: Random parts of KJ12's tables, and orders of R14's rows.
    n_runs: int = 10
    #: Of Gibbs, after the burn-in.
    sweeps: int = 5_000
    burn_in: int = 1_000


def kj12_table_1(tables: Mapping[str, Table], effort: Effort, seed: int = 0) -> pd.DataFrame:
    """Run KJ12's methods on a random 70 % of every table, in its own units.

    K-means is given K, DP-means' penalty is farthest-first's for K; the variance and N_0 of Gibbs
    are those of highest NMI on the other 30 %. ``tables`` go by the paper's names.
    """
    return _runs(_kj12_fits, tables, effort, seed)


def r14_tables(tables: Mapping[str, Table], effort: Effort, seed: int = 0) -> pd.DataFrame:
    """Run R14's methods on every table, in random orders of its rows.

    DP-means' penalty is one that gives the true K; the normal-gamma prior is R14's, c_0 = 10 / N,
    a_0 = 1, b_0 the column's variance, and N_0 that of lowest E of the published MAP-DP, for all.
    """
    return _runs(_r14_fits, tables, effort, seed)


#: A run: the classes of its rows, and every method fitted to them.
Fits = tuple[np.ndarray, Mapping[str, Any]]


def _runs(
    fits_of: Callable[[Table, Effort, np.random.Generator], Fits],
    tables: Mapping[str, Table],
    effort: Effort,
    seed: int,
) -> pd.DataFrame:
    runs = []
    for data, table in tables.items():
        for number, random in enumerate(np.random.default_rng(seed).spawn(effort.n_runs)):
            truth, fits = fits_of(table, effort, random)
            for method, model in fits.items():
                result = scored(truth, model)
                if method == GIBBS:
                    result["nmi"] = np.mean([nmi(truth, draw) for draw in model.chains_[0].draws])
                runs.append({"run": number, "data": data, "method": method} | result)
    return pd.DataFrame(runs)


def _kj12_fits(table: Table, effort: Effort, random: np.random.Generator) -> Fits:
    """KJ12's methods on a random 70 % of a table."""
    values, classes = table
    held, part = np.split(random.permutation(len(values)), [int(0.3 * len(values))])
    k, variance = np.unique(classes).size, float(values.var(axis=0).mean())

    def gibbs(n_0: float, share: float, effort: Effort) -> CollapsedGibbs:
        within = max(share * variance, 1e-12)
        prior = SphericalPrior(values.mean(axis=0), MEAN_VARIANCE, within)
        return _gibbs(n_0, prior, effort, random, likelihood="spherical")

    def validated(pair: tuple[float, float]) -> float:
        """NMI of spherical clusters on the rows held out."""
        return nmi(classes[held], gibbs(*pair, short).fit(values[held]).labels_)

    rows = values[part]
    fits = {
        DPMEANS: DPMeans(n_clusters_hint=k).fit(rows),
        KMEANS: KMeansBIC(k, k, random_state=random).fit(rows),
    }
    short = Effort(1, max(effort.sweeps // 20, 10), max(effort.burn_in // 20, 5))
    best = max(((n_0, share) for n_0 in CONCENTRATIONS for share in VARIANCES), key=validated)
    return classes[part], fits | {GIBBS: gibbs(*best, effort).fit(rows)}


def _r14_fits(table: Table, effort: Effort, random: np.random.Generator) -> Fits:
    values, classes = table
    prior = [
        NormalPrior(float(x.mean()), 10.0 / len(x), 1.0, max(float(x.var()), 1e-12))
        for x in values.T
    ]
    order = random.permutation(len(values))
    rows, truth = values[order], classes[order]
    published = [
        MAPDP(n_0, prior=prior, refine=False, n_init=1, shuffle=False).fit(rows)
        for n_0 in CONCENTRATIONS
    ]
    best = min(published, key=lambda one: one.objective_)
    n_0 = best.concentration
    return truth, {
        DPMEANS: DPMeans(penalty_for(rows, np.unique(truth).size)).fit(rows),
        MAP: best,
        SEARCH: MAPDP(n_0, prior=prior, random_state=random).fit(rows),
        GIBBS: _gibbs(n_0, prior, effort, random).fit(rows),
    }


def penalty_for(values: np.ndarray, n_clusters: int) -> float:
    """A penalty under which DP-means finds so many clusters, or the number nearest to it.

    The one nearest to farthest-first's of those between a thousandth and a hundredfold of it.
    """
    suggested = farthest_first(space_of(values), n_clusters)
    steps = np.geomspace(1e-3, 1e2, N_PENALTIES)
    best = (np.inf, np.inf, suggested)
    for step in steps[np.argsort(np.abs(np.log(steps)))]:
        *_, last = dp_states(space_of(values), suggested * step)
        off = abs(len(last.centers) - n_clusters)
        if off < best[0]:
            best = off, abs(np.log(step)), suggested * step
        if off == 0:
            break
    return float(best[2])


def _gibbs(n_0: float, prior: object, effort: Effort, random: np.random.Generator, **more):
    sweeps = effort.burn_in + effort.sweeps
    return CollapsedGibbs(
        n_0,
        prior=prior,
        n_sweeps=sweeps,
        burn_in=effort.burn_in / sweeps,
        n_kept=max(effort.sweeps // 10, 1),
        random_state=random,
        **more,
    )
