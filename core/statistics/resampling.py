"""How firm groups are: with other rows, starts, settings and orders of the rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from ..engine.columns import default_priors
from ..models.estimator import Callback
from ..models.mapdp import MAPDP, check_is_searched
from ..models.priors import SCALES
from ..models.side_by_side import Refits
from ..partitions.naming import Naming
from ..partitions.scores import ari
from ..schema.encoded import Encoded
from .bootstraps import BANDS_SENTENCE, Bootstraps, Draw, draw_patients

#: Optima within so many nats of the best are as good for most purposes.
NEAR = 3.0
#: Two restarts that end this near each other (nats) reached the same optimum.
SAME = 1e-3
#: N_0 is multiplied by these.
FACTORS = (1 / 3, 1.0, 3.0)
#: A fit's time under its own prior to one that chooses the scale; on two threads to one (measured).
HELD, TWO_THREADS = 0.6, 0.8
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
        """What Clinical's light is based on."""
        return cls(seed=seed)

    @classmethod
    def preview(cls, seed: int = 0) -> Protocol:
        """A first look, in well under a minute."""
        return cls(20, 20, 1, seed)


EFFORTS = {"preview": Protocol.preview, "full": Protocol.full}


@dataclass(frozen=True)
class Restarts:
    """The same table and prior from other starts."""

    #: float64, shape (R,). E of every restart in nats, lowest first.
    objectives: np.ndarray
    #: int32, shape (R, N). In the same order.
    labels: np.ndarray
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
    #: int64, shape (N,). Of the fit with the lowest E.
    labels: np.ndarray
    #: With the judged groups.
    ari: float

    @property
    def k(self) -> int:
        """K of the fit with the lowest E."""
        return int(self.labels.max()) + 1


@dataclass(frozen=True, eq=False)
class GroupStability:
    """How often groups come back, as far as is known; what is not known yet is None."""

    #: int64, shape (N,). The groups that are judged.
    labels: np.ndarray
    restarts: Restarts | None = None
    bootstraps: Bootstraps | None = None
    tried: tuple[Setting, ...] = ()
    #: The published algorithm on all rows, visited in other orders; one draw an order.
    orders: Bootstraps | None = None
    complete: bool = False

    @property
    def table(self) -> pd.DataFrame:
        """One row a group: ``rows``, ``jaccard`` with the groups of resampled rows, ``band``.

        The mean best Jaccard similarity (Hennig 2007), NaN of groups too small to assess.
        """
        draws, groups = self.bootstraps, Naming().apply(self.labels)
        found = {"rows": groups.sizes, "jaccard": draws.mean_jaccard, "band": draws.bands}
        table = pd.DataFrame(found, index=pd.Index(groups.titles, name="group"))
        return table.astype({"jaccard": float})

    @property
    def settings(self) -> pd.DataFrame:
        """Other priors: ``setting``, ``value``, ``n_clusters``, ``ari`` with these groups, own."""
        lines = [(one.name, one.value, one.k, one.ari, one.is_own) for one in self.tried]
        return pd.DataFrame(lines, columns=["setting", "value", "n_clusters", "ari", "is_own"])

    @property
    def rows(self) -> pd.DataFrame:
        """How often every row came out in its own group; ``second``: where most often else.

        ``other rows``, ``other starts`` and ``other orders`` are shares, NaN where not known;
        ``second`` is K for none of the groups.
        """
        starts = self.restarts and Bootstraps(self.labels, (*map(Draw, self.restarts.labels),))
        table = pd.DataFrame(index=range(self.labels.size))
        parts = self.bootstraps, starts, self.orders
        for name, draws in zip(("other rows", "other starts", "other orders"), parts, strict=True):
            known = draws.patients if draws and draws.draws else None
            table[name] = np.where(known.n_draws > 0, known.share, np.nan) if known else np.nan
            if known and "second" not in table:
                table["second"] = known.second
        return table[[*table.columns.drop("second"), "second"]]

    @property
    def sentence(self) -> str:
        """The least stable group, and how many restarts reached the best score."""
        known = self.table["jaccard"].dropna()
        said = "No group is large enough to assess."
        if not known.empty:
            said = (
                f"{known.idxmin()} is the least stable, with a mean Jaccard similarity of "
                f"{known.min():.2f} over {len(self.bootstraps.draws):,} resamples "
                f"({BANDS_SENTENCE})."
            )
        return f"{said} {self.restarts.sentence}"

    def _repr_html_(self) -> str:
        tables = self.table.to_html(border=0), self.settings.to_html(index=False, border=0)
        return f"<p>{self.sentence}</p>{''.join(tables)}"

    def __repr__(self) -> str:
        return f"{self.sentence}\n{self.table}"


def stability(
    model: MAPDP,
    effort: str = "preview",
    *,
    seed: int = 0,
    callback: Callback | None = None,
    share: Callable[[GroupStability], None] | None = None,
    executor: Any = None,
) -> GroupStability:
    """Ask whether the groups come back, with other rows, starts, orders of rows and settings.

    Parameters
    ----------
    model : MAPDP
        Fitted; it is not changed.
    effort : {"preview", "full"}
        20 resamples and restarts, or 100 of each.
    seed : int
    callback : callable, optional
        Told of every step; what it raises ends the work.
    share : callable, optional
        Given what there is so far whenever there is more.
    executor : Executor, optional
        Whose workers make the fits; two threads of their own when absent.

    Raises
    ------
    TypeError, ValueError
        No fitted MAPDP, whose search can be made again, or another effort.
    """
    check_is_searched(model, "stability")
    protocol = protocol_of(effort, seed)
    return assess(model, protocol, callback=callback, share=share, executor=executor)


def protocol_of(effort: str, seed: int = 0) -> Protocol:
    """How many fits of each sort an effort is; a ValueError names those that there are."""
    if effort not in EFFORTS:
        raise ValueError(f"effort={effort!r} is not allowed: give {' or '.join(EFFORTS)}.")
    return replace(EFFORTS[effort](seed), orders=ORDERS)


def assess(
    model: MAPDP,
    protocol: Protocol,
    *,
    patients: np.ndarray | None = None,
    callback: Callback | None = None,
    share: Callable[[GroupStability], None] | None = None,
    executor: Any = None,
) -> GroupStability:
    """Judge the groups of a fitted model, as ``stability`` does, by so many fits of each sort."""
    tell, labels, seed = share or (lambda partial: None), model.labels_, protocol.seed
    refits = Refits(n_fits(protocol, model.columns_.encoded), callback, executor)
    run, own = partial(_run, model), {"prior": list(model.prior_)}
    found = GroupStability(labels)
    if protocol.orders:
        seeds = range(seed + 2_000, seed + 2_000 + protocol.orders)
        fits = [(s, {**own, "refine": False}, None) for s in seeds]
        found = replace(found, orders=Bootstraps(labels, (*refits.map(run, fits, "other orders"),)))
        tell(found)
    samples = draw_patients(labels.size, patients, protocol.bootstraps, seed)
    draws: list[Draw] = []
    for draw in refits.map(run, [(s, own, rows) for s, rows in samples], "other patients"):
        draws.append(draw)
        found = replace(found, bootstraps=Bootstraps(labels, tuple(draws)))
        tell(found)
    fits = [(s, own, None) for s in range(seed + 1_000, seed + 1_000 + protocol.restarts)]
    runs = sorted(refits.map(run, fits, "other starts"), key=lambda run: run.objective)
    objectives, others = (
        np.array([getattr(r, of) for r in runs]) for of in ("objective", "labels")
    )
    found = replace(found, restarts=Restarts(objectives, others, model.objective_))
    tell(found)
    for name, value, is_own, changes in _variants(model):
        fits = [(s, changes, None) for s in range(seed + 2_000, seed + 2_000 + protocol.fits)]
        runs = refits.map(run, fits, f"{name} = {value:.3g}")
        best = min(runs, key=lambda run: run.objective).labels
        setting = Setting(name, value, is_own, best, ari(labels, best))
        found = replace(found, tried=(*found.tried, setting))
        tell(found)
    found = replace(found, complete=True)
    tell(found)
    return found


def n_fits(protocol: Protocol, encoded: Encoded) -> int:
    """Fits that the protocol asks for on a table."""
    n_settings = len(FACTORS) + len(_scales(encoded))
    return protocol.orders + protocol.bootstraps + protocol.restarts + n_settings * protocol.fits


def seconds_expected(model: MAPDP, protocol: Protocol) -> float:
    """About how long ``assess`` will take, from how long the fit took."""
    one = model.result_.seconds / model.n_init
    return one * n_fits(protocol, model.columns_.encoded) * HELD * TWO_THREADS


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


def _run(
    model: MAPDP, fit: tuple[int, dict[str, Any], np.ndarray | None], callback: Callback
) -> Draw:
    """Run the procedure once more: under a seed, with some settings changed, on some rows."""
    seed, changes, rows = fit
    encoded = model.columns_.encoded
    labels = np.full(len(encoded.values), -1, dtype=np.int32)
    seen = encoded if rows is None else encoded.rows(rows)
    fitted = refit(model, seen, seed, callback, **changes)
    labels[slice(None) if rows is None else rows] = fitted.labels_
    return Draw(labels, fitted.objective_)


def refit(model: MAPDP, encoded: Encoded, seed: int, callback: Callback, **changes: Any) -> MAPDP:
    """Run a model's whole procedure once more, from new starts, on a table of the same columns."""
    twin = clone(model).set_params(random_state=seed, n_init=1, **changes)
    return twin.fit_encoded(encoded, callback)


def procedure(model: MAPDP) -> str:
    """How the procedure chooses its prior, for tables other than the model's own."""
    return model.prior if isinstance(model.prior, str) else "scale-grid"
