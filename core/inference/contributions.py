"""Contributions of columns to the grouping, and assignments of rows."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import entr, logsumexp

from ..engine.partition import Partition
from ..engine.rows import log_marginals
from ..schema.encoded import Encoded
from ..wording import counted
from .prediction import Predictions


def column_contributions(partition: Partition) -> pd.DataFrame:
    """How much each column or block drove the grouping.

    ``nats``: ln p of its cells cluster by cluster minus that of all together, below 0 where the
    groups do not suit it; ``n_observed``: rows that have any of it; ``nats_per_row``: per such row.
    No significance: the column helped to make the groups.
    """
    encoded = partition.packed.encoded
    together = partition.copy()
    together.load(np.zeros_like(partition.labels))
    nats = unit_log_marginals(partition).sum(axis=1) - unit_log_marginals(together)[:, 0]
    names, place = shown_units(encoded)
    observed = _observed_units(encoded).sum(axis=0)
    nats = np.bincount(place, nats)
    return pd.DataFrame(
        {"nats": nats, "n_observed": observed, "nats_per_row": nats / np.maximum(observed, 1)},
        index=names,
    )


def unit_log_marginals(partition: Partition) -> np.ndarray:
    """Ln p of each unit's cells in each cluster, (U, K), in nats and the user's units."""
    packed, n = partition.packed, partition.n_clusters
    state, work = partition.clusters.state, np.empty_like(partition.clusters.work)
    weights = partition.table.power
    if packed.encoded.weights is not None:
        weights = weights * packed.encoded.weights
    out = np.empty((len(packed.encoded.units), n))
    for u in range(len(out)):
        table = partition.table.of_units(packed.engine_units_of(range(u, u + 1)))
        marginals = np.empty(n)
        log_marginals(table, state, n, n, marginals, work)
        left_out = weights * packed.constants(range(u, u + 1), partition.table.values)
        out[u] = marginals + np.bincount(partition.labels, left_out, n)
    return out


@dataclass(frozen=True)
class Assignments:
    """Where rows stand among the clusters."""

    #: int64, shape (n,). Cluster of each row; K is a new cluster, for new rows only.
    labels: np.ndarray
    #: float64, (n, K + 1), a new cluster last, also for a fitted row alone in its cluster.
    probabilities: np.ndarray
    #: float64, shape (n,). Ln predictive of observed cells (nats); fitted rows are left out.
    log_density: np.ndarray
    #: int64, shape (n,). Columns that the row has.
    n_observed: np.ndarray
    n_columns: int

    @property
    def second(self) -> np.ndarray:
        """Most probable cluster other than the row's own, shape (n,); K is a new one."""
        others = self.probabilities.copy()
        others[np.arange(self.labels.size), self.labels] = -1.0
        return others.argmax(axis=1)

    @property
    def entropy(self) -> np.ndarray:
        """Entropy of each row's probabilities, (n,), in nats."""
        return entr(self.probabilities).sum(axis=1)

    def atypical(self, count: int = 10) -> np.ndarray:
        """The rows of lowest predictive density, the lowest first."""
        return np.argsort(self.log_density, kind="stable")[:count]

    def between(self, count: int = 10) -> np.ndarray:
        """The rows of highest entropy, the highest first."""
        return np.argsort(-self.entropy, kind="stable")[:count]

    def placed_using(self, row: int) -> str:
        """On how many columns a row's place rests, such as "placed using 3 of 5 columns"."""
        return f"placed using {self.n_observed[row]:,} of {counted(self.n_columns, 'column')}"


def assignments(model: Predictions, X: Any = None, rows: Any = None) -> Assignments:
    """Where rows stand among a model's clusters; without ``X`` fitted rows, each without itself."""
    if X is None:
        encoded, labels = model.columns_.encoded, model.labels_
    else:
        encoded, labels = model._new_rows(X), None
    if rows is not None:
        encoded = encoded.rows(rows)
        labels = None if labels is None else labels[rows]
    joint = model._row_scores().log_joint(encoded, labels)
    log_density = logsumexp(joint, axis=1)
    probabilities = np.exp(joint - log_density[:, None])
    return Assignments(
        joint.argmax(axis=1) if labels is None else labels,
        probabilities / probabilities.sum(axis=1, keepdims=True),
        log_density,
        np.sum(~encoded.is_missing, axis=1),
        len(encoded.columns),
    )


class RowContributions(NamedTuple):
    """Contributions of columns to the assignments of some rows."""

    #: int64, shape (n,). Each row's second choice; K is a new cluster.
    second: np.ndarray
    #: Shape (n, U). Evidence for the row's cluster over it (nats); NaN where nothing is observed.
    margin: pd.DataFrame
    #: float64, shape (n, 2). Ln of the share of rows that the two clusters hold.
    weights: np.ndarray


def row_contributions(model: Predictions, rows: Any = None) -> RowContributions:
    """Column by column, why some or all rows are where they are, each scored without itself."""
    rows = np.arange(model.labels_.size) if rows is None else np.atleast_1d(rows)
    encoded, own = model.columns_.encoded.rows(rows), model.labels_[rows]
    scores, each = model._row_scores(), np.arange(rows.size)
    joint = scores.log_joint(encoded, own)
    joint[each, own] = -np.inf
    second = joint.argmax(axis=1)
    names, place = shown_units(encoded)
    margin = np.zeros((rows.size, len(names)))
    for u, shown in enumerate(place):
        densities = scores.log_predictive(encoded, own, range(u, u + 1))
        margin[:, shown] += densities[each, own] - densities[each, second]
    margin[~_observed_units(encoded)] = np.nan
    weights = scores.log_weights(own, encoded.weights)
    pairs = np.column_stack([weights[each, own], weights[each, second]])
    return RowContributions(second, pd.DataFrame(margin, index=rows, columns=names), pairs)


def _observed_units(encoded: Encoded) -> np.ndarray:
    """Whether a row has any cell of a column or block, shape (n, U)."""
    names, place = shown_units(encoded)
    seen = np.logical_or.reduceat(~np.isnan(encoded.values), encoded.starts, axis=1)
    shown = np.zeros((len(seen), len(names)), dtype=bool)
    for u, at in enumerate(place):
        shown[:, at] |= seen[:, u]
    return shown


def shown_units(encoded: Encoded) -> tuple[list[str], np.ndarray]:
    """Names of the table's columns and blocks, and the place of each unit among them."""
    names = list(dict.fromkeys(unit.of for unit in encoded.units))
    return names, np.array([names.index(unit.of) for unit in encoded.units])
