"""The clusters of a fitted model in the user's units (R16 Appendix D)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from .families import Prior
from .partition import Partition


@dataclass(frozen=True)
class Cluster:
    """One cluster after the fit (R16 Appendix D).

    Parameters
    ----------
    size : int
        Rows.
    posterior : mapping
        Unit name -> its prior updated with the cluster's observed values: hyper-parameters in the
        user's units; ``.summary()`` gives mean, spread or probabilities.
    """

    size: int
    posterior: Mapping[str, Prior]


def describe_clusters(partition: Partition) -> tuple[Cluster, ...]:
    """Posterior of every unit in every cluster, from the user's own values and filled cells."""
    columns = partition.columns
    values = partition.table.values * columns.scale + columns.center
    table = replace(columns.encoded, values=values)
    units = [
        (unit.name, prior, table.unit_values(u))
        for u, (unit, prior) in enumerate(zip(table.units, columns.priors, strict=True))
    ]
    clusters = []
    for k, size in enumerate(partition.sizes):
        members = np.flatnonzero(partition.labels == k)
        posterior = {name: prior.posterior(column[members]) for name, prior, column in units}
        clusters.append(Cluster(int(size), posterior))
    return tuple(clusters)
