"""Trees of rows and of clusters: set out so that no two branches cross, and cut into groups."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy.cluster.hierarchy import dendrogram, fcluster, leaders

from ..inference.merge_path import MergePath
from ..partitions.labels import by_size
from ..partitions.naming import Groups

#: Branches that are set out: the rows of lower ones stand together.
MOST_LEAVES = 60
#: How far above the last merge the whole tree is one group, as a share of its height.
ABOVE = 0.06


def _branch_of(linkage: np.ndarray, n_merges: int) -> np.ndarray:
    """Highest node above every leaf after so many merges, the lowest first, shape (L,)."""
    if not n_merges:
        return np.arange(len(linkage) + 1)
    order = np.arange(len(linkage), dtype=np.float64)
    flat = fcluster(linkage, n_merges - 0.5, "monocrit", monocrit=order)
    nodes, numbers = leaders(linkage, flat)
    branch = np.empty(numbers.max() + 1, dtype=np.int64)
    branch[numbers] = nodes
    return branch[flat]


def groups_at(path: MergePath, n_clusters: int) -> tuple[tuple[int, ...], ...]:
    """The sets of clusters that the path has put together when so many are left."""
    members = {k: [k] for k in range(path.objectives.size)}
    for t in range(path.objectives.size - n_clusters):
        members[int(path.kept[t])] += members.pop(int(path.dropped[t]))
    return tuple(tuple(sorted(parts)) for parts in members.values() if len(parts) > 1)


def is_cut(path: MergePath, groups: Groups) -> bool:
    """Whether groups are those that the path has when so many are left."""
    return {*groups_at(path, groups.n_groups)} == {p for p in groups.parts if len(p) > 1}


@dataclass(frozen=True, eq=False)
class RowTree:
    """A tree whose leaves are rows, or clusters that a path merges on."""

    #: float64, shape (L - 1, 4). Of the leaves, in scipy's form; heights never fall.
    linkage: np.ndarray
    #: int64, shape (N,). 0..L-1; every leaf has a row.
    leaf_of_row: np.ndarray
    #: What a height is, and whether heights differ by powers of ten.
    axis: str
    is_log: bool = False

    @classmethod
    def of_rows(cls, linkage: np.ndarray, axis: str, is_log: bool = False) -> Self:
        """The tree of a method whose leaves are the rows."""
        return cls(linkage, np.arange(len(linkage) + 1), axis, is_log)

    @classmethod
    def of_path(cls, path: MergePath) -> Self:
        """The merges of a partition's clusters; a height is the rise of E, and never falls."""
        n = path.objectives.size
        node, sizes, linkage = np.arange(n), np.ones(2 * n - 1), np.zeros((n - 1, 4))
        rises = np.maximum.accumulate(path.objectives - path.objectives[0])[1:]
        for t, (kept, dropped) in enumerate(zip(path.kept, path.dropped, strict=True)):
            pair = node[[kept, dropped]]
            sizes[n + t] = sizes[pair].sum()
            linkage[t] = (*pair, rises[t], sizes[n + t])
            node[kept] = n + t
        return cls(linkage, path.labels, "rise of E (log units)", True)

    @property
    def n_leaves(self) -> int:
        """Rows, or clusters at the path's start."""
        return len(self.linkage) + 1

    @property
    def most_groups(self) -> int:
        """Into how many groups the tree can be cut where it is shown."""
        return min(self.n_leaves, MOST_LEAVES)

    @property
    def top(self) -> float:
        """A height above all merges."""
        highest = float(self.linkage[-1, 2]) if len(self.linkage) else 0.0
        return self.off_axis((1.0 + ABOVE) * self.on_axis(highest)) or 1.0

    def on_axis(self, height: float) -> float:
        """Where a height is drawn: at ln(1 + height) where heights differ by powers of ten."""
        return math.log1p(height) if self.is_log else float(height)

    def off_axis(self, place: float) -> float:
        """The height that is drawn at a place; 0 for one below the axis."""
        return math.expm1(max(place, 0.0)) if self.is_log else max(float(place), 0.0)

    def n_groups(self, height: float) -> int:
        """Groups after the merges of at most this height."""
        return 1 + int(np.sum(self.linkage[:, 2] > height))

    def height_for(self, n_groups: int) -> float:
        """Between the merge that leaves so many groups and the one after it."""
        heights = np.concatenate([[0.0], self.linkage[:, 2], [self.top]])
        made = self.n_leaves - n_groups
        low, high = (self.on_axis(height) for height in heights[made : made + 2])
        return self.off_axis((low + high) / 2.0)

    def labels(self, height: float) -> np.ndarray:
        """Groups of the rows after the merges of at most this height, 0 the largest, (N,)."""
        made = self.n_leaves - self.n_groups(height)
        return by_size(_branch_of(self.linkage, made)[self.leaf_of_row])[0]

    @cached_property
    def _shown(self) -> dict[str, list]:
        """The top of the tree as scipy sets it out, its leaves the nodes below it."""
        return dendrogram(self.linkage, MOST_LEAVES, "lastp", no_plot=True)

    @property
    def joins(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Of every merge that is shown, places and heights, (4,), from its left foot to its right.

        Leaves stand at places 0, 1, ...
        """
        pairs = zip(self._shown["icoord"], self._shown["dcoord"], strict=True)
        return [((np.array(x) - 5.0) / 10.0, np.array(y)) for x, y in pairs]

    @cached_property
    def rows_under(self) -> list[np.ndarray]:
        """Rows of every leaf of what is shown, rising."""
        branch = _branch_of(self.linkage, self.n_leaves - self.most_groups)[self.leaf_of_row]
        return [np.flatnonzero(branch == node) for node in self._shown["leaves"]]
