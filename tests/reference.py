"""Slow, obvious twins of what the library does fast: no compiled code, no increments."""

from functools import cache

import numpy as np
from scipy import special, stats

from mapdp_studio.core.families import PoissonPrior

# DP-means (KJ12 Algorithm 1), one row and one distance at a time.


def dp_means(table: np.ndarray, penalty: float) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Labels in the order of birth, centres, and the objective after each pass."""
    labels = np.zeros(len(table), dtype=int)
    centers = [table.mean(axis=0)]
    trace = []
    while True:
        before = labels.copy()
        for i, row in enumerate(table):
            distances = [np.sum((row - center) ** 2) for center in centers]
            if min(distances) > penalty:
                centers.append(row)
                labels[i] = len(centers) - 1
            else:
                labels[i] = np.argmin(distances)
        labels = np.unique(labels, return_inverse=True)[1]
        centers = [table[labels == k].mean(axis=0) for k in range(labels.max() + 1)]
        error = sum(np.sum((row - centers[k]) ** 2) for row, k in zip(table, labels, strict=True))
        trace.append(error + penalty * len(centers))
        if np.array_equal(labels, before):
            return labels, np.array(centers), trace


# The log marginal likelihood of every family by the formula of conjugacy, which tests/families hold
# against the integral. A missing cell (NaN) is dropped first.


def _seen(values: np.ndarray) -> np.ndarray:
    """The cells of a column (n,); rows of a block (n, D) with any."""
    missing = np.isnan(values)
    return values[~(missing.all(axis=1) if values.ndim == 2 else missing)]


def _normal_posterior(prior, x):
    n, c = x.size, prior.mean_count + x.size
    mean = (prior.mean_count * prior.mean + x.sum()) / c
    rate = prior.rate
    if n:
        rate += 0.5 * np.sum((x - x.mean()) ** 2)
        rate += 0.5 * prior.mean_count * n / c * (x.mean() - prior.mean) ** 2
        rate += 0.5 * n * prior.step**2 / 12
    return mean, c, prior.shape + n / 2, rate


def _normal_marginal(prior, x):
    _, c, a, b = _normal_posterior(prior, x)
    gammas = special.gammaln(a) - special.gammaln(prior.shape)
    powers = prior.shape * np.log(prior.rate) - a * np.log(b)
    return gammas + powers + 0.5 * np.log(prior.mean_count / c) - x.size / 2 * np.log(2 * np.pi)


def _known_variance_marginal(prior, x):
    if x.size == 0:
        return 0.0
    covariance = prior.variance * np.eye(x.size) + prior.mean_variance
    return stats.multivariate_normal.logpdf(x, np.full(x.size, prior.mean), covariance)


def _exponential_marginal(prior, x):
    a, b = prior.shape + x.size, prior.rate + x.sum()
    gammas = special.gammaln(a) - special.gammaln(prior.shape)
    return gammas + prior.shape * np.log(prior.rate) - a * np.log(b)


def _binomial_marginal(prior, x, trials):
    choices = np.log(special.comb(trials, x)).sum()
    yes, no = prior.yes + x.sum(), prior.no + x.size * trials - x.sum()
    return choices + special.betaln(yes, no) - special.betaln(prior.yes, prior.no)


def _counts(x, size):
    return np.bincount(x.astype(int), minlength=size)


def _categorical_marginal(prior, x):
    alpha = np.array(prior.counts)
    after = alpha + _counts(x, alpha.size)
    totals = special.gammaln(alpha.sum()) - special.gammaln(after.sum())
    return totals + np.sum(special.gammaln(after) - special.gammaln(alpha))


def _poisson_marginal(prior, x):
    a, b = prior.shape + x.sum(), prior.rate + x.size
    gammas = special.gammaln(a) - special.gammaln(prior.shape) - special.gammaln(x + 1).sum()
    return gammas + prior.shape * np.log(prior.rate) - a * np.log(b)


def _geometric_marginal(prior, x):
    after = special.betaln(prior.successes + x.size, prior.failures + x.sum())
    return after - special.betaln(prior.successes, prior.failures)


def _negative_binomial_marginal(prior, x):
    if prior.dispersion == 0:
        return _poisson_marginal(PoissonPrior(prior.failures, prior.successes), x)
    r = 1 / prior.dispersion
    choices = np.log(special.poch(r, x) / special.factorial(x)).sum()
    after = special.betaln(prior.successes + x.size * r, prior.failures + x.sum())
    return choices + after - special.betaln(prior.successes, prior.failures)


def _gaussian_posterior(prior, x):
    n, c = len(x), prior.mean_count + len(x)
    if n == 0:
        return prior.mean, c, prior.dof, prior.scatter
    mean, centred = x.mean(axis=0), x - x.mean(axis=0)
    shift = mean - prior.mean
    scatter = prior.scatter + centred.T @ centred
    scatter = scatter + prior.mean_count * n / c * np.outer(shift, shift)
    scatter = scatter + n * np.diag(prior.steps**2 / 12)
    return (prior.mean_count * prior.mean + n * mean) / c, c, prior.dof + n, scatter


def _gaussian_marginal(prior, x):
    n, size = x.shape
    _, c, a, scatter = _gaussian_posterior(prior, x)
    gammas = special.multigammaln(a / 2, size) - special.multigammaln(prior.dof / 2, size)
    determinants = (
        prior.dof * np.linalg.slogdet(prior.scatter)[1] - a * np.linalg.slogdet(scatter)[1]
    )
    counts = size * np.log(prior.mean_count / c) - n * size * np.log(np.pi)
    return gammas + 0.5 * (determinants + counts)


def gaussian_mode(prior, x, row, missing):
    """A row whose missing cells hold the mode of their predictive given the others' values."""
    mean, _, _, scatter = _gaussian_posterior(prior, x)
    scatter = scatter + np.diag(prior.steps**2 / 12)
    filled = np.array(row)
    there = ~missing
    pull = np.linalg.solve(scatter[np.ix_(there, there)], filled[there] - mean[there])
    filled[missing] = mean[missing] + scatter[np.ix_(missing, there)] @ pull
    return filled


def _spherical_marginal(prior, x):
    there, between = ~np.isnan(x).ravel(), np.diag(np.broadcast_to(prior.mean_variance, x.shape[1]))
    covariance = np.tile(between, (len(x), len(x))) + prior.variance * np.eye(there.size)
    if not there.any():
        return 0.0
    mean, covariance = np.tile(prior.mean, len(x))[there], covariance[np.ix_(there, there)]
    return stats.multivariate_normal.logpdf(x.ravel()[there], mean, covariance)


MARGINALS = {
    "normal": _normal_marginal,
    "normal_known_variance": _known_variance_marginal,
    "exponential": _exponential_marginal,
    "bernoulli": lambda prior, x: _binomial_marginal(prior, x, 1),
    "binomial": lambda prior, x: _binomial_marginal(prior, x, prior.trials),
    "categorical": _categorical_marginal,
    "poisson": _poisson_marginal,
    "geometric": _geometric_marginal,
    "negative_binomial": _negative_binomial_marginal,
    "gaussian": _gaussian_marginal,
    "spherical": _spherical_marginal,
}


def log_predictive(family: str, prior, values: np.ndarray, new) -> float:
    """Log predictive of a cell, or of a block's row, after the given values; 0 if missing."""
    if np.isnan(new).all():
        return 0.0
    values = np.asarray(values)
    together = np.concatenate([values, np.reshape(new, (1, *values.shape[1:]))])
    return log_marginal(family, prior, together) - log_marginal(family, prior, values)


def log_marginal(family: str, prior, values: np.ndarray) -> float:
    """Log marginal likelihood of a column (n,) or a block (n, D) of one cluster."""
    assert family in MARGINALS, f"write the marginal likelihood of {family} into MARGINALS here"
    return float(MARGINALS[family](prior, _seen(values)))


# Partitions of the rows of a table: `columns` is a list of (family, prior, values).


def row_set_score(columns, rows) -> float:
    """What a cluster of these rows adds to -E, its share of ln N_0 left out."""
    likelihood = sum(log_marginal(family, prior, values[rows]) for family, prior, values in columns)
    return likelihood + special.gammaln(len(rows))


def partition_objective(columns, labels, concentration: float, score=None) -> float:
    """Exact negative log joint E of a partition, in the units of the values."""
    score = score or (lambda *rows: row_set_score(columns, list(rows)))
    clusters = [np.flatnonzero(np.equal(labels, k)) for k in {*labels}]
    chinese = len(clusters) * np.log(concentration) + special.gammaln(concentration)
    chinese -= special.gammaln(concentration + len(labels))
    return -chinese - sum(score(*rows) for rows in clusters)


def set_partitions(n: int):
    """Every partition of n rows, as labels in order of first appearance."""
    if n == 0:
        yield ()
        return
    for labels in set_partitions(n - 1):
        for k in range(max(labels, default=-1) + 2):
            yield (*labels, k)


def lowest_partition(columns, n: int, concentration: float) -> float:
    """The global minimum of E, by trying every partition."""
    score = cache(lambda *rows: row_set_score(columns, list(rows)))
    every = set_partitions(n)
    return min(partition_objective(columns, labels, concentration, score) for labels in every)


def published_map_dp(columns, concentration: float, tol: float = 1e-6, tie: float = 1e-9):
    """R16 Algorithm 3 in natural order from one cluster, all statistics anew for every cell.

    In the first sweep the cluster it began with counts as one row (R16 Appendix B). Missing cells
    of a Gaussian block begin at their column's mean, and when their row is visited take the mode
    of the predictive of its cluster without it.

    Returns
    -------
    labels : ndarray
    trace : list of float
        E at the start and after every sweep.
    tied : bool
        Whether the two cheapest choices of any visit were within ``tie``.
    """
    columns = [(family, prior, np.array(values)) for family, prior, values in columns]
    gaps = [family == "gaussian" and np.isnan(values) for family, _, values in columns]
    for (_, _, values), gap in zip(columns, gaps, strict=True):
        if np.any(gap):
            gap[gap.all(axis=1)] = False  # a row without any cell of the block is left out
            values[gap] = np.broadcast_to(np.nanmean(values, axis=0), values.shape)[gap]
    labels = np.zeros(len(columns[0][2]), dtype=int)
    trace, tied = [partition_objective(columns, labels, concentration)], False
    while len(trace) < 3 or abs(trace[-2] - trace[-1]) >= tol:
        for i in range(labels.size):
            own, labels[i] = labels[i], -1
            for (_, prior, values), gap in zip(columns, gaps, strict=True):
                if np.any(gap) and gap[i].any():
                    others = _seen(values[labels == own])
                    values[i] = gaussian_mode(prior, others, values[i], gap[i])
            costs = {-1: -np.log(concentration)}
            costs |= {k: -np.log(np.sum(labels == k)) for k in set(labels) - {-1}}
            if len(trace) == 1 and 0 in costs:
                costs[0] = 0.0
            for k in costs:
                rows = labels == k if k >= 0 else np.zeros(labels.size, dtype=bool)
                for family, prior, values in columns:
                    costs[k] -= log_predictive(family, prior, values[rows], values[i])
            cheapest = min(costs, key=costs.__getitem__)
            tied |= sum(cost < costs[cheapest] + tie for cost in costs.values()) > 1
            labels[i] = cheapest if cheapest >= 0 else max(labels.max(), 0) + 1
        trace.append(partition_objective(columns, labels, concentration))
    return labels, trace, tied
