"""Which columns the model does not describe, and which likelihood would describe them better.

A posterior predictive check without a refit: every cell is held against what its own cluster would
draw, as a randomised quantile residual (Dunn and Smyth 1996, J. Comput. Graph. Stat. 5), uniform
where the likelihood is right. Names (categories and yes/no) fit any shares, so they cannot misfit.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kstwobign, norm

from ..engine.columns import Columns
from ..engine.partition import Partition
from ..families import FAMILIES
from ..once import once
from ..schema.chosen import change_in_words, likelihoods
from ..schema.encode import decode_column
from ..schema.encoded import Encoded, Unit
from ..schema.schema import ColumnSpec, Schema, SchemaError
from ..schema.transforms import jacobian
from ..wording import counted, escaped, listed
from .clusters import describe_clusters
from .fit import Fit

DRAWS = 2_000  # from each cluster's predictive
LEAST_ROWS = 10  # of a cluster whose cells are looked at
NOTABLE = 0.07  # distance from uniform that a reader would see
LEVEL = 0.01  # of the test of uniformity, over all columns
SCALES = (0.1, 0.3, 1.0)  # of the priors that a change is tried with
MOST_ROWS = 4_000  # on which changes are tried
LEAST_GAIN = 10.0  # nats by which a change must lower E
NAMED = 3  # columns of a sentence on several
#: What suits ratings whose spread is not a binomial's.
CATEGORIES: Mapping[str, Any] = {"family": "categorical"}


@dataclass(frozen=True)
class Misfit:
    """One column that its likelihood does not describe within the groups.

    Parameters
    ----------
    column : str
    distance : float
        Largest distance of the residuals' distribution from the uniform one, 0 to 1.
    p : float
        Of that distance under a right likelihood (Kolmogorov), before any correction.
    shape : str
        What the cells are that the likelihood does not expect, such as "more spread out"; "" where
        they fit their groups, of which there are more than needed.
    change : mapping, optional
        What describes them better, as for ``Schema.with_column``.
    gain : float
        Nats by which E falls with it, groups merged that need not be apart then.
    n : int
        Cells looked at.
    """

    column: str
    distance: float
    p: float
    shape: str
    change: Mapping[str, Any] | None = None
    gain: float = 0.0
    n: int = 0

    @property
    def severity(self) -> float:
        """Nats at stake: what a change gains, or what the distance amounts to (Pinsker)."""
        return max(self.gain, 2.0 * self.n * self.distance**2)

    @property
    def remedy(self) -> str:
        """Name of the change: "as count, long tail (geometric)", "in logarithms"."""
        return "" if self.change is None else change_in_words(self.change)

    @property
    def text(self) -> str:
        """A sentence for the page."""
        name = escaped(self.column)
        expects = f"{name}: {self.shape} than its likelihood expects"
        if not self.shape:
            expects = f"{name}: its likelihood keeps groups apart that the column does not need"
        if self.change is None:
            return f"{expects}; no other likelihood fits better."
        return f"{expects}; {self.remedy} it fits better: E falls by {self.gain:,.0f} log units."


def in_one_sentence(ratings: Sequence[Misfit]) -> str:
    """What is said of ratings that would do better as categories."""
    named = listed((misfit.column for misfit in ratings), NAMED, quotes="“”")
    gains = [misfit.gain for misfit in ratings]
    return (
        f"{named} would do better as “category” than as “rating”: E falls by {min(gains):,.0f} to"
        f" {max(gains):,.0f} log units for each. Their spread is not a binomial's, and further"
        " clusters make up for that."
    )


def misfits(partition: Partition, schema: Schema, random_state: int = 0) -> tuple[Misfit, ...]:
    """Columns that do not look like draws from their own clusters, the worst first.

    Parameters
    ----------
    partition : Partition
        Of a fit under ``schema``.
    schema : Schema

    Returns
    -------
    tuple of Misfit
        Only those far enough from what chance does, with all columns looked at.
    """
    residuals = quantile_residuals(partition, random_state)
    ground = _Ground.of(partition)
    found: list[Misfit] = []
    for name, u in residuals.items():
        seen = u[~np.isnan(u)]
        if seen.size < 2 * LEAST_ROWS:
            continue
        distance = _distance(seen)
        p = float(kstwobign.sf(distance * np.sqrt(seen.size)))
        change, gain = _best_change(ground, schema, name)
        is_far = p * len(residuals) < LEVEL and distance >= NOTABLE
        if is_far or change is not None:
            shape = _shape(seen) if is_far else ""
            found.append(Misfit(name, distance, p, shape, change, gain, seen.size))
    return tuple(sorted(found, key=lambda misfit: -misfit.severity))


@once
def misfits_of(fit: Fit, schema: Schema | None) -> tuple[Misfit, ...]:
    """The same of a finished fit, worked out once, with a warning the first time.

    The warning names columns whose likelihood was suggested, not set, where another is far better.
    An array has no schema: its columns are as the caller set them.
    """
    if fit.partition is None:
        raise AttributeError(f"{fit.algorithm} has no misfits; MAPDP has them.")
    schema = schema or _as_set(fit.partition.columns.encoded.units)
    found = misfits(fit.partition, schema)
    worse = [m for m in found if m.change is not None and schema[m.column].is_suggested]
    if worse:
        told = "; ".join(
            f"{m.column!r} {m.remedy} (E falls by {m.gain:,.0f} log units: schema.with_column("
            f"{m.column!r}, {', '.join(f'{k}={v!r}' for k, v in m.change.items())}))"
            for m in worse
        )
        warnings.warn(
            f"The likelihood suggested for {counted(len(worse), 'column')} is much worse, within "
            f"the groups, than another: {told}. Change the schema and fit again.",
            UserWarning,
            stacklevel=4,
        )
    return found


def _as_set(units: Iterable[Unit]) -> Schema:
    """What a caller said of an array's columns; those of a block have no own likelihood."""
    alone = [unit for unit in units if not FAMILIES[unit.family].is_block]
    return Schema([ColumnSpec(unit.name, unit.family, **unit.options) for unit in alone])


def quantile_residuals(partition: Partition, random_state: int = 0) -> dict[str, np.ndarray]:
    """Where every cell stands among draws from its cluster's predictive, 0 to 1.

    Returns
    -------
    dict of str to ndarray, shape (N,)
        By column that holds quantities; NaN where the cell is missing or its cluster small.
    """
    random = np.random.default_rng(random_state)
    encoded, labels = partition.columns.encoded, partition.labels
    clusters = describe_clusters(partition)
    found = {}
    for unit, start in zip(encoded.units, encoded.starts, strict=True):
        if unit.is_nominal:
            continue
        for d, name in enumerate(unit.columns):
            values = encoded.values[:, start + d]
            u = np.full(values.size, np.nan)
            for k, cluster in enumerate(clusters):
                rows = np.flatnonzero((labels == k) & ~np.isnan(values))
                if rows.size >= LEAST_ROWS:
                    draws = cluster.posterior[unit.name].draw(DRAWS, random)
                    draws = draws[:, d] if draws.ndim == 2 else draws
                    u[rows] = _places(values[rows], np.sort(draws), random)
            found[name] = u
    return found


def _places(values: np.ndarray, draws: np.ndarray, random: np.random.Generator) -> np.ndarray:
    below = np.searchsorted(draws, values, side="left")
    same = np.searchsorted(draws, values, side="right") - below
    return (below + random.random(values.size) * (same + 1)) / (draws.size + 1)


def _distance(u: np.ndarray) -> float:
    """Kolmogorov's distance from the uniform distribution."""
    u = np.sort(u)
    steps = np.arange(u.size + 1) / u.size
    return float(max(np.max(steps[1:] - u), np.max(u - steps[:-1])))


def _shape(u: np.ndarray) -> str:
    """What sets residuals apart from uniform ones: their spread, or a tail."""
    z = norm.ppf(np.clip(u, 1e-4, 1 - 1e-4))
    skew = float(np.mean((z - z.mean()) ** 3) / max(z.std(), 1e-9) ** 3)
    spread = float(z.std())
    if spread > 1.15 and spread - 1 > abs(skew) / 3:
        return "more spread out"
    if spread < 0.85:
        return "closer together"
    if abs(skew) > 0.3:
        return f"with a longer tail to the {'right' if skew > 0 else 'left'}"
    return "otherwise spread"


@dataclass(frozen=True)
class _Ground:
    """Some rows of the fitted table with their groups, on which likelihoods are tried."""

    columns: Columns
    labels: np.ndarray
    concentration: float

    @classmethod
    def of(cls, partition: Partition) -> _Ground:
        encoded = partition.columns.encoded
        rows = np.arange(0, len(encoded.values), max(len(encoded.values) // MOST_ROWS, 1))
        values = np.ascontiguousarray(encoded.values[rows])
        columns = Columns.pack(Encoded(values, encoded.units), partition.columns.priors)
        labels = np.unique(partition.labels[rows], return_inverse=True)[1]
        return cls(columns, labels, partition.concentration)

    def cells(self, spec: ColumnSpec) -> pd.DataFrame:
        """One column under its present likelihood, in its user's words and units again."""
        encoded = self.columns.encoded
        codes = encoded.values[:, encoded.starts[self._unit(spec.name)]]
        seen = ~np.isnan(codes)
        words = decode_column(codes[seen], spec)
        cells = pd.Series(words, np.flatnonzero(seen)).reindex(range(codes.size))
        return pd.DataFrame({spec.name: cells})

    def _unit(self, name: str) -> int:
        return next(u for u, unit in enumerate(self.columns.encoded.units) if unit.name == name)

    def merged(self, columns: Columns) -> float:
        """E of the groups, those merged that need not be apart under these likelihoods."""
        partition = Partition(columns, self.concentration, self.labels)
        partition.merge()
        return partition.objective()

    def with_column(self, only: Encoded, spec: ColumnSpec, scale: float) -> tuple[Columns, float]:
        """The same table with one column under another likelihood, and ln of its Jacobian."""
        encoded, u = self.columns.encoded, self._unit(spec.name)
        values = encoded.values.copy()
        values[:, encoded.starts[u]] = only.values[:, 0]
        units = (*encoded.units[:u], only.units[0], *encoded.units[u + 1 :])
        prior = FAMILIES[spec.family].default_prior(
            only.values[:, 0], scale, **only.units[0].options
        )
        priors = (*self.columns.priors[:u], prior, *self.columns.priors[u + 1 :])
        added = float(jacobian(only.values[:, 0], spec.transform).sum())
        return Columns.pack(Encoded(values, units), priors), added

    def objective(self, cells: pd.DataFrame, spec: ColumnSpec) -> float:
        """E under a likelihood of one column, its prior's scale by the evidence."""
        only = Schema([spec]).encode(cells)
        found = (self.with_column(only, spec, scale) for scale in SCALES)
        return min(self.merged(columns) + jacobian for columns, jacobian in found)


def _best_change(
    ground: _Ground, schema: Schema, name: str
) -> tuple[Mapping[str, Any] | None, float]:
    """The likelihood that describes a column best, and by how much E falls with it (nats).

    Groups that only its present likelihood keeps apart are merged first.
    """
    best: tuple[Mapping[str, Any] | None, float] = (None, 0.0)
    changes = likelihoods(schema, name) if name in schema else ()
    if not changes:
        return best
    spec = schema[name]
    cells = ground.cells(spec)
    now = ground.objective(cells, spec)
    for change in changes:
        try:
            gain = now - ground.objective(cells, spec.changed(**change))
        except SchemaError:  # negative values as a count, say
            continue
        if gain > max(best[1], LEAST_GAIN):
            best = change, gain
    return best
