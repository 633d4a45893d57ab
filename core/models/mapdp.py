"""MAP-DP: the most probable partition under a Dirichlet process mixture (R16 Algorithm 3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..engine.columns import Columns
from ..engine.partition import Partition
from ..engine.tiles import FEWEST_ROWS
from ..inference.fit import Fit
from ..inference.misfit import Misfit, misfits_of
from ..partitions.labels import by_size
from ..schema.encoded import Encoded
from .arguments import check_share, number, one_of, whole
from .bayesian import BayesianEstimator
from .descent import Descent, Points
from .estimator import Callback, WeighsRows
from .priors import GRID_ABOVE, PriorChoice, Trial, better_scale
from .progress import Progress
from .search import HANDFUL, STARTS, scale_trial, search

#: With ``missing="impute"`` the turns end when E falls by less in one (nats).
FILL_GAIN = 1e-3
#: Largest share of distinct rows for a search by them, and where tiles would judge rows that count
#: alike: a row takes three, or ten, times as long where rows count differently.
FEW, FEW_OF_MANY = 0.6, 0.1


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
    columns_ : Columns
        The packed table under the prior that was used.
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
        ``gain`` in nats of E. Worked out when first asked for, with a warning that names those
        whose likelihood ``infer_schema`` suggested.

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
        **{"likelihood_power": check_share, "tol": number(0.0), "patience": whole(0)},
        **dict.fromkeys(("n_init", "max_iter"), whole(1)),
        "missing": one_of("marginalize", "impute"),
    }

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        distinct = None
        if self.refine and self.missing == "marginalize":
            distinct = distinct_rows(encoded)
        if distinct is None:
            return self._described(*self._searched(encoded, callback))
        rows, place = distinct
        run, choice = self._searched(rows, callback)
        power = choice.columns.table.power
        columns = Columns.pack(encoded, choice.columns.priors, power)
        return self._described(self._at_rest(run, columns, place), replace(choice, columns=columns))

    def _searched(self, encoded: Encoded, callback: Callback) -> tuple[_Run, PriorChoice]:
        choice, random = self._chosen(encoded, callback)
        columns = choice.columns.with_power(self.likelihood_power)
        run_once = self._run if self.missing == "marginalize" else self._run_filling
        runs: list[_Run] = []
        ended: Counter[float] = Counter()
        for i in range(self.n_init):
            known = choice.labels if self.refine and i == 0 else None
            runs.append(run_once(columns, random, callback, known, STARTS[i % len(STARTS)], ended))
        choice = replace(choice, columns=columns)
        best = min(runs, key=lambda run: run.objective)
        if choice.labels is not None and choice.labels.min() < 0 and columns.is_plain:
            best, choice = self._rescaled(best, choice, random, callback)
        return best, choice

    def _at_rest(self, run: _Run, columns: Columns, place: np.ndarray) -> _Run:
        """What was found of the distinct rows, for all rows, at rest."""
        partition = Partition(columns, self.concentration, run.partition.labels[place])
        trace = [*run.trace, (partition.objective(), "all rows")]

        def record(step: str) -> float:
            trace.append((partition.objective(), step))
            return trace[-1][0]

        random = np.random.default_rng(self.random_state)
        points = Points(columns, random)
        objective = Descent(partition, points, random, record).sweep_to_rest()
        return replace(run, partition=partition, objective=objective, trace=trace)

    def adopt(self, partition: Partition, scale: float | None, schema: Any = None) -> MAPDP:
        """Take a partition found elsewhere, at rest, for a fit's result; ``scale`` may be None."""
        self.schema_, self.n_features_in_ = schema, partition.columns.scale.size
        run = _Run(partition, partition.objective(), [(partition.objective(), "start")], 0, True)
        self._publish(self._described(run, PriorChoice(partition.columns, scale)))
        return self

    @property
    def misfits_(self) -> tuple[Misfit, ...]:
        """Columns that their likelihood does not describe within the groups."""
        return misfits_of(self.result_, self.schema_)

    def _described(self, run: _Run, choice: PriorChoice) -> Fit:
        run.partition.load(by_size(run.partition.labels, choice.columns.encoded.weights)[0])
        fit = self._found_partition(
            run.partition,
            choice.scale,
            [objective for objective, _ in run.trace],
            objective=run.objective,
            n_iter=run.n_iter,
            converged=run.converged,
            scale_objectives=choice.objectives,
        )
        self.columns_ = choice.columns  # those that a partition of filled cells has are filled
        return fit

    def _rescaled(
        self, run: _Run, choice: PriorChoice, random: np.random.Generator, callback: Callback
    ) -> tuple[_Run, PriorChoice]:
        """Go on under neighbouring prior scales while E of all rows falls: a sample chose it."""
        if not self.refine or run.partition.fills_cells:
            return run, choice

        def objective_under(columns: Columns) -> float:
            partition.columns, partition.table = columns, columns.table
            return partition.objective()

        while True:
            partition = run.partition.copy()
            better = better_scale(choice, objective_under)
            if better is None:
                return run, choice
            again = self._run(better.columns, random, callback, run.partition.labels)
            run = replace(again, trace=[*run.trace, *again.trace], n_iter=run.n_iter + again.n_iter)
            choice = better

    def _run(
        self,
        columns: Columns,
        random: np.random.Generator,
        callback: Callback,
        known: np.ndarray | None,
        kind: str = STARTS[0],
        ended: Counter[float] | None = None,
    ) -> _Run:
        if not self.refine:
            order = np.arange(columns.n_rows)
            order = random.permutation(order) if self.shuffle else order
            return published(
                columns, self.concentration, order, self.max_iter, self.tol, callback, known
            )
        partition, trace = search(
            columns, self.concentration, random, self.patience, callback, known, kind, ended
        )
        sweeps = sum(kind == "sweep" for _, kind in trace.kept)
        return _Run(partition, partition.objective(), trace.kept, sweeps, True)

    def _run_filling(
        self,
        columns: Columns,
        random: np.random.Generator,
        callback: Callback,
        known: np.ndarray | None,
        kind: str,
        ended: Counter[float],
    ) -> _Run:
        """R16 Appendix F: cluster the filled table and fill it anew, in turns, while E falls."""
        opened = columns.opened(random)
        trace: list[tuple[float, str]] = []
        before, n_iter, converged = np.inf, 0, False
        while not converged and n_iter < self.max_iter:
            run = self._run(opened.closed(), random, callback, known, kind)
            partition = Partition(opened, self.concentration, run.partition.labels)
            objective = partition.settle(FILL_GAIN)
            trace += [*run.trace, (objective, "fill")]
            n_iter += run.n_iter
            converged = before - objective < FILL_GAIN
            before, known = objective, partition.labels
            opened = replace(opened, table=partition.table)
        return _Run(partition, objective, trace, n_iter, converged)

    def _trial(self, encoded: Encoded, random: np.random.Generator, callback: Callback) -> Trial:
        if self.refine:
            of_sample = len(encoded.values) > GRID_ABOVE
            return scale_trial(self.concentration, random, callback, of_sample)

        def restarts(columns: Columns, known: np.ndarray | None) -> tuple[np.ndarray, float]:
            runs = [self._run(columns, random, callback, None) for _ in range(self.n_init)]
            best = min(runs, key=lambda run: run.objective)
            return best.partition.labels, best.objective

        return restarts


@dataclass(frozen=True)
class _Run:
    partition: Partition
    objective: float
    trace: list[tuple[float, str]]
    n_iter: int
    converged: bool


def distinct_rows(encoded: Encoded) -> tuple[Encoded, np.ndarray] | None:
    """A table's distinct rows with the weights of all that are like them, and each row's place.

    Identical rows are together at the lowest E, concave in how many are in a cluster; a sweep over
    all rows looks after one that opens a cluster alone. None where many, of a ``HANDFUL``, may be
    best alone, and where the engine fills cells.
    """
    values = encoded.values
    fills = any(encoded.is_filled(u).any() for u in range(len(encoded.units)))
    if len(values) <= HANDFUL or fills:
        return None
    most = len(values) * (FEW if len(values) < FEWEST_ROWS else FEW_OF_MANY)
    # A sum of random multiples tells rows apart quickly; cells decide where it finds few.
    random = np.random.default_rng(0)
    numbers = np.where(np.isnan(values), random.normal(), values)
    # By einsum: the threads of a matrix product would wait for more long after it.
    sums = np.einsum("nm,m->n", numbers, random.normal(size=values.shape[1]))
    distinct, first, place = np.unique(sums, return_index=True, return_inverse=True)
    if distinct.size > most or not np.array_equal(values[first][place], values, equal_nan=True):
        return None
    order = np.argsort(first)  # as they stand in the table
    place = np.argsort(order)[place]
    weights = np.bincount(place, encoded.weights).astype(np.float64)
    return replace(encoded.rows(first[order]), weights=weights), place


def published(
    columns: Columns,
    concentration: float,
    order: np.ndarray,
    max_iter: int,
    tol: float,
    callback: Callback,
    labels: np.ndarray | None = None,
) -> _Run:
    """R16 Algorithm 3, from one cluster with the first-sweep rule of Appendix B, until E rests."""
    partition = Partition(columns, concentration, labels)
    trace = [(partition.objective(), "start")]
    converged = False
    for sweep in range(max_iter):
        partition.sweep(order, first=sweep == 0 and labels is None)
        objective = partition.objective()
        trace.append((objective, "sweep"))
        callback(Progress(sweep + 1, max_iter, objective, partition.n_clusters, "sweep"))
        converged = sweep > 0 and abs(trace[-2][0] - objective) < tol
        if converged:
            break
    return _Run(partition, trace[-1][0], trace, len(trace) - 1, converged)


def check_is_searched(model: Any, caller: str) -> None:
    """Refuse what is no fitted MAPDP, whose search can be made again, with a TypeError."""
    if not isinstance(model, MAPDP) or not hasattr(model, "partition_"):
        raise TypeError(
            f"{caller} makes the search again, as a fitted MAPDP tells it, not"
            f" {type(model).__name__}: fit MAPDP to the table."
        )
