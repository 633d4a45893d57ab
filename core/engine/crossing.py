"""Rows and columns in clusters at once: one parameter for all the cells of a block.

The table is read cell by cell, as one long column; its clusters are the blocks where a cluster of
lines crosses a cluster of the other lines. Rows and columns take turns as the lines that move.
"""

from __future__ import annotations

import math

import numpy as np
from numba.types import UniTuple

from ..jit import COUNT, LINE, LINES, NOTHING, PLACES, kernel
from .columns import Columns
from .partition import new_clusters
from .product import TABLE, add_row, log_marginals, refresh
from .sweeps import TIE


@kernel(NOTHING, TABLE, LINES, LINES, PLACES, PLACES, COUNT, PLACES)
def load_blocks(table, state, work, labels, across, n_across, steps):
    """Rebuild the statistics of all blocks; block (a, b) is state a * n_across + b."""
    state[:, :] = 0.0
    first = np.int64(0)
    refresh(table, state, first, first, work)
    for r in range(state.shape[0]):
        for k in range(1, state.shape[1]):
            state[r, k] = state[r, 0]
    empty = np.int64(state.shape[1] - 1)
    for i in range(labels.shape[0]):
        for j in range(across.shape[0]):
            k = labels[i] * n_across + across[j]
            add_row(table, state, k, i * steps[0] + j * steps[1], 1.0, work)
    n = np.int64(0)
    for i in range(labels.shape[0]):
        n = max(n, (labels[i] + 1) * n_across)
    for k in range(n):
        refresh(table, state, k, empty, work)


@kernel(
    UniTuple(COUNT, 2),
    TABLE,
    LINES,
    LINES,
    PLACES,
    PLACES,
    PLACES,
    PLACES,
    PLACES,
    COUNT,
    LINES,
    LINE,
)
def sweep_lines(table, state, work, labels, sizes, across, steps, order, start, scratch, settings):
    """Visit lines and move each to the cluster of lines that lowers E most, or to a new one.

    Parameters
    ----------
    state : ndarray of float64, shape (R, W)
        The blocks, as ``load_blocks`` leaves them; the last B + 1 are empty: room for the line
        that is visited, and one more.
    labels, sizes : ndarray, shape (L,) and (A,)
        Cluster of every line, and lines in each; A is the most that there is room for.
    across : ndarray of int64, shape (C,)
        Cluster of every line across, 0..B-1.
    steps : ndarray of int64, shape (2,)
        Cells from one line to the next, and from one line across to the next.
    order : ndarray of int64
    start : int
    scratch : ndarray of float64, shape (3, W)
    settings : ndarray of float64, shape (2,)
        Log concentration; clusters of lines.

    Returns
    -------
    position, moves : int
        The end of ``order``, or the first line for which there was no room.
    """
    n_across = np.int64(0)
    for j in range(across.shape[0]):
        n_across = max(n_across, across[j] + 1)
    empty = np.int64(state.shape[1] - 1)
    room = empty - n_across
    own, both, gain = scratch[0], scratch[1], scratch[2]
    moves = 0
    for position in range(start, order.shape[0]):
        n = np.int64(settings[1])
        if (n + 1) * n_across > room or n + 1 > sizes.shape[0]:
            return position, moves
        i = order[position]
        was = labels[i]
        for b in range(n_across):
            for r in range(state.shape[0]):
                state[r, room + b] = state[r, empty]
        for j in range(across.shape[0]):
            cell = i * steps[0] + j * steps[1]
            add_row(table, state, was * n_across + across[j], cell, -1.0, work)
            add_row(table, state, room + across[j], cell, 1.0, work)
        sizes[was] -= 1
        if sizes[was] == 0:  # exactly empty, without the rounding of what was taken out
            for b in range(n_across):
                for r in range(state.shape[0]):
                    state[r, was * n_across + b] = state[r, empty]
        for b in range(n_across):
            refresh(table, state, was * n_across + b, empty, work)
            refresh(table, state, room + b, empty, work)
        log_marginals(table, state, empty, n * n_across, own, work)
        for a in range(n):
            gain[a] = math.log(sizes[a]) if sizes[a] > 0 else -np.inf
        log_marginals(table, state, empty, empty, both, work)
        alone = settings[0]
        for b in range(n_across):
            alone += both[room + b]
        for b in range(n_across):
            log_marginals(table, state, room + b, n * n_across, both, work)
            for a in range(n):
                gain[a] += both[a * n_across + b] - own[a * n_across + b]
        stay = alone if sizes[was] == 0 else gain[was]
        best, highest = n, alone
        for a in range(n):
            if gain[a] > highest:
                best, highest = np.int64(a), gain[a]
        if highest <= stay + TIE:
            best = was
        else:
            moves += 1
            if best == n:
                settings[1] += 1.0
        for j in range(across.shape[0]):
            add_row(
                table, state, best * n_across + across[j], i * steps[0] + j * steps[1], 1.0, work
            )
        for b in range(n_across):
            refresh(table, state, best * n_across + b, empty, work)
        sizes[best] += 1
        labels[i] = best
        if sizes[was] == 0:
            last = np.int64(settings[1]) - 1
            for b in range(n_across):
                for r in range(state.shape[0]):
                    state[r, was * n_across + b] = state[r, last * n_across + b]
                    state[r, last * n_across + b] = state[r, empty]
            sizes[was] = sizes[last]
            sizes[last] = 0
            for line in range(labels.shape[0]):
                if labels[line] == last:
                    labels[line] = was
            settings[1] -= 1.0
    return order.shape[0], moves


class Crossing:
    """Clusters of rows and of columns, and the exact negative log joint of both.

    Parameters
    ----------
    columns : Columns
        All cells of the table, row after row, as one unit of one column.
    rows, cross : ndarray of int64, shape (N,) and (M,)
        Cluster of every row and of every column.
    concentrations : tuple of float
        N_0 of the rows and of the columns.
    """

    def __init__(
        self,
        columns: Columns,
        rows: np.ndarray,
        cross: np.ndarray,
        concentrations: tuple[float, float],
    ) -> None:
        self.columns = columns
        self.concentrations = concentrations
        self.labels = [_dense(rows), _dense(cross)]

    def copy(self) -> Crossing:
        """One that can be changed without changing this one."""
        return Crossing(self.columns, *self.labels, self.concentrations)

    def sweep(self, side: int, order: np.ndarray) -> int:
        """Visit rows (side 0) or columns (side 1) in order. Return how many moved."""
        position, moves = 0, 0
        while position < order.size:
            labels, across = self.labels[side], self.labels[1 - side]
            clusters, sizes, steps = self._loaded(side)
            settings = np.array([math.log(self.concentrations[side]), labels.max() + 1.0])
            position, moved = sweep_lines(
                self.columns.table,
                clusters.state,
                clusters.work,
                labels,
                sizes,
                across,
                steps,
                order,
                position,
                np.empty((3, clusters.state.shape[1])),
                settings,
            )
            moves += moved
        return moves

    def merge(self, side: int) -> bool:
        """Merge the two clusters of rows or columns that lower E most, if any do."""
        labels, n_across = self.labels[side], int(self.labels[1 - side].max()) + 1
        n = int(labels.max()) + 1
        if n < 2:
            return False
        clusters, sizes, _ = self._loaded(side)
        width = clusters.state.shape[1]
        both = np.empty((n * n_across, width))
        for k in range(n * n_across):
            log_marginals(
                self.columns.table,
                clusters.state,
                np.int64(k),
                n * n_across,
                both[k],
                clusters.work,
            )
        alone = self._alone(clusters, n * n_across).reshape(n, n_across).sum(axis=1)
        blocks = both[:, : n * n_across].reshape(n, n_across, n, n_across)
        together = np.einsum("abcb->ac", blocks)
        lgamma = np.array([math.lgamma(size) for size in range(1, 2 * int(sizes.sum()) + 1)])
        size = sizes[:n]
        gains = together - alone[:, None] - alone + lgamma[size[:, None] + size - 1]
        gains -= lgamma[size - 1][:, None] + lgamma[size - 1] + math.log(self.concentrations[side])
        np.fill_diagonal(gains, -np.inf)
        kept, gone = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[kept, gone] <= TIE:
            return False
        self.labels[side] = _dense(np.where(labels == gone, kept, labels))
        return True

    def objective(self) -> float:
        """Exact negative log joint of rows, columns and cells, in nats and the user's units."""
        clusters, _, _ = self._loaded(0)
        n_blocks = (int(self.labels[0].max()) + 1) * (int(self.labels[1].max()) + 1)
        log_p = float(self._alone(clusters, n_blocks).sum())
        for labels, concentration in zip(self.labels, self.concentrations, strict=True):
            sizes = np.bincount(labels)
            log_p += sizes.size * math.log(concentration) + sum(map(math.lgamma, sizes))
            log_p += math.lgamma(concentration) - math.lgamma(concentration + labels.size)
        return -(log_p + self.columns.log_constant)

    def _alone(self, clusters, n_blocks: int) -> np.ndarray:
        out = np.empty(clusters.state.shape[1])
        empty = np.int64(clusters.state.shape[1] - 1)
        log_marginals(self.columns.table, clusters.state, empty, n_blocks, out, clusters.work)
        return out[:n_blocks]

    def _loaded(self, side: int):
        """Statistics of the blocks with rows or columns as lines, their sizes, and the steps."""
        labels, across = self.labels[side], self.labels[1 - side]
        n, n_across = int(labels.max()) + 1, int(across.max()) + 1
        most = 2 * n + 4
        clusters = new_clusters(self.columns, (most + 1) * n_across + 2)
        n_columns = self.labels[1].size
        steps = np.array([n_columns, 1] if side == 0 else [1, n_columns])
        load_blocks(
            self.columns.table, clusters.state, clusters.work, labels, across, n_across, steps
        )
        sizes = np.zeros(most, dtype=np.int64)
        sizes[:n] = np.bincount(labels)
        return clusters, sizes, steps


def _dense(labels: np.ndarray) -> np.ndarray:
    return np.unique(labels, return_inverse=True)[1].ravel().astype(np.int64)
