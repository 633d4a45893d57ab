"""Columns that their likelihood does not describe, and a likelihood that would.

Randomised quantile residuals (Dunn and Smyth 1996, J. Comput. Graph. Stat. 5) of cells among draws
of their cluster: uniform where the likelihood is right. Names fit any shares.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kstest, norm

from ..cache import cached_on
from ..engine.packed import PackedTable
from ..engine.partition import Partition
from ..families import FAMILIES
from ..partitions.labels import renumbered
from ..schema.chosen import change_in_words, likelihoods
from ..schema.encode import decode_column
from ..schema.encoded import Encoded
from ..schema.schema import ColumnSpec, Schema, SchemaError
from ..schema.transforms import jacobian
from ..wording import escaped
from .clusters import describe_clusters
from .fit import Fit

DRAWS = 2_000  # from each cluster's predictive
LEAST_ROWS = 10  # of a cluster whose cells are looked at
NOTABLE = 0.07  # distance from uniform that a reader would see
LEVEL = 0.01  # of the test of uniformity, over all columns
SCALES = (0.1, 0.3, 1.0)  # of the priors that a change is tried with
MOST_ROWS = 4_000  # on which changes are tried
LEAST_GAIN = 10.0  # nats by which a change must lower E


@dataclass(frozen=True)
class Misfit:
    """A column that its likelihood does not describe within the groups."""

    column: str
    #: Largest distance of the residuals' distribution from the uniform one, 0 to 1.
    distance: float
    #: In words, such as "more spread out"; "" where cells fit their groups, but these are too many.
    shape: str
    #: Better options, as for ``Schema.with_column``, if any.
    change: Mapping[str, Any] | None
    #: Nats by which E falls with it, once groups that need not be apart are merged.
    gain: float
    n: int

    @property
    def severity(self) -> float:
        """Nats at stake: the gain of a change, or what the distance amounts to (Pinsker)."""
        return max(self.gain, 2.0 * self.n * self.distance**2)

    @property
    def text(self) -> str:
        """A sentence for the page."""
        name = escaped(self.column)
        expects = f"{name}: {self.shape} than its likelihood expects"
        if not self.shape:
            expects = f"{name}: its likelihood keeps groups apart that the column does not need"
        if self.change is None:
            return f"{expects}; no other likelihood fits better."
        better = change_in_words(self.change)
        return f"{expects}; {better} it fits better: E falls by {self.gain:,.0f} log units."


def misfits(partition: Partition, schema: Schema) -> tuple[Misfit, ...]:
    """Columns unlike draws from their clusters, or better under another likelihood, worst first."""
    residuals = quantile_residuals(partition)
    n_rows = len(partition.labels)
    rows = np.arange(0, n_rows, max(n_rows // MOST_ROWS, 1))
    found: list[Misfit] = []
    for name, u in residuals.items():
        u = u[~np.isnan(u)]
        if u.size < 2 * LEAST_ROWS:
            continue
        test = kstest(u, "uniform", method="asymp")
        distance = float(test.statistic)
        change, gain = _best_change(partition, rows, schema, name)
        is_far = test.pvalue * len(residuals) < LEVEL and distance >= NOTABLE
        if is_far or change is not None:
            shape = _shape(u) if is_far else ""
            found.append(Misfit(name, distance, shape, change, gain, u.size))
    return tuple(sorted(found, key=lambda misfit: -misfit.severity))


@cached_on
def misfits_of(fit: Fit, schema: Schema | None) -> tuple[Misfit, ...]:
    """The same of a finished fit, where there is no schema by the likelihoods of its columns."""
    if schema is None:
        units = [u for u in fit.partition.packed.encoded.units if not FAMILIES[u.family].is_block]
        schema = Schema([ColumnSpec(unit.name, unit.family, **unit.options) for unit in units])
    return misfits(fit.partition, schema)


def quantile_residuals(partition: Partition) -> dict[str, np.ndarray]:
    """Quantile of every cell, (N,), among draws of its cluster; NaN if missing or few rows."""
    random = np.random.default_rng(0)
    encoded, labels = partition.packed.encoded, partition.labels
    clusters, found = describe_clusters(partition), {}
    for unit, start in zip(encoded.units, encoded.starts, strict=True):
        for d, name in enumerate(() if unit.is_nominal else unit.columns):
            values = encoded.values[:, start + d]
            found[name] = np.full(values.size, np.nan)
            for k, cluster in enumerate(clusters):
                rows = np.flatnonzero((labels == k) & ~np.isnan(values))
                if rows.size < LEAST_ROWS:
                    continue
                draws = cluster.posterior[unit.name].draw(DRAWS, random).reshape(DRAWS, -1)[:, d]
                draws = np.sort(draws)
                below = np.searchsorted(draws, values[rows], side="left")
                same = np.searchsorted(draws, values[rows], side="right") - below
                found[name][rows] = below + random.random(rows.size) * (same + 1)
            found[name] /= DRAWS + 1
    return found


def _shape(u: np.ndarray) -> str:
    """The spread of residuals compared with uniform ones, in words."""
    spread = float(norm.ppf(np.clip(u, 1e-4, 1 - 1e-4)).std())
    if 0.85 <= spread <= 1.15:
        return "otherwise spread"
    return "more spread out" if spread > 1.0 else "closer together"


def _best_change(
    partition: Partition, rows: np.ndarray, schema: Schema, name: str
) -> tuple[Mapping[str, Any] | None, float]:
    """Likelihood that describes a column best, and the fall of E (nats), on some of the rows."""
    best: tuple[Mapping[str, Any] | None, float] = (None, 0.0)
    changes = likelihoods(schema, name) if name in schema else ()
    if not changes:
        return best
    encoded, priors = partition.packed.encoded, partition.packed.priors
    u = next(u for u, unit in enumerate(encoded.units) if unit.name == name)
    at, values = encoded.starts[u], np.ascontiguousarray(encoded.values[rows])
    labels = renumbered(partition.labels[rows])
    # In the user's words and units, as another likelihood reads them otherwise.
    seen = np.flatnonzero(~np.isnan(values[:, at]))
    words = pd.Series(decode_column(values[seen, at], schema[name]), seen).reindex(range(rows.size))

    def objective(spec: ColumnSpec) -> float:
        only = Schema([spec]).encode(pd.DataFrame({name: words}))
        column, found = only.values[:, 0], []
        unit, changed = only.units[0], values.copy()
        changed[:, at] = column
        units = (*encoded.units[:u], unit, *encoded.units[u + 1 :])
        for scale in SCALES:
            prior = FAMILIES[spec.family].default_prior(column, scale, **unit.options)
            changed_priors = (*priors[:u], prior, *priors[u + 1 :])
            packed = PackedTable.pack(Encoded(changed, units), changed_priors)
            tried = Partition(packed, partition.concentration, labels)
            tried.merge()
            found.append(tried.objective())
        return min(found) + float(jacobian(column, spec.transform).sum())

    now = objective(schema[name])
    for change in changes:
        try:
            gain = now - objective(schema[name].changed(**change))
        except SchemaError:  # negative values as a count, say
            continue
        if gain > max(best[1], LEAST_GAIN):
            best = change, gain
    return best
