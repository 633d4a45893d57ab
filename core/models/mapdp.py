"""MAP-DP: the most probable partition under a Dirichlet process mixture (R16 Algorithm 3)."""

from collections import Counter
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from ..engine.packed import PackedTable
from ..engine.partition import Partition
from ..inference.clusters import Cluster
from ..inference.fit import Fit
from ..inference.misfit import Misfit, misfits_of
from ..inference.prediction import Predictions
from ..partitions.labels import by_size
from ..schema.encoded import Encoded
from .descent import Optimum
from .estimator import Callback, ClusterEstimator, WeighsRows, above, number, one_of, share, whole
from .priors import GRID_ABOVE, PriorChoice, Trial, better_scale, choose_prior
from .progress import Progress
from .search import STARTS, TOO_MANY, Search

#: Patience of the search on a grid of prior scales.
GRID_PATIENCE = 5
#: With ``missing="impute"`` the turns end when E falls by less in one (nats).
FILL_GAIN = 1e-3


class BayesianEstimator(Predictions, ClusterEstimator):
    """Base of the estimators with a prior count ``concentration`` and a ``prior`` of every unit."""

    concentration: float
    prior: Any
    random_state: Any
    limits: ClassVar = {"concentration": above(0.0)}

    @property
    def clusters_(self) -> tuple[Cluster, ...]:
        """Posterior of every unit in every cluster, worked out when first asked for."""
        return self.result_.clusters

    def _choose_prior(
        self, encoded: Encoded, callback: Callback
    ) -> tuple[PriorChoice, np.random.Generator]:
        """The table under its chosen prior, and the generator that the search goes on with."""
        random = np.random.default_rng(self.random_state)
        trial = self._trial(encoded, random, callback)
        return choose_prior(self.prior, encoded, trial, random), random

    def _trial(self, encoded: Encoded, random: np.random.Generator, callback: Callback) -> Trial:
        """The trial of one prior scale: a short search, or a descent from the labels before."""
        kind = TOO_MANY if len(encoded.values) > GRID_ABOVE else STARTS[0]

        def trial(packed: PackedTable, start: np.ndarray | None) -> tuple[np.ndarray, float]:
            search = Search(packed, self.concentration, random, callback)
            if start is None:
                partition = search.run(GRID_PATIENCE, kind=kind).state
            else:
                partition = search.partition(start)
                search.descent(partition, "prior scale", 1).run()
            return partition.labels, partition.objective()

        return trial

    def _partition_fit(
        self, partition: Partition, scale: float | None, trace: ArrayLike, **rest: Any
    ) -> Fit:
        self.partition_, self.columns_ = partition, partition.packed
        self.prior_, self.prior_scale_ = partition.packed.priors, scale
        return self._make_fit(partition.labels, trace, partition=partition, **rest)


@dataclass(eq=False, repr=False)
class MAPDP(WeighsRows, BayesianEstimator):
    """Cluster rows by the most probable partition of a Dirichlet process mixture (R16 Algorithm 3).

    Parameters
    ----------
    concentration : float
        Prior count N_0.
    likelihood : str
        Key of ``FAMILIES`` for all columns of an array; a frame's have their schema's.
    prior : "scale-grid", "empirical", Prior, or sequence or mapping of Prior
        ``"scale-grid"`` takes the prior scale of lowest E (R16 Appendix G, second way),
        ``"empirical"`` the scale 0.1; units with a prior in the schema keep it. One Prior serves a
        block or all columns, a sequence has one for each unit, a mapping one by unit name.
    likelihood_power : float
        Above 0 and at most 1 (Miller and Dunson 2019).
        Power of every row's likelihood; sizes count in full, and prior scales are chosen at 1.
        Probabilities, densities and filled cells are of the likelihood itself. E of different
        powers are not comparable.
    missing : "marginalize" (leave missing cells out, which is exact) or "impute"
        ``"impute"``, of measurements and blocks, clusters and fills cells with the modes of the
        predictives in turns (R16 Appendix F); its E is not comparable with the other's.
    refine : bool
        Search with merges, splits and perturbations; False is the published algorithm.
    n_init : int
        Independent searches, or published restarts, of which the lowest E wins.
    shuffle : bool
        False visits the rows in natural order (published algorithm only).
    patience : int
        Perturbations in a row without gain that end a search of up to 200 rows.
        Fewer on more rows. From 30 on, a large table may be searched again on a larger sample.
    max_iter : int
        Most sweeps of one published run.
    tol : float
        Change of E in a sweep below which a published run ends, in nats.
    random_state : int, Generator or None

    Attributes
    ----------
    labels_ : ndarray of int64, shape (N,)
        Cluster of each row, 0 the largest.
    objective_ : float
        Exact negative log joint E in nats, lower is better.
    clusters_ : tuple of Cluster
    columns_ : PackedTable
        The table packed for the engine, under the priors that were used.
    partition_ : Partition
        Labels and cluster statistics in step.
    prior_ : tuple of Prior
        One for each unit.
    prior_scale_ : float or None
        The scale used; None where the priors were given.
    result_ : Fit
    misfits_ : tuple of Misfit
        Columns that their likelihood does not describe, the worst first.
        Each with the ``change`` that describes it better, as for ``Schema.with_column``, and its
        ``gain`` in nats of E. Worked out when first asked for.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from mapdp_studio import MAPDP, infer_schema
    >>> random = np.random.default_rng(0)
    >>> frame = pd.DataFrame({"visits": random.poisson(1, 300), "falls": random.poisson(2, 300)})
    >>> MAPDP(random_state=0).fit(frame).n_clusters_  # counts, as their schema says
    1
    >>> MAPDP(random_state=0).fit(frame.to_numpy()).n_clusters_ > 1  # the same numbers as normals
    True

    In a pipeline the schema goes to the step by its name:

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import FunctionTransformer
    >>> schema = infer_schema(frame).with_column("falls", family="poisson")
    >>> pipeline = make_pipeline(FunctionTransformer(pd.DataFrame.dropna), MAPDP(random_state=0))
    >>> pipeline.fit(frame, mapdp__schema=schema).predict(frame.head(2))
    array([0, 0])
    """

    concentration: float = 3.0
    _: KW_ONLY
    likelihood: str = "normal"
    prior: Any = "scale-grid"
    likelihood_power: float = 1.0
    missing: str = "marginalize"
    refine: bool = True
    n_init: int = 1
    shuffle: bool = True
    patience: int = 45
    max_iter: int = 300
    tol: float = 1e-6
    random_state: Any = None

    limits: ClassVar = BayesianEstimator.limits | {
        **{"likelihood_power": share, "tol": number(0.0), "patience": whole(0)},
        **dict.fromkeys(("n_init", "max_iter"), whole(1)),
        "missing": one_of("marginalize", "impute"),
    }

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        choice, random = self._choose_prior(encoded, callback)
        choice = replace(choice, packed=choice.packed.with_power(self.likelihood_power))
        run = self._run if self.missing == "marginalize" else self._run_filling
        start, found, ended = choice.labels if self.refine else None, [], Counter()
        for i in range(self.n_init):
            kind = STARTS[i % len(STARTS)]
            found.append(run(choice.packed, random, callback, start, kind, ended))
            start = None
        best = min(found, key=lambda optimum: optimum.objective)
        while self.refine and (better := better_scale(choice, best.state)) is not None:
            again = self._run(better.packed, random, callback, best.state.labels)
            best, choice = replace(again, trace=[*best.trace, *again.trace]), better
        return self._fit_of(best, choice)

    def _run(
        self,
        packed: PackedTable,
        random: np.random.Generator,
        callback: Callback,
        start: np.ndarray | None = None,
        kind: str = STARTS[0],
        ended: Counter[float] | None = None,
    ) -> Optimum:
        if self.refine:
            search = Search(packed, self.concentration, random, callback, ended=ended)
            return search.run(self.patience, start, kind)
        order = np.arange(packed.n_rows)
        order = random.permutation(order) if self.shuffle else order
        n_0 = self.concentration
        return published(packed, n_0, order, self.max_iter, self.tol, callback, start)

    def _run_filling(
        self,
        packed: PackedTable,
        random: np.random.Generator,
        callback: Callback,
        start: np.ndarray | None,
        kind: str,
        ended: Counter[float],
    ) -> Optimum:
        """R16 Appendix F: cluster the filled table and fill it anew, in turns, while E falls."""
        opened, before, trace = packed.with_drawn_cells(random), np.inf, []
        while True:
            run = self._run(opened.with_fixed_cells(), random, callback, start, kind, ended)
            partition = Partition(opened, self.concentration, run.state.labels)
            objective = partition.settle(FILL_GAIN)
            trace += [*run.trace, (objective, "fill")]
            converged = before - objective < FILL_GAIN
            if converged or n_sweeps(trace) >= self.max_iter:
                return Optimum(partition, objective, trace, converged)
            before, start = objective, partition.labels
            opened = replace(opened, table=partition.table)

    def _trial(self, encoded: Encoded, random: np.random.Generator, callback: Callback) -> Trial:
        if self.refine:
            return super()._trial(encoded, random, callback)

        def restarts(packed: PackedTable, start: np.ndarray | None) -> tuple[np.ndarray, float]:
            runs = (self._run(packed, random, callback) for _ in range(self.n_init))
            best = min(runs, key=lambda run: run.objective)
            return best.state.labels, best.objective

        return restarts

    def adopt(self, partition: Partition, scale: float | None, schema: Any = None) -> Self:
        """Adopt a converged partition as the result of a fit; ``scale`` may be None."""
        self.schema_, self.n_features_in_ = schema, partition.packed.scale.size
        objective = partition.objective()
        found = Optimum(partition, objective, [(objective, "start")])
        self._set_result(self._fit_of(found, PriorChoice(partition.packed, scale)))
        return self

    def _fit_of(self, found: Optimum, choice: PriorChoice) -> Fit:
        partition = found.state
        partition.load(by_size(partition.labels, choice.packed.encoded.weights)[0])
        fit = self._partition_fit(
            partition,
            choice.scale,
            [objective for objective, _ in found.trace],
            objective=found.objective,
            n_iter=n_sweeps(found.trace),
            converged=found.converged,
            scale_objectives=choice.objectives,
        )
        self.columns_ = choice.packed  # not the partition's, whose missing cells may be filled
        return fit

    @property
    def misfits_(self) -> tuple[Misfit, ...]:
        """Columns that their likelihood does not describe within the groups."""
        return misfits_of(self.result_, self.schema_)


def n_sweeps(trace: list[tuple[float, str]]) -> int:
    """Sweeps among the steps of a descent."""
    return sum(kind == "sweep" for _, kind in trace)


def published(
    packed: PackedTable,
    concentration: float,
    order: np.ndarray,
    max_iter: int,
    tol: float,
    callback: Callback,
    labels: np.ndarray | None = None,
) -> Optimum:
    """R16 Algorithm 3, from one cluster by the first-sweep rule of Appendix B until E converges."""
    partition = Partition(packed, concentration, labels)
    objective, converged = partition.objective(), False
    trace = [(objective, "start")]
    while not converged and len(trace) <= max_iter:
        partition.sweep(order, first=len(trace) == 1 and labels is None)
        before, objective = objective, partition.objective()
        converged = len(trace) > 1 and abs(before - objective) < tol
        callback(Progress(len(trace), max_iter, objective, partition.n_clusters, "sweep"))
        trace.append((objective, "sweep"))
    return Optimum(partition, objective, trace, converged)


def check_is_searched(model: Any, caller: str) -> None:
    """Raise a TypeError for anything but a fitted MAPDP, whose search can be made again."""
    if not isinstance(model, MAPDP) or not hasattr(model, "partition_"):
        raise TypeError(
            f"{caller} makes the search again, as a fitted MAPDP tells it, not"
            f" {type(model).__name__}: fit MAPDP to the table."
        )
