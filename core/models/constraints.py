"""Rows that must, or must not, be in one cluster: a partition under what somebody knows.

Rows that belong together move as one, as a row of weight 2 does: they are taken out as a cluster of
their own, and what joining any other costs on E follows from the sums of the two. Rows without a
constraint are visited by the compiled sweep. E never rises once every constraint is met; where it
rests, no such row, no set of rows and no allowed merge lowers it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..engine.partition import Partition
from ..engine.sweeps import TIE
from ..inference.merge_path import merge_costs
from .local_search import Optimum, iterated

#: Some rows of a table, counted from 0.
Rows = Sequence[int]


@dataclass(frozen=True)
class Constraints:
    """Which rows move together, and which of those sets stay apart."""

    #: Sets of rows with a constraint, each of one row or more.
    chunks: tuple[np.ndarray, ...]
    #: By set, the sets that it must not be in one cluster with.
    apart: tuple[tuple[int, ...], ...]
    #: int64. Rows without a constraint.
    free: np.ndarray

    @classmethod
    def of(
        cls, must_link: Iterable[Rows], cannot_link: Iterable[Rows], n_rows: int
    ) -> Constraints | None:
        """Check what was asked for; None where it is nothing.

        Raises
        ------
        ValueError
            No such row, or rows that must be together and must not.
        """
        together = [_checked("must_link", rows, n_rows) for rows in must_link]
        apart = [_checked("cannot_link", rows, n_rows) for rows in cannot_link]
        if not together and not apart:
            return None
        links = np.array([pair for rows in together for pair in pairwise(rows)])
        links = links.reshape(-1, 2)
        graph = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(n_rows,) * 2)
        of_row = connected_components(graph, directed=False)[1]
        pairs = {(a, b) for rows in apart for a, b in combinations(rows.tolist(), 2)}
        for a, b in sorted(pairs):
            if of_row[a] == of_row[b]:
                raise ValueError(
                    f"Rows {a} and {b} (counted from 0) must be together and must not be: take one"
                    " of the two constraints away."
                )
        named = sorted({row for rows in (*together, *apart) for row in rows.tolist()})
        kept = list(dict.fromkeys(of_row[named].tolist()))
        place = {chunk: at for at, chunk in enumerate(kept)}
        rivals: list[set[int]] = [set() for _ in kept]
        for a, b in pairs:
            first, second = place[of_row[a]], place[of_row[b]]
            rivals[first].add(second)
            rivals[second].add(first)
        chunks = tuple(np.flatnonzero(of_row == chunk) for chunk in kept)
        free = np.flatnonzero(~np.isin(of_row, kept))
        return cls(chunks, tuple(tuple(sorted(one)) for one in rivals), free)

    def rivals(self, chunk: int, first: int | None = None) -> np.ndarray:
        """Rows that a set must not be with; those of the ``first`` sets alone, where given."""
        near = [self.chunks[other] for other in self.apart[chunk] if first is None or other < first]
        return np.concatenate(near) if near else np.empty(0, dtype=np.int64)


def constrained(
    partition: Partition, constraints: Constraints, random: np.random.Generator, patience: int
) -> Partition:
    """Search, from a partition on, for the one of lowest E that meets every constraint.

    A perturbation puts one or two sets elsewhere, or divides the free rows beside one by chance;
    ``patience`` of them in a row without gain end the search.
    """
    start = partition.copy()
    for chunk, rows in enumerate(constraints.chunks):
        _place(start, rows, constraints.rivals(chunk, chunk))

    def perturbed(best: Optimum, fails: int) -> Optimum:
        found = best.state.copy()
        chosen = random.integers(len(constraints.chunks), size=1 + fails % 2)
        for chunk in chosen:
            rivals = constraints.rivals(chunk)
            _place(found, constraints.chunks[chunk], rivals, random)
        if fails % 3 == 2:
            _divide(found, constraints.chunks[chosen[0]][0], constraints.free, random)
        return _rested(found, constraints)

    return iterated(_rested(start, constraints), perturbed, lambda best: patience).state


def _rested(found: Partition, constraints: Constraints) -> Optimum:
    """Move rows, sets and clusters while E falls; the partition is changed."""
    before = np.inf
    while before - found.objective() > TIE:
        before = found.objective()
        found.slack[:] = 0.0
        found.sweep(constraints.free)
        for chunk, rows in enumerate(constraints.chunks):
            _place(found, rows, constraints.rivals(chunk))
        _merge(found, constraints)
        found.settle()
    return Optimum(found, found.objective())


def _place(
    partition: Partition,
    rows: np.ndarray,
    rivals: np.ndarray,
    random: np.random.Generator | None = None,
) -> None:
    """Put a set of rows where E is lowest: with others, or alone; or into any allowed cluster."""
    labels = partition.labels.copy()
    labels[rows] = partition.n_clusters
    partition.load(np.unique(labels, return_inverse=True)[1])
    own = partition.n_clusters - 1
    costs = merge_costs(partition)[own, :own]
    if random is not None:
        costs = random.random() - random.random(own)  # below 0 or not: alone is a choice, too
    costs[partition.labels[rivals]] = np.inf
    if own and costs.min() < 0.0:
        partition.unite(int(costs.argmin()), own)


def _divide(partition: Partition, row: int, free: np.ndarray, random: np.random.Generator) -> None:
    """Move about half of the free rows of a row's cluster into a new one."""
    labels = partition.labels.copy()
    beside = free[labels[free] == labels[row]]
    labels[beside[random.random(beside.size) < 0.5]] = partition.n_clusters
    partition.load(np.unique(labels, return_inverse=True)[1])


def _merge(partition: Partition, constraints: Constraints) -> None:
    """Merge clusters while E falls and no two sets that stay apart meet."""
    while partition.n_clusters > 1:
        costs = merge_costs(partition)
        np.fill_diagonal(costs, np.inf)
        of_chunk = [partition.labels[rows[0]] for rows in constraints.chunks]
        for chunk, others in enumerate(constraints.apart):
            costs[of_chunk[chunk], [of_chunk[other] for other in others]] = np.inf
        kept, dropped = sorted(np.unravel_index(int(costs.argmin()), costs.shape))
        if not costs[kept, dropped] < -TIE:
            return
        partition.unite(int(kept), int(dropped))


def _checked(name: str, rows: Rows, n_rows: int) -> np.ndarray:
    """Rows that are there, each once."""
    found = np.unique(np.asarray(rows))
    if found.dtype.kind not in "iu" or (found < 0).any() or (found >= n_rows).any():
        raise ValueError(
            f"{name} names {list(rows)!r}: give sets of rows, counted from 0 to {n_rows - 1:,}."
        )
    return found.astype(np.int64)
