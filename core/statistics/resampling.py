"""Stability of groups under other rows, starts, settings and orders of the rows."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone

from ..engine.packed import default_priors
from ..models.estimator import Callback
from ..models.mapdp import MAPDP, check_is_searched
from ..models.priors import SCALES
from ..models.progress import Refits
from ..partitions.naming import Naming
from ..partitions.scores import ari, best_overlaps, match_labels
from ..schema.encoded import Encoded

#: Groups of fewer rows are not assessable: a draw holds too few of them.
ASSESSABLE = 10
#: Where Hennig's bands of the mean Jaccard similarity begin, and the words for each.
HIGHLY_STABLE, STABLE, DOUBTFUL = 0.85, 0.75, 0.60
BANDS = {HIGHLY_STABLE: "highly stable", STABLE: "stable", DOUBTFUL: "doubtful"}
UNSTABLE = "not to be trusted"
BANDS_SENTENCE = (
    ", ".join(f"from {least:.2f} {words}" for least, words in BANDS.items())
    + f", below that {UNSTABLE}"
)
#: Optima within so many nats of the best are as good for most purposes.
NEAR = 3.0
#: Two restarts that end this near each other (nats) reached the same optimum.
SAME = 1e-3
#: N_0 is multiplied by these.
FACTORS = (1 / 3, 1.0, 3.0)
ORDERS = 20
#: A seed, the settings that are changed, and the rows; None for all.
Refit = tuple[int, dict[str, Any], np.ndarray | None]


@dataclass(frozen=True)
class Protocol:
    """Numbers of fits of each sort."""

    restarts: int = 100
    bootstraps: int = 100
    #: For each value of N_0 and each prior scale.
    fits: int = 5
    seed: int = 0
    #: Orders in which the published algorithm visits the rows.
    orders: int = 0


#: A first look, in well under a minute, and Clinical's full check.
EFFORTS = {"preview": Protocol(20, 20, 1), "full": Protocol()}


def band(mean: float) -> str:
    """Hennig's words for a mean Jaccard similarity."""
    return next((words for least, words in BANDS.items() if mean >= least), UNSTABLE)


@dataclass(frozen=True)
class Bootstraps:
    """The draws made so far, against the groups that are judged."""

    #: int64, shape (N,). The judged groups.
    reference: np.ndarray
    #: int32, shape (N,) each. 0..K-1 by size; -1 for rows that were not drawn.
    draws: tuple[np.ndarray, ...]

    @property
    def n_clusters(self) -> np.ndarray:
        """K of every draw, shape (B,)."""
        return np.array([labels.max() + 1 for labels in self.draws])

    @cached_property
    def jaccard(self) -> np.ndarray:
        """Best Jaccard similarity per draw and group, (B, K) (Hennig 2007); NaN if none drawn."""
        n_groups = int(self.reference.max()) + 1
        found = np.empty((len(self.draws), n_groups))
        for b, labels in enumerate(self.draws):
            rows = labels >= 0
            found[b] = best_overlaps(self.reference[rows], labels[rows], n_groups)
        return found

    @property
    def mean_jaccard(self) -> tuple[float | None, ...]:
        """Mean over the draws by group; None for groups too small to assess."""
        sizes = np.bincount(self.reference)
        return tuple(
            float(np.nanmean(column)) if size >= ASSESSABLE and len(self.draws) else None
            for size, column in zip(sizes, self.jaccard.T, strict=True)
        )

    @property
    def bands(self) -> tuple[str, ...]:
        """Hennig's words for every group."""
        return tuple("not assessable" if mean is None else band(mean) for mean in self.mean_jaccard)

    def places(self) -> tuple[np.ndarray, np.ndarray]:
        """Share of a row's draws in its own group, NaN of none; the likeliest other, K for none."""
        n_groups, every = int(self.reference.max()) + 1, np.arange(self.reference.size)
        counts = np.zeros((every.size, n_groups + 1))
        for labels in self.draws:
            rows = np.flatnonzero(labels >= 0)
            matched = match_labels(self.reference[rows], labels[rows])
            counts[rows, np.minimum(matched, n_groups)] += 1.0
        drawn, own = counts.sum(axis=1), counts[every, self.reference]
        counts[every, self.reference] = -1.0
        share = np.divide(own, drawn, out=np.full(every.size, np.nan), where=drawn > 0)
        return share, counts.argmax(axis=1)


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


@dataclass(frozen=True, eq=False)
class GroupStability:
    """How often groups come back; parts not known yet are None."""

    #: int64, shape (N,). The groups that are judged.
    labels: np.ndarray
    restarts: Restarts | None = None
    bootstraps: Bootstraps | None = None
    #: A line of ``settings`` each.
    tried: tuple[tuple[str, float, int, float, bool], ...] = ()
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
        columns = ["setting", "value", "n_clusters", "ari", "is_own"]
        return pd.DataFrame(list(self.tried), columns=columns)

    @property
    def rows(self) -> pd.DataFrame:
        """How often every row came out in its own group; ``second``: where most often else.

        ``other rows``, ``other starts`` and ``other orders`` are shares, NaN where not known;
        ``second`` is K for none of the groups.
        """
        starts = self.restarts and Bootstraps(self.labels, tuple(self.restarts.labels))
        of = {"other rows": self.bootstraps, "other starts": starts, "other orders": self.orders}
        shares = {name: draws.places() for name, draws in of.items() if draws and draws.draws}
        table = pd.DataFrame(np.nan, index=range(self.labels.size), columns=[*of])
        for name, (share, _) in shares.items():
            table[name] = share
        return table.assign(second=next(iter(shares.values()))[1])

    @property
    def sentence(self) -> str:
        """The least stable group, and how many restarts reached the best score."""
        observed = self.table["jaccard"].dropna()
        least = "No group is large enough to assess."
        if not observed.empty:
            least = (
                f"{observed.idxmin()} is the least stable, with a mean Jaccard similarity of "
                f"{observed.min():.2f} over {len(self.bootstraps.draws):,} resamples "
                f"({BANDS_SENTENCE})."
            )
        return f"{least} {self.restarts.sentence}"

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
        Called after every step; what it raises ends the work.
    share : callable, optional
        Given what there is so far whenever there is more.

    Raises
    ------
    TypeError, ValueError
        No fitted MAPDP, whose search can be made again, or another effort.
    """
    check_is_searched(model, "stability")
    if effort not in EFFORTS:
        raise ValueError(f"effort={effort!r} is not allowed: give {' or '.join(EFFORTS)}.")
    protocol = replace(EFFORTS[effort], seed=seed, orders=ORDERS)
    return assess(model, protocol, callback=callback, share=share)


def assess(
    model: MAPDP,
    protocol: Protocol,
    *,
    patients: np.ndarray | None = None,
    callback: Callback | None = None,
    share: Callable[[GroupStability], None] | None = None,
) -> GroupStability:
    """Judge the groups of a fitted model, as ``stability`` does, under a protocol."""
    labels, seed, own = model.labels_, protocol.seed, {"prior": list(model.prior_)}
    encoded = model.columns_.encoded
    refits = Refits(n_fits(protocol, encoded), encoded.values.size, callback)
    found, run, draws = GroupStability(labels), partial(_run, model), ()

    def again(first: int, n: int, changes: dict[str, Any]) -> list[Refit]:
        return [(s, changes, None) for s in range(seed + first, seed + first + n)]

    def take(**part: Any) -> None:
        nonlocal found
        found = replace(found, **part)
        if share is not None:
            share(found)

    if protocol.orders:
        fits = again(2_000, protocol.orders, {**own, "refine": False})
        ended = refits.map(run, fits, "other orders")
        take(orders=Bootstraps(labels, tuple(one for one, _ in ended)))
    samples = draw_patients(labels.size, patients, protocol.bootstraps, seed)
    for draw, _ in refits.map(run, ((s, own, rows) for s, rows in samples), "rows drawn anew"):
        draws += (draw,)
        take(bootstraps=Bootstraps(labels, draws))
    ended = refits.map(run, again(1_000, protocol.restarts, own), "other starts")
    others, objectives = map(np.array, zip(*sorted(ended, key=lambda run: run[1]), strict=True))
    take(restarts=Restarts(objectives, others, model.objective_))
    for name, value, is_own, changes in _variants(model):
        ended = refits.map(run, again(2_000, protocol.fits, changes), f"{name} = {value:.3g}")
        best, _ = min(ended, key=lambda run: run[1])
        line = name, value, int(best.max()) + 1, ari(labels, best), is_own
        take(tried=(*found.tried, line))
    take(complete=True)
    return found


def draw_patients(
    n_rows: int, patients: np.ndarray | None, n_draws: int, seed: int
) -> Iterator[tuple[int, np.ndarray]]:
    """Rows of bootstrap draws of distinct patients, each after its seed for the fit."""
    codes = np.arange(n_rows) if patients is None else pd.factorize(np.asarray(patients))[0]
    # Rows without an id are patients of their own.
    unknown = np.flatnonzero(codes < 0)
    codes[unknown] = codes.max(initial=-1) + 1 + np.arange(unknown.size)
    n_patients = int(codes.max()) + 1
    for b in range(n_draws):
        random = np.random.default_rng([seed, b])
        is_drawn = np.isin(codes, random.integers(n_patients, size=n_patients))
        yield seed + b, np.flatnonzero(is_drawn)


def n_fits(protocol: Protocol, encoded: Encoded) -> int:
    """Fits that the protocol asks for on a table."""
    n_settings = len(FACTORS) + len(_scales(encoded))
    return protocol.orders + protocol.bootstraps + protocol.restarts + n_settings * protocol.fits


def _scales(encoded: Encoded) -> tuple[float, ...]:
    """Prior scales to try: of measurements alone, as no other family has one."""
    return SCALES if any(unit.has_scale for unit in encoded.units) else ()


def _variants(model: MAPDP) -> Iterator[tuple[str, float, bool, dict[str, Any]]]:
    """Yield every setting to try: name, value, whether it is the model's own, and arguments."""
    packed, own = model.columns_, list(model.prior_)
    for factor in FACTORS:
        concentration = factor * model.concentration
        yield "N_0", concentration, factor == 1.0, {"concentration": concentration, "prior": own}
    for scale in _scales(packed.encoded):
        priors = list(default_priors(packed.encoded, scale))
        is_own = np.array_equal(packed.with_priors(priors).table.prior, packed.table.prior)
        yield "prior scale", scale, is_own, {"prior": priors}


def _run(model: MAPDP, fit: Refit, callback: Callback) -> tuple[np.ndarray, float]:
    """Labels of all rows, -1 of those left out, and E of the procedure run once more."""
    seed, changes, rows = fit
    encoded = model.columns_.encoded
    labels = np.full(len(encoded.values), -1, dtype=np.int32)
    seen = encoded if rows is None else encoded.rows(rows)
    fitted = refit(model, seen, seed, callback, **changes)
    labels[slice(None) if rows is None else rows] = fitted.labels_
    return labels, fitted.objective_


def refit(model: MAPDP, encoded: Encoded, seed: int, callback: Callback, **changes: Any) -> MAPDP:
    """Run a model's whole procedure once more, from new starts, on a table of the same columns."""
    twin = clone(model).set_params(random_state=seed, n_init=1, **changes)
    return twin.fit_encoded(encoded, callback)


def prior_procedure(model: MAPDP) -> str:
    """The ``prior`` argument of a refit to tables other than the model's own."""
    return model.prior if isinstance(model.prior, str) else "scale-grid"
