"""Trees of rows as they are shown: their crown set out, and the groups where it is cut."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..inference.merge_path import MergePath
from ..models.hierarchy.linkage import labels_below
from ..partitions.labels import by_size
from .dendrogram import Dendrogram, Join

#: Branches that are set out: the rows of lower ones stand together.
MOST_LEAVES = 60
#: How far above the last merge the whole tree is one group, as a share of its height.
ABOVE = 0.06


@dataclass(frozen=True, eq=False)
class RowTree:
    """A tree whose leaves are rows, or clusters that a path merges on.

    Parameters
    ----------
    linkage : ndarray of float64, shape (L - 1, 4)
        Of the leaves, in scipy's form; heights never fall.
    leaf_of_row : ndarray of int64, shape (N,)
        0..L-1; every leaf has a row.
    axis : str
        What a height is.
    is_log : bool
        Whether heights differ by powers of ten.
    """

    linkage: np.ndarray
    leaf_of_row: np.ndarray
    axis: str
    is_log: bool = False

    @classmethod
    def of_rows(cls, linkage: np.ndarray, axis: str, is_log: bool = False) -> RowTree:
        """The tree of a method whose leaves are the rows."""
        return cls(linkage, np.arange(len(linkage) + 1), axis, is_log)

    @classmethod
    def of_path(cls, path: MergePath) -> RowTree:
        """The merges of a partition's clusters; a height is the rise of E, and never falls."""
        n = path.objectives.size
        node, linkage = np.arange(n), np.zeros((n - 1, 4))
        sizes = np.concatenate([np.bincount(path.labels, minlength=n), np.zeros(n - 1)])
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
        """Between the merge that leaves so many groups and the one after it.

        Merges of one height happen together: there are then fewer groups.
        """
        heights = np.concatenate([[0.0], self.linkage[:, 2], [self.top]])
        made = self.n_leaves - n_groups
        low, high = (self.on_axis(height) for height in heights[made : made + 2])
        return self.off_axis((low + high) / 2.0)

    def within_reach(self, height: float) -> float:
        """The height, or the nearest at which the tree can be cut where it is shown."""
        return float(np.clip(height, self.height_for(self.most_groups), self.top))

    def labels(self, height: float) -> np.ndarray:
        """Groups of the rows after the merges of at most this height, 0 the largest, (N,)."""
        return by_size(labels_below(self.linkage, height)[self.leaf_of_row])[0]

    @cached_property
    def shown(self) -> Dendrogram:
        """The crown of the tree, its leaves the nodes below it, so that no two branches cross."""
        n, first = self.n_leaves, self.n_leaves - self.most_groups
        places: dict[int, tuple[float, float]] = {}
        leaves, waiting = [], [n + len(self.linkage) - 1]
        while waiting:
            node = waiting.pop()
            if node >= n + first:
                waiting.extend(self.linkage[node - n, 1::-1].astype(int).tolist())
            else:
                places[node] = float(len(leaves)), 0.0
                leaves.append(node)
        joins = []
        for t in range(first, len(self.linkage)):
            a, b = self.linkage[t, :2].astype(int)
            left, right = sorted((places[a], places[b]))
            height = float(self.linkage[t, 2])
            places[n + t] = (left[0] + right[0]) / 2.0, height
            joins.append(Join(left, right, height, n - t - 1))
        return Dendrogram(tuple(leaves), tuple(joins))

    def rows_under(self, node: int) -> np.ndarray:
        """Rows of a leaf of what is shown, rising."""
        under, waiting = [], [node]
        while waiting:
            at = waiting.pop()
            if at < self.n_leaves:
                under.append(at)
            else:
                waiting.extend(self.linkage[at - self.n_leaves, :2].astype(int).tolist())
        return np.flatnonzero(np.isin(self.leaf_of_row, under))
