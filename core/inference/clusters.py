"""The clusters of a fitted model in the user's units (R16 Appendix D), and rows drawn from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..engine.columns import Columns
from ..engine.partition import Partition
from ..engine.product import Clusters
from ..families import FAMILIES, Prior
from ..schema.encoded import Encoded, Unit


@dataclass(frozen=True)
class Cluster:
    """One cluster after the fit (R16 Appendix D).

    Parameters
    ----------
    size : int or float
        Rows, or the sum of their weights.
    posterior : mapping
        Unit name -> its prior updated with the cluster's observed values: hyper-parameters in the
        user's units; ``.summary()`` gives mean, spread or probabilities.
    """

    size: float
    posterior: Mapping[str, Prior]


def describe_clusters(partition: Partition) -> tuple[Cluster, ...]:
    """Posterior of every unit in every cluster, from the user's own values and filled cells.

    Rows count by their weights, and by the power of the likelihood.
    """
    columns, labels, n = partition.columns, partition.labels, partition.n_clusters
    weights, power = columns.encoded.weights, partition.table.power
    inside = labels >= 0
    sizes = np.bincount(labels[inside], None if weights is None else weights[inside], n)
    found: list[dict[str, Prior]] = [{} for _ in range(n)]
    # One unit after the other, so that a large table is never copied whole.
    for u, (unit, prior) in enumerate(zip(columns.encoded.units, columns.priors, strict=True)):
        cells = columns.counted(partition.table, columns.inside(range(u, u + 1)))
        cells = cells if FAMILIES[unit.family].is_block else cells[:, 0]
        count = power * (1.0 if weights is None else weights)
        statistic = prior.statistic(cells, labels, n, count)
        for k, posterior in enumerate(found):
            posterior[unit.name] = prior.posterior_of(statistic.cluster(k))
    return tuple(map(Cluster, sizes.tolist(), found))


def clusters_of_state(columns: Columns, state: Clusters) -> tuple[Cluster, ...]:
    """Those of rows that count once and are not at hand, from the engine's statistics of them."""
    sizes = state.members[: state.count[0]].tolist()
    found: list[dict[str, Prior]] = [{} for _ in sizes]
    for u, (unit, prior) in enumerate(zip(columns.encoded.units, columns.priors, strict=True)):
        inside, numbers = columns.inside(range(u, u + 1)), state.state[columns.statistic_rows_of(u)]
        statistic = prior.statistic_in(
            numbers[:, : len(sizes)], columns.center[inside], columns.scale[inside]
        )
        for k, posterior in enumerate(found):
            posterior[unit.name] = prior.posterior_of(statistic.cluster(k))
    return tuple(map(Cluster, sizes, found))


def draw_rows(
    clusters: Sequence[Cluster], units: tuple[Unit, ...], n_rows: int, random: np.random.Generator
) -> tuple[Encoded, np.ndarray]:
    """Draw rows from the predictives of clusters, each as often as its size says.

    Returns
    -------
    rows : Encoded
        Codes, and quantities in the user's units; NaN for the number of a two-part column where
        a special outcome was drawn.
    labels : ndarray of int64, shape (n_rows,)
        The cluster of every row, in ascending order.
    """
    sizes = np.array([cluster.size for cluster in clusters])
    counts = random.multinomial(n_rows, sizes / sizes.sum())
    labels = np.repeat(np.arange(sizes.size), counts)
    parts = []
    for unit in units:
        drawn = np.empty((n_rows, len(unit.columns)))
        for k, cluster in enumerate(clusters):
            cells = cluster.posterior[unit.name].draw(int(counts[k]), random)
            is_block = FAMILIES[unit.family].is_block
            drawn[labels == k] = cells if is_block else np.reshape(cells, (-1, 1))
        parts.append(drawn)
    encoded = Encoded(np.concatenate(parts, axis=1), units)
    for name, u in encoded.outcome_of.items():
        special = encoded.values[:, encoded.starts[u]] > 0
        encoded.values[special, encoded.names.index(name)] = np.nan
    return encoded, labels
