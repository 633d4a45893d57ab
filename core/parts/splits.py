"""Clusters that hide in others: groups among the worst fitting rows, and halves of a cluster.

A cluster of a few hundred rows in a million is hardly in a sample of its neighbours, but most of
its rows are among those that fit worst there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.columns import Columns
from ..engine.partition import Partition
from ..engine.sweeps import TIE
from ..models.descent import SPLIT_KINDS, SPLIT_MARGIN, Descent, Points
from ..models.search import search
from ..schema.encoded import Encoded
from .report import RowSample
from .sums import Sums, TableSpec, WholePartition
from .visit import SplitProposals
from .workers import run_all

#: Rows of every cluster that are drawn by chance, and of those that fit worst.
DRAWN = 2_000
MISFITS = 5_000
#: Misfits in all, however many clusters there are.
MOST_MISFITS = 60_000


def most_misfits(n_clusters: int) -> int:
    """Worst fitting rows of each cluster that come to the driver."""
    return min(MISFITS, MOST_MISFITS // max(n_clusters, 1))


@dataclass(frozen=True)
class Proposal:
    """A split that a sample of a cluster speaks for: its two sides."""

    cluster: int
    sides: Sums


def part_misfits(
    partition: WholePartition,
    misfits: RowSample,
    skip: set[int],
    random: np.random.Generator,
    executor: Any,
    tell: Callable[[str], None],
) -> int:
    """Move groups of misfits to clusters of their own where that lowers E; how many groups did.

    The misfits are the rows at hand of the partition, which is changed in place. Workers look for
    the groups, each in one cluster. What is told of every step may raise, to end it.
    """
    made = 0
    of_clusters = [np.flatnonzero(misfits.labels == k) for k in np.unique(misfits.labels)]
    looked_at = [
        members
        for members in of_clusters
        if members.size > 1 and int(misfits.labels[members[0]]) not in skip
    ]
    tasks = [
        (partition.columns.subset(members), partition.concentration, int(random.integers(2**31)))
        for members in looked_at
    ]
    found = run_all(
        executor, _groups_of, tasks, lambda done, of: tell(f"hidden clusters, {done} of {of}")
    )
    for members, groups in zip(looked_at, found, strict=True):
        k = misfits.labels[members[0]]
        for group in range(groups.max() + 1 if groups.any() else 0):
            rows = members[groups == group]
            # Some may have moved since, with a group before.
            rows = rows[partition.labels[rows] == partition.old_to_new[k]]
            made += _move_apart(partition, rows, members)
    return made


def _groups_of(rows: Columns, concentration: float, seed: int) -> np.ndarray:
    """The clusters that some rows would make alone, from 0 on."""
    random = np.random.default_rng(seed)
    return search(rows, concentration, random, 0, lambda progress: None)[0].labels


def _move_apart(partition: WholePartition, rows: np.ndarray, members: np.ndarray) -> bool:
    """Give some rows at hand a cluster of their own, if E falls once all settled."""
    own = partition.labels[rows]
    sizes = np.bincount(own, minlength=partition.n_clusters)
    leaves = np.flatnonzero(sizes)
    if rows.size < 2 or (partition.clusters.members[leaves] <= sizes[leaves]).any():
        return False
    before = partition.objective()
    kept = partition.snapshot()
    partition.open_for(rows)
    # A group at once may cost a little, and gain once its neighbours have joined it.
    if partition.objective() - before < SPLIT_MARGIN * rows.size:
        partition.sweep_at_hand(members)
        if partition.objective() < before - max(TIE, 1e-13 * abs(before)):
            return True
    partition.restore(kept)
    return False


def halves(
    whole: TableSpec, drawn: RowSample, skip: set[int], random: np.random.Generator
) -> list[Proposal]:
    """Splits of every cluster, by every kind, that its sample does not speak against."""
    found = []
    units = whole.columns.encoded.units
    for k in np.unique(drawn.labels):
        if int(k) in skip:
            continue
        values = drawn.values[drawn.labels == k]
        if len(values) < 2:
            continue
        rows = whole.columns.of_rows(Encoded(values, units))
        points = Points(rows, random)
        for kind in SPLIT_KINDS:
            partition = Partition(rows, whole.concentration)
            before = partition.objective()
            descent = Descent(partition, points, random, lambda step: 0.0)
            if not descent.split(0, kind, -math.inf):
                continue
            if partition.objective() - before < SPLIT_MARGIN * len(values):
                found.append(Proposal(int(k), Sums.of(rows, partition.labels, 2)))
    return found


def as_halves(
    whole: TableSpec, proposals: list[Proposal], sums: list[Sums]
) -> dict[int, SplitProposals]:
    """What the parts are told of proposals, by cluster: their sides as they are summed up now."""
    by_cluster: dict[int, SplitProposals] = {}
    for k in sorted({proposal.cluster for proposal in proposals}):
        own = [q for q, proposal in enumerate(proposals) if proposal.cluster == k]
        state = np.concatenate([sums[q].state for q in own], axis=1)
        members = np.concatenate([sums[q].members for q in own])
        by_cluster[k] = SplitProposals(
            Sums(state, members).clusters(whole.columns), own[0], len(own)
        )
    return by_cluster
