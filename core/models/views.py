"""Several groupings of one table: cross-categorization (M12 section 25.6.2, eqs. 25.63-25.66).

A tree of the columns by dependence is cut where E is lowest, as most tell nothing alone; then
columns move. A column with its special outcomes, or a block, counts as one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from ..engine.columns import Columns, default_priors
from ..engine.partition import Partition
from ..engine.sweeps import TIE
from ..families import FAMILIES
from ..families.family import CATEGORY
from ..inference.contributions import shown_units, unit_log_marginals
from ..inference.fit import Fit
from ..partitions.labels import by_size, log_restaurant
from ..schema.encoded import Encoded
from ..schema.rows import set_aside
from .arguments import above, whole
from .descent import Optimum, iterated
from .estimator import Callback, WeighsRows
from .mapdp import MAPDP
from .numeric import numeric_encoding
from .priors import EMPIRICAL_SCALE, choose_prior, given_priors
from .progress import Progress, Stages
from .search import search

#: Cells above which ``patience`` shrinks with their number, for each perturbation takes longer.
SMALL = 2_000
#: Bins of a column with more values than that, and rows on which dependence is measured.
BINS, SAMPLE = 4, 2_000
SEEDS = 40


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
        stages = Stages(callback, 4)
        self.single_ = self._new_model(self.prior)
        self.single_.fit_encoded(encoded, stages.begin("all columns together"))
        stages.end()
        stages.begin("how columns depend on each other")
        found = ViewSearch(self, encoded, stages)
        whole = found.view(range(found.n_units), self.single_.labels_, self.single_.prior_scale_)
        self.single_objective_, self.dependence_ = found.objective([whole]), found.dependence()
        best = Optimum([whole], self.single_objective_, [self.single_objective_])
        if found.n_units > 1:
            stages.end()
            stages.begin("columns in views")
            in_vain = int(self.patience * min(1.0, SMALL / encoded.values.size))
            best = found.run(self.dependence_, whole, self.patience, in_vain)
            stages.end()
            stages.begin("columns that tell nothing")
        views, trace = best.state, best.trace
        if views != [whole]:
            views = found.dismissed(views, math.log(found.n_units), self.single_objective_)
        views = sorted(views, key=lambda view: (-len(view.units), view.units))
        schema = self.single_.schema_ = getattr(self, "schema_", None)
        self.views_ = tuple(
            self.single_ if v is whole else self._model(found, v, schema) for v in views
        )
        of_place = {u: v for v, view in enumerate(views) for u in view.units}
        of_unit = np.array([of_place[u] for u in found.place.tolist()])
        of_column = np.repeat(of_unit, [len(unit.columns) for unit in encoded.units])
        if schema is not None:  # in the encoded order blocks stand together
            of_column = of_column[[encoded.names.index(name) for name in schema.names("cluster")]]
        self.view_of_column_, objective = of_column, found.objective(views)
        # Steps to a lower E, from which columns left for want of evidence, did not lead here.
        trace = [*(step for step in trace if step > objective), objective]
        return self._found(self._shown().labels_, trace, view_of_unit=of_unit)

    def label_others(self, encoded: Encoded, rows: np.ndarray) -> MAPViews:
        """After a fit to some rows of a table, the others get a cluster in every view."""
        of_unit = self.result_.details["view_of_unit"]
        for v, view in enumerate(self.views_):
            view.label_others(encoded.of_units(np.flatnonzero(of_unit == v)), rows)
        self._publish(self._extended(self.result_, encoded, self._shown().labels_))
        return self

    def _shown(self) -> MAPDP:
        return next((model for model in self.views_ if model.n_clusters_ > 1), self.views_[0])

    def _new_model(self, prior: Any) -> MAPDP:
        names = "concentration", "likelihood", "likelihood_power", "patience", "random_state"
        return MAPDP(prior=prior, **{name: getattr(self, name) for name in names})

    def _model(self, found: ViewSearch, view: View, schema: Any) -> MAPDP:
        """A view's partition with its statistics, at rest; one cluster stays one."""
        if view.labels.max():
            partition = found.partition(view)
        else:
            columns = found.columns(view.units, view.scale)
            partition = Partition.at_rest(columns, self.concentration, view.labels)
        for name in () if schema is None else schema.names("cluster"):
            if name not in partition.columns.encoded.columns:
                schema = set_aside(schema, name, "Belongs to another view.")
        return self._new_model(partition.columns.priors).adopt(partition, view.scale, schema)


@dataclass(frozen=True, eq=False)
class View:
    """Some columns and blocks of a table, ascending, and a partition of the rows by them."""

    units: tuple[int, ...]
    labels: np.ndarray
    #: None where the priors were given.
    scale: float | None
    #: -ln p of every column or block of the table under this partition and scale, (U,).
    costs: np.ndarray
    #: -ln of the prior of the partition of the rows.
    rows_cost: float

    @property
    def objective(self) -> float:
        """E of the partition on its columns, in nats."""
        return self.rows_cost + float(self.costs[list(self.units)].sum())

    def of(self, units: Iterable[int]) -> View:
        """The same partition for other columns."""
        return replace(self, units=tuple(sorted(units)))


class ViewSearch:
    """Lowers E of rows and columns together, under the arguments of a ``MAPViews``."""

    def __init__(self, model: MAPViews, encoded: Encoded, stages: Stages) -> None:
        self.encoded, self.random = encoded, np.random.default_rng(model.random_state)
        self.concentration, self.view_concentration = model.concentration, model.view_concentration
        #: One a unit; None derives them at the prior scale of each view.
        self.priors = None if isinstance(model.prior, str) else given_priors(model.prior, encoded)
        #: The prior scale that the search begins with: a common one, each view chooses its own.
        self.scale = None if model.single_.prior_scale_ is None else EMPIRICAL_SCALE
        self.power, self.chooses_scale = model.likelihood_power, model.prior == "scale-grid"
        self.one = np.zeros(len(encoded.values), dtype=np.int64)
        names, self.place = shown_units(encoded)
        self.n_units, self._stages = len(names), stages
        self._whole: dict[float | None, Columns] = {}

    def tell(self, done: Any = 0.0, objective: float = np.inf, n_views: int = 0) -> None:
        """Tell which share of a step is done."""
        share = done if isinstance(done, float) else 0.0
        self._stages.report(Progress(share, 1, objective, n_views))

    def columns(self, units: Sequence[int], scale: float | None) -> Columns:
        """Some columns and blocks, packed under a prior scale or under their given priors."""
        is_whole = len(units) == self.n_units
        if is_whole and scale in self._whole:
            return self._whole[scale]
        inside = np.flatnonzero(np.isin(self.place, list(units)))
        part = self.encoded.of_units(inside)
        given = self.priors and [self.priors[u] for u in inside]
        packed = Columns.pack(part, given or default_priors(part, scale), self.power)
        if is_whole:
            self._whole[scale] = packed
        return packed

    def view(self, units: Iterable[int], labels: np.ndarray, scale: float | None) -> View:
        """A partition for some columns, and what all would cost under it."""
        columns = self.columns(range(self.n_units), scale)
        partition = Partition.at_rest(columns, self.concentration, labels)
        costs = np.bincount(self.place, -unit_log_marginals(partition).sum(axis=1))
        self.tell()
        rows_cost = -log_restaurant(partition.sizes, self.concentration)
        return View(tuple(sorted(units)), labels, scale, costs, rows_cost)

    def partition(self, view: View, patience: int = 0, fresh: bool = False) -> Partition:
        """A search for the partition of a view's columns, from the view's own on."""
        known, columns = None if fresh else view.labels, self.columns(view.units, view.scale)
        return self._searched(columns, known, patience)

    def _searched(self, columns: Columns, known: Any, patience: int = 0) -> Partition:
        return search(columns, self.concentration, self.random, patience, self.tell, known)[0]

    def fit(self, view: View, patience: int = 0, fresh: bool = False) -> View:
        """The view with the partition that the search finds."""
        return self.view(view.units, self.partition(view, patience, fresh).labels, view.scale)

    def _rescaled(self, view: View) -> View:
        """The view under the prior scale of lowest E on the grid, from its partition on."""

        def trial(columns: Columns, known: np.ndarray | None) -> tuple[np.ndarray, float]:
            found = self._searched(columns, view.labels if known is None else known)
            return found.labels, found.objective()

        part = self.columns(view.units, view.scale).encoded
        choice = choose_prior("scale-grid", part, trial, self.random)
        if choice.labels is None:  # no unit's prior has a scale
            return view
        return self.fit(replace(view, scale=choice.scale, labels=choice.labels))

    def objective(self, views: Sequence[View]) -> float:
        """E of views."""
        rows = sum(view.objective for view in views)
        return rows - log_restaurant([len(v.units) for v in views], self.view_concentration)

    def run(self, nats: np.ndarray, single: View, patience: int, perturbations: int) -> Optimum:
        """Search from the columns' dependence, (U, U), and from ``single``, all in one view."""
        nodes, cut = self._tree(nats, single)
        self.alone = nodes[: self.n_units]
        distinct = {by_size(view.labels)[0].tobytes(): view for view in nodes}.values()
        coarse = sorted(distinct, key=lambda view: (view.labels.max(), -len(view.units)))
        self.seeds = coarse[:SEEDS]
        best = iterated(
            self._descended(cut, [self.objective(cut)]),
            lambda best, fails: self._descended(self._perturbed(best.state), best.trace),
            lambda best: perturbations if len(self.seeds) > 1 else 0,
        )
        views = [single]
        if best.objective <= self.objective([single]):
            views = [self.fit(view, patience) for view in best.state]
        objective = self.objective(views)
        return Optimum(views, objective, [*best.trace, objective])

    def _tree(self, nats: np.ndarray, single: View) -> tuple[list[View], list[View]]:
        """Fit every node of the tree of columns; all nodes, and the cut of lowest E."""
        n = self.n_units
        nodes = [self.fit(self.view([u], self.one, self.scale), fresh=True) for u in range(n)]
        best = [(self._node_cost(node), [node]) for node in nodes]
        distance = nats.max() - nats
        np.fill_diagonal(distance, 0.0)
        merges = linkage(squareform(distance, checks=False), "average")[:, :2].astype(np.int64)
        for t, (a, b) in enumerate(merges):
            nodes.append(self._joined(nodes[a], nodes[b]) if t < n - 2 else single)
            apart = best[a][0] + best[b][0], best[a][1] + best[b][1]
            together = self._node_cost(nodes[-1]), [nodes[-1]]
            best.append(min(apart, together, key=lambda cut: cut[0]))
            self.tell((t + 1) / (2 * n), best[-1][0], len(best[-1][1]))
        return nodes, best[-1][1]

    def _node_cost(self, view: View) -> float:
        """What a view adds to E; the columns' prior but for a constant."""
        return view.objective - math.log(self.view_concentration) - math.lgamma(len(view.units))

    def _joined(self, a: View, b: View) -> View:
        """Fit the columns of two views together: from each one's partition, and from scratch."""
        units = a.units + b.units
        known = [self.fit(view.of(units)) for view in (a, b) if view.labels.max() > 0]
        return min([*known, self.fit(a.of(units), fresh=True)], key=lambda view: view.objective)

    def _descended(self, views: list[View], trace: list[float]) -> Optimum:
        """Move columns, merge views and choose their scales until nothing lowers E."""
        objective, trace = self.objective(views), list(trace)
        moves: list[Callable] = [self._born, self._moved, self._merged]
        if self.chooses_scale:
            moves.append(lambda views: [self._rescaled(view) for view in views])
        waiting = list(moves)
        while waiting:
            tried = waiting[0](views)
            after = self.objective(tried)
            if after > objective - TIE:
                waiting.pop(0)
                continue
            views, objective = tried, after
            waiting = waiting[:1] + [move for move in moves if move != waiting[0]]
            trace += [after] if after < trace[-1] else []
            self.tell(0.5, after, len(views))
        return Optimum(views, objective, trace)

    def _changed(self, view: View, units: Iterable[int]) -> View:
        """The view with these columns, refitted if they are others than it had."""
        changed = view.of(units)
        return view if changed.units == view.units else self.fit(changed)

    def _left_for(self, views: list[View], seed: View, leaving: np.ndarray) -> list[View]:
        """The views after some columns left them for a new one with a known partition."""
        gone = set(leaving.tolist())
        left = [(view, set(view.units) - gone) for view in views]
        return [self.fit(seed.of(gone)), *(self._changed(v, units) for v, units in left if units)]

    def _own_costs(self, views: list[View]) -> np.ndarray:
        """-ln p of every column in its own view, shape (U,)."""
        own = np.empty(self.n_units)
        for view in views:
            own[list(view.units)] = view.costs[list(view.units)]
        return own

    def _born(self, views: list[View]) -> list[View]:
        """Columns that a known partition suits better leave for it together: alone, none pays."""
        own = self._own_costs(views)
        gains = [np.maximum(own - seed.costs, 0.0).sum() - seed.rows_cost for seed in self.seeds]
        seed = self.seeds[int(np.argmax(gains))]
        leaving = np.flatnonzero(own - seed.costs > 0.0)
        return self._left_for(views, seed, leaving) if max(gains) > TIE else views

    def _perturbed(self, views: list[View]) -> list[View]:
        """Some columns leave for a view of a known partition, though that may cost."""
        seed = self.seeds[int(self.random.integers(len(self.seeds)))]
        most = int(self.random.integers(1, max(self.n_units // 2, 2)))
        loss = seed.costs - self._own_costs(views)
        return self._left_for(views, seed, np.argsort(loss, kind="stable")[:most])

    def _moved(self, views: list[View]) -> list[View]:
        """Every column chooses a view, or one of its own, given the columns of the others."""
        places = [(view, list(view.units)) for view in views]
        new = math.log(self.view_concentration)
        for u in self.random.permutation(self.n_units):
            own = next(units for _, units in places if u in units)
            own.remove(u)
            best, least = own, math.inf
            for view, units in [*places, (self.alone[u], [])]:
                place = math.log(len(units)) if units else new - view.rows_cost
                price = view.costs[u] - place - (TIE if units is own else 0.0)
                if price < least:
                    best, least, chosen = units, price, view
            if not best and best is not own:
                places.append((chosen, best))
            best.append(u)
        return [self._changed(view, units) for view, units in places if units]

    def _merged(self, views: list[View]) -> list[View]:
        """The two views become one whose columns together have the lowest E by either partition."""
        pairs = [(a, b) for a in views for b in views if a is not b]
        if not pairs:
            return views
        cost = self._node_cost
        a, b = min(pairs, key=lambda p: cost(p[0].of(p[0].units + p[1].units)) - sum(map(cost, p)))
        return [self._joined(a, b), *(view for view in views if view is not a and view is not b)]

    def dismissed(self, views: list[View], least: float, most: float) -> list[View]:
        """Views after columns left whose evidence for their groups is below ``least`` nats each.

        Evidence is the rise of E if columns, one or all of a view, join those that tell no groups;
        E may not rise above ``most``.
        """
        while True:
            now = self.objective(views)
            lacks = [(self.objective(v) - now - least * n, v) for n, v in self._leavings(views)]
            excess, after = min(lacks, key=lambda choice: choice[0], default=(0.0, []))
            after = [v if v in views or not v.labels.max() else self.fit(v) for v in after]
            if excess >= 0.0 or self.objective(after) > most:
                return views
            views = after

    def _leavings(self, views: list[View]) -> Iterator[tuple[int, list[View]]]:
        """How many columns might leave a view for those that tell no groups, and the views then."""
        undivided = [view for view in views if view.labels.max() == 0]
        for view in (view for view in views if view not in undivided):
            for place in [*undivided, self.view((), self.one, view.scale)]:
                others = [other for other in views if other is not view and other is not place]
                alone = [(u,) for u in view.units] if len(view.units) > 1 else []
                for gone in (view.units, *alone):
                    rest = {*view.units} - {*gone}
                    left = [view.of(rest)] if rest else []
                    yield len(gone), [*others, *left, place.of(place.units + gone)]

    def dependence(self) -> np.ndarray:
        """Log Bayes factor of every pair, in bins, for dependence, in nats, (U, U).

        ln p of one in the bins of the other less ln p of all, the larger way; the diagonal is void.
        """
        columns = self.columns(range(self.n_units), self.scale)
        if columns.n_rows > SAMPLE:
            rows = np.sort(self.random.choice(columns.n_rows, SAMPLE, replace=False))
            columns = columns.subset(rows)
        nats = np.zeros((len(columns.encoded.units),) * 2)
        for u in range(len(nats)):
            bins = _bins(columns.encoded, u)
            seen = np.flatnonzero(bins >= 0)
            if bins.max(initial=0) > 0:
                part = columns.subset(seen)
                apart = unit_log_marginals(Partition.at_rest(part, 1.0, bins[seen])).sum(axis=1)
                nats[u] = apart - unit_log_marginals(Partition.at_rest(part, 1.0))[:, 0]
            self.tell(u / len(nats))
        found = np.zeros((self.n_units, self.n_units))
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
