"""Several groupings of one table: cross-categorization (M12 section 25.6.2, eqs. 25.63-25.66).

Columns choose among known groupings of the rows, at first those of the nodes of a tree of the
columns by dependence, as most tell nothing alone; those chosen are searched anew with their
columns. A column with its special outcomes, or a block, counts as one.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from ..engine.packed import PackedTable, default_priors
from ..engine.partition import Partition
from ..engine.sweeps import TIE
from ..families import FAMILIES
from ..families.family import CATEGORY
from ..inference.contributions import shown_units, unit_log_marginals
from ..inference.fit import Fit
from ..partitions.consensus import rows_to_compare
from ..partitions.labels import by_size, log_restaurant
from ..schema.encoded import Encoded
from .descent import Optimum, iterated
from .estimator import Callback, WeighsRows, above, whole
from .mapdp import MAPDP
from .numeric import numeric_encoding
from .priors import EMPIRICAL_SCALE, SCALES, given_priors
from .progress import Progress, Stages
from .search import Search

#: Cells above which ``patience`` shrinks with their number; bins of a column with more values.
SMALL, BINS = 2_000, 4


@dataclass(eq=False, repr=False)
class MAPViews(WeighsRows):
    """Divide the columns into views and group the rows anew in every view.

    A column that tells the groups of its view by less than ln M nats joins those that tell none, in
    a view of one cluster: fewer than one is expected with groups that it does not tell. E is never
    above that of one partition by all columns.

    Parameters
    ----------
    concentration : float
        Prior count N_0 of the rows.
    view_concentration : float
        Prior count of the columns.
    likelihood, prior, likelihood_power
        As in ``MAPDP``; the prior scale is chosen for every view.
    patience : int
        Perturbations in a row without gain that end the last search of every view.
    random_state : int, Generator or None

    Attributes
    ----------
    view_of_column_ : ndarray of int64, shape (M,)
        In the schema's order; 0 has most columns.
    views_ : tuple of MAPDP
        A fitted model for each view.
    objective_ : float
        Exact negative log joint of rows and columns together, in nats.
    single_, single_objective_ : MAPDP, float
        The model of all columns in one view, and its E.
    dependence_ : ndarray of float64, shape (U, U)
        Log Bayes factor of two units' dependence, nats.
        A column with its special outcomes is one unit, as is a block.
    labels_ : ndarray of int64, shape (N,)
        Of the largest view with more than one cluster.
    result_ : Fit

    Examples
    --------
    >>> import numpy as np
    >>> from mapdp_studio import MAPViews
    >>> random = np.random.default_rng(0)
    >>> one, other = random.integers(2, size=(2, 200))  # two groupings that know nothing of another
    >>> rows = 8.0 * np.column_stack([one, one, other, other]) + random.normal(size=(200, 4))
    >>> MAPViews(random_state=0).fit(rows).view_of_column_
    array([0, 0, 1, 1])
    """

    concentration: float = 3.0
    view_concentration: float = 1.0
    _: KW_ONLY
    likelihood: str = "normal"
    prior: Any = "scale-grid"
    likelihood_power: float = 1.0
    patience: int = 45
    random_state: Any = None

    limits: ClassVar = {
        **dict.fromkeys(("concentration", "view_concentration"), above(0.0)),
        "patience": whole(0),
    }

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        stages = Stages(callback, 2)
        self.single_ = self._new_model(self.prior)
        self.single_.fit_encoded(encoded, stages.begin("all columns together"))
        stages.begin("columns in views")
        found = ViewSearch(self, encoded, stages)
        views, trace = found.run()
        self.single_objective_, self.dependence_ = found.single, found.dependence
        of_place, chosen = by_size(views)
        schema = self.single_.schema_ = getattr(self, "schema_", None)
        self.views_ = tuple(
            self._model(found, of_place == v, p, schema) for v, p in enumerate(chosen)
        )
        of_unit = of_place[found.place]
        of_column = np.repeat(of_unit, [len(unit.columns) for unit in encoded.units])
        if schema is not None:  # in the encoded order blocks stand together
            of_column = of_column[[encoded.names.index(name) for name in schema.names("cluster")]]
        self.view_of_column_ = of_column
        return self._make_fit(self._shown().labels_, trace, view_of_unit=of_unit)

    def label_others(self, encoded: Encoded, rows: np.ndarray) -> Self:
        """After a fit to some rows of a table, the others get a cluster in every view."""
        of_unit = self.result_.details["view_of_unit"]
        for v, view in enumerate(self.views_):
            view.label_others(encoded.of_units(np.flatnonzero(of_unit == v)), rows)
        self._set_result(self._with_labels(self.result_, encoded, self._shown().labels_))
        return self

    def _shown(self) -> MAPDP:
        return next((model for model in self.views_ if model.n_clusters_ > 1), self.views_[0])

    def _new_model(self, prior: Any) -> MAPDP:
        names = "concentration", "likelihood", "likelihood_power", "patience", "random_state"
        return MAPDP(prior=prior, **{name: getattr(self, name) for name in names})

    def _model(self, found: "ViewSearch", inside: np.ndarray, p: int, schema: Any) -> MAPDP:
        if p == 0 and inside.all():
            return self.single_
        labels, scale = found.groupings[p]
        packed = found.pack(np.flatnonzero(inside), scale)
        for name in () if schema is None else schema.names("cluster"):
            if name not in packed.encoded.columns:
                out = {"role": "ignore", "reason": "Belongs to another view."}
                schema = schema.with_column_apart(name).with_column(name, **out)
        partition = Partition.of_labels(packed, self.concentration, labels)
        return self._new_model(packed.priors).adopt(partition, scale, schema)


class ViewSearch:
    """Lowers E of views: ``chosen`` (U,) is the known grouping of each column or block."""

    def __init__(self, model: MAPViews, encoded: Encoded, stages: Stages) -> None:
        self.model, self.encoded, self._stages = model, encoded, stages
        self.random = np.random.default_rng(model.random_state)
        #: One a unit; None derives them at the prior scale of each view.
        self.priors = None if isinstance(model.prior, str) else given_priors(model.prior, encoded)
        #: The prior scale that the search begins with, and those among which each view chooses.
        self.scale = None if model.single_.prior_scale_ is None else EMPIRICAL_SCALE
        chooses = model.prior == "scale-grid" and self.scale is not None
        self.scales: Sequence[float | None] = SCALES if chooses else (self.scale,)
        names, self.place = shown_units(encoded)
        self.n_units, self._whole = len(names), dict[float | None, PackedTable]()
        #: Labels of every known grouping and its prior scale, None where priors were given.
        self.groupings: list[tuple[np.ndarray, float | None]] = []
        #: -ln p of every column or block under each, (P, U), and -ln of each one's own prior, (P,).
        self.costs, self.rows_costs = np.empty((0, self.n_units)), np.empty(0)
        self.divides, self.price = np.empty(0, dtype=bool), 0.0
        self._numbers: dict[tuple[bytes, float | None], int] = {}
        self._fitted: set[tuple[int, bytes]] = set()
        self.add(model.single_.labels_, model.single_.prior_scale_)

    def pack(self, units: ArrayLike, scale: float | None) -> PackedTable:
        """Some columns and blocks, packed under a prior scale or under their given priors."""
        if scale not in self._whole:
            priors = self.priors or default_priors(self.encoded, scale)
            self._whole[scale] = PackedTable.pack(self.encoded, priors, self.model.likelihood_power)
        whole, inside = self._whole[scale], np.flatnonzero(np.isin(self.place, units))
        if inside.size == self.place.size:
            return whole
        priors = [whole.priors[u] for u in inside]
        return PackedTable.pack(self.encoded.of_units(inside), priors, whole.table.power)

    def add(self, labels: np.ndarray, scale: float | None) -> int:
        """Add a known grouping; return its number."""
        key = pd.factorize(labels)[0].tobytes(), scale
        if key in self._numbers:
            return self._numbers[key]
        self._numbers[key] = len(self.groupings)
        packed = self.pack(self.place, scale)
        partition = Partition.of_labels(packed, self.model.concentration, labels)
        costs = np.bincount(self.place, -unit_log_marginals(partition).sum(axis=1))
        rows_cost = -log_restaurant(partition.sizes, partition.concentration)
        self.groupings.append((labels, scale))
        self.divides = np.append(self.divides, labels.max() > 0)
        self.costs = np.vstack([self.costs, costs + self.price * self.divides[-1]])
        self.rows_costs = np.append(self.rows_costs, rows_cost)
        return self._numbers[key]

    def fit(self, units: ArrayLike, p: int | None = None, patience: int = 0) -> int:
        """Search with some columns, from a known grouping or from scratch; its number."""
        start, scale = (None, self.scale) if p is None else self.groupings[p]
        n_0, packed = self.model.concentration, self.pack(units, scale)
        begun, report = Progress(1, 2, np.inf, 0), self._stages.report
        search = Search(packed, n_0, self.random, lambda _: report(begun))
        return self.add(search.run(patience, start).state.labels, scale)

    def objective(self, chosen: np.ndarray) -> float:
        """E of views; columns in no view, -1, are left out."""
        units = np.flatnonzero(chosen >= 0)
        used, sizes = np.unique(chosen[units], return_counts=True)
        cells = self.costs[chosen[units], units].sum() + self.rows_costs[used].sum()
        return float(cells - log_restaurant(sizes, self.model.view_concentration))

    def run(self) -> tuple[np.ndarray, list[float]]:
        """Views of low E and the E that led there, from all columns in the first grouping."""
        self.single = single = self.objective(np.zeros(self.n_units, dtype=np.int64))
        self.dependence = self._dependence()
        n_failures = int(self.model.patience * min(1.0, SMALL / self.encoded.values.size))
        best = iterated(
            self._descended(self._cut_tree(), [single]),
            lambda best, fails: self._descended(self._perturbed(best.state), best.trace),
            lambda best: n_failures,
        )
        for p in np.unique(best.state):
            self.fit(np.flatnonzero(best.state == p), p, self.model.patience)
        best = self._descended(best.state, best.trace)
        views = self.without_weak_columns(best.state, single)
        end = self.objective(views)  # above some steps, where columns left for want of evidence
        return views, [*(step for step in best.trace if step > end), end]

    def _cut_tree(self) -> np.ndarray:
        """The cut of lowest E of a tree of the columns by dependence; its nodes become known."""
        n = self.n_units
        at = [self.fit([u]) for u in range(n)]
        cuts = [np.where(np.arange(n) == u, p, -1) for u, p in enumerate(at)]
        distance = self.dependence.max() - self.dependence
        np.fill_diagonal(distance, 0.0)
        tree = linkage(squareform(distance, checks=False), "average") if n > 1 else np.empty((0, 4))
        for a, b in tree[:, :2].astype(np.int64):
            apart = np.maximum(cuts[a], cuts[b])
            units = np.flatnonzero(apart >= 0)
            ends = [self.fit(units) if units.size < n else 0]
            ends += [self.fit(units, at[node]) for node in (a, b) if self.divides[at[node]]]
            together = [np.where(apart >= 0, p, -1) for p in ends]
            at.append(min(zip(map(self.objective, together), ends, strict=True))[1])
            cuts.append(min([apart, *together], key=self.objective))
        return cuts[-1]

    def _descended(self, chosen: np.ndarray, trace: list[float]) -> Optimum:
        """Choose groupings, and search those chosen with their columns, until E converges."""
        trace, n_groupings = list(trace), 0
        while n_groupings < len(self.groupings):
            chosen, n_groupings = self._converged(chosen), len(self.groupings)
            objective = self.objective(chosen)
            trace += [objective] if objective < trace[-1] - TIE else []
            for p in np.unique(chosen):
                inside = chosen == p
                if (p, inside.tobytes()) not in self._fitted:
                    self._fitted.add((p, inside.tobytes()))
                    labels, scale = self.groupings[p]
                    at = self.scales.index(scale)
                    for near in self.scales[max(at - 1, 0) : at + 2]:
                        self.fit(np.flatnonzero(inside), self.add(labels, near))
        return Optimum(chosen, objective, trace)

    def _converged(self, chosen: np.ndarray) -> np.ndarray:
        """Columns leave for another grouping one by one or together, until E converges."""
        now, before = self.objective(chosen), np.inf
        while now < before - TIE:
            before, chosen = now, self._moved(chosen)
            n, own = len(self.costs), self.costs[chosen, np.arange(chosen.size)]
            tried = [np.where(costs < own, p, chosen) for p, costs in enumerate(self.costs)]
            tried += [np.where(chosen == a, p, chosen) for a in np.unique(chosen) for p in range(n)]
            chosen = min([chosen, *tried], key=self.objective)
            now = self.objective(chosen)
        return chosen

    def _moved(self, chosen: np.ndarray) -> np.ndarray:
        """Every column chooses a grouping given the choices of the others."""
        chosen = chosen.copy()
        sizes = np.bincount(chosen, minlength=len(self.groupings))
        for u in self.random.permutation(chosen.size):
            sizes[chosen[u]] -= 1
            prices = self.costs[:, u] + np.where(sizes > 0, 0.0, self.rows_costs)
            prices -= np.log(np.where(sizes > 0, sizes, self.model.view_concentration))
            prices[chosen[u]] -= TIE
            chosen[u] = np.argmin(prices)
            sizes[chosen[u]] += 1
        return chosen

    def _perturbed(self, chosen: np.ndarray) -> np.ndarray:
        """Some columns leave for a known grouping, though that may cost."""
        p = int(self.random.integers(len(self.groupings)))
        most = int(self.random.integers(1, max(self.n_units // 2, 2)))
        rank = np.argsort(np.argsort(self.costs[p] - self.costs[chosen, np.arange(chosen.size)]))
        return np.where(rank < most, p, chosen)

    def without_weak_columns(self, chosen: np.ndarray, most: float) -> np.ndarray:
        """Views after columns left whose evidence for their groups is below ln U nats each.

        Evidence is the rise of E if columns, one or several of a view, join those that tell no
        groups; E may not rise above ``most``.
        """
        for scale in {self.groupings[p][1] for p in chosen}:
            self.add(np.zeros_like(self.groupings[0][0]), scale)
        self.price = np.log(chosen.size)  # of a column in a view of several groups
        self.costs += self.price * self.divides[:, None]
        after = self._descended(chosen, [np.inf]).state
        self.costs -= self.price * self.divides[:, None]
        return after if self.objective(after) <= most else chosen

    def _dependence(self) -> np.ndarray:
        """Log Bayes factor of every pair, in bins, for dependence, in nats, (U, U).

        ln p of one in the bins of the other less ln p of all, the larger way; the diagonal is void.
        """
        packed = self.pack(self.place, self.scale)
        packed = packed.subset(rows_to_compare(packed.n_rows, self.random))
        nats = np.zeros((len(packed.encoded.units),) * 2)
        for u in range(len(nats)):
            bins = _bins(packed.encoded, u)
            seen = np.flatnonzero(bins >= 0)
            if bins.max(initial=0) > 0:
                part = packed.subset(seen)
                apart = unit_log_marginals(Partition.of_labels(part, 1.0, bins[seen])).sum(axis=1)
                nats[u] = apart - unit_log_marginals(Partition.of_labels(part, 1.0))[:, 0]
        found = np.zeros((self.n_units,) * 2)
        np.maximum.at(found, np.ix_(self.place, self.place), np.maximum(nats, nats.T))
        return found


def _bins(encoded: Encoded, u: int) -> np.ndarray:
    """Bin of every row by its value in a unit, -1 where it is missing, shape (N,)."""
    family, values = FAMILIES[encoded.units[u].family], encoded.unit_values(u)
    if family.is_block:  # the place on the first principal axis
        part = encoded.of_units(np.array([u]))
        numbers = numeric_encoding(part).apply(part.values)
        axis = np.linalg.svd(numbers - numbers.mean(axis=0), full_matrices=False)[2][0]
        values = np.where(np.isnan(values).all(axis=1), np.nan, numbers @ axis)
    if family.kind != CATEGORY and np.unique(values[~np.isnan(values)]).size > BINS:
        values = pd.qcut(values, BINS, labels=False, duplicates="drop")
    return pd.factorize(values, sort=True)[0]
