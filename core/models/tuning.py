"""Choosing the prior scale and N_0 of MAP-DP: the four ways of R16 Appendix G."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from ..engine.columns import Columns, default_priors
from ..engine.partition import Partition
from ..families import FAMILIES, Prior
from ..inference.row_scores import RowScores
from ..schema.encoded import Encoded
from .arguments import check_number, check_whole
from .concentration import map_concentration
from .mapdp import MAPDP
from .priors import EMPIRICAL_SCALE, SCALES
from .progress import Progress, Stages
from .search import GRID_PATIENCE, search

#: What each way is called, in the order of R16 Appendix G.
WAYS = {
    "empirical": "Empirical Bayes",
    "objective": "Lowest E, one hyper-parameter at a time",
    "gamma": "Most probable N₀ under a Gamma prior",
    "cross-validation": "Held-out likelihood by cross-validation",
}
#: Values of N_0 tried. A lowest one is needed: with one cluster E falls without end as N_0 does.
CONCENTRATIONS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


@dataclass(frozen=True)
class Tuning:
    """Hyper-parameters chosen for a table, and everything that was tried."""

    #: Key of ``WAYS``.
    way: str
    #: N_0 chosen.
    concentration: float
    #: Prior scale chosen.
    scale: float
    #: The prior of every unit of the table at that scale.
    priors: tuple[Prior, ...]
    #: One row for everything tried, in order: ``scale``, ``concentration``, ``n_clusters``, then
    #: ``objective`` (E, lower is better), for a Gamma prior also ``penalised`` (E minus the log
    #: density of ln N_0 under it), or for cross-validation ``held_out`` (mean log predictive
    #: density of a held-out row in nats, higher is better) and ``standard_error`` (over the folds);
    #: ``chosen`` marks the row that won.
    table: pd.DataFrame
    #: What was chosen, and why, in plain words.
    sentence: str

    @property
    def arguments(self) -> dict[str, Any]:
        """What to give ``MAPDP``: ``MAPDP(**tuning.arguments)``."""
        return {"concentration": self.concentration, "prior": list(self.priors)}


def tune(
    model: MAPDP,
    X: Any,
    schema: Any = None,
    *,
    way: str = "objective",
    scales: Sequence[float] = SCALES,
    concentrations: Sequence[float] = CONCENTRATIONS,
    gamma_prior: tuple[float, float] = (1.0, 1.0),
    n_folds: int = 5,
    callback: Callable[[Progress], None] | None = None,
) -> Tuning:
    """Choose the prior scale and N_0 for a table.

    Parameters
    ----------
    model : MAPDP
        Says the likelihood, the N_0 to start from, the patience of every search and the random
        state; it is not fitted.
    X : DataFrame or array-like, shape (N, M)
    schema : Schema, optional
    way : str
        Key of ``WAYS``. ``"empirical"`` takes the weak prior from the data and the model's N_0.
        ``"objective"`` sets each hyper-parameter in turn to the value of lowest E, terms in N_0
        included, until none changes. ``"gamma"`` goes to and fro between a fit and the most
        probable N_0 for its K. ``"cross-validation"`` takes the point of the grid with the
        highest log predictive density of held-out rows.
    scales, concentrations : sequence of float
        Values tried, above 0. Scales are left alone where no column is a measurement.
    gamma_prior : tuple of float
        Shape and rate of the prior of N_0.
    n_folds : int
        At least 2 and at most N.
    callback : callable, optional
        Told of every step; what it raises ends the search at once.

    Examples
    --------
    >>> import numpy as np
    >>> from mapdp_studio import MAPDP, tune
    >>> rows = np.random.default_rng(0).normal([[0.0], [9.0]], 1.0, (2, 40)).reshape(-1, 1)
    >>> tune(MAPDP(random_state=0), rows, concentrations=(1.0, 10.0)).concentration
    1.0
    """
    if way not in WAYS:
        raise ValueError(f"way={way!r} is not allowed: choose one of {', '.join(WAYS)}.")
    check_number("concentration", model.concentration, 0.0, allow_equal=False)
    for name, values in (("scales", scales), ("concentrations", concentrations)):
        if not len(values):
            raise ValueError(f"{name} is empty: give at least one value above 0.")
        for value in values:
            check_number(name, value, 0.0, allow_equal=False)
    encoded = clone(model)._encode(X, schema)
    if not any(FAMILIES[unit.family].is_real for unit in encoded.units):
        scales = (EMPIRICAL_SCALE,)
    effort = _Effort(encoded, model, callback)
    if way == "empirical":
        effort.expect(1)
        effort.best(EMPIRICAL_SCALE, model.concentration)
        return _tuning(way, effort, "objective")
    if way == "objective":
        _by_coordinates(effort, model.concentration, sorted(scales), concentrations)
        return _tuning(way, effort, "objective")
    if way == "gamma":
        _by_gamma_prior(effort, model.concentration, scales, gamma_prior)
        return _tuning(way, effort, "penalised")
    if check_whole("n_folds", n_folds, 2) > len(encoded.values):
        raise ValueError(f"n_folds={n_folds} is not allowed: there are {len(encoded.values)} rows.")
    _by_cross_validation(effort, sorted(scales), sorted(concentrations), n_folds)
    return _tuning(way, effort, "held_out")


@dataclass(frozen=True)
class _Reached:
    """A partition and its E."""

    labels: np.ndarray
    objective: float

    @property
    def n_clusters(self) -> int:
        return int(self.labels.max()) + 1


class _Effort:
    """Fits at chosen hyper-parameters, each made once and noted."""

    def __init__(
        self,
        encoded: Encoded,
        model: MAPDP,
        callback: Callable[[Progress], None] | None,
    ) -> None:
        self.encoded = encoded
        self.random = np.random.default_rng(model.random_state)
        self._patience = check_whole("patience", model.patience, 0)
        self.stages = Stages(callback)
        self.power = model.likelihood_power
        self.rows: list[dict[str, float]] = []
        priors = default_priors(encoded, EMPIRICAL_SCALE)
        self._columns = Columns.pack(encoded, priors, model.likelihood_power)
        self._reached: dict[tuple[float, float], _Reached] = {}

    @property
    def total_weight(self) -> int:
        """How often the rows count, to the whole row."""
        return round(self._columns.total_weight)

    def expect(self, fits: int) -> None:
        """Announce that so many more fits may come."""
        self.stages.total += fits

    def run(
        self, columns: Columns, scale: float, n_0: float, *efforts: tuple[np.ndarray | None, int]
    ) -> _Reached:
        """The best of some searches: from these labels (None: the usual starts), so patient."""
        report = self.stages.begin(f"prior scale {100 * scale:g} %, N₀ = {n_0:.3g}")
        runs = []
        for known, patience in efforts:
            partition, _ = search(columns, n_0, self.random, patience, report, known)
            runs.append(_Reached(partition.labels, partition.objective()))
        self.stages.end()
        return min(runs, key=lambda run: run.objective)

    def best(self, scale: float, n_0: float, known: np.ndarray | None = None) -> _Reached:
        """Fit the whole table and note it: from the usual starts, and from labels if given."""
        if (scale, n_0) in self._reached:
            self.stages.end()
            return self._reached[scale, n_0]
        columns = self._columns.with_priors(default_priors(self.encoded, scale))
        efforts = [(None, self._patience)] + ([] if known is None else [(known, 0)])
        reached = self.run(columns, scale, n_0, *efforts)
        self._reached[scale, n_0] = reached
        self.note(scale, n_0, reached.n_clusters, objective=reached.objective)
        return reached

    def note(self, scale: float, n_0: float, n_clusters: float, **found: float) -> None:
        """Add a row to the table of what was tried."""
        self.rows.append({"scale": scale, "concentration": n_0, "n_clusters": n_clusters, **found})


def _by_coordinates(
    effort: _Effort, n_0: float, scales: Sequence[float], concentrations: Sequence[float]
) -> None:
    """Greedy coordinate search by E (R16 Appendix G, second way)."""
    scale = min(scales, key=lambda value: abs(np.log(value / EMPIRICAL_SCALE)))
    concentrations = sorted({*concentrations, n_0})
    effort.expect(1)
    best = effort.best(scale, n_0)
    before = None
    while before != (scale, n_0):
        before = scale, n_0
        effort.expect(len(scales) + len(concentrations))
        for value in scales:
            reached = effort.best(value, n_0, best.labels)
            if reached.objective < best.objective:
                best, scale = reached, value
        for value in concentrations:
            reached = effort.best(scale, value, best.labels)
            if reached.objective < best.objective:
                best, n_0 = reached, value


def _by_gamma_prior(
    effort: _Effort, n_0: float, scales: Sequence[float], gamma_prior: tuple[float, float]
) -> None:
    """Fits and most probable N_0 in turn (R16 Appendix G, third way), after the scale by E.

    Neither step raises E minus the log density of ln N_0, so the two come to rest.
    """
    shape, rate = gamma_prior
    n = effort.total_weight
    effort.expect(len(scales) + 1)
    first = {scale: effort.best(scale, n_0) for scale in scales}
    scale = min(first, key=lambda value: first[value].objective)
    reached = first[scale]
    while True:
        step = map_concentration(reached.n_clusters, n, shape, rate)
        effort.expect(1)
        following = effort.best(scale, step, reached.labels)
        if following.n_clusters == reached.n_clusters:
            break
        reached = following
    for row in effort.rows:
        log_density = shape * np.log(row["concentration"]) - rate * row["concentration"]
        row["penalised"] = row["objective"] - log_density


def _by_cross_validation(
    effort: _Effort, scales: Sequence[float], concentrations: Sequence[float], n_folds: int
) -> None:
    """Held-out log predictive density on a grid (R16 Appendix G, fourth way)."""
    values = effort.encoded.values
    fold = effort.random.permutation(len(values)) % n_folds
    effort.expect(n_folds * len(scales) * len(concentrations))
    for scale in scales:
        by_fold = [_held_out(effort, fold == f, scale, concentrations) for f in range(n_folds)]
        for n_0, found in zip(concentrations, zip(*by_fold, strict=True), strict=True):
            densities, n_clusters = zip(*found, strict=True)
            means = np.array([density.mean() for density in densities])
            effort.note(
                scale,
                n_0,
                float(np.mean(n_clusters)),
                held_out=float(np.concatenate(densities).mean()),
                standard_error=float(means.std(ddof=1) / np.sqrt(n_folds)),
            )


def _held_out(
    effort: _Effort, out: np.ndarray, scale: float, concentrations: Sequence[float]
) -> Iterator[tuple[np.ndarray, int]]:
    """Log density of each held-out row, and K of the fit without them, for every N_0."""
    encoded = effort.encoded
    train, test = (encoded.rows(rows) for rows in (~out, out))
    columns = Columns.pack(train, default_priors(train, scale), effort.power)
    known = None
    for n_0 in concentrations:
        reached = effort.run(columns, scale, n_0, (known, GRID_PATIENCE))
        known = reached.labels
        joint = RowScores.of(Partition.at_rest(columns, n_0, known)).log_joint(test)
        yield np.logaddexp.reduce(joint, axis=1), reached.n_clusters


def _tuning(way: str, effort: _Effort, criterion: str) -> Tuning:
    """The row of the table that the criterion prefers, in words too."""
    table = pd.DataFrame(effort.rows)
    values = table[criterion]
    best = values.idxmax() if criterion == "held_out" else values.idxmin()
    table["chosen"] = table.index == best
    row = table.loc[best]
    scale, n_0 = float(row["scale"]), float(row["concentration"])
    sentence = f"{WAYS[way]}: prior scale {100 * scale:g} %, N₀ = {n_0:.3g}"
    if way == "empirical":
        sentence += "; the prior follows from the data, N₀ is as given."
    elif way == "cross-validation":
        sentence += (
            f"; a held-out row has a mean log density of {row['held_out']:.3f} log units, "
            f"the highest of {len(table)} settings."
        )
    else:
        sentence += f", with {row['n_clusters']:.0f} clusters; best of {len(table)} fits."
    lowest = table["concentration"].min()
    if way in ("objective", "cross-validation") and n_0 == lowest < table["concentration"].max():
        sentence += " That is the lowest N₀ tried; a lower one might be preferred again."
    return Tuning(way, n_0, scale, default_priors(effort.encoded, scale), table, sentence)
