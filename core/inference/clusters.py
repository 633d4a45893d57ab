"""Clusters of a fitted model in the user's units (R16 Appendix D), and rows drawn from them."""

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
    """One cluster after the fit (R16 Appendix D)."""

    #: Rows, or the sum of their weights.
    size: float
    #: By unit name, its prior updated with the cluster's observed values.
    posterior: Mapping[str, Prior]


def describe_clusters(partition: Partition) -> tuple[Cluster, ...]:
    """Posterior of every unit in every cluster, rows weighted, filled cells as they are."""
    return clusters_of_state(partition.columns, partition.clusters)


def clusters_of_state(columns: Columns, state: Clusters) -> tuple[Cluster, ...]:
    """The same from the engine's statistics, without the rows."""
    counted = state.members if columns.encoded.weights is None else state.sizes
    sizes = counted[: state.count[0]].tolist()
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
    """Rows drawn from clusters by size, in the user's units, and their sorted clusters, (n,)."""
    sizes = np.array([cluster.size for cluster in clusters])
    counts = random.multinomial(n_rows, sizes / sizes.sum())
    labels = np.repeat(np.arange(sizes.size), counts)
    parts = []
    for unit in units:
        drawn = np.empty((n_rows, len(unit.columns)))
        for k, cluster in enumerate(clusters):
            cells = cluster.posterior[unit.name].draw(int(counts[k]), random)
            drawn[labels == k] = cells if FAMILIES[unit.family].is_block else cells[:, None]
        parts.append(drawn)
    encoded = Encoded(np.concatenate(parts, axis=1), units)
    for name, u in encoded.outcome_of.items():
        special = encoded.values[:, encoded.starts[u]] > 0
        encoded.values[special, encoded.names.index(name)] = np.nan
    return encoded, labels
