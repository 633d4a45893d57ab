"""The clusters of a fitted model in the user's units (R16 Appendix D)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..engine.partition import Partition
from ..families import FAMILIES, Prior


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
