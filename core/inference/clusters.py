"""The clusters of a fitted model in the user's units (R16 Appendix D)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..engine.columns import Columns
from ..engine.partition import Partition
from ..engine.product import Clusters
from ..families import FAMILIES, Prior
from ..families.prior import Weight
from ..families.sufficient import Statistic


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
    units, weights = columns.encoded.units, columns.encoded.weights
    count = partition.table.power * (1.0 if weights is None else weights)

    def cells(u: int) -> np.ndarray:
        values = columns.counted(partition.table, columns.inside(range(u, u + 1)))
        return values if FAMILIES[units[u].family].is_block else values[:, 0]

    statistics = statistics_of(columns.priors, cells, labels, n, count)
    inside = labels >= 0
    sizes = np.bincount(labels[inside], None if weights is None else weights[inside], n)
    return clusters_of(columns, statistics, sizes.tolist())


def statistics_of(
    priors: Sequence[Prior],
    cells: Callable[[int], np.ndarray],
    labels: np.ndarray,
    n_clusters: int,
    weight: Weight = 1.0,
) -> tuple[Statistic, ...]:
    """Sufficient statistics of rows in K clusters, of every unit u from ``cells(u)``.

    One unit after the other is asked for, so that a large table is never copied whole.
    """
    return tuple(
        prior.statistic(cells(u), labels, n_clusters, weight) for u, prior in enumerate(priors)
    )


def clusters_of(
    columns: Columns, statistics: Sequence[Statistic], sizes: Sequence[float]
) -> tuple[Cluster, ...]:
    """Clusters of these sizes from the statistics of every unit."""
    units = list(zip(columns.encoded.units, columns.priors, statistics, strict=True))
    return tuple(
        Cluster(size, {unit.name: prior.posterior_of(s.cluster(k)) for unit, prior, s in units})
        for k, size in enumerate(sizes)
    )


def clusters_of_state(columns: Columns, state: Clusters) -> tuple[Cluster, ...]:
    """Those of rows that count once and are not at hand, from the engine's statistics of them."""
    n, ends = int(state.count[0]), (*columns.encoded.starts, columns.scale.size)
    statistics = [
        prior.statistic_in(
            state.state[columns.statistic_rows_of(u), :n],
            columns.center[ends[u] : ends[u + 1]],
            columns.scale[ends[u] : ends[u + 1]],
        )
        for u, prior in enumerate(columns.priors)
    ]
    return clusters_of(columns, statistics, state.members[:n].tolist())
