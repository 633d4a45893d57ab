"""A tree of rows with the odds of its merges, and trees of parts of a table put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .linkage import joined


@dataclass(frozen=True)
class Tree:
    """A tree over N leaves.

    Parameters
    ----------
    merges : ndarray of int64, shape (N - 1, 2)
        Two nodes each; node N + t is what merge t makes.
    log_odds : ndarray of float64, shape (N - 1,)
        ln r / (1 - r) of every merge: how sure it is that its rows are one cluster.
    log_sums : ndarray of float64, shape (2N - 1,)
        Of every node, ln of N_0^K prod Gamma(N_k) p(X_k) summed over the partitions of its rows
        that agree with the tree; the root's is the last.
    """

    merges: np.ndarray
    log_odds: np.ndarray
    log_sums: np.ndarray

    @property
    def surest(self) -> np.ndarray:
        """The highest log odds of a merge and of those above it, shape (N - 1,).

        Rows are in one cluster where it is at least 0: from the root down, the first merge with
        odds of at least one is a cluster.
        """
        n = len(self.merges) + 1
        surest = self.log_odds.copy()
        for t in range(n - 2, -1, -1):
            for node in self.merges[t]:
                if node >= n:
                    surest[node - n] = max(surest[node - n], surest[t])
        return surest


@dataclass(frozen=True)
class Forest:
    """Trees over parts of a table, cut into clusters that are to be merged on.

    Parameters
    ----------
    merges, log_odds : ndarray, shape (T, 2) and (T,)
        Of all trees, in the numbers of the table: its rows, then N + t.
    leaf_of_row : ndarray of int64, shape (N,)
        Cluster of every row, 0..L-1.
    node_of_leaf : ndarray of int64, shape (L,)
    log_sums : ndarray of float64, shape (L,)
        As in ``Tree``.
    """

    merges: np.ndarray
    log_odds: np.ndarray
    leaf_of_row: np.ndarray
    node_of_leaf: np.ndarray
    log_sums: np.ndarray

    @classmethod
    def of(cls, groups: Sequence[np.ndarray], trees: Sequence[Tree], most: int) -> Forest:
        """Cut the trees of some groups of rows where merges are less likely than not.

        Parameters
        ----------
        groups : sequence of ndarray of int64
            Rows of each tree's leaves; together, all rows.
        trees : sequence of Tree
        most : int
            Most clusters; less likely merges stay where there would be more.
        """
        n = sum(rows.size for rows in groups)
        surest = np.concatenate([tree.surest for tree in trees])
        needed = max(n - most, 0)
        level = min(0.0, np.sort(surest)[::-1][needed - 1]) if needed else 0.0
        merges, odds, leaf_of_row = [], [], np.empty(n, dtype=np.int64)
        nodes, sums = [], []
        made = 0
        for rows, tree in zip(groups, trees, strict=True):
            kept = tree.surest >= level
            number = np.concatenate([rows, n + made + np.cumsum(kept) - 1])
            merges.append(number[tree.merges[kept]])
            odds.append(tree.log_odds[kept])
            made += int(kept.sum())
            leaves = joined(rows.size, tree.merges, kept)
            leaf_of_row[rows] = leaves + len(nodes)
            tops = _tops(tree, kept)
            of_top = np.array([leaves[_any_row(tree, node)] for node in tops])
            nodes += number[tops[np.argsort(of_top)]].tolist()
            sums += tree.log_sums[tops[np.argsort(of_top)]].tolist()
        return cls(
            np.concatenate(merges),
            np.concatenate(odds),
            leaf_of_row,
            np.array(nodes),
            np.array(sums),
        )

    def joined(self, crown: Tree) -> Tree:
        """One tree over all rows, from one over the clusters."""
        n, made = self.leaf_of_row.size, len(self.merges)
        number = np.concatenate([self.node_of_leaf, n + made + np.arange(len(crown.merges))])
        return Tree(
            np.concatenate([self.merges, number[crown.merges]]),
            np.concatenate([self.log_odds, crown.log_odds]),
            crown.log_sums,
        )


def _tops(tree: Tree, kept: np.ndarray) -> np.ndarray:
    """Nodes of a tree that no kept merge is above of."""
    n = len(kept) + 1
    is_top = np.concatenate([np.ones(n, dtype=bool), kept])
    is_top[tree.merges[kept].ravel()] = False
    return np.flatnonzero(is_top)


def _any_row(tree: Tree, node: int) -> int:
    """A leaf under a node."""
    n = len(tree.merges) + 1
    while node >= n:
        node = int(tree.merges[node - n, 0])
    return int(node)
