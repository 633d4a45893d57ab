"""Many rows judged at once by the same statistics: who stays for sure need not be visited.

A tile is some rows in the order of a sweep, scored column by column against the clusters as they
are when it begins. A row that would rather move, or nearly, is scored anew and exactly, by what
the clusters have become by then; the others stay. Where a whole sweep moves nobody, no statistic
has changed, so that all of its tiles were exact: that it rests is proved.
"""

from __future__ import annotations

import numpy as np

from ..families.family import TOGETHER
from ..jit import spliced
from ..special import fast_log
from .product import ROWS, Table, score_tile

#: Sweeps over fewer rows visit each, and so do those between more clusters than this.
FEWEST_ROWS = 1_000
MOST_CLUSTERS = 64
#: A row is judged to stay if that is better by so many nats, far above what rounding does.
MARGIN = 1e-6

#: Lines of a tile after those of the clusters.
_BEST, _STAY, _SPARE = range(3)
_N_SPARE = _SPARE + TOGETHER + 1

#: Scratch space: lines of a tile, and the clusters of its rows.
Tile = tuple[np.ndarray, np.ndarray]
#: Passed to a sweep that visits every row.
NO_TILE = (np.empty((0, 0)), np.empty(0, dtype=np.int64))


def new_tile() -> Tile:
    """Scratch space for a sweep that judges many rows at once."""
    return np.empty((MOST_CLUSTERS + _N_SPARE, ROWS)), np.empty(ROWS, dtype=np.int64)


def tile_for(table: Table, rows: np.ndarray) -> Tile:
    """What a sweep over these rows judges by: ``NO_TILE`` where each is to be visited.

    Rows with weights have no coefficients that serve them all, a row with filled cells has these
    set anew at every visit, and few rows take their time for moves, not for scores.
    """
    if rows.size < FEWEST_ROWS or table.weights.size or table.incomplete.any():
        return NO_TILE
    return new_tile()


@spliced
def judge(table, clusters, labels, rows, log_concentration, slack, tile, own):
    """Judge which rows stay; return how many, the first of those given, were judged.

    Parameters
    ----------
    rows : ndarray of int64, shape (B,)
        Of no more than a tile; those after the first that is in no cluster are not judged.
    log_concentration : float
        ln N_0; -inf opens no cluster.
    slack : ndarray of float64, shape (N,)
        Receives how much worse the best alternative is of a row that stays; 0 of another.
    tile : ndarray of float64
    own : ndarray of int64
        Scratch space as of ``new_tile``.
    """
    n, sizes = clusters.count[0], clusters.sizes
    n_states = n + (log_concentration > -np.inf)
    n_rows, most = 0, min(rows.shape[0], tile.shape[1])
    if n_states > MOST_CLUSTERS:
        return 0
    while n_rows < most and labels[rows[n_rows]] >= 0:
        k = labels[rows[n_rows]]
        own[n_rows] = k if clusters.members[k] > 1 else -1
        n_rows += 1
    rows, own, spare = rows[:n_rows], own[:n_rows], tile[MOST_CLUSTERS + _SPARE :]
    best, stay = tile[MOST_CLUSTERS + _BEST], tile[MOST_CLUSTERS + _STAY]
    score_tile(
        table, clusters.state, n_states, rows, own, n, tile, spare, clusters.cost, clusters.work
    )
    for b in range(n_rows):
        best[b] = -np.inf
        stay[b] = -np.inf  # of a row alone in its cluster, which is always visited
    for k in range(n_states):
        line = tile[k]
        log_size = fast_log(sizes[k]) if k < n else log_concentration
        log_others = fast_log(sizes[k] - 1.0) if sizes[k] > 1.0 else 0.0
        for b in range(n_rows):
            is_own = own[b] == k
            stay[b] = line[b] + log_others if is_own else stay[b]
            best[b] = best[b] if is_own else max(best[b], line[b] + log_size)
    for b in range(n_rows):
        margin = stay[b] - best[b]
        slack[rows[b]] = margin if margin > MARGIN else 0.0
    return n_rows
