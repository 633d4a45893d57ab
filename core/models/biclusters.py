"""Biclustering: rows and columns in clusters at once, one parameter a block (M12 section 25.6.1).

p(x | r, c, theta) = prod_ij p(x_ij | theta_{r_i, c_j}) with a restaurant process for the rows and
one for the columns (M12 eq. 25.62; the infinite relational model of Kemp and others 2006), the
parameters integrated out.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

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
from .arguments import above
from .descent import Optimum, iterated, lowest
from .estimator import Callback, ClusterEstimator
from .mapdp import MAPDP
from .priors import EMPIRICAL_SCALE, SCALES
from .progress import Progress

#: Perturbations in a row without gain that end the search.
PATIENCE = 20


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
    random_state: Any = None

    limits: ClassVar = {"concentration": above(0.0)}

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        unit, random = _one_unit(encoded), np.random.default_rng(self.random_state)
        found = []
        for scale, prior in self._priors(encoded, unit):
            search = _Search(encoded, unit, prior, self, random, callback)
            found.append((search.from_starts(), search, scale))
        best, search, self.prior_scale_ = min(found, key=lambda start: start[0].objective)
        best = iterated(best, search.perturbed, lambda best: PATIENCE)
        rows, cross = (by_size(labels)[0] for labels in best.state.labels)
        self.column_labels_, values = cross, encoded.values
        self.blocks_ = tuple(
            tuple(
                search.prior.posterior(values[np.ix_(rows == a, cross == b)].ravel())
                for b in range(cross.max() + 1)
            )
            for a in range(rows.max() + 1)
        )
        return self._found(rows, best.trace, column_labels=cross, prior_scale=self.prior_scale_)

    def _priors(self, encoded: Encoded, unit: Unit) -> list[tuple[float | None, Prior]]:
        """The prior of a cell: one given, one derived, or one for each scale of the grid."""
        if isinstance(self.prior, Prior):
            return [(None, self.prior)]
        if self.prior not in ("scale-grid", "empirical"):
            raise ValueError(
                f"prior={self.prior!r} is not allowed: give 'scale-grid', 'empirical', or a Prior."
            )
        family, cells = FAMILIES[unit.family], encoded.values.ravel()
        scales = SCALES if self.prior == "scale-grid" and family.is_real else (EMPIRICAL_SCALE,)
        return [(scale, family.default_prior(cells, scale, **unit.options)) for scale in scales]


def _one_unit(encoded: Encoded) -> Unit:
    """The family that all columns share, with the options that suit them all.

    Raises
    ------
    ValueError
        Columns of several families, or of a block.
    """
    first = encoded.units[0]
    family = FAMILIES[first.family]
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
    widest = {"trials": max, "levels": lambda of: max(of, key=len)}
    options = {
        name: widest[name](unit.options[name] for unit in encoded.units)
        for name in family.prior_options
    }
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
        self, columns: Columns, rows: np.ndarray, cross: np.ndarray, concentration: float
    ) -> None:
        self.columns, self.concentration = columns, concentration
        self.labels = [_dense(rows), _dense(cross)]

    def objective(self) -> float:
        """Exact negative log joint of rows, columns and cells, in nats and the user's units."""
        self._load(0)
        log_p = self._alone(self.sizes.size).sum() + self.columns.log_constant
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
        n, state = partition.n_clusters, partition.clusters.state
        # Room for one more cluster of lines, and one block that stays empty.
        room = np.repeat(state[:, n : n + 1], self.n_across + 1, axis=1)
        self.state, self.empty = np.column_stack([state[:, :n], room]), n + self.n_across
        self.work = np.empty((len(partition.clusters.work), self.state.shape[1]))

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

    def sweep(self, side: int, order: np.ndarray) -> None:
        """Visit lines and move each to the cluster that lowers E most, or to a new one."""
        self._load(side)
        for i in order:
            self._visit(side, i)

    def _visit(self, side: int, i: int) -> None:
        labels, across, n = self.labels[side], self.labels[1 - side], self.sizes.size
        cells = i * self.steps[0] + np.arange(across.size) * self.steps[1]

        def move(cluster: int, sign: float) -> None:
            blocks = cluster * self.n_across + across
            move_cells(self.columns.table, self.state, cells, blocks, sign, self.work)

        was = labels[i]
        if self.sizes[was] == 1:  # whose statistics then are those of the line alone
            self.state[:, self._blocks(n)] = self.state[:, self._blocks(was)]
            self.state[:, self._blocks(was)] = self.state[:, [self.empty]]
        else:
            move(was, -1.0)
            move(n, 1.0)
        self.sizes[was] -= 1
        alone = self._alone(n + 1)
        counts = np.append(self.sizes, self.concentration)
        with np.errstate(divide="ignore"):  # a cluster that is empty now is not chosen
            gains = np.log(counts) + np.append(self._with(n, n) - alone[:n], alone[n])
        best, stay = int(np.argmax(gains)), was if self.sizes[was] else n
        if gains[best] <= gains[stay] + TIE:
            best = stay
        labels[i] = best
        if best < n:
            move(best, 1.0)
            self.state[:, self._blocks(n)] = self.state[:, [self.empty]]
            self.sizes[best] += 1
        if best == n or not self.sizes[was]:  # clusters came or went
            self.labels[side] = _dense(labels)
            self._load(side)

    def _blocks(self, a: int) -> slice:
        return slice(a * self.n_across, (a + 1) * self.n_across)

    def merge(self, side: int) -> bool:
        """Merge the two clusters of rows or columns that lower E most, if any do."""
        self._load(side)
        n, sizes = self.sizes.size, self.sizes
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
        values = self.encoded.values
        one = tuple(np.zeros(n, dtype=np.int64) for n in values.shape)
        starts = one, (self._by_themselves(values), self._by_themselves(values.T))
        return lowest([self._descended(*start) for start in starts])

    def perturbed(self, best: Optimum, fails: int) -> Optimum:
        """Divide a cluster of rows or columns at random, or scatter some lines; descend again."""
        labels = [some.copy() for some in best.state.labels]
        side = labels[int(self.random.integers(2))]
        n = int(side.max()) + 1
        members = self.random.permutation(np.flatnonzero(side == self.random.integers(n)))
        if members.size > 1 and self.random.random() < 0.5:
            side[members[: members.size // 2]] = n
        else:
            some = self.random.permutation(side.size)[: max(side.size // 5, 1)]
            side[some] = self.random.integers(n + 1, size=some.size)
        found = self._descended(*labels)
        return Optimum(found.state, found.objective, [*best.trace, found.objective])

    def _by_themselves(self, values: np.ndarray) -> np.ndarray:
        """MAP-DP of lines whose cells are each a column of their own, of the family and prior."""
        names = [f"x{j}" for j in range(values.shape[1])]
        units = tuple(Unit(name, self.unit.family, (name,), self.unit.options) for name in names)
        model = MAPDP(
            self.model.concentration,
            prior=[self.prior] * len(units),
            patience=0,
            random_state=self.random,
        )
        lines = Encoded(np.ascontiguousarray(values), units)
        return model.fit_encoded(lines, lambda step: self._tell(np.inf, 0)).labels_

    def _descended(self, rows: np.ndarray, cross: np.ndarray) -> Optimum:
        """Rows and columns move in turns, clusters of either merge, until E rests."""
        blocks = Blocks(self.columns, rows, cross, self.model.concentration)
        trace = [blocks.objective()]
        while len(trace) < 2 or trace[-2] - trace[-1] >= TIE:
            for side in (0, 1):
                blocks.sweep(side, self.random.permutation(blocks.labels[side].size))
                while blocks.merge(side):
                    pass
            trace.append(blocks.objective())
            self._tell(trace[-1], int(blocks.labels[0].max()) + 1)
        return Optimum(blocks, trace[-1], trace)

    def _tell(self, objective: float, n_clusters: int) -> None:
        self.done += 1
        phase = "rows and columns in clusters"
        self.callback(Progress(self.done, 2 * self.done, objective, n_clusters, phase))
