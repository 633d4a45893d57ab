"""Biclustering: rows and columns in clusters at once, one parameter a block (M12 section 25.6.1).

p(x | r, c, theta) = prod_ij p(x_ij | theta_{r_i, c_j}) with a restaurant process for the rows and
one for the columns (M12 eq. 25.62; the infinite relational model of Kemp and others 2006), the
parameters integrated out.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from ..engine.columns import Columns
from ..engine.partition import Partition
from ..engine.product import TABLE, add_row, log_marginals
from ..engine.sweeps import TIE
from ..families import FAMILIES, Prior
from ..inference.fit import Fit
from ..jit import LINES, NOTHING, NUMBER, PLACES, kernel
from ..partitions.labels import by_size, log_restaurant
from ..schema.encoded import Encoded, Unit
from .arguments import check_number, check_whole
from .estimator import Callback, ClusterEstimator
from .local_search import Optimum, iterated, lowest
from .mapdp import MAPDP
from .priors import EMPIRICAL_SCALE, SCALES
from .progress import Progress


@dataclass(eq=False, repr=False)
class Biclusters(ClusterEstimator):
    """Cluster rows and columns of one kind together.

    All cells of a block, a cluster of rows crossed with a cluster of columns, follow one
    distribution: for tables whose columns are of one family, such as yes/no or counts.

    Parameters
    ----------
    concentration : float
        N_0 of the rows, and of the columns.
    likelihood : str
        Key of ``FAMILIES`` for an array; a frame's columns must all be of one family.
    prior : "scale-grid", "empirical", or Prior
        One for every cell. ``"scale-grid"`` takes the prior scale of lowest E, for the families
        that have one.
    patience : int
        Perturbations in a row without gain that end the search.
    random_state : int, Generator or None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (N,)
        Cluster of each row, 0 the largest.
    column_labels_ : ndarray of int64, shape (M,)
        Cluster of each column, in the schema's order, 0 the largest.
    objective_ : float
        Exact negative log joint of rows, columns and cells, in nats.
    blocks_ : tuple of tuple of Prior, shape (K, L)
        The prior updated with the cells of each block.
    prior_scale_ : float or None
    result_, n_clusters_, objective_trace_, n_iter_, converged_

    Examples
    --------
    >>> import numpy as np
    >>> from mapdp_studio import Biclusters
    >>> blocks = np.kron(np.array([[0.0, 6.0], [6.0, 0.0]]), np.ones((20, 4)))
    >>> rows = blocks + np.random.default_rng(0).normal(size=(40, 8))
    >>> model = Biclusters(likelihood="normal", random_state=0).fit(rows)
    >>> model.n_clusters_, model.column_labels_.tolist()
    (2, [0, 0, 0, 0, 1, 1, 1, 1])
    """

    concentration: float = 3.0
    _: KW_ONLY
    likelihood: str = "bernoulli"
    prior: Any = "scale-grid"
    patience: int = 20
    random_state: Any = None

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        check_number("concentration", self.concentration, 0.0, allow_equal=False)
        check_whole("patience", self.patience, 0)
        unit = _one_unit(encoded)
        random = np.random.default_rng(self.random_state)
        found = []
        for scale, prior in self._priors(encoded, unit):
            search = _Search(encoded, unit, prior, self, random, callback)
            found.append((search.from_starts(), search, scale))
        best, search, self.prior_scale_ = min(found, key=lambda start: start[0].objective)
        best = iterated(best, search.perturbed, lambda best: self.patience)
        rows, cross = (by_size(labels)[0] for labels in best.state.labels)
        self.column_labels_ = cross
        self.blocks_ = tuple(
            tuple(
                search.prior.posterior(encoded.values[np.ix_(rows == a, cross == b)].ravel())
                for b in range(cross.max() + 1)
            )
            for a in range(rows.max() + 1)
        )
        return self._found(rows, best.trace, column_labels=cross, prior_scale=self.prior_scale_)

    def _priors(self, encoded: Encoded, unit: Unit) -> list[tuple[float | None, Prior]]:
        """The prior of a cell: one given, one derived, or one for each scale of the grid."""
        family = FAMILIES[unit.family]
        if isinstance(self.prior, Prior):
            return [(None, self.prior)]
        if self.prior not in ("scale-grid", "empirical"):
            raise ValueError(
                f"prior={self.prior!r} is not allowed: give 'scale-grid', 'empirical', or a Prior."
            )
        on_grid = self.prior == "scale-grid" and family.is_real
        cells = encoded.values.ravel()
        return [
            (scale, family.default_prior(cells, scale, **unit.options))
            for scale in (SCALES if on_grid else (EMPIRICAL_SCALE,))
        ]


def _one_unit(encoded: Encoded) -> Unit:
    """The family that all columns share, with the options that suit them all.

    Raises
    ------
    ValueError
        Columns of several families, or of a block.
    """
    first = encoded.units[0]
    for unit in encoded.units:
        if FAMILIES[unit.family].is_block:
            raise ValueError(
                f"{unit.name!r} is a block: biclusters need columns that stand on their own."
            )
        if unit.family != first.family:
            raise ValueError(
                f"Columns {first.name!r} ({first.family}) and {unit.name!r} ({unit.family}) are of "
                "different families: biclusters need columns of one. MAPViews takes any."
            )
    options = dict(first.options)
    if "trials" in options:
        options["trials"] = max(unit.options["trials"] for unit in encoded.units)
    options.pop("levels", None)  # which a rating in words has, and one in numbers has not
    if "levels" in FAMILIES[first.family].prior_options:
        options["levels"] = max((unit.options["levels"] for unit in encoded.units), key=len)
    return Unit("cells", first.family, ("cells",), options)


@kernel(NOTHING, TABLE, LINES, PLACES, PLACES, NUMBER, LINES)
def move_cells(table, state, cells, blocks, sign, work):
    """Put cells into (sign=1) or take them out of (sign=-1) their blocks' statistics."""
    for j in range(cells.shape[0]):
        add_row(table, state, blocks[j], cells[j], sign, work)


class Blocks:
    """Clusters of rows and of columns, and the exact negative log joint of both.

    The table is read cell by cell, as one long column, whose clusters are the blocks where a
    cluster of lines crosses a cluster of the lines across. Rows (side 0) and columns (side 1) take
    turns as the lines.

    Parameters
    ----------
    columns : Columns
        All cells of the table, row after row, as one unit of one column.
    rows, cross : ndarray of int64, shape (N,) and (M,)
        Cluster of every row and of every column.
    concentration : float
        N_0 of both.
    """

    def __init__(
        self,
        columns: Columns,
        rows: np.ndarray,
        cross: np.ndarray,
        concentration: float,
    ) -> None:
        self.columns, self.concentration = columns, concentration
        self.labels = [_dense(rows), _dense(cross)]

    def copy(self) -> Blocks:
        """One that can be changed without changing this one."""
        return Blocks(self.columns, *self.labels, self.concentration)

    def objective(self) -> float:
        """Exact negative log joint of rows, columns and cells, in nats and the user's units."""
        self._load(0)
        log_p = self._alone(len(self.sizes)).sum() + self.columns.log_constant
        for labels in self.labels:
            log_p += log_restaurant(np.bincount(labels), self.concentration)
        return -float(log_p)

    def _load(self, side: int) -> None:
        """The statistics of the blocks with rows or columns as lines, and the lines' sizes."""
        lines, across = self.labels[side], self.labels[1 - side]
        self.sizes, self.n_across = np.bincount(lines), int(across.max()) + 1
        n_columns = self.labels[1].size
        self.steps = (n_columns, 1) if side == 0 else (1, n_columns)
        blocks = np.add.outer(lines * self.n_across, across)
        partition = Partition(self.columns, 1.0, (blocks if side == 0 else blocks.T).ravel())
        self.work, n = partition.clusters.work, partition.n_clusters
        # Room for as many clusters of lines again, and one block that stays empty.
        room = (len(self.sizes) + 4) * self.n_across + 1
        state = partition.clusters.state
        self.state = np.column_stack([state[:, :n], np.repeat(state[:, n : n + 1], room, axis=1)])
        self.empty = self.state.shape[1] - 1
        self.work = np.empty((self.work.shape[0], max(self.work.shape[1], self.state.shape[1])))

    def _marginals(self, k: int, n: int) -> np.ndarray:
        """Ln p of block k together with every block of the first n clusters of lines, (n, B)."""
        out, n_blocks = np.empty(self.state.shape[1]), n * self.n_across
        table = self.columns.table
        log_marginals(table, self.state, np.int64(k), np.int64(n_blocks), out, self.work)
        return out[:n_blocks].reshape(n, self.n_across)

    def _alone(self, n: int) -> np.ndarray:
        """Ln p of the cells of every cluster of lines, shape (n,)."""
        return self._marginals(self.empty, n).sum(axis=1)

    def _with(self, a: int, n: int) -> np.ndarray:
        """Ln p of the cells of a cluster of lines together with those of every other, (n,)."""
        first = a * self.n_across
        return sum(self._marginals(first + b, n)[:, b] for b in range(self.n_across))

    def _blocks(self, a: int) -> slice:
        return slice(a * self.n_across, (a + 1) * self.n_across)

    def sweep(self, side: int, order: np.ndarray) -> None:
        """Visit lines and move each to the cluster that lowers E most, or to a new one."""
        self._load(side)
        for i in order:
            if (len(self.sizes) + 2) * self.n_across > self.empty:
                self._load(side)
            self._visit(side, i)

    def _visit(self, side: int, i: int) -> None:
        labels, across, n = self.labels[side], self.labels[1 - side], len(self.sizes)
        was, table = labels[i], self.columns.table
        cells = i * self.steps[0] + np.arange(across.size) * self.steps[1]
        move_cells(table, self.state, cells, was * self.n_across + across, -1.0, self.work)
        self.sizes[was] -= 1
        nothing = self.state[:, [self.empty]]
        if self.sizes[was] == 0:  # exactly empty, without the rounding of what was taken out
            self.state[:, self._blocks(was)] = nothing
        self.state[:, self._blocks(n)] = nothing
        move_cells(table, self.state, cells, n * self.n_across + across, 1.0, self.work)
        alone = self._alone(n + 1)
        counts = np.append(self.sizes, self.concentration)
        with np.errstate(divide="ignore"):  # a cluster that is empty now is not chosen
            gains = np.log(counts) + np.append(self._with(n, n) - alone[:n], alone[n])
        best = int(np.argmax(gains))
        if gains[best] <= gains[was if self.sizes[was] else n] + TIE:
            best = was
        if best == n:
            self.sizes = np.append(self.sizes, 0)
        else:
            move_cells(table, self.state, cells, best * self.n_across + across, 1.0, self.work)
            self.state[:, self._blocks(n)] = nothing
        self.sizes[best] += 1
        labels[i] = best
        if self.sizes[was] == 0:  # the last takes its place
            last = len(self.sizes) - 1
            self.state[:, self._blocks(was)] = self.state[:, self._blocks(last)]
            self.state[:, self._blocks(last)] = nothing
            labels[labels == last] = was
            self.sizes[was] = self.sizes[last]
            self.sizes = self.sizes[:last]

    def merge(self, side: int) -> bool:
        """Merge the two clusters of rows or columns that lower E most, if any do."""
        self._load(side)
        n, sizes = len(self.sizes), self.sizes
        own = self._alone(n) + gammaln(sizes)
        both = np.array([self._with(a, n) for a in range(n)]) + gammaln(sizes[:, None] + sizes)
        gains = both - own[:, None] - own - math.log(self.concentration)
        np.fill_diagonal(gains, -np.inf)
        kept, gone = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[kept, gone] <= TIE:
            return False
        labels = self.labels[side]
        self.labels[side] = _dense(np.where(labels == gone, kept, labels))
        return True


def _dense(labels: np.ndarray) -> np.ndarray:
    return np.unique(labels, return_inverse=True)[1].ravel()


@dataclass
class _Search:
    """Descents from several starts under one prior, and of what is perturbed."""

    encoded: Encoded
    unit: Unit
    prior: Prior
    model: Biclusters
    random: np.random.Generator
    callback: Callback
    done: int = 0

    def __post_init__(self) -> None:
        cells = Encoded(np.ascontiguousarray(self.encoded.values.reshape(-1, 1)), (self.unit,))
        self.columns = Columns.pack(cells, (self.prior,))

    def from_starts(self) -> Optimum:
        """Descend from one block, and from rows and columns that were clustered by themselves."""
        n, m = self.encoded.values.shape
        apart = self._by_themselves(self.encoded.values), self._by_themselves(self.encoded.values.T)
        starts = (np.zeros(n, dtype=np.int64), np.zeros(m, dtype=np.int64)), apart
        found = []
        for start in starts:
            blocks = Blocks(self.columns, *start, self.model.concentration)
            steps = self._descend(blocks)
            found.append(Optimum(blocks, steps[-1], steps))
        return lowest(found)

    def perturbed(self, best: Optimum, fails: int) -> Optimum:
        """Disturb rows and columns and descend again."""
        blocks = best.state.copy()
        self._perturb(blocks)
        objective = self._descend(blocks)[-1]
        return Optimum(blocks, objective, [*best.trace, objective])

    def _by_themselves(self, values: np.ndarray) -> np.ndarray:
        """MAP-DP of lines whose cells are each a column of their own, of the family and prior."""
        values = np.ascontiguousarray(values)
        units = tuple(
            Unit(f"x{j}", self.unit.family, (f"x{j}",), self.unit.options)
            for j in range(values.shape[1])
        )
        model = MAPDP(
            self.model.concentration,
            prior=[self.prior] * len(units),
            patience=0,
            random_state=self.random,
        )
        return model.fit_encoded(Encoded(values, units), lambda step: self._tell(np.inf, 0)).labels_

    def _descend(self, blocks: Blocks) -> list[float]:
        """Rows and columns move in turns, clusters of either merge, until E rests."""
        trace = [blocks.objective()]
        while True:
            for side in (0, 1):
                blocks.sweep(side, self.random.permutation(blocks.labels[side].size))
                while blocks.merge(side):
                    pass
            trace.append(blocks.objective())
            self._tell(trace[-1], int(blocks.labels[0].max()) + 1)
            if trace[-2] - trace[-1] < TIE:
                return trace

    def _perturb(self, blocks: Blocks) -> None:
        """Divide a cluster of rows or columns at random, or scatter some lines."""
        side = int(self.random.integers(2))
        labels = blocks.labels[side]
        k = int(self.random.integers(labels.max() + 1))
        members = self.random.permutation(np.flatnonzero(labels == k))
        if members.size > 1 and self.random.random() < 0.5:
            labels[members[: members.size // 2]] = labels.max() + 1
        else:
            n = int(labels.max()) + 1
            some = self.random.permutation(labels.size)[: max(labels.size // 5, 1)]
            labels[some] = self.random.integers(n + 1, size=some.size)
            blocks.labels[side] = np.unique(labels, return_inverse=True)[1].ravel()

    def _tell(self, objective: float, n_clusters: int) -> None:
        self.done += 1
        phase = "rows and columns in clusters"
        self.callback(Progress(self.done, 2 * self.done, objective, n_clusters, phase))
