"""The likelihood of a whole row: a product over columns and blocks.

``state[R, K]`` holds the clusters in its columns: every
unit (a column or a block) owns a slice of the rows, sufficient statistics first, cached
coefficients of the predictive after them. The column after the last cluster is always an empty
cluster, so scoring it *is* the prior predictive, and birth and death of a cluster are one copy.
A missing cell (NaN) is left out, here and nowhere else. A row that has some cells of a Gaussian
block carries filled ones beside them (``Table.missing``), because those have no closed form; so do
all measurements of a table whose cells were opened for filling (``Columns.opened``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..families.family import N_SPARE, TOGETHER
from ..jit import inner, kernel, spliced
from . import dispatch
from .dispatch import N_COLUMN_KERNELS, SCORES_MANY

#: Rows that are scored at once.
ROWS = 256


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
def _end_of_family(units, u):
    """Where the units from u on, neighbours of one family, end."""
    end = u + 1
    while end < units.shape[0] and units[end, 0] == units[u, 0]:
        end += 1
    return end


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
    units, x, prior, power = table.units, table.values[i], table.prior, table.power
    without, u = 0.0, np.int64(0)
    while u < units.shape[0]:
        code, end = units[u, 0], _end_of_family(units, u)
        without += dispatch.score(
            code, state, units, prior, power, u, end, n_states, own, empty, x, out, work
        )
        u = end
    if own >= 0:
        out[own] = without


@kernel
def add_row(table, state, k, i, sign, work):
    """Put row i into (sign=1) or take it out of (sign=-1) the statistics of cluster k.

    The cached coefficients are stale until ``refresh``.
    """
    units, x, prior = table.units, table.values[i], table.prior
    weight = sign * table.power * row_weight(table, i)
    u = np.int64(0) if weight != 0.0 else units.shape[0]
    while u < units.shape[0]:
        end = _end_of_family(units, u)
        dispatch.add(units[u, 0], state, units, prior, weight, u, end, k, x, work)
        u = end


@kernel
def refresh(table, state, k, empty, work):
    """Recompute the cached coefficients of cluster k, for rows of weight 1, from its statistics."""
    _refresh_for(table, state, k, empty, table.power, work)


@inner
def _refresh_for(table, state, k, empty, weight, work):
    units, prior, u = table.units, table.prior, np.int64(0)
    while u < units.shape[0]:
        end = _end_of_family(units, u)
        dispatch.refresh(units[u, 0], state, units, prior, weight, u, end, k, empty, work)
        u = end


@kernel
def merge_clusters(table, state, k, other):
    """Add the statistics of one cluster to those of cluster k; ``refresh`` it afterwards."""
    units, u = table.units, np.int64(0)
    while u < units.shape[0]:
        end = _end_of_family(units, u)
        dispatch.merge(units[u, 0], state, units, u, end, k, other)
        u = end


@kernel
def log_marginals(table, state, k, n_states, out, work):
    """Write ln p of the rows of clusters k and l together, for every l, into ``out``.

    With k the empty cluster these are the clusters' own log marginal likelihoods.
    """
    for other in range(n_states):
        out[other] = 0.0
    units, prior, u = table.units, table.prior, np.int64(0)
    while u < units.shape[0]:
        end = _end_of_family(units, u)
        dispatch.log_marginal(units[u, 0], state, units, prior, u, end, k, n_states, out, work)
        u = end


@inner
def fill_row(table, state, k, i, empty, work):
    """Set the filled cells of row i to where their score is highest in cluster k.

    Given the row's other cells; a mode of the predictive would let E rise at a power below 1. The
    coefficients of cluster k are of rows of weight 1, before and after.
    """
    units, prior, weight = table.units, table.prior, table.power * row_weight(table, i)
    x, missing, u = table.values[i], table.missing[i], np.int64(0)
    if weight != table.power:
        _refresh_for(table, state, k, empty, weight, work)
    while u < units.shape[0]:
        end = _end_of_family(units, u)
        if dispatch.FILLS[units[u, 0]]:
            dispatch.fill(units[u, 0], state, units, prior, weight, u, end, k, x, missing, work)
        u = end
    if weight != table.power:
        _refresh_for(table, state, k, empty, table.power, work)


class Tile(NamedTuple):
    """Scratch space to score up to ``ROWS`` rows at once.

    Parameters
    ----------
    lines : ndarray of float64, shape (W, ROWS)
        Receives the score of row b under every cluster k but its own.
    within : ndarray of float64, shape (ROWS,)
        Receives that under its own, given the cluster's other rows.
    cells, spare : ndarray of float64
        What the kernels read of the rows, column by column, and lines for their use.
    own, home, codes : ndarray of int64, shape (ROWS,)
        Cluster of every row, -1 for one in none; the same, but 0 for one in none; for their use.
    """

    lines: np.ndarray
    within: np.ndarray
    cells: np.ndarray
    spare: np.ndarray
    own: np.ndarray
    home: np.ndarray
    codes: np.ndarray


def new_tile(table: Table, n_states: int) -> Tile:
    """Room for the scores of rows of a table under so many clusters."""
    is_block = table.units[:, 0] >= N_COLUMN_KERNELS
    width = int(table.units[:, 2].max(initial=1, where=is_block))
    return Tile(
        np.empty((n_states, ROWS)),
        np.empty(ROWS),
        np.empty((max(width, TOGETHER), ROWS)),
        np.empty((width + N_SPARE, max(ROWS + 1, n_states))),
        *np.empty((3, ROWS), dtype=np.int64),
    )


@inner
def _load_cells(table, u, end, rows, cells):
    """Write the cells of some rows in neighbouring units into lines, column by column."""
    at = 0
    for v in range(u, end):
        first, width = table.units[v, 1], np.int64(1)
        if table.units[v, 0] >= N_COLUMN_KERNELS:
            width = table.units[v, 2]
        for j in range(first, first + width):
            _load_column(table.values, j, rows, cells[at])
            at += 1


@inner
def _load_column(values, j, rows, line):
    for b in range(rows.shape[0]):
        line[b] = values[rows[b], j]


@inner
def _begin(tile, n_states, n):
    """Set the scores to 0, and tell the kernels where the rows are at home."""
    own, home, within = tile.own, tile.home, tile.within
    for b in range(n):
        within[b] = 0.0
        home[b] = max(own[b], 0)
    for k in range(n_states):
        line = tile.lines[k]
        for b in range(n):
            line[b] = 0.0


@inner
def score_tile(table, state, n_states, rows, empty, tile, out, work):
    """Write what ``score_row`` would of every row into a tile, up to rounding.

    Parameters
    ----------
    n_states : int
        Clusters.
    rows : ndarray of int64, shape (B,)
        Up to ``ROWS`` of them.
    empty : int
        Index of an empty cluster.
    tile : Tile
        Whose ``own`` says in which clusters the rows are; ``lines`` and ``within`` are written.
    out, work : ndarray
        Scratch space as of ``Clusters``; ``out`` of n_states numbers at least.
    """
    units, n = table.units, rows.shape[0]
    _begin(tile, n_states, n)
    u = np.int64(0)  # a literal 0 would compile everything it is handed to a second time
    while u < units.shape[0]:
        code = units[u, 0]
        end = min(_end_of_family(units, u), u + (TOGETHER if code < N_COLUMN_KERNELS else 1))
        if SCORES_MANY[code]:
            _load_cells(table, u, end, rows, tile.cells)
            dispatch.score_many(
                code,
                state,
                units,
                table.prior,
                table.power,
                u,
                end,
                n_states,
                n,
                tile.home,
                tile.cells,
                tile.lines,
                tile.within,
                tile.spare,
                tile.codes,
            )
        else:
            _score_each(table, state, u, end, n_states, rows, empty, tile, out, work)
        u = end


@inner
def _score_each(table, state, u, end, n_states, rows, empty, tile, out, work):
    """Add the scores of rows, one by one, in units of a family that has no way for many."""
    units, prior, power = table.units, table.prior, table.power
    width = min((n_states + 7) // 8 * 8, out.shape[0])
    for b in range(rows.shape[0]):
        x, own = table.values[rows[b]], tile.own[b]
        for k in range(width):
            out[k] = 0.0
        tile.within[b] += dispatch.score(
            units[u, 0], state, units, prior, power, u, end, width, own, empty, x, out, work
        )
        for k in range(n_states):
            tile.lines[k, b] += out[k]


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
    tile = new_tile(table, out.shape[1])
    _score_table(table, state, empty, labels, np.arange(out.shape[0]), out, tile, work)


@kernel
def _score_table(table, state, empty, labels, rows, out, tile, work):
    n_states = out.shape[1]
    for start in range(0, rows.shape[0], ROWS):
        some = rows[start : start + ROWS]
        for b in range(some.shape[0]):
            tile.own[b] = labels[start + b]
        score_tile(table, state, n_states, some, empty, tile, out[start], work)
        for b in range(some.shape[0]):
            for k in range(n_states):
                out[start + b, k] = tile.lines[k, b]
            if tile.own[b] >= 0:
                out[start + b, tile.own[b]] = tile.within[b]


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
