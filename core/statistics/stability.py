"""How firm groups are: under other starts, other patients and other settings of the prior.

Every fit here starts from nothing, never from the answer that it is meant to judge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..engine.columns import default_priors
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.priors import SCALES
from ..models.side_by_side import Refits
from ..partitions.scores import ari
from ..schema.encoded import Encoded
from .bootstraps import Bootstraps, Draw, draw_patients, refit_without
from .consensus import Consensus, consensus
from .refits import procedure, refit

#: Optima within so many nats of the best are as good for most purposes.
NEAR = 3.0
#: Two restarts that end this near each other (nats) reached the same optimum.
SAME = 1e-3
#: N_0 is multiplied by these.
FACTORS = (1 / 3, 1.0, 3.0)


@dataclass(frozen=True)
class Protocol:
    """How many fits of each sort."""

    restarts: int = 100
    bootstraps: int = 100
    #: For each value of N_0 and each prior scale.
    fits: int = 5
    seed: int = 0

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
    def sentence(self) -> str:
        """How many restarts reached the best E, and how many answers are about as good."""
        reached = f"{self.n_best:,} of {self.objectives.size:,} restarts reached the best score. "
        near = f"within {NEAR:g} log units of it (a factor of {math.exp(NEAR):.0f} in probability)"
        optima = self.optima.size
        if optima == 1:
            return f"{reached}No other answer lies {near}."
        return (
            f"{reached}{optima:,} different answers lie {near}; the least alike agree by an ARI of "
            f"{self.agreement.min():.2f} (adjusted Rand index: 1 is the same groups)."
        )

    @property
    def optima(self) -> np.ndarray:
        """Restarts with the different partitions within ``NEAR`` nats of the best, lowest first."""
        near = np.flatnonzero(self.objectives <= self.best + NEAR)
        different: list[int] = []
        for r in near:
            if all(ari(self.labels[r], self.labels[other]) < 1.0 for other in different):
                different.append(int(r))
        return np.array(different, dtype=np.int64)

    @property
    def agreement(self) -> np.ndarray:
        """ARI of every two of the ``optima``."""
        labels = self.labels[self.optima]
        return np.array([[ari(a, b) for b in labels] for a in labels]).reshape(2 * (len(labels),))


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
    """What is known so far; a part that is not there yet is None."""

    #: int64, shape (N,). The groups that are judged.
    labels: np.ndarray
    restarts: Restarts | None = None
    #: Grows draw by draw.
    bootstraps: Bootstraps | None = None
    #: Grows setting by setting.
    settings: tuple[Setting, ...] = ()
    consensus: Consensus | None = None

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return self.consensus is not None


def n_fits(protocol: Protocol, encoded: Encoded) -> int:
    """Fits that the protocol asks for on a table."""
    n_settings = len(FACTORS) + len(_scales(encoded))
    return protocol.restarts + protocol.bootstraps + n_settings * protocol.fits


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
    encoded = model.columns_.encoded
    refits = Refits(n_fits(protocol, encoded), callback, executor)
    tell = share or (lambda partial: None)
    found = Stability(model.labels_)
    draws: list[Draw] = []
    samples = draw_patients(model.labels_.size, patients, protocol.bootstraps, protocol.seed)
    for draw in refits.map(partial(_bootstrap, model), samples, "other patients"):
        draws.append(draw)
        found = replace(found, bootstraps=Bootstraps(model.labels_, tuple(draws)))
        tell(found)
    found = replace(found, restarts=_restart(model, protocol, refits))
    tell(found)
    for variant in _variants(model):
        setting = _under(model, *variant, protocol, refits)
        found = replace(found, settings=(*found.settings, setting))
        tell(found)
    candidates = [model.labels_, *found.restarts.labels[found.restarts.optima]]
    candidates += [setting.labels for setting in found.settings]
    found = replace(found, consensus=consensus(found.bootstraps, candidates))
    tell(found)
    return found


def _bootstrap(model: MAPDP, sample: tuple[int, np.ndarray], callback: Callback) -> Draw:
    return refit_without(model, sample[1], sample[0], callback)


def _search(
    model: MAPDP, changes: Mapping[str, Any], seed: int, callback: Callback
) -> tuple[float, np.ndarray]:
    run = refit(model, model.columns_.encoded, seed, callback, **changes)
    return run.objective_, run.labels_


def _restart(model: MAPDP, protocol: Protocol, refits: Refits) -> Restarts:
    work = partial(_search, model, {"prior": list(model.prior_)})
    seeds = range(protocol.seed + 1_000, protocol.seed + 1_000 + protocol.restarts)
    runs = sorted(refits.map(work, seeds, "other starts"), key=lambda run: run[0])
    objectives = np.array([objective for objective, _ in runs])
    return Restarts(
        objectives, np.array([labels for _, labels in runs], dtype=np.int32), model.objective_
    )


def _scales(encoded: Encoded) -> tuple[float, ...]:
    """Prior scales to try: of measurements alone, as no other family has one."""
    return SCALES if any(unit.has_scale for unit in encoded.units) else ()


def _variants(model: MAPDP) -> Iterator[tuple[str, float, bool, dict[str, Any]]]:
    """Every setting to try: its name, value, whether it is the model's own, and its arguments."""
    columns, prior = model.columns_, procedure(model)
    for factor in FACTORS:
        concentration = factor * model.concentration
        changes = {"concentration": concentration, "prior": prior}
        yield "N_0", concentration, factor == 1.0, changes
    for scale in _scales(columns.encoded):
        priors = list(default_priors(columns.encoded, scale))
        packed = columns.with_priors(priors).table.prior
        yield "prior scale", scale, np.array_equal(packed, columns.table.prior), {"prior": priors}


def _under(
    model: MAPDP,
    name: str,
    value: float,
    is_own: bool,
    changes: dict[str, Any],
    protocol: Protocol,
    refits: Refits,
) -> Setting:
    seeds = range(protocol.seed + 2_000, protocol.seed + 2_000 + protocol.fits)
    runs = list(refits.map(partial(_search, model, changes), seeds, f"{name} = {value:.3g}"))
    _, best = min(runs, key=lambda run: run[0])
    k = tuple(int(labels.max()) + 1 for _, labels in runs)
    return Setting(name, value, is_own, k, best, ari(model.labels_, best))
