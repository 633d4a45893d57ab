"""The merge path as a tree: which clusters join, in what order, and at what cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..inference.merge_path import MergePath
from ..partitions.naming import Groups


@dataclass(frozen=True)
class Join:
    """One merge."""

    #: Place and height of the two branches it joins.
    left: tuple[float, float]
    right: tuple[float, float]
    #: Of the merge; E above that of the partition the path starts from (nats), or the highest
    #: before it, so that no branch runs downwards.
    height: float
    #: After it.
    n_clusters: int


@dataclass(frozen=True)
class Dendrogram:
    """A tree over clusters."""

    #: The clusters from left to right, at places 0, 1, ...
    leaves: tuple[int, ...]
    #: The cheapest first.
    joins: tuple[Join, ...]

    @classmethod
    def of(cls, path: MergePath) -> Dendrogram:
        """Set out a merge path so that no two branches cross."""
        members = {k: [k] for k in range(path.objectives.size)}
        for kept, dropped in zip(path.kept.tolist(), path.dropped.tolist(), strict=True):
            members[kept] += members.pop(dropped)
        leaves = members[0]
        tops = {k: (float(place), 0.0) for place, k in enumerate(leaves)}
        heights = np.maximum.accumulate(path.objectives - path.objectives[0])[1:]
        joins = []
        for t, height in enumerate(heights.tolist()):
            kept, dropped = int(path.kept[t]), int(path.dropped[t])
            left, right = sorted((tops[kept], tops.pop(dropped)))
            joins.append(Join(left, right, height, path.objectives.size - t - 1))
            tops[kept] = (left[0] + right[0]) / 2, height
        return cls(tuple(leaves), tuple(joins))


def groups_at(path: MergePath, n_clusters: int) -> tuple[tuple[int, ...], ...]:
    """The sets of clusters that the path has put together when so many are left."""
    members = {k: [k] for k in range(path.objectives.size)}
    for t in range(path.objectives.size - n_clusters):
        members[int(path.kept[t])] += members.pop(int(path.dropped[t]))
    return tuple(tuple(sorted(parts)) for parts in members.values() if len(parts) > 1)


def is_cut(path: MergePath, groups: Groups) -> bool:
    """Whether groups are those that the path has when so many are left."""
    return {*groups_at(path, groups.n_groups)} == {p for p in groups.parts if len(p) > 1}
