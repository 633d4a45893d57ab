"""How firm groups are: under other rows, other starts, other settings and other orders of the rows.

Every fit here holds the likelihoods and the prior of the model, and starts from nothing: from the
groups that it is meant to judge it would hardly find others where there are some. (Where the search
is made whole, as here, it ends in the same groups from either.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from sklearn.base import clone

from ..engine.columns import default_priors
from ..engine.partition import Partition
from ..inference.row_scores import RowScores
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.priors import SCALES
from ..models.side_by_side import Refits
from ..partitions.scores import ari
from ..schema.encoded import Encoded
from .bootstraps import Bootstraps, Consensus, Draw, consensus, draw_patients

#: Optima within so many nats of the best are as good for most purposes.
NEAR = 3.0
#: Two restarts that end this near each other (nats) reached the same optimum.
SAME = 1e-3
#: N_0 is multiplied by these.
FACTORS = (1 / 3, 1.0, 3.0)
#: Under its own prior a fit takes about so much of one that chooses its scale; and what runs on two
#: threads so much of the time on one (measured on wine and the cohort).
HELD, TWO_THREADS = 0.6, 0.8
#: Orders of the rows that the page Stability asks for.
ORDERS = 20


@dataclass(frozen=True)
class Protocol:
    """How many fits of each sort."""

    restarts: int = 100
    bootstraps: int = 100
    #: For each value of N_0 and each prior scale.
    fits: int = 5
    seed: int = 0
    #: Orders in which the published algorithm visits the rows.
    orders: int = 0

    @classmethod
    def full(cls, seed: int = 0) -> Protocol:
        """What the page's light is based on."""
        return cls(seed=seed)

    @classmethod
    def preview(cls, seed: int = 0) -> Protocol:
        """A first look, in well under a minute."""
        return cls(20, 20, 1, seed)


@dataclass(frozen=True)
class Restarts:
    """The same table and prior from other starts."""

    #: float64, shape (R,). E of every restart in nats, lowest first.
    objectives: np.ndarray
    #: int32, shape (R, N). In the same order.
    labels: np.ndarray
    #: E of the groups that are judged.
    model_objective: float

    @property
    def best(self) -> float:
        """Lowest E of all, the judged groups' included."""
        return min(float(self.objectives[0]), self.model_objective)

    @property
    def n_best(self) -> int:
        """Restarts that reached it."""
        return int((self.objectives <= self.best + SAME).sum())

    @property
    def share(self) -> float:
        """Share of the restarts that reached it."""
        return self.n_best / self.objectives.size

    @property
    def improved_by(self) -> float:
        """By how many nats a restart beat the judged groups; 0 if none did."""
        gain = self.model_objective - self.best
        return gain if gain > SAME else 0.0

    @property
    def optima(self) -> np.ndarray:
        """Restarts with the different partitions within ``NEAR`` nats of the best, lowest first."""
        different: list[int] = []
        for r in np.flatnonzero(self.objectives <= self.best + NEAR):
            if all(ari(self.labels[r], self.labels[other]) < 1.0 for other in different):
                different.append(int(r))
        return np.array(different, dtype=np.int64)

    @property
    def agreement(self) -> np.ndarray:
        """ARI of every two of the ``optima``."""
        labels = self.labels[self.optima]
        return np.array([[ari(a, b) for b in labels] for a in labels]).reshape(2 * (len(labels),))

    @property
    def sentence(self) -> str:
        """How many restarts reached the best E, and how many answers are about as good."""
        reached = f"{self.n_best:,} of {self.objectives.size:,} restarts reached the best score. "
        near = f"within {NEAR:g} log units of it (a factor of {math.exp(NEAR):.0f} in probability)"
        if self.optima.size == 1:
            return f"{reached}No other answer lies {near}."
        return (
            f"{reached}{self.optima.size:,} different answers lie {near}; the least alike agree by "
            f"an ARI of {self.agreement.min():.2f} (adjusted Rand index: 1 is the same groups)."
        )


@dataclass(frozen=True)
class Setting:
    """The same table under another setting of the prior."""

    #: "N_0" or "prior scale".
    name: str
    value: float
    #: Whether the judged groups were found under it.
    is_own: bool
    #: K of every fit.
    n_clusters: tuple[int, ...]
    #: int64, shape (N,). Of the fit with the lowest E.
    labels: np.ndarray
    #: Of those with the judged groups.
    ari: float

    @property
    def k(self) -> int:
        """K of the fit with the lowest E."""
        return int(self.labels.max()) + 1


@dataclass(frozen=True)
class Stability:
    """What is known so far; a part that is not there yet, or not asked for, is None."""

    #: int64, shape (N,). The groups that are judged.
    labels: np.ndarray
    restarts: Restarts | None = None
    #: Grows draw by draw.
    bootstraps: Bootstraps | None = None
    #: Grows setting by setting.
    settings: tuple[Setting, ...] = ()
    consensus: Consensus | None = None
    #: The published algorithm on all rows, visited in other orders; one draw an order.
    orders: Bootstraps | None = None

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return self.consensus is not None

    @property
    def starts(self) -> Bootstraps | None:
        """The restarts of the search, row by row."""
        if self.restarts is None:
            return None
        return Bootstraps(self.labels, tuple(Draw(labels) for labels in self.restarts.labels))

    @property
    def settings_frame(self) -> pd.DataFrame:
        """Other priors: ``setting``, ``value``, ``n_clusters``, ``ari`` with these groups, own."""
        lines = [(one.name, one.value, one.k, one.ari, one.is_own) for one in self.settings]
        return pd.DataFrame(lines, columns=["setting", "value", "n_clusters", "ari", "is_own"])

    def rows(self) -> pd.DataFrame:
        """How often every row came out in its own group.

        ``other rows``, ``other starts`` and ``other orders`` are shares, NaN where not known;
        ``second`` is the group it went to most often else, K for none of them.
        """
        table = pd.DataFrame(index=range(self.labels.size))
        parts = self.bootstraps, self.starts, self.orders
        for name, draws in zip(("other rows", "other starts", "other orders"), parts, strict=True):
            known = draws.patients if draws and draws.draws else None
            table[name] = np.where(known.n_draws > 0, known.share, np.nan) if known else np.nan
            if known and "second" not in table:
                table["second"] = known.second
        return table[[*table.columns.drop("second"), "second"]]


@dataclass(frozen=True)
class _Fit:
    """One fit to be made again."""

    seed: int
    #: What differs from the model's settings.
    changes: dict[str, Any]
    #: To which rows; to all of them without.
    rows: np.ndarray | None = None


def n_fits(protocol: Protocol, encoded: Encoded) -> int:
    """Fits that the protocol asks for on a table."""
    n_settings = len(FACTORS) + len(_scales(encoded))
    return protocol.orders + protocol.bootstraps + protocol.restarts + n_settings * protocol.fits


def seconds_expected(model: MAPDP, protocol: Protocol) -> float:
    """About how long ``assess`` will take, from how long the fit took."""
    one = model.result_.seconds / model.n_init
    return one * n_fits(protocol, model.columns_.encoded) * HELD * TWO_THREADS


def assess(
    model: MAPDP,
    protocol: Protocol,
    *,
    patients: np.ndarray | None = None,
    callback: Callback | None = None,
    share: Callable[[Stability], None] | None = None,
    executor: Any = None,
) -> Stability:
    """Judge the groups of a fitted model, which is not changed.

    Where patients have several rows, ``patients``, shape (N,), says whose each is: all rows of a
    patient are drawn together. What the callback raises ends the work; ``share`` is given a partial
    ``Stability`` whenever there is more. The fits run on the workers of an executor, as ``Refits``
    says.
    """
    tell, labels, seed = share or (lambda partial: None), model.labels_, protocol.seed
    refits = Refits(n_fits(protocol, model.columns_.encoded), callback, executor)
    run, own = partial(_run, model), {"prior": list(model.prior_)}
    found = Stability(labels)
    if protocol.orders:
        seeds = range(seed + 2_000, seed + 2_000 + protocol.orders)
        fits = [_Fit(s, {**own, "refine": False}) for s in seeds]
        found = replace(found, orders=Bootstraps(labels, (*refits.map(run, fits, "other orders"),)))
        tell(found)
    samples = draw_patients(labels.size, patients, protocol.bootstraps, seed)
    draws: list[Draw] = []
    for draw in refits.map(run, [_Fit(s, own, rows) for s, rows in samples], "other patients"):
        draws.append(draw)
        found = replace(found, bootstraps=Bootstraps(labels, tuple(draws)))
        tell(found)
    fits = [_Fit(s, own) for s in range(seed + 1_000, seed + 1_000 + protocol.restarts)]
    runs = sorted(refits.map(run, fits, "other starts"), key=lambda run: run.objective)
    objectives, others = (
        np.array([getattr(r, of) for r in runs]) for of in ("objective", "labels")
    )
    found = replace(found, restarts=Restarts(objectives, others, model.objective_))
    tell(found)
    for name, value, is_own, changes in _variants(model):
        fits = [_Fit(s, changes) for s in range(seed + 2_000, seed + 2_000 + protocol.fits)]
        runs = list(refits.map(run, fits, f"{name} = {value:.3g}"))
        best = min(runs, key=lambda run: run.objective).labels
        k = tuple(run.n_clusters for run in runs)
        setting = Setting(name, value, is_own, k, best, ari(labels, best))
        found = replace(found, settings=(*found.settings, setting))
        tell(found)
    candidates = [labels, *found.restarts.labels[found.restarts.optima]]
    candidates += [setting.labels for setting in found.settings]
    found = replace(found, consensus=consensus(found.bootstraps, candidates))
    tell(found)
    return found


def _scales(encoded: Encoded) -> tuple[float, ...]:
    """Prior scales to try: of measurements alone, as no other family has one."""
    return SCALES if any(unit.has_scale for unit in encoded.units) else ()


def _variants(model: MAPDP) -> Iterator[tuple[str, float, bool, dict[str, Any]]]:
    """Every setting to try: its name, value, whether it is the model's own, and its arguments."""
    columns, own = model.columns_, list(model.prior_)
    for factor in FACTORS:
        concentration = factor * model.concentration
        yield "N_0", concentration, factor == 1.0, {"concentration": concentration, "prior": own}
    for scale in _scales(columns.encoded):
        priors = list(default_priors(columns.encoded, scale))
        packed = columns.with_priors(priors).table.prior
        yield "prior scale", scale, np.array_equal(packed, columns.table.prior), {"prior": priors}


def _run(model: MAPDP, fit: _Fit, callback: Callback) -> Draw:
    """Run the procedure once more, and try its groups on the rows that it did not see."""
    encoded = model.columns_.encoded
    labels = np.full(len(encoded.values), -1, dtype=np.int32)
    rows = np.arange(labels.size) if fit.rows is None else fit.rows
    seen = encoded if fit.rows is None else encoded.rows(rows)
    fitted = refit(model, seen, fit.seed, callback, **fit.changes)
    labels[rows] = fitted.labels_
    gain = _held_out_gain(fitted, encoded.rows(np.flatnonzero(labels < 0)))
    return Draw(labels, gain, fitted.objective_)


def refit(model: MAPDP, encoded: Encoded, seed: int, callback: Callback, **changes: Any) -> MAPDP:
    """Run a model's whole procedure once more, from new starts, on a table of the same columns.

    ``changes`` are arguments that differ from the model's.
    """
    twin = clone(model).set_params(random_state=seed, n_init=1, **changes)
    return twin.fit_encoded(encoded, callback)


def procedure(model: MAPDP) -> str:
    """How the procedure chooses its prior, for tables other than the model's own.

    A prior that was handed to the model came from its table, so it is chosen anew; one that came
    with the schema's columns is held, as the schema is.
    """
    return model.prior if isinstance(model.prior, str) else "scale-grid"


def _held_out_gain(fitted: MAPDP, others: Encoded) -> float | None:
    if not len(others.values):
        return None
    if fitted.n_clusters_ == 1:
        return 0.0
    together = Partition.at_rest(fitted.columns_, fitted.concentration)
    groups, one = (
        logsumexp(RowScores.of(partition).log_joint(others), axis=1)
        for partition in (fitted.partition_, together)
    )
    return float(np.average(groups - one, weights=others.weights))
