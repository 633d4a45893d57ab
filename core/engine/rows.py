"""The likelihood of a whole row: a product over columns and blocks.

The state's column after the last cluster is an empty one, whose score is the prior predictive.
Missing cells (NaN) are left out; filled ones (``Table.missing``) count as observed.
"""

import math
from typing import Any, NamedTuple, Self

import numpy as np

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
    shared,
    spliced,
)
from . import calls


class Table(NamedTuple):
    """What the kernels read of a table.

    values (N, M); prior: packed priors, one after the other
    units : int64, (U, 5)
        Kernel code, first column, size (levels, tabulated values or block width), first state row,
        first prior entry.
    calls : int64, (U, 7)
        Addresses of the kernels (uncompiled, functions), 0 until ``load_kernel`` asks.
    steps : int64, (3,)
        Addresses of the optional steps of a sweep.
    incomplete : bool, (N,), and missing : bool, (N, M), or (0, M) where no row is incomplete
        Rows with filled cells, and these cells.
    weights : (N,), or (0,) where every row has weight 1
    power
        Of the likelihood; it multiplies every row's weight in the statistics.
    """

    values: np.ndarray
    units: np.ndarray
    calls: np.ndarray
    steps: np.ndarray
    prior: np.ndarray
    incomplete: np.ndarray
    missing: np.ndarray
    weights: np.ndarray
    power: float

    def of_units(self, which: np.ndarray) -> Self:
        """The table with some of the units alone."""
        return self._replace(units=self.units[which], calls=self.calls[which])

    def __reduce__(self) -> tuple[Any, ...]:
        """Store which addresses there are: in another process they differ."""
        kinds, steps = (self.calls != 0).any(axis=0), self.steps != 0
        return _unpickled, tuple(self._replace(calls=kinds, steps=steps))

    def load_kernel(self, kind: int) -> None:
        """Find the addresses of a kind of kernel that only some tables need."""
        self.calls[:, kind] = calls.kernel_addresses(self.units, [kind])[:, kind]

    def load_step(self, index: int) -> None:
        """Find the address of an optional step."""
        self.steps[index] = calls.step_address(index)


def _unpickled(*fields: Any) -> Table:
    """A table with the addresses of this process."""
    table = Table(*fields)
    found = calls.kernel_addresses(table.units, np.flatnonzero(table.calls))
    return table._replace(calls=found, steps=calls.step_addresses(np.flatnonzero(table.steps)))


TABLE = record(Table, LINES, PLACES_2, PLACES_2, PLACES, LINE, MARKS, MARKS_2, LINE, NUMBER)


class Clusters(NamedTuple):
    """State of the clusters, with room for W.

    state (R, W)
        One column a cluster; those from ``count[0]`` on are empty clusters.
    sizes (W,), members : int64, (W,)
        Sum of the weights of a cluster's rows, and their number.
    count : int64, (4,)
        K; index of the cluster whose size counts as 1 in the first sweep, or -1; the number of
        changes when ``own`` was taken, and by now.
    changed : int64, (W,)
        The number of changes when a cluster last changed.
    own (W,)
        Ln p of every cluster, where rows have weights.
    cost, work, spare (R + 1, 8)
        Scratch space for a row's costs, blocks, and a cluster without one of its rows.
    """

    state: np.ndarray
    sizes: np.ndarray
    members: np.ndarray
    count: np.ndarray
    changed: np.ndarray
    cost: np.ndarray
    work: np.ndarray
    own: np.ndarray
    spare: np.ndarray


CLUSTERS = record(Clusters, LINES, LINE, PLACES, PLACES, PLACES, LINE, LINES, LINE, LINES)


@shared
def mark_changed(clusters, which):
    """Mark a cluster, or in Python several, as changed."""
    clusters.count[3] += 1
    clusters.changed[which] = clusters.count[3]


@inner
def end_of_family(units, u):
    """First unit after the neighbours of one family that begin at u."""
    end = u + 1
    while end < units.shape[0] and units[end, 0] == units[u, 0]:
        end += 1
    return end


@shared
def row_weight(table, i):
    """Weight of row i."""
    return table.weights[i] if table.weights.shape[0] > 0 else 1.0


def _each_family(table, kind, state, weight, k, other, x, marks, out, work):
    """Call what families have of a kind, neighbours of one family together; return the sum."""
    units, total, u = table.units, 0.0, np.int64(0)
    while u < units.shape[0]:
        at, end = table.calls[u, kind], end_of_family(units, u)
        total += calls.call(
            at, kind, state, units, table.prior, weight, u, end, k, other, x, marks, out, work
        )
        u = end
    return total


_each_family_inside = spliced(_each_family)
each_family = kernel(
    NUMBER, *(TABLE, COUNT, LINES, NUMBER, COUNT, COUNT, LINE, MARKS, LINE, LINES)
)(_each_family)


@spliced
def score_row(table, state, n_states, i, own, out, work):
    """Write the score of row i under every cluster into ``out``; at weight 1 its log predictive.

    All rows must have equal weights. ``n_states`` counts an empty cluster; ``own`` is the row's
    cluster, or -1, where it is scored without itself.
    """
    for k in range(n_states):
        out[k] = 0.0
    x, power = table.values[i], table.power
    without = _each_family_inside(
        table, calls.SCORE, state, power, own, n_states, x, table.incomplete, out, work
    )
    if own >= 0:
        out[own] = without


@shared
def add_row(table, state, k, i, sign, work):
    """Add (sign=1) or remove (sign=-1) row i in cluster k, which then needs a ``refresh``."""
    x, weight = table.values[i], sign * table.power * row_weight(table, i)
    if weight != 0.0:
        each_family(table, calls.ADD, state, weight, k, k, x, table.incomplete, x, work)


@shared
def refresh(table, state, k, empty, work):
    """Recompute the cached coefficients of cluster k for rows of weight 1."""
    refresh_for(table, state, k, empty, table.power, work)


@shared
def refresh_for(table, state, k, empty, weight, work):
    """Recompute the cached coefficients of cluster k for rows of another weight."""
    line = table.prior  # which is not read
    each_family(table, calls.REFRESH, state, weight, k, empty, line, table.incomplete, line, work)


def merge_clusters(table, state, k, other):
    """Add the statistics of cluster ``other`` to those of cluster k; ``refresh`` it afterwards."""
    line = table.prior
    each_family(table, calls.MERGE, state, 1.0, k, other, line, table.incomplete, line, state)


@shared
def log_marginals(table, state, k, n_states, out, work):
    """Write ln p of clusters k and l together, for every l, into ``out``; k may be empty."""
    out[:n_states] = 0.0
    each_family(
        table, calls.LOG_MARGINAL, state, 1.0, k, n_states, out, table.incomplete, out, work
    )


@inner
def fill_row(table, state, k, i, empty, work):
    """Set the filled cells of row i to where their score given the others is highest.

    A mode of the predictive would let E rise at a power below 1. Coefficients are for weight 1
    before and after.
    """
    x, weight = table.values[i], table.power * row_weight(table, i)
    if weight != table.power:
        refresh_for(table, state, k, empty, weight, work)
    each_family(table, calls.FILL, state, weight, k, empty, x, table.missing[i], x, work)
    if weight != table.power:
        refresh_for(table, state, k, empty, table.power, work)


@kernel(NOTHING, TABLE, LINES, PLACES, LINES, LINES)
def score_table(table, state, labels, out, work):
    """Write the log predictive of every row under every cluster into ``out``, (N, W).

    Rows are scored without themselves in the cluster of their label, (N,), -1 for none. Fastest
    where W is a multiple of 8.
    """
    for i in range(labels.shape[0]):
        score_row(table, state, out.shape[1], i, labels[i], out[i], work)


@kernel(NOTHING, TABLE, TABLE, LINES, COUNT, PLACES, LINES, LINE, LINES)
def score_members(table, plain, state, empty, labels, spare, out, work):
    """Write the log predictive of rows given their clusters' other rows into ``out``, (N,).

    Rows enter clusters by ``table``'s weights and power and are scored at weight 1, by ``plain``;
    label -1 is left alone. ``empty`` is an empty cluster, ``spare`` (R + 1, 8) scratch space.
    """
    first, second, nobody = np.int64(0), np.int64(1), np.int64(-1)
    scores = spare[state.shape[0]]
    for i in range(labels.shape[0]):
        if labels[i] >= 0:
            _take_out(table, state, labels[i], empty, i, spare, work)
            refresh(plain, spare, first, second, work)
            score_row(plain, spare, second, i, nobody, scores, work)
            out[i] = scores[0]


@inner
def _take_out(table, state, k, empty, i, spare, work):
    """Write cluster k without row i, and an empty one, into the first two of ``spare``."""
    for r in range(state.shape[0]):
        spare[r, 0] = state[r, k]
        spare[r, 1] = state[r, empty]
    add_row(table, spare, np.int64(0), i, -1.0, work)


@inner
def weighted_stay(table, clusters, i, own):
    """What row i adds to ln p of its cluster of several rows, and to its size's term.

    ``clusters.own`` is brought up to date. A cluster in a first sweep counts as one other row.
    """
    state, spare, work, count = clusters.state, clusters.spare, clusters.work, clusters.count
    weight, n, second = table.weights[i], count[0], np.int64(1)
    if count[2] != count[3]:
        log_marginals(table, state, n, n, clusters.own, work)
        count[2] = count[3]
    _take_out(table, state, own, n, i, spare, work)
    log_marginals(table, spare, second, second, spare[state.shape[0]], work)
    size = 1.0 + weight if own == count[1] else clusters.sizes[own]
    gained = clusters.own[own] - spare[state.shape[0], 0]
    return gained + math.lgamma(size) - math.lgamma(size - weight)
