"""Biclustering: rows and columns in clusters at once, one parameter a block (M12 section 25.6.1).

p(x | r, c, theta) = prod_ij p(x_ij | theta_{r_i, c_j}) with a restaurant process for the rows and
one for the columns (M12 eq. 25.62; the infinite relational model of Kemp and others 2006), the
parameters integrated out.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ..engine.columns import Columns
from ..engine.crossing import Crossing
from ..engine.sweeps import TIE
from ..families import FAMILIES, Prior
from ..inference.fit import Fit
from ..partitions.labels import by_size
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
        N_0 of the rows.
    column_concentration : float
        N_0 of the columns.
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
    column_concentration: float = 3.0
    _: KW_ONLY
    likelihood: str = "bernoulli"
    prior: Any = "scale-grid"
    patience: int = 20
    random_state: Any = None

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        for name in ("concentration", "column_concentration"):
            check_number(name, getattr(self, name), 0.0, allow_equal=False)
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
        concentrations = self.model.concentration, self.model.column_concentration
        found = []
        for start in starts:
            crossing = Crossing(self.columns, *start, concentrations)
            steps = self._descend(crossing)
            found.append(Optimum(crossing, steps[-1], steps))
        return lowest(found)

    def perturbed(self, best: Optimum, fails: int) -> Optimum:
        """Disturb rows and columns and descend again."""
        crossing = best.state.copy()
        self._perturb(crossing)
        objective = self._descend(crossing)[-1]
        return Optimum(crossing, objective, [*best.trace, objective])

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

    def _descend(self, crossing: Crossing) -> list[float]:
        """Rows and columns move in turns, clusters of either merge, until E rests."""
        trace = [crossing.objective()]
        while True:
            for side in (0, 1):
                crossing.sweep(side, self.random.permutation(crossing.labels[side].size))
                while crossing.merge(side):
                    pass
            trace.append(crossing.objective())
            self._tell(trace[-1], int(crossing.labels[0].max()) + 1)
            if trace[-2] - trace[-1] < TIE:
                return trace

    def _perturb(self, crossing: Crossing) -> None:
        """Divide a cluster of rows or columns at random, or scatter some of its lines."""
        side = int(self.random.integers(2))
        labels = crossing.labels[side]
        k = int(self.random.integers(labels.max() + 1))
        members = self.random.permutation(np.flatnonzero(labels == k))
        if members.size > 1 and self.random.random() < 0.5:
            labels[members[: members.size // 2]] = labels.max() + 1
        else:
            n = int(labels.max()) + 1
            some = self.random.permutation(labels.size)[: max(labels.size // 5, 1)]
            labels[some] = self.random.integers(n + 1, size=some.size)
            crossing.labels[side] = np.unique(labels, return_inverse=True)[1].ravel()

    def _tell(self, objective: float, n_clusters: int) -> None:
        self.done += 1
        phase = "rows and columns in clusters"
        self.callback(Progress(self.done, 2 * self.done, objective, n_clusters, phase))
