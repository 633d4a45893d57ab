"""Many rows judged at once; only those that might move are visited, and scored exactly."""

import math
from typing import NamedTuple, Self

import numpy as np

from ..families.family import N_SPARE, TOGETHER
from ..families.normal_kernels import put
from ..jit import COUNT, LINE, LINES, NOTHING, NUMBER, PLACES, inner, kernel, record
from ..special import fast_log
from . import calls
from .calls import KERNELS, N_COLUMN_KERNELS
from .rows import (
    CLUSTERS,
    TABLE,
    Clusters,
    Table,
    add_row,
    end_of_family,
    mark_changed,
    refresh,
    refresh_for,
    row_weight,
    score_table,
    weighted_stay,
)

ROWS = 256
#: Sweeps over fewer rows visit each, unless they have as many cells as take the same time.
FEWEST_ROWS = 1_000
MANY_CELLS = 200_000
#: Rows in no cluster scored at once, so that their scores stay in the processor's cache.
BLOCK = 4_096
#: Clusters that a sweep may add before it visits each row, until the next sweep.
MOST_BIRTHS = 16
#: Nats by which staying must be better, far above rounding.
MARGIN = 1e-6
#: Rows are judged anew by the clusters that changed where few rows are not judged yet, and few
#: clusters changed.
FEW_ROWS, FEW_CLUSTERS = 1 / 8, 1 / 2


class Judged(NamedTuple):
    """What is known of the rows of a partition, each (N,).

    slack
        By how many nats the best alternative is worse; 0 where it is not known.
    stay
        Score of the own cluster, with the logarithm of its size, when it was judged.
    second : int64
        The best alternative then, -1 for a new cluster.
    n_changes : int64
        The number of changes of clusters then.
    """

    slack: np.ndarray
    stay: np.ndarray
    second: np.ndarray
    n_changes: np.ndarray

    @classmethod
    def none(cls, n_rows: int) -> Self:
        """Of rows of which nothing is known."""
        return cls(*np.zeros((2, n_rows)), *np.zeros((2, n_rows), dtype=np.int64))


JUDGED = record(Judged, LINE, LINE, PLACES, PLACES)


class Tile(NamedTuple):
    """Scratch space to score up to ``ROWS`` rows at once.

    lines (W, ROWS), within (ROWS,)
        Receive the score of row b under every cluster but its own, and under its own given its
        others.
    cells, spare
        What the kernels read of the rows, column by column, and lines for their use.
    own, codes, rows : int64, (ROWS,)
        Cluster of every row, or -1, of which ``within`` is of no meaning; scratch, twice.
    state (R, W), some, places : int64, (W,)
        Of some clusters; which they are, and where in ``some`` each cluster is, or -1.
    """

    lines: np.ndarray
    within: np.ndarray
    cells: np.ndarray
    spare: np.ndarray
    own: np.ndarray
    codes: np.ndarray
    rows: np.ndarray
    state: np.ndarray
    some: np.ndarray
    places: np.ndarray

    @classmethod
    def of(cls, n_states: int, n_rows: int, width: int, n_state_rows: int) -> Self:
        """Room for rows of blocks of up to so many columns."""
        return cls(
            np.empty((n_states, n_rows)),
            np.empty(n_rows),
            np.empty((max(width, TOGETHER), n_rows)),
            np.empty((width + N_SPARE, max(n_rows + 1, n_states))),
            *np.zeros((3, n_rows), dtype=np.int64),
            np.empty((n_state_rows, n_states)),
            *np.zeros((2, n_states), dtype=np.int64),
        )


TILE = record(Tile, LINES, LINE, LINES, LINES, *[PLACES] * 3, LINES, PLACES, PLACES)
NO_TILE = Tile.of(0, 0, 0, 0)


def tile_for(table: Table, rows: np.ndarray, n_clusters: int, last: Tile = NO_TILE) -> Tile:
    """Tile for a sweep over these rows, the ``last`` if it has room; ``NO_TILE`` to visit each.

    Rows with filled cells have these set at every visit; few rows take their time for moves.
    """
    few = rows.size < FEWEST_ROWS and rows.size * table.values.shape[1] < MANY_CELLS
    if few or table.incomplete.any():
        return NO_TILE
    if len(last.lines) > n_clusters:
        return last
    return new_tile(table, n_clusters + MOST_BIRTHS)


def new_tile(table: Table, n_states: int) -> Tile:
    """Room for the scores of rows of a table under so many clusters."""
    table.load_kernel(calls.SCORE_MANY)
    table.load_step(JUDGE)
    is_block = table.units[:, 0] >= N_COLUMN_KERNELS
    code, _, size, row, _ = table.units[-1]
    n_state_rows = row + KERNELS[code].statistics(size).stop
    width = int(table.units[:, 2].max(initial=1, where=is_block))
    return Tile.of(n_states, ROWS, width, n_state_rows)


@kernel(NOTHING, TABLE, LINES, COUNT, PLACES, NUMBER, TILE)
def score_tile(table, state, n_states, rows, weight, tile):
    """Write ``score_row``'s scores of up to ``ROWS`` rows into ``lines`` and ``within``.

    ``tile.own`` are the rows' clusters, ``weight`` is that for which these were refreshed.
    """
    units, n = table.units, rows.shape[0]
    lines, within, cells = tile.lines, tile.within, tile.cells
    put(0.0, within, n)
    for k in range(n_states):
        put(0.0, lines[k], n)
    u = np.int64(0)  # a literal 0 would compile everything it is handed to a second time
    while u < units.shape[0]:
        first, width, end = units[u, 1], units[u, 2], u + 1
        if units[u, 0] < N_COLUMN_KERNELS:
            width, end = 1, min(end_of_family(units, u), u + TOGETHER)
        for j in range((end - u) * width):
            column = units[u + j, 1] if width == 1 else first + j
            for b in range(n):
                cells[j, b] = table.values[rows[b], column]
        at, prior, spare = table.calls[u, calls.SCORE_MANY], table.prior, tile.spare
        calls.call_many(
            *(at, state, units, prior, weight, u, end, n_states, n, tile.own, cells, lines),
            *(within, spare, tile.codes),
        )
        u = end


def judge(table, clusters, labels, rows, log_concentration, judged, tile):
    """Judge which of up to ``ROWS`` rows stay; return how many, the first of them, were judged.

    ``log_concentration`` of -inf opens no cluster. None is judged after one in no cluster.
    """
    n_rows, unknown, n_changes = 0, 0, clusters.count[3]
    is_weighted, last = table.weights.shape[0] > 0, min(rows.shape[0], tile.own.shape[0])
    if clusters.count[0] + 1 > tile.lines.shape[0] or (is_weighted and clusters.count[1] >= 0):
        return 0
    while n_rows < last and labels[rows[n_rows]] >= 0:
        i = rows[n_rows]
        if _is_judged(clusters, labels, judged, i):
            n_changes = min(n_changes, judged.n_changes[i])
        else:
            unknown += 1
        n_rows += 1
    rows = rows[:n_rows]
    if not is_weighted and unknown <= FEW_ROWS * n_rows:
        n_some = _changed_since(n_changes, clusters, tile)
        if n_some <= FEW_CLUSTERS * clusters.count[0]:
            rows = tile.rows[: _judge_again(table, clusters, labels, rows, n_some, judged, tile)]
    if rows.shape[0] > 0:
        _judge_all(table, clusters, labels, rows, log_concentration, judged, tile)
    return n_rows


@inner
def _judge_all(table, clusters, labels, rows, log_concentration, judged, tile):
    """Judge rows by all clusters.

    Of rows of different weights w the slack is a bound: what a row adds to another cluster's ln p
    and size term is convex in w and 0 at 0, so at most w/m times that at the tile's largest weight
    m, of cached coefficients. For its own cluster it is exact.
    """
    sizes, state, work, n = clusters.sizes, clusters.state, clusters.work, clusters.count[0]
    is_weighted, n_rows, most = table.weights.shape[0] > 0, rows.shape[0], 0.0
    n_states = n + (log_concentration > -np.inf)
    for b in range(n_rows):
        k = labels[rows[b]]
        tile.own[b] = k if clusters.members[k] > 1 else -1
        most = max(most, row_weight(table, rows[b]))
    power = table.power * most
    for k in range(n_states if is_weighted else 0):
        refresh_for(table, state, k, n, power, work)
    best = _score_others(table, state, n_states, rows, power, tile)
    for k in range(n_states if is_weighted else 0):
        refresh(table, state, k, n, work)
    for k in range(n):
        size_term = fast_log(sizes[k])
        if is_weighted:
            size_term = math.lgamma(sizes[k] + most) - math.lgamma(sizes[k])
        _take_best(tile.lines[k], size_term, k, n_rows, best, tile.codes)
    if n_states > n and not is_weighted:
        _take_best(tile.lines[n], log_concentration, np.int64(-1), n_rows, best, tile.codes)
    for b in range(n_rows):
        i, own, highest = rows[b], tile.own[b], best[b]
        judged.slack[i] = 0.0
        if own >= 0:  # a row alone is always visited
            stay = tile.within[b] + fast_log(sizes[own] - 1.0)
            if is_weighted:
                weight = table.weights[i]
                highest *= weight / most
                if n_states > n:
                    alone = tile.lines[n, b] * weight / most + log_concentration
                    highest = max(highest, alone + math.lgamma(weight))
                stay = weighted_stay(table, clusters, i, own)
            _store(judged, i, stay, stay - highest, tile.codes[b], clusters.count[3])


@inner
def _judge_again(table, clusters, labels, rows, n_some, judged, tile):
    """Judge rows by the ``n_some`` clusters that changed; write those to be judged by all.

    Returns how many these are: rows not judged yet, and rows whose best alternative changed for the
    worse, so that another may be best now. What all other clusters score is as it was.
    """
    sizes, n, n_rows, n_left = clusters.sizes, clusters.count[0], rows.shape[0], 0
    for r in range(tile.state.shape[0]):
        for j in range(n_some):
            tile.state[r, j] = clusters.state[r, tile.some[j]]
    for b in range(n_rows):
        tile.own[b] = tile.places[labels[rows[b]]]
    best = _score_others(table, tile.state, n_some, rows, table.power, tile)
    for j in range(n_some):
        k = tile.some[j]
        _take_best(tile.lines[j], fast_log(sizes[k]), k, n_rows, best, tile.codes)
    for b in range(n_rows):
        i, at, stay = rows[b], tile.codes[b], judged.stay[rows[b]]
        was, highest = judged.second[i], stay - judged.slack[i]
        is_same = was < 0 or (was < n and tile.places[was] < 0)
        is_better = best[b] >= highest
        if not (_is_judged(clusters, labels, judged, i) and (is_same or is_better)):
            tile.rows[n_left] = i
            n_left += 1
            continue
        if best[b] < highest:
            best[b], at = highest, was
        if tile.own[b] >= 0:
            stay = tile.within[b] + fast_log(sizes[labels[i]] - 1.0)
        _store(judged, i, stay, stay - best[b], at, clusters.count[3])
    return n_left


@inner
def _is_judged(clusters, labels, judged, i):
    """Whether row i is judged already, and not alone in its cluster."""
    return judged.slack[i] > 0.0 and clusters.members[labels[i]] > 1


@inner
def _score_others(table, state, n_states, rows, weight, tile):
    """Score rows, and hide each from its own cluster; return room for the best of the others."""
    score_tile(table, state, n_states, rows, weight, tile)
    best = tile.spare[0]
    for b in range(rows.shape[0]):
        best[b], tile.codes[b] = -np.inf, -1
        if tile.own[b] >= 0:
            tile.lines[tile.own[b], b] = -np.inf
    return best


@inner
def _store(judged, i, stay, slack, second, n_changes):
    judged.slack[i] = slack if slack > MARGIN else 0.0
    judged.stay[i], judged.second[i], judged.n_changes[i] = stay, second, n_changes


@inner
def _changed_since(n_changes, clusters, tile):
    """Find the clusters that changed after so many changes; return how many."""
    n = 0
    for k in range(clusters.count[0]):
        tile.places[k] = -1
        if clusters.changed[k] > n_changes:
            tile.places[k], tile.some[n] = n, k
            n += 1
    return n


judged_by, JUDGE = calls.step(judge, COUNT, TABLE, CLUSTERS, PLACES, PLACES, NUMBER, JUDGED, TILE)


def by_weight(table: Table, rows: np.ndarray) -> np.ndarray:
    """Rows ordered so that those judged at once have weights within a factor of two."""
    return rows[np.argsort(np.frexp(table.weights[rows])[1], kind="stable")]


@inner
def _take_best(line, log_size, k, n, best, at):
    for b in range(n):
        score = line[b] + log_size
        at[b] = k if score > best[b] else at[b]
        best[b] = score if score > best[b] else best[b]


def move_at_once(
    table: Table, clusters: Clusters, labels: np.ndarray, order: np.ndarray, tile: Tile
) -> int:
    """Let rows of ``order`` choose among existing clusters, a tile at a time; return the moves.

    A tile's rows choose by the same statistics, so that, unlike in a sweep, E may rise. No cluster
    is left empty; ``labels`` (N,) are -1 for rows in none.
    """
    state, sizes, work = clusters.state, clusters.sizes, clusters.work
    n, moves = int(clusters.count[0]), 0
    for rows in np.split(order, range(ROWS, order.size, ROWS)):
        own, each = labels[rows], np.arange(rows.size)
        tile.own[: rows.size] = own
        score_tile(table, state, n, rows, table.power, tile)
        scores = tile.lines[:n, : rows.size].T + np.log(np.maximum(sizes[:n], 1e-300))
        inside = each[own >= 0]
        others = np.log(np.maximum(sizes[own[inside]] - 1.0, 1e-300))
        scores[inside, own[inside]] = tile.within[inside] + others + MARGIN
        best = scores.argmax(axis=1)
        for i, k, was in zip(rows, best, own, strict=True):
            if k == was or (was >= 0 and clusters.members[was] == 1):
                continue
            for at, sign in ((was, -1.0), (k, 1.0)):
                if at >= 0:
                    add_row(table, state, at, i, sign, work)
                    sizes[at] += sign
                    clusters.members[at] += int(sign)
            labels[i] = k
            moves += 1
        for k in range(n):
            refresh(table, state, k, n, work)
    mark_changed(clusters, slice(None))
    return moves


def scores_of(table: Table, clusters: Clusters, values: np.ndarray) -> np.ndarray:
    """Scores, (n, K + 1), of rows (n, M) in no cluster, without constants; a new cluster last."""
    n = int(clusters.count[0])
    table = table._replace(values=values)
    if len(values) < FEWEST_ROWS:
        out = np.empty((len(values), (n + 8) // 8 * 8))
        score_table(table, clusters.state, np.full(len(values), -1), out, clusters.work)
        return out[:, : n + 1]
    out = np.empty((n + 1, len(values)))
    tile = new_tile(table, n + 1)
    tile.own[:] = -1
    for rows in np.split(np.arange(len(values)), range(ROWS, len(values), ROWS)):
        score_tile(table, clusters.state, n + 1, rows, table.power, tile)
        out[:, rows[0] : rows[-1] + 1] = tile.lines[:, : rows.size]
    return out.T


def best_of(
    table: Table, clusters: Clusters, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Best existing cluster of rows (n, M) in none, by score and size.

    Returns, each of shape (n,), its label, its score with ln of its size, and a new cluster's
    score.
    """
    n = int(clusters.count[0])
    log_sizes = np.log(np.maximum(clusters.sizes[:n], 1e-300))  # finite for an empty one
    labels = np.empty(len(values), dtype=np.int64)
    score, alone = np.empty((2, len(values)))
    for start in range(0, len(values), BLOCK):
        inside = slice(start, start + BLOCK)
        scores = scores_of(table, clusters, values[inside])
        alone[inside] = scores[:, n]
        scores = scores[:, :n] + log_sizes
        labels[inside] = scores.argmax(axis=1)
        score[inside] = scores.max(axis=1)
    return labels, score, alone


def cheapest(
    table: Table, clusters: Clusters, values: np.ndarray, log_concentration: float = -np.inf
) -> np.ndarray:
    """The cheapest cluster of rows in none, (n,); -1 where a new one is cheaper."""
    labels, score, alone = best_of(table, clusters, values)
    labels[alone + log_concentration > score] = -1
    return labels
