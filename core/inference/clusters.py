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
    columns, encoded = partition.columns, partition.columns.encoded
    members = [np.flatnonzero(partition.labels == k) for k in range(partition.n_clusters)]
    weights = columns.encoded.weights
    sizes = [rows.size if weights is None else float(weights[rows].sum()) for rows in members]
    power = partition.table.power
    counts = [power if weights is None else power * weights[rows] for rows in members]
    posteriors: list[dict[str, Prior]] = [{} for _ in members]
    # One unit at a time, so that a large table is never copied whole.
    for u, (unit, prior) in enumerate(zip(encoded.units, columns.priors, strict=True)):
        at = slice(encoded.starts[u], encoded.starts[u] + len(unit.columns))
        values = columns.counted(partition.table, at)
        values = values if FAMILIES[unit.family].is_block else values[:, 0]
        for posterior, rows, count in zip(posteriors, members, counts, strict=True):
            posterior[unit.name] = prior.posterior(values[rows], count)
    return tuple(map(Cluster, sizes, posteriors))
