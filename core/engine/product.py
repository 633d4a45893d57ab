"""The likelihood of a whole row: a product over columns and blocks.

The only file that names every family. ``state[R, K]`` holds the clusters in its columns: every
unit (a column or a block) owns a slice of the rows, sufficient statistics first, cached
coefficients of the predictive after them. The column after the last cluster is always an empty
cluster, so scoring it *is* the prior predictive, and birth and death of a cluster are one copy.
A missing cell (NaN) is left out, here and nowhere else. Gaussian blocks carry filled cells instead
(``Table.missing``), because their missing cells have no closed form; so do all columns of a table
whose cells were opened for filling (``Columns.opened``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..families import (
    binomial,
    categorical,
    exponential,
    gaussian,
    gaussian_known_covariance,
    geometric,
    normal,
    normal_known_variance,
    poisson,
)
from ..families.statistics import add_moments, merge_moments, merge_sums
from ..jit import inner, kernel

(
    _NORMAL,
    _KNOWN_VARIANCE,
    _EXPONENTIAL,
    _CATEGORICAL,
    _BINOMIAL,
    _POISSON,
    _GEOMETRIC,
    _GAUSSIAN,
    _KNOWN_COVARIANCE,
) = range(9)

#: Code of every family the engine runs; a spherical block runs as known-variance columns.
CODES = {
    "normal": _NORMAL,
    "normal_known_variance": _KNOWN_VARIANCE,
    "exponential": _EXPONENTIAL,
    "bernoulli": _CATEGORICAL,
    "categorical": _CATEGORICAL,
    "binomial": _BINOMIAL,
    "poisson": _POISSON,
    "geometric": _GEOMETRIC,
    "gaussian": _GAUSSIAN,
    "gaussian_known_covariance": _KNOWN_COVARIANCE,
}


class Table(NamedTuple):
    """What the kernels read of a table.

    Parameters
    ----------
    values : ndarray of float64, shape (N, M)
    units : ndarray of int64, shape (U, 5)
        Family code, first column, size (levels, trials or block width), first state row, first
        prior entry.
    prior : ndarray of float64
        Packed priors, one after the other.
    incomplete : ndarray of bool, shape (N,)
        Rows with filled cells.
    missing : ndarray of bool, shape (N, M), or (0, M) where no row is incomplete
        The filled cells.
    """

    values: np.ndarray
    units: np.ndarray
    prior: np.ndarray
    incomplete: np.ndarray
    missing: np.ndarray


def state_rows(code: int, size: int) -> int:
    """Rows of the state matrix that a unit owns."""
    if code == _CATEGORICAL:
        return categorical.rows(size)
    if code == _BINOMIAL:
        return binomial.rows(size)
    if code == _GAUSSIAN:
        return gaussian.rows(size)
    if code == _KNOWN_COVARIANCE:
        return gaussian_known_covariance.rows(size)
    return {
        _NORMAL: normal.ROWS,
        _KNOWN_VARIANCE: normal_known_variance.ROWS,
        _EXPONENTIAL: exponential.ROWS,
        _POISSON: poisson.ROWS,
        _GEOMETRIC: geometric.ROWS,
    }[code]


def statistic_rows(code: int, size: int) -> int:
    """How many of them, the first ones, are sufficient statistics; ``refresh`` makes the rest."""
    triangle = size * (size + 1) // 2
    return {
        _NORMAL: 3,
        _KNOWN_VARIANCE: 3,
        _EXPONENTIAL: exponential.N_SUMS,
        _CATEGORICAL: 1 + size,
        _BINOMIAL: binomial.N_SUMS,
        _POISSON: poisson.N_SUMS,
        _GEOMETRIC: geometric.N_SUMS,
        _GAUSSIAN: 1 + size + triangle,
        _KNOWN_COVARIANCE: triangle + size + 3,
    }[code]


@inner
def _unit(units, u):
    return units[u, 0], units[u, 1], units[u, 2], units[u, 3], units[u, 4]


@kernel
def score_row(table, state, n_states, i, own, empty, out, work):
    """Write the log predictive of row i under every cluster into ``out``.

    Parameters
    ----------
    n_states : int
        Clusters, counting an empty one at least.
    own : int
        The row's cluster, which is scored given its other rows; -1 for a row in none. Both scores
        of a cell are read in one go: finding it takes as long as they do.
    empty : int
        Index of an empty cluster.
    """
    for k in range(n_states):
        out[k] = 0.0
    x = table.values[i]
    prior = table.prior
    is_member = own >= 0
    without = 0.0
    for u in range(table.units.shape[0]):
        family, first, size, row, p = _unit(table.units, u)
        if family == _GAUSSIAN:
            gaussian.score(state, row, size, n_states, x, first, out, work)
            if is_member:
                without += gaussian.score_without(state, row, size, own, x, first, prior, p)
        elif family == _KNOWN_COVARIANCE:
            gaussian_known_covariance.score(
                state, row, size, n_states, x, first, prior, p, out, work
            )
            if is_member:
                without += gaussian_known_covariance.score_without(
                    state, row, size, own, empty, x, first, prior, p, work
                )
        elif np.isnan(x[first]):
            continue
        elif family == _NORMAL:
            normal.score(state, row, n_states, x[first], out)
            if is_member:
                without += normal.score_without(state, row, own, x[first], prior, p)
        elif family == _CATEGORICAL:
            categorical.score(state, row, size, n_states, x[first], out)
            if is_member:
                without += categorical.score_without(state, row, size, own, x[first])
        elif family == _BINOMIAL:
            binomial.score(state, row, n_states, x[first], out)
            if is_member:
                without += binomial.score_without(state, row, size, own, x[first])
        elif family == _POISSON:
            poisson.score(state, row, n_states, x[first], out)
            if is_member:
                without += poisson.score_without(state, row, own, x[first], prior, p)
        elif family == _KNOWN_VARIANCE:
            normal_known_variance.score(state, row, n_states, x[first], out)
            if is_member:
                without += normal_known_variance.score_without(state, row, own, x[first], prior, p)
        elif family == _EXPONENTIAL:
            exponential.score(state, row, n_states, x[first], out)
            if is_member:
                without += exponential.score_without(state, row, own, x[first], prior, p)
        else:
            geometric.score(state, row, n_states, x[first], out)
            if is_member:
                without += geometric.score_without(state, row, own, x[first], prior, p)
    if is_member:
        out[own] = without


@kernel
def add_row(table, state, k, i, sign, work):
    """Put row i into (sign=1) or take it out of (sign=-1) the statistics of cluster k.

    The cached coefficients are stale until ``refresh``.
    """
    x = table.values[i]
    for u in range(table.units.shape[0]):
        family, first, size, row, p = _unit(table.units, u)
        if family == _GAUSSIAN:
            gaussian.add(state, row, size, k, x, first, sign)
        elif family == _KNOWN_COVARIANCE:
            gaussian_known_covariance.add(state, row, size, k, x, first, sign, table.prior, p, work)
        elif np.isnan(x[first]):
            continue
        elif family in (_NORMAL, _KNOWN_VARIANCE):
            add_moments(state, row, k, x[first], sign)
        elif family == _CATEGORICAL:
            categorical.add(state, row, size, k, x[first], sign)
        elif family == _BINOMIAL:
            binomial.add(state, row, size, k, x[first], sign)
        elif family == _POISSON:
            poisson.add(state, row, k, x[first], sign)
        elif family == _EXPONENTIAL:
            exponential.add(state, row, k, x[first], sign)
        else:
            geometric.add(state, row, k, x[first], sign)


@kernel
def refresh(table, state, k, empty, work):
    """Recompute the cached coefficients of cluster k from its statistics."""
    prior = table.prior
    for u in range(table.units.shape[0]):
        family, _, size, row, p = _unit(table.units, u)
        if family == _GAUSSIAN:
            gaussian.refresh(state, row, size, k, empty, prior, p, work)
        elif family == _KNOWN_COVARIANCE:
            gaussian_known_covariance.refresh(state, row, size, k, empty, prior, p, work)
        elif family == _NORMAL:
            normal.refresh(state, row, k, prior, p)
        elif family == _CATEGORICAL:
            categorical.refresh(state, row, size, k, prior, p)
        elif family == _BINOMIAL:
            binomial.refresh(state, row, size, k, prior, p)
        elif family == _POISSON:
            poisson.refresh(state, row, k, prior, p)
        elif family == _KNOWN_VARIANCE:
            normal_known_variance.refresh(state, row, k, prior, p)
        elif family == _EXPONENTIAL:
            exponential.refresh(state, row, k, prior, p)
        else:
            geometric.refresh(state, row, k, prior, p)


@kernel
def merge_clusters(table, state, k, other):
    """Add the statistics of one cluster to those of cluster k; ``refresh`` it afterwards."""
    for u in range(table.units.shape[0]):
        family, _, size, row, _ = _unit(table.units, u)
        if family == _GAUSSIAN:
            gaussian.merge(state, row, size, k, other)
        elif family == _KNOWN_COVARIANCE:
            gaussian_known_covariance.merge(state, row, size, k, other)
        elif family in (_NORMAL, _KNOWN_VARIANCE):
            merge_moments(state, row, k, other)
        elif family == _CATEGORICAL:
            merge_sums(state, row, k, other, 1 + size)
        elif family == _BINOMIAL:
            merge_sums(state, row, k, other, binomial.N_SUMS)
        elif family == _POISSON:
            merge_sums(state, row, k, other, poisson.N_SUMS)
        elif family == _EXPONENTIAL:
            merge_sums(state, row, k, other, exponential.N_SUMS)
        else:
            merge_sums(state, row, k, other, geometric.N_SUMS)


@inner
def unit_log_marginals(table, state, u, k, n_states, out, work):
    """Add ln p of unit u in the rows of clusters k and l together, for every l, to ``out``."""
    prior = table.prior
    family, _, size, row, p = _unit(table.units, u)
    if family == _GAUSSIAN:
        gaussian.log_marginal(state, row, size, k, n_states, prior, p, out, work)
    elif family == _KNOWN_COVARIANCE:
        gaussian_known_covariance.log_marginal(state, row, size, k, n_states, prior, p, out, work)
    elif family == _NORMAL:
        normal.log_marginal(state, row, k, n_states, prior, p, out)
    elif family == _CATEGORICAL:
        categorical.log_marginal(state, row, size, k, n_states, prior, p, out)
    elif family == _BINOMIAL:
        binomial.log_marginal(state, row, size, k, n_states, prior, p, out)
    elif family == _POISSON:
        poisson.log_marginal(state, row, k, n_states, prior, p, out)
    elif family == _KNOWN_VARIANCE:
        normal_known_variance.log_marginal(state, row, k, n_states, prior, p, out)
    elif family == _EXPONENTIAL:
        exponential.log_marginal(state, row, k, n_states, prior, p, out)
    else:
        geometric.log_marginal(state, row, k, n_states, prior, p, out)


@kernel
def log_marginals(table, state, k, n_states, out, work):
    """Write ln p of the rows of clusters k and l together, for every l, into ``out``.

    With k the empty cluster these are the clusters' own log marginal likelihoods.
    """
    for other in range(n_states):
        out[other] = 0.0
    for u in range(table.units.shape[0]):
        unit_log_marginals(table, state, u, k, n_states, out, work)


@inner
def _unit_mode(table, state, u, k):
    """Mode of the predictive of a column in cluster k; waiting times and long tails have 0."""
    family, _, size, row, p = _unit(table.units, u)
    if family == _NORMAL:
        return normal.mode(state, row, k)
    if family == _CATEGORICAL:
        return categorical.mode(state, row, size, k)
    if family == _BINOMIAL:
        return binomial.mode(state, row, size, k)
    if family == _POISSON:
        return poisson.mode(state, row, k, table.prior, p)
    if family == _KNOWN_VARIANCE:
        return normal_known_variance.mode(state, row, k)
    return 0.0


@kernel
def fill_row(table, state, k, i, work):
    """Set the filled cells of row i to their mode given its other cells, in cluster k."""
    x, missing = table.values[i], table.missing[i]
    for u in range(table.units.shape[0]):
        family, first, size, row, p = _unit(table.units, u)
        if family in (_GAUSSIAN, _KNOWN_COVARIANCE):
            for j in range(first, first + size):
                if missing[j]:
                    if family == _GAUSSIAN:
                        gaussian.fill(state, row, size, k, x, missing, first, work)
                    else:
                        gaussian_known_covariance.fill(
                            state, row, size, k, x, missing, first, table.prior, p, work
                        )
                    break
        elif missing[first]:
            x[first] = _unit_mode(table, state, u, k)


@kernel
def score_table(table, state, empty, labels, out, work):
    """Write the log predictive of every row under every cluster into the rows of ``out``.

    Parameters
    ----------
    empty : int
        Index of an empty cluster.
    labels : ndarray of int64, shape (N,)
        A row's own cluster, which is then scored without the row; -1 for a row in none of them.
    out : ndarray of float64, shape (N, W)
        For the first W columns of ``state``; fastest where W is a multiple of 8.
    """
    for i in range(out.shape[0]):
        score_row(table, state, out.shape[1], i, labels[i], empty, out[i], work)
