"""Biclustering: rows and columns in clusters at once (M12 eq. 25.62; Kemp and others 2006)."""

from copy import copy
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import gammaln

from ..engine.sweeps import TIE
from ..families import FAMILIES, Prior
from ..families.categorical import CountedPrior
from ..families.sufficient import Statistic, Sums
from ..inference.fit import Fit
from ..partitions.labels import by_size, log_restaurant, renumbered
from ..schema.encoded import Encoded, Unit
from .descent import Optimum, iterated
from .estimator import Callback, ClusterEstimator, above, one_of
from .mapdp import MAPDP
from .priors import EMPIRICAL_SCALE, SCALES
from .progress import Progress

#: Perturbations in a row without gain that end the search.
PATIENCE = 20


@dataclass(eq=False, repr=False)
class Biclusters(ClusterEstimator):
    """Cluster rows and columns of one family together, one distribution for each block of cells.

    Parameters
    ----------
    concentration : float
        Prior count N_0 of the rows, and of the columns.
    likelihood : str
        Key of ``FAMILIES`` for an array; a frame's columns must all be of one family.
    prior : "scale-grid" (the prior scale of lowest E, if the family has one), "empirical", or Prior
    random_state : int, Generator or None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (N,)
        Cluster of each row, 0 the largest.
    column_labels_ : ndarray of int64, shape (M,)
        Cluster of each column in the schema's order.
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
        unit, values = _one_unit(encoded), encoded.values
        random, n_0 = np.random.default_rng(self.random_state), self.concentration
        priors = {None: self.prior}
        if not isinstance(self.prior, Prior):
            one_of("scale-grid", "empirical")("prior", self.prior)
            family = FAMILIES[unit.family]
            scales = SCALES if self.prior == "scale-grid" and family.is_real else (EMPIRICAL_SCALE,)
            cells, options = values.ravel(), unit.options
            priors = {scale: family.default_prior(cells, scale, **options) for scale in scales}

        def by_themselves(lines: np.ndarray, prior: Prior) -> np.ndarray:
            """MAP-DP of lines whose cells are each a column of their own."""
            names = map(str, range(lines.shape[1]))
            units = tuple(replace(unit, name=name, columns=(name,)) for name in names)
            model = MAPDP(n_0, prior=prior, patience=0, random_state=random)
            return model.fit_encoded(Encoded(np.ascontiguousarray(lines), units)).labels_

        ends = []
        for scale, prior in priors.items():
            one = [np.zeros(n, dtype=np.int64) for n in values.shape]
            for labels in (one, [by_themselves(lines, prior) for lines in (values, values.T)]):
                start = Coclustering(values, prior, labels, n_0)
                ends.append((start.descended(random, callback), scale))
        best, self.prior_scale_ = min(ends, key=lambda end: end[0].objective)
        best = iterated(
            best,
            lambda best, fails: best.state.perturbed(random, callback, best.trace),
            lambda best: PATIENCE,
        )
        rows, cross = (by_size(lines)[0] for lines in best.state.labels)
        self.column_labels_, posterior = cross, best.state.prior.posterior
        self.blocks_ = tuple(
            tuple(posterior(values[rows == a][:, cross == b].ravel()) for b in np.unique(cross))
            for a in np.unique(rows)
        )
        return self._make_fit(rows, best.trace)


def _one_unit(encoded: Encoded) -> Unit:
    """A unit of the family that all columns share, with options that suit them all."""
    first, size = encoded.units[0], {"trials": int, "levels": len}
    family = FAMILIES[first.family]
    for unit in encoded.units:
        if unit.family != first.family or family.is_block:
            raise ValueError(
                f"Columns {first.name!r} ({first.family}) and {unit.name!r} ({unit.family}) are of"
                " different families, or blocks: biclusters need single ones of one family."
            )
    options = {
        name: max((unit.options[name] for unit in encoded.units), key=size[name])
        for name in family.prior_options
    }
    return Unit("cells", first.family, ("cells",), options)


class Coclustering:
    """Clusters of rows (N,), side 0, and of columns (M,), side 1, and their exact E."""

    def __init__(
        self, values: np.ndarray, prior: Prior, labels: list[np.ndarray], n_0: float
    ) -> None:
        self.prior, self.n_0, self.labels = prior, n_0, [*map(renumbered, labels)]
        #: About which squares are summed, so that they keep their digits.
        self.center = 0.0 if np.isnan(values).all() else float(np.nanmean(values))
        if isinstance(prior, CountedPrior):
            sums = prior.statistic(values.ravel(), np.arange(values.size), values.size).totals
        else:
            x = values.ravel() - self.center
            sums = np.where(np.isnan(x), 0.0, [np.ones_like(x), x, np.square(x)])
        #: Of every cell, shape (S, N, M).
        self.cells = sums.reshape(-1, *values.shape)

    def objective(self) -> float:
        """Exact negative log joint of rows, columns and cells, in nats."""
        log_p = self._log_p(self._sums(0)[1]).sum()
        log_p += sum(log_restaurant(np.bincount(lines), self.n_0) for lines in self.labels)
        return -float(log_p)

    def _sums(self, side: int) -> tuple[np.ndarray, np.ndarray]:
        """Sums over the clusters across: of each line (S, n, B), and of each cluster (S, K, B)."""
        cells = np.swapaxes(self.cells, 1, 2) if side else self.cells
        own, across = (np.eye(lines.max() + 1)[lines] for lines in self.labels[:: 1 - 2 * side])
        return cells @ across, own.T @ (cells @ across)

    def _log_p(self, sums: np.ndarray) -> np.ndarray:
        """Ln p of cells with these sums, shape (S, ..., B), over the clusters across."""
        flat = sums.reshape(len(sums), -1)
        statistic: Statistic = Sums(flat)
        if not isinstance(self.prior, CountedPrior):
            n, total, squares = np.where(flat[0] > 0.5, flat, 0.0)  # of none only rounding is left
            mean = total / np.where(n > 0.0, n, 1.0)
            state = np.stack([n, mean, np.maximum(squares - total * mean, 0.0)])
            statistic = self.prior.read_statistic(state, np.array([self.center]), np.ones(1))
        return self.prior.log_marginal_of(statistic).reshape(sums.shape[1:]).sum(axis=-1)

    def sweep(self, side: int, order: np.ndarray) -> None:
        """Visit lines and move each to the cluster that lowers E most, or to a new one."""
        labels, (lines, clusters) = self.labels[side].copy(), self._sums(side)
        sizes, none = np.bincount(labels), np.zeros_like(clusters[:, :1])
        for i in order:
            if sizes.all():  # an empty one is a new one
                sizes, clusters = np.append(sizes, 0), np.concatenate([clusters, none], axis=1)
            line, was = lines[:, i], labels[i]
            sizes[was] -= 1
            clusters[:, was] = clusters[:, was] - line if sizes[was] else 0.0
            with_and_without = np.stack([clusters + line[:, None], clusters], axis=1)
            gains = np.log(np.where(sizes > 0, sizes, self.n_0))
            gains += np.subtract(*self._log_p(with_and_without))
            best = int(np.argmax(gains))
            best = best if gains[best] > gains[was] + TIE else was
            labels[i] = best
            sizes[best] += 1
            clusters[:, best] += line
        self.labels[side] = renumbered(labels)

    def merge(self, side: int) -> bool:
        """Merge the two clusters of rows or columns that lower E most, if any do."""
        labels, clusters = self.labels[side], self._sums(side)[1]
        sizes = np.bincount(labels)
        own = self._log_p(clusters) + gammaln(sizes)
        both = self._log_p(clusters[:, :, None] + clusters[:, None])
        both += gammaln(sizes[:, None] + sizes)
        gains = both - own[:, None] - own - np.log(self.n_0)
        np.fill_diagonal(gains, -np.inf)
        kept, gone = np.unravel_index(np.argmax(gains), gains.shape)
        if gains[kept, gone] <= TIE:
            return False
        self.labels[side] = renumbered(np.where(labels == gone, kept, labels))
        return True

    def descended(self, random: np.random.Generator, callback: Any, trace: Any = ()) -> Optimum:
        """Rows and columns move in turns, clusters of either merge, until E converges."""
        before, now = np.inf, self.objective()
        trace = [*trace] or [now]
        while before - now >= TIE:
            for side in (0, 1):
                self.sweep(side, random.permutation(self.labels[side].size))
                while self.merge(side):
                    pass
            before, now = now, self.objective()
            callback(Progress(1, 2, now, 0, "rows and columns in clusters"))
            trace += [now] if now < trace[-1] else []
        return Optimum(self, now, trace)

    def perturbed(self, random: np.random.Generator, callback: Any, trace: Any) -> Optimum:
        """Descend after a cluster is divided at random, or some rows or columns are scattered."""
        labels = [lines.copy() for lines in self.labels]
        side = labels[int(random.integers(2))]
        n = int(side.max()) + 1
        if random.random() < 0.5:  # half of a cluster becomes one
            members = random.permutation(np.flatnonzero(side == random.integers(n)))
            side[members[: members.size // 2]] = n
        else:
            some = random.permutation(side.size)[: max(side.size // 5, 1)]
            side[some] = random.integers(n + 1, size=some.size)
        twin = copy(self)
        twin.labels = [*map(renumbered, labels)]
        return twin.descended(random, callback, trace)
