"""The likelihood of a whole row: a product over columns and blocks.

``state[R, K]`` holds the clusters in its columns: every
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

from ..families.family import TOGETHER
from ..jit import inner, kernel, spliced
from .dispatch import KERNELS, N_COLUMN_KERNELS, choice, scoring

#: Rows that are scored at once.
ROWS = 256

_score = choice([scoring(kernels) for kernels in KERNELS])
_MANY = [kernels.score_many for kernels in KERNELS if kernels.score_many is not None]
_score_many = choice(_MANY)
#: For each of the kernels the place among those, -1 where rows are scored one by one.
_WAYS = np.array([_MANY.index(k.score_many) if k.score_many else -1 for k in KERNELS])
_add = choice([kernels.add for kernels in KERNELS])
_merge = choice([kernels.merge for kernels in KERNELS])
_refresh = choice([kernels.refresh for kernels in KERNELS])
_log_marginal = choice([kernels.log_marginal for kernels in KERNELS])
_fill = choice([kernels.fill for kernels in KERNELS])


class Table(NamedTuple):
    """What the kernels read of a table.

    Parameters
    ----------
    values : ndarray of float64, shape (N, M)
    units : ndarray of int64, shape (U, 5)
        Code of the family's kernels, first column, size (levels, trials or block width), first
        state row, first prior entry.
    prior : ndarray of float64
        Packed priors, one after the other.
    incomplete : ndarray of bool, shape (N,)
        Rows with filled cells.
    missing : ndarray of bool, shape (N, M), or (0, M) where no row is incomplete
        The filled cells.
    weights : ndarray of float64, shape (N,), or (0,) where every row counts once
        How often each row counts.
    power : float
        To which the likelihood is taken; it multiplies every row's weight in the statistics.
    """

    values: np.ndarray
    units: np.ndarray
    prior: np.ndarray
    incomplete: np.ndarray
    missing: np.ndarray
    weights: np.ndarray
    power: float


@inner
def _unit(units, u):
    return units[u, 0], units[u, 1], units[u, 2], units[u, 3], units[u, 4]


@inner
def _is_left_out(code, x, first):
    """Whether a unit is a column whose cell is missing; blocks see to their own."""
    return code < N_COLUMN_KERNELS and np.isnan(x[first])


@inner
def row_weight(table, i):
    """How often row i counts."""
    return table.weights[i] if table.weights.shape[0] > 0 else 1.0


@spliced
def score_row(table, state, n_states, i, own, empty, out, work):
    """Write the score of row i under every cluster into ``out``: of weight 1, its log predictive.

    All rows must count alike, for the cached coefficients are of one weight.

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
    x, prior = table.values[i], table.prior
    without = 0.0
    for u in range(table.units.shape[0]):
        code, first, size, row, p = _unit(table.units, u)
        if not _is_left_out(code, x, first):
            without += _score(
                code,
                state,
                row,
                size,
                n_states,
                own,
                empty,
                x,
                first,
                table.power,
                prior,
                p,
                out,
                work,
            )
    if own >= 0:
        out[own] = without


@kernel
def add_row(table, state, k, i, sign, work):
    """Put row i into (sign=1) or take it out of (sign=-1) the statistics of cluster k.

    The cached coefficients are stale until ``refresh``.
    """
    x, prior = table.values[i], table.prior
    weight = sign * table.power * row_weight(table, i)
    if weight == 0.0:
        return
    for u in range(table.units.shape[0]):
        code, first, size, row, p = _unit(table.units, u)
        if not _is_left_out(code, x, first):
            _add(code, state, row, size, k, x, first, weight, prior, p, work)


@kernel
def refresh(table, state, k, empty, work):
    """Recompute the cached coefficients of cluster k from its statistics."""
    for u in range(table.units.shape[0]):
        code, _, size, row, p = _unit(table.units, u)
        _refresh(code, state, row, size, k, empty, table.power, table.prior, p, work)


@kernel
def merge_clusters(table, state, k, other):
    """Add the statistics of one cluster to those of cluster k; ``refresh`` it afterwards."""
    for u in range(table.units.shape[0]):
        code, _, size, row, _ = _unit(table.units, u)
        _merge(code, state, row, size, k, other)


@kernel
def log_marginals(table, state, k, n_states, out, work):
    """Write ln p of the rows of clusters k and l together, for every l, into ``out``.

    With k the empty cluster these are the clusters' own log marginal likelihoods.
    """
    for other in range(n_states):
        out[other] = 0.0
    for u in range(table.units.shape[0]):
        code, _, size, row, p = _unit(table.units, u)
        _log_marginal(code, state, row, size, k, n_states, table.prior, p, out, work)


@kernel
def fill_row(table, state, k, i, work):
    """Set the filled cells of row i to where their score is highest in cluster k.

    Given the row's other cells; a mode of the predictive would let E rise at a power below 1.
    """
    x, missing, prior = table.values[i], table.missing[i], table.prior
    power = table.power
    for u in range(table.units.shape[0]):
        code, first, size, row, p = _unit(table.units, u)
        width = 1 if code < N_COLUMN_KERNELS else size
        for j in range(first, first + width):
            if missing[j]:
                _fill(code, state, row, size, k, x, missing, first, power, prior, p, work)
                break


@spliced
def score_tile(table, state, n_states, rows, own, empty, lines, spare, out, work):
    """Write what ``score_row`` would of every row into ``lines[k, b]``, up to rounding.

    Parameters
    ----------
    n_states : int
        Clusters.
    rows : ndarray of int64, shape (B,)
    own : ndarray of int64, shape (B,)
        Their clusters, each of which is scored given its other rows; -1 for a row in none.
    empty : int
        Index of an empty cluster.
    lines : ndarray of float64, shape (n_states, B) or larger
    spare : ndarray of float64, shape (TOGETHER + 1, B) or larger
        Scratch space.
    out, work : ndarray
        Scratch space as of ``Clusters``; ``out`` of n_states numbers at least.
    """
    units, width = table.units, min((n_states + 7) // 8 * 8, out.shape[0])
    for k in range(n_states):
        for b in range(rows.shape[0]):
            lines[k, b] = 0.0
    u = 0
    while u < units.shape[0]:
        end = u + 1
        while end < units.shape[0] and end - u < TOGETHER and units[end, 0] == units[u, 0]:
            end += 1
        way = _WAYS[units[u, 0]]
        if way >= 0:
            _score_many(
                way, table, state, u, end, n_states, own, empty, rows, lines, spare, out, work
            )
        else:
            some = Table(
                table.values,
                units[u:end],
                table.prior,
                table.incomplete,
                table.missing,
                table.weights,
                table.power,
            )
            for b in range(rows.shape[0]):
                score_row(some, state, width, rows[b], own[b], empty, out, work)
                for k in range(n_states):
                    lines[k, b] += out[k]
        u = end


def score_table(table, state, empty, labels, out, work):
    """Write the log predictive of every row under every cluster into the rows of ``out``.

    A row's scores are the same bit by bit whatever rows are scored beside it.

    Parameters
    ----------
    empty : int
        Index of an empty cluster.
    labels : ndarray of int64, shape (N,)
        A row's own cluster, which is then scored without the row; -1 for a row in none of them.
    out : ndarray of float64, shape (N, W)
        For the first W columns of ``state``; fastest where W is a multiple of 8.
    """
    tile = np.empty((out.shape[1] + TOGETHER + 1, ROWS))
    _score_table(table, state, empty, labels, np.arange(out.shape[0]), out, tile, work)


@kernel
def _score_table(table, state, empty, labels, rows, out, tile, work):
    n_states, spare = out.shape[1], tile[out.shape[1] :]
    for start in range(0, rows.shape[0], ROWS):
        some, own = rows[start : start + ROWS], labels[start : start + ROWS]
        score_tile(table, state, n_states, some, own, empty, tile, spare, out[start], work)
        for b in range(some.shape[0]):
            for k in range(n_states):
                out[start + b, k] = tile[k, b]


@kernel
def score_members(table, plain, state, empty, labels, spare, out, work):
    """Write the log predictive of rows in clusters, each given its cluster's other rows.

    The rows enter the clusters of ``table`` by their weights and its power, and are scored as
    rows of weight 1.

    Parameters
    ----------
    plain : Table
        The same rows and columns, without weights or power.
    empty : int
        Index of an empty cluster.
    labels : ndarray of int64, shape (N,)
        -1 for rows that are left alone.
    spare : ndarray of float64, shape (R + 1, 8)
        Scratch space.
    out : ndarray of float64, shape (N,)
    """
    first, second, nobody = np.int64(0), np.int64(1), np.int64(-1)
    scores = spare[state.shape[0]]
    for i in range(labels.shape[0]):
        if labels[i] >= 0:
            for r in range(state.shape[0]):
                spare[r, 0] = state[r, labels[i]]
                spare[r, 1] = state[r, empty]
            add_row(table, spare, first, i, -1.0, work)
            refresh(plain, spare, first, second, work)
            score_row(plain, spare, second, i, nobody, second, scores, work)
            out[i] = scores[0]
