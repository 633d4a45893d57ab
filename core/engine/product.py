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
from ..jit import (
    COUNT,
    LINE,
    LINES,
    MARKS,
    MARKS_2,
    NOTHING,
    NUMBER,
    PLACES,
    PLACES_2,
    inner,
    kernel,
    record,
    spliced,
)
from . import calls
from .calls import N_COLUMN_KERNELS

#: Rows that are scored at once.
ROWS = 256


class Table(NamedTuple):
    """What the kernels read of a table.

    Parameters
    ----------
    values : ndarray of float64, shape (N, M)
    units : ndarray of int64, shape (U, 5)
        Code of the family's kernels, first column, size (levels, tabulated values or block width),
        first state row, first prior entry.
    calls : ndarray of int64, shape (U, 7)
        Addresses of these kernels, see ``calls``; uncompiled, the functions.
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
    calls: np.ndarray
    prior: np.ndarray
    incomplete: np.ndarray
    missing: np.ndarray
    weights: np.ndarray
    power: float

    def of_units(self, which: np.ndarray) -> Table:
        """With some of the units alone."""
        return self._replace(units=self.units[which], calls=self.calls[which])


TABLE = record(Table, LINES, PLACES_2, PLACES_2, LINE, MARKS, MARKS_2, LINE, NUMBER)


class Clusters(NamedTuple):
    """State of the clusters.

    Parameters
    ----------
    state : ndarray of float64, shape (R, W)
        One column a cluster; column ``count[0]`` and those after it are empty clusters.
    sizes : ndarray of float64, shape (W,)
        Sum of the weights of their rows: without weights, their number.
    members : ndarray of int64, shape (W,)
        Number of their rows.
    count : ndarray of int64, shape (3,)
        Number of clusters K; index of the cluster whose size counts as 1 in the first sweep, or
        -1; 1 where ``own`` is up to date.
    cost, work : ndarray
        Scratch space for one row's costs, and for the block families.
    own : ndarray of float64, shape (W,)
        Ln p of every cluster, where rows have weights.
    spare : ndarray of float64, shape (R + 1, 8)
        Scratch space for a cluster without one of its rows.
    """

    state: np.ndarray
    sizes: np.ndarray
    members: np.ndarray
    count: np.ndarray
    cost: np.ndarray
    work: np.ndarray
    own: np.ndarray
    spare: np.ndarray


CLUSTERS = record(Clusters, LINES, LINE, PLACES, PLACES, LINE, LINES, LINE, LINES)


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
        at, end = table.calls[u, calls.SCORE], _end_of_family(units, u)
        without += calls.score(
            at, state, units, prior, power, u, end, n_states, own, empty, x, out, work
        )
        u = end
    if own >= 0:
        out[own] = without


@kernel(NOTHING, TABLE, LINES, COUNT, COUNT, NUMBER, LINES)
def add_row(table, state, k, i, sign, work):
    """Put row i into (sign=1) or take it out of (sign=-1) the statistics of cluster k.

    The cached coefficients are stale until ``refresh``.
    """
    units, x, prior = table.units, table.values[i], table.prior
    weight = sign * table.power * row_weight(table, i)
    u = np.int64(0) if weight != 0.0 else units.shape[0]
    while u < units.shape[0]:
        end = _end_of_family(units, u)
        calls.add(table.calls[u, calls.ADD], state, units, prior, weight, u, end, k, x, work)
        u = end


@kernel(NOTHING, TABLE, LINES, COUNT, COUNT, LINES)
def refresh(table, state, k, empty, work):
    """Recompute the cached coefficients of cluster k, for rows of weight 1, from its statistics."""
    _refresh_for(table, state, k, empty, table.power, work)


@inner
def _refresh_for(table, state, k, empty, weight, work):
    units, prior, u = table.units, table.prior, np.int64(0)
    while u < units.shape[0]:
        end = _end_of_family(units, u)
        calls.refresh(
            table.calls[u, calls.REFRESH], state, units, prior, weight, u, end, k, empty, work
        )
        u = end


@kernel(NOTHING, TABLE, LINES, COUNT, COUNT)
def merge_clusters(table, state, k, other):
    """Add the statistics of one cluster to those of cluster k; ``refresh`` it afterwards."""
    units, u = table.units, np.int64(0)
    while u < units.shape[0]:
        end = _end_of_family(units, u)
        calls.merge(table.calls[u, calls.MERGE], state, units, u, end, k, other)
        u = end


@kernel(NOTHING, TABLE, LINES, COUNT, COUNT, LINE, LINES)
def log_marginals(table, state, k, n_states, out, work):
    """Write ln p of the rows of clusters k and l together, for every l, into ``out``.

    With k the empty cluster these are the clusters' own log marginal likelihoods.
    """
    for other in range(n_states):
        out[other] = 0.0
    units, prior, u = table.units, table.prior, np.int64(0)
    while u < units.shape[0]:
        end = _end_of_family(units, u)
        calls.log_marginal(
            table.calls[u, calls.LOG_MARGINAL], state, units, prior, u, end, k, n_states, out, work
        )
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
        calls.fill(
            table.calls[u, calls.FILL], state, units, prior, weight, u, end, k, x, missing, work
        )
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


TILE = record(Tile, LINES, LINE, LINES, LINES, PLACES, PLACES, PLACES)


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
def score_tile(table, state, n_states, rows, tile):
    """Write what ``score_row`` would of every row into a tile, up to rounding.

    Parameters
    ----------
    n_states : int
        Clusters.
    rows : ndarray of int64, shape (B,)
        Up to ``ROWS`` of them.
    tile : Tile
        Whose ``own`` says in which clusters the rows are; ``lines`` and ``within`` are written.
    """
    units, n = table.units, rows.shape[0]
    _begin(tile, n_states, n)
    u = np.int64(0)  # a literal 0 would compile everything it is handed to a second time
    while u < units.shape[0]:
        is_column = units[u, 0] < N_COLUMN_KERNELS
        end = min(_end_of_family(units, u), u + (TOGETHER if is_column else 1))
        _load_cells(table, u, end, rows, tile.cells)
        calls.score_many(
            table.calls[u, calls.SCORE_MANY],
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
        u = end


def score_table(table, state, labels, out):
    """Write the log predictive of every row under every cluster into the rows of ``out``.

    A row's scores are the same bit by bit whatever rows are scored beside it.

    Parameters
    ----------
    labels : ndarray of int64, shape (N,)
        A row's own cluster, which is then scored without the row; -1 for a row in none of them.
    out : ndarray of float64, shape (N, W)
        For the first W columns of ``state``; fastest where W is a multiple of 8.
    """
    tile = new_tile(table, out.shape[1])
    _score_table(table, state, labels, np.arange(out.shape[0]), out, tile)


@kernel(NOTHING, TABLE, LINES, PLACES, PLACES, LINES, TILE)
def _score_table(table, state, labels, rows, out, tile):
    n_states = out.shape[1]
    for start in range(0, rows.shape[0], ROWS):
        some = rows[start : start + ROWS]
        for b in range(some.shape[0]):
            tile.own[b] = labels[start + b]
        score_tile(table, state, n_states, some, tile)
        for b in range(some.shape[0]):
            for k in range(n_states):
                out[start + b, k] = tile.lines[k, b]
            if tile.own[b] >= 0:
                out[start + b, tile.own[b]] = tile.within[b]


@kernel(NOTHING, TABLE, TABLE, LINES, COUNT, PLACES, LINES, LINE, LINES)
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
