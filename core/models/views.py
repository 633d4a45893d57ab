"""Several groupings of one table: cross-categorization (M12 section 25.6.2, eqs. 25.63-25.66)."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from ..engine.partition import Partition
from ..inference.fit import Fit
from ..partitions.labels import log_restaurant
from ..schema.encoded import Encoded
from ..schema.rows import set_aside
from .arguments import above, whole
from .estimator import Callback, WeighsRows
from .mapdp import MAPDP
from .progress import Stages
from .view_search import View, ViewSearch

#: Cells above which ``patience`` shrinks with their number, for each perturbation takes longer.
SMALL = 2_000


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
        found.views, found.trace = [whole], [found.objective([whole])]
        self.single_objective_ = found.trace[0]
        self.dependence_ = np.zeros((found.n_units,) * 2)
        if found.n_units > 1:
            np.maximum.at(self.dependence_, np.ix_(found.place, found.place), found.dependence())
            stages.end()
            stages.begin("columns in views")
            in_vain = int(self.patience * min(1.0, SMALL / encoded.values.size))
            found.run(self.dependence_, whole, self.patience, in_vain)
            stages.end()
            stages.begin("columns that tell nothing")
        if found.views != [whole]:
            found.dismiss(math.log(found.n_units), self.single_objective_)
        self.single_.schema_ = getattr(self, "schema_", None)
        views = sorted(found.views, key=lambda view: (-len(view.units), view.units))
        self.views_ = tuple(self.single_ if v is whole else self._model(found, v) for v in views)
        of_place = np.empty(found.n_units, dtype=np.int64)
        for v, view in enumerate(views):
            of_place[list(view.units)] = v
        of_unit = of_place[found.place]
        of_column = np.repeat(of_unit, [len(unit.columns) for unit in encoded.units])
        if self.single_.schema_ is not None:  # in the encoded order blocks stand together
            at = {name: j for j, name in enumerate(encoded.names)}
            of_column = of_column[[at[name] for name in self.schema_.names("cluster")]]
        self.view_of_column_ = of_column
        rows = sum(model.objective_ for model in self.views_)
        objective = rows - log_restaurant([len(v.units) for v in views], self.view_concentration)
        # Steps to a lower E, from which columns left for want of evidence, did not lead here.
        trace = [*(step for step in found.trace if step > objective), objective]
        return self._found(self.views_[self._shown()].labels_, trace, view_of_unit=of_unit)

    def label_others(self, encoded: Encoded, rows: np.ndarray) -> MAPViews:
        """After a fit to some rows of a table, the others get a cluster in every view."""
        of_unit = self.result_.details["view_of_unit"]
        for v, view in enumerate(self.views_):
            view.label_others(encoded.of_units(np.flatnonzero(of_unit == v)), rows)
        labels = self.views_[self._shown()].labels_
        self._publish(self._extended(self.result_, encoded, labels))
        return self

    def _shown(self) -> int:
        return next((v for v, model in enumerate(self.views_) if model.n_clusters_ > 1), 0)

    def _new_model(self, prior: Any) -> MAPDP:
        return MAPDP(
            self.concentration,
            likelihood=self.likelihood,
            prior=prior,
            likelihood_power=self.likelihood_power,
            patience=self.patience,
            random_state=self.random_state,
        )

    def _model(self, found: ViewSearch, view: View) -> MAPDP:
        """A view's partition with its statistics, at rest; one cluster stays one."""
        if view.labels.max():
            partition = found.partition(view)
        else:
            columns = found.columns(view.units, view.scale)
            partition = Partition.at_rest(columns, self.concentration, view.labels)
        schema = getattr(self, "schema_", None)
        for name in () if schema is None else schema.names("cluster"):
            if name not in partition.columns.encoded.columns:
                schema = set_aside(schema, name, "Belongs to another view.")
        return self._new_model(partition.columns.priors).adopt(partition, view.scale, schema)
