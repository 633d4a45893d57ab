"""Several groupings of one table: columns in views, rows partitioned anew in every view.

The model of cross-categorization (M12 section 25.6.2, eqs. 25.63-25.66): a restaurant process
divides the columns into views, and each view has a Dirichlet process mixture of its own. Here the
most probable such division is sought, on the exact likelihoods of MAP-DP.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ...inference.fit import Fit
from ...schema.encoded import Encoded
from ...schema.rows import set_aside
from ..arguments import check_number, check_whole
from ..estimator import Callback, WeighsRows
from ..mapdp import MAPDP
from ..priors import EMPIRICAL_SCALE, given_priors
from ..progress import Progress
from .column_tree import dependence
from .search import ViewSearch
from .view import View, ViewFits

#: Shares of the work: the fit of all columns together, the columns' dependence, the search.
SINGLE, DEPENDENCE = 0.1, 0.15
#: Up to this many cells, ``patience`` is the number of perturbations in a row without gain that end
#: the search of views; with more it shrinks with their number, for each takes longer.
SMALL = 2_000


@dataclass(eq=False, repr=False)
class MAPViews(WeighsRows):
    """Divide the columns into views and group the rows anew in every view.

    A column, or a block, belongs to one view. Columns that tell no groups gather in a view of one
    cluster. E is never above that of one partition by all columns (``MAPDP``).

    Among many columns one or another follows groups by chance, and E takes it in for a tenth of a
    nat. So a column has to tell the groups of its view by ``least_evidence``; one that does not
    joins those that tell none. At ln M, odds of M to 1, fewer than one of M columns is expected to
    stand with groups that it does not tell.

    Parameters
    ----------
    concentration : float
        N_0, the prior count of the rows: how readily a row opens a cluster of its own.
    view_concentration : float
        The same for columns: how readily a column opens a view of its own.
    likelihood, prior, likelihood_power
        As in ``MAPDP``; the prior scale is chosen for every view.
    least_evidence : float, optional
        By how many nats E has to rise if a column of a view told no groups; ln M for M columns and
        blocks when not given. At 0 the search ends at the lowest E that it finds.
    max_views : int, optional
        Most views; 1 is ``MAPDP``.
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
    least_evidence: float | None = None
    max_views: int | None = None
    patience: int = 45
    random_state: Any = None

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        for name in ("concentration", "view_concentration"):
            check_number(name, getattr(self, name), 0.0, allow_equal=False)
        check_whole("patience", self.patience, 0)
        if self.least_evidence is not None:
            check_number("least_evidence", self.least_evidence, 0.0)
        report = _Report(callback)
        self.single_ = single = self._single(encoded, report)
        fits = self._fits(encoded, report.tick)
        n_units = fits.n_units
        most = n_units if self.max_views is None else check_whole("max_views", self.max_views, 1)
        whole = View(tuple(range(n_units)), single.labels_, single.prior_scale_, single.objective_)
        search = ViewSearch(
            fits,
            self.view_concentration,
            _first_scale(single),
            most_in_vain(self.patience, encoded.values.size),
            report.searching,
        )
        self.single_objective_ = search.objective([whole])
        self.dependence_ = np.zeros((n_units, n_units))
        if most == 1 or n_units == 1:
            search.views = [whole]
            search.trace.append(self.single_objective_)
        else:
            nats = dependence(
                fits.columns(whole.units, _first_scale(single)),
                fits.random,
                lambda u: report.share("how columns depend on each other", u / len(fits.place)),
            )
            np.maximum.at(self.dependence_, np.ix_(fits.place, fits.place), nats)
            search.run(self.dependence_, whole, most)
        if search.views != [whole]:
            search.polish(self.patience)
            search.dismiss(self._least_evidence(n_units), most, self.single_objective_)
        models = self._models(search, fits, {whole: single})
        self.views_ = tuple(models[view] for view in search.views)
        return self._result(encoded, search, fits.place)

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

    def _least_evidence(self, n_units: int) -> float:
        """Nats by which a column must tell groups."""
        return math.log(n_units) if self.least_evidence is None else float(self.least_evidence)

    def _shown(self) -> int:
        """The first view of more than one cluster, or the first."""
        several = [v for v, model in enumerate(self.views_) if model.n_clusters_ > 1]
        return several[0] if several else 0

    def _single(self, encoded: Encoded, report: _Report) -> MAPDP:
        model = self._new_model()
        return model.fit_encoded(encoded, report.within("all columns together", SINGLE))

    def _new_model(self, prior: Any = None) -> MAPDP:
        return MAPDP(
            self.concentration,
            likelihood=self.likelihood,
            prior=self.prior if prior is None else prior,
            likelihood_power=self.likelihood_power,
            patience=self.patience,
            random_state=self.random_state,
        )

    def _fits(self, encoded: Encoded, tick: Callable[[], None]) -> ViewFits:
        priors = None if isinstance(self.prior, str) else given_priors(self.prior, encoded)
        random = np.random.default_rng(self.random_state)
        chosen = self.prior == "scale-grid" if isinstance(self.prior, str) else False
        return ViewFits(
            encoded, priors, self.concentration, random, tick, chosen, self.likelihood_power
        )

    def _models(
        self, search: ViewSearch, fits: ViewFits, known: dict[View, MAPDP]
    ) -> dict[View, MAPDP]:
        """The model of every view; most columns come first."""
        models = {}
        for view in search.views:
            if view in known:  # all columns together, as MAP-DP found them
                models[view] = known[view]
                models[view].schema_ = getattr(self, "schema_", None)
                continue
            partition = fits.partition(view)
            final = View(view.units, partition.labels.copy(), view.scale, partition.objective())
            models[final] = self._new_model(partition.columns.priors).adopt(
                partition, view.scale, self._schema_of(partition.columns.encoded)
            )
        search.views = sorted(models, key=lambda view: (-len(view.units), view.units))
        # Steps to a lower E, from which columns left for want of evidence, did not lead here.
        objective = search.objective()
        search.trace = [*(step for step in search.trace if step >= objective), objective]
        return models

    def _schema_of(self, part: Encoded) -> Any:
        """The table's schema with the columns of the other views set aside."""
        schema = getattr(self, "schema_", None)
        if schema is None:
            return None
        for name in schema.names("cluster"):
            if name not in part.columns:
                schema = set_aside(schema, name, "Belongs to another view.")
        return schema

    def _result(self, encoded: Encoded, search: ViewSearch, place: np.ndarray) -> Fit:
        of_place = np.empty(search.fits.n_units, dtype=np.int64)
        for v, view in enumerate(search.views):
            of_place[list(view.units)] = v
        of_unit = of_place[place]
        widths = [len(unit.columns) for unit in encoded.units]
        self.view_of_column_ = self._in_schema_order(encoded, np.repeat(of_unit, widths))
        labels = self.views_[self._shown()].labels_
        single = self.single_objective_
        return self._found(labels, search.trace, view_of_unit=of_unit, single_objective=single)

    def _in_schema_order(self, encoded: Encoded, of_column: np.ndarray) -> np.ndarray:
        """From the encoded order, in which blocks stand together, to that of the schema."""
        if getattr(self, "schema_", None) is None:
            return of_column
        place = {name: j for j, name in enumerate(encoded.names)}
        return of_column[[place[name] for name in self.schema_.names("cluster")]]


def _view_of(fit: Fit, encoded: Encoded, v: int) -> Encoded:
    """The columns of a view."""
    return encoded.of_units(np.flatnonzero(fit.details["view_of_unit"] == v))


def _first_scale(single: MAPDP) -> float | None:
    """The scale that the search begins with: a common one, as each view chooses its own later."""
    return None if single.prior_scale_ is None else EMPIRICAL_SCALE


def most_in_vain(patience: int, n_cells: int) -> int:
    """Perturbations in a row without gain that end the search of views of so many cells."""
    return int(patience * min(1.0, SMALL / n_cells))


class _Report:
    """Tells the callback where the whole job has got to."""

    def __init__(self, callback: Callback) -> None:
        self._callback = callback
        self._latest = Progress(0.0, 1, np.inf, 0, "start")

    def tick(self) -> None:
        """Still where it was."""
        self._callback(self._latest)

    def share(self, phase: str, done: float, objective: float = np.inf, n_views: int = 0) -> None:
        """So much of the measuring of dependence is done."""
        done = SINGLE + done * (DEPENDENCE - SINGLE)
        self._tell(done, objective, n_views, phase)

    def searching(self, phase: str, done: float, objective: float, n_views: int) -> None:
        """So much of the search is done; never less than it said before."""
        self._tell(DEPENDENCE + done * (1.0 - DEPENDENCE), objective, n_views, phase)

    def within(self, phase: str, share: float) -> Callback:
        """A callback for a fit that is this share of the work."""
        return lambda step: self._tell(
            share * step.done / max(step.total, 1), step.objective, step.n_clusters, phase
        )

    def _tell(self, done: float, objective: float, n: int, phase: str) -> None:
        done = max(self._latest.done, min(done, 0.99))
        self._latest = Progress(done, 1, objective, n, phase)
        self._callback(self._latest)
