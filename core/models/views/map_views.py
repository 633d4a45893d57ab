"""Several groupings of one table: columns in views, rows partitioned anew in every view.

The model of cross-categorization (M12 section 25.6.2, eqs. 25.63-25.66): a restaurant process
divides the columns into views, and each view has a Dirichlet process mixture of its own. Here the
most probable such division is sought, on the exact likelihoods of MAP-DP.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from ...engine.partition import Partition
from ...inference.fit import Fit
from ...partitions.labels import log_restaurant
from ...schema.encoded import Encoded
from ...schema.rows import set_aside
from ..arguments import above, whole
from ..estimator import Callback, WeighsRows
from ..mapdp import MAPDP
from ..progress import Stages
from .search import View, ViewSearch, dependence

#: Up to this many cells, ``patience`` is the number of perturbations in a row without gain that end
#: the search of views; with more it shrinks with their number, for each takes longer.
SMALL = 2_000


@dataclass(eq=False, repr=False)
class MAPViews(WeighsRows):
    """Divide the columns into views and group the rows anew in every view.

    A column, or a block, belongs to one view. Columns that tell no groups gather in a view of one
    cluster. E is never above that of one partition by all columns (``MAPDP``).

    Among many columns one or another follows groups by chance, and E takes it in for a tenth of a
    nat. So a column has to tell the groups of its view by ln M nats, odds of M to 1; one
    that does not joins those that tell none, so that fewer than one of M columns is expected to
    stand with groups that it does not tell.

    Parameters
    ----------
    concentration : float
        N_0, the prior count of the rows: how readily a row opens a cluster of its own.
    view_concentration : float
        The same for columns: how readily a column opens a view of its own.
    likelihood, prior, likelihood_power
        As in ``MAPDP``; the prior scale is chosen for every view.
    patience : int
        Perturbations in a row without gain that end the last search of every view.
    random_state : int, Generator or None

    Attributes
    ----------
    view_of_column_ : ndarray of int64, shape (M,)
        View of each clustered column, in the schema's order; 0 the view with most columns.
    views_ : tuple of MAPDP
        A fitted model for each view.
    objective_ : float
        Exact negative log joint of rows and columns together, in nats.
    single_ : MAPDP
        The model of all columns in one view.
    single_objective_ : float
        E of that one view.
    dependence_ : ndarray of float64, shape (U, U)
        Log Bayes factor of any two columns or blocks for depending on each other (nats); a column
        with its special outcomes counts as one.
    labels_ : ndarray of int64, shape (N,)
        Clusters of the view that has most columns among those with more than one cluster.
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
        single = self._new_model(self.prior)
        self.single_ = single.fit_encoded(encoded, stages.begin("all columns together"))
        stages.end()
        stages.begin("how columns depend on each other")
        search = ViewSearch(self, encoded, stages)
        n_units = search.n_units
        whole = View(search, tuple(range(n_units)), single.labels_, single.prior_scale_)
        self.single_objective_ = search.objective([whole])
        self.dependence_ = np.zeros((n_units, n_units))
        search.views, search.trace = [whole], [self.single_objective_]
        if n_units > 1:
            nats = dependence(
                search.columns(whole.units, search.scale),
                search.random,
                lambda u: search.tell(u / len(search.place)),
            )
            stages.end()
            np.maximum.at(self.dependence_, np.ix_(search.place, search.place), nats)
            stages.begin("columns in views")
            in_vain = int(self.patience * min(1.0, SMALL / encoded.values.size))
            search.run(self.dependence_, whole, self.patience, in_vain)
            stages.end()
            stages.begin("columns that tell nothing")
        if search.views != [whole]:
            search.dismiss(math.log(n_units), self.single_objective_)
        models = {view: single if view is whole else self._model(view) for view in search.views}
        return self._result(encoded, search, models)

    def _labels_of(self, encoded: Encoded) -> np.ndarray:
        """The most probable cluster of every row in the view that is shown."""
        shown = self._shown()
        return self.views_[shown]._labels_of(_view_of(self.result_, encoded, shown))

    def _extended(self, fit: Fit, encoded: Encoded, labels: np.ndarray) -> Fit:
        """The fit, and every view, with all rows, some of which had no say in it."""
        with_say = np.flatnonzero(encoded.weights)
        for v, view in enumerate(self.views_):
            part = _view_of(fit, encoded, v)
            found = view._labels_of(part)
            found[with_say] = view.labels_
            view._publish(view._extended(view.result_, part, found))
        return super()._extended(fit, encoded, labels)

    def _shown(self) -> int:
        """The first view of more than one cluster, or the first."""
        several = [v for v, model in enumerate(self.views_) if model.n_clusters_ > 1]
        return several[0] if several else 0

    def _new_model(self, prior: Any) -> MAPDP:
        return MAPDP(
            self.concentration,
            likelihood=self.likelihood,
            prior=prior,
            likelihood_power=self.likelihood_power,
            patience=self.patience,
            random_state=self.random_state,
        )

    def _model(self, view: View) -> MAPDP:
        """A view's partition with its statistics, at rest; one cluster stays one."""
        columns = view.search.columns(view.units, view.scale)
        partition = Partition.at_rest(columns, self.concentration, view.labels)
        if view.labels.max():
            partition = view.search.partition(view)
        schema = getattr(self, "schema_", None)
        for name in () if schema is None else schema.names("cluster"):
            if name not in partition.columns.encoded.columns:
                schema = set_aside(schema, name, "Belongs to another view.")
        return self._new_model(partition.columns.priors).adopt(partition, view.scale, schema)

    def _result(self, encoded: Encoded, search: ViewSearch, models: dict[View, MAPDP]) -> Fit:
        """Those with most columns come first."""
        self.single_.schema_ = getattr(self, "schema_", None)
        views = sorted(models, key=lambda view: (-len(view.units), view.units))
        self.views_ = tuple(models[view] for view in views)
        of_place = np.empty(search.n_units, dtype=np.int64)
        for v, view in enumerate(views):
            of_place[list(view.units)] = v
        of_unit = of_place[search.place]
        widths = [len(unit.columns) for unit in encoded.units]
        self.view_of_column_ = self._in_schema_order(encoded, np.repeat(of_unit, widths))
        rows = sum(model.objective_ for model in self.views_)
        sizes = [len(view.units) for view in views]
        objective = rows - log_restaurant(sizes, self.view_concentration)
        # Steps to a lower E, from which columns left for want of evidence, did not lead here.
        trace = [*(step for step in search.trace if step > objective), objective]
        labels, single = self.views_[self._shown()].labels_, self.single_objective_
        return self._found(labels, trace, view_of_unit=of_unit, single_objective=single)

    def _in_schema_order(self, encoded: Encoded, of_column: np.ndarray) -> np.ndarray:
        """From the encoded order, in which blocks stand together, to that of the schema."""
        if getattr(self, "schema_", None) is None:
            return of_column
        place = {name: j for j, name in enumerate(encoded.names)}
        return of_column[[place[name] for name in self.schema_.names("cluster")]]


def _view_of(fit: Fit, encoded: Encoded, v: int) -> Encoded:
    """The columns of a view."""
    return encoded.of_units(np.flatnonzero(fit.details["view_of_unit"] == v))
