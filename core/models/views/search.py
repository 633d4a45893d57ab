"""The search for the views of lowest E: a tree of columns, cut exactly, then moves.

Most columns tell nothing alone: their one-column fits have one cluster, and joining two of them
changes E by the same amount whichever they are. So the columns are first put into a tree by how
strongly they depend on each other; each of its nodes is fitted, and of all ways to cut the tree
the one of lowest E is found exactly. From there columns move, views merge and views split. At last
the columns leave that tell their view's groups no better than one of so many does by chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...engine.sweeps import TIE
from ...partitions.labels import by_size
from ..local_search import Optimum, iterated
from .column_tree import column_tree
from .view import View, ViewFits, log_restaurant

#: Pairs of views refitted together in one round of merges, those whose estimate is best.
REFITTED = 8
#: Partitions of the rows that are tried as the start of another view.
SEEDS = 40
#: Views of at most this many columns begin from scratch as well as from a part's partition.
FRESH = 60


@dataclass
class ViewSearch:
    """Lowers E of rows and columns together.

    Parameters
    ----------
    fits : ViewFits
    view_concentration : float
        Of the restaurant process that divides the columns.
    scale : float or None
        The prior scale that the search begins with.
    patience : int
        Perturbations in a row without gain that end the search.
    progress : callable
        Given a phrase, the share of the work that is done, E and the number of views.
    """

    fits: ViewFits
    view_concentration: float
    scale: float | None
    patience: int
    progress: Callable[[str, float, float, int], None]

    def __post_init__(self) -> None:
        self.views: list[View] = []
        self.trace: list[float] = []
        self._alone: list[View] = []
        self._seeds: list[View] = []
        self._met: dict[tuple[View, View], View] = {}

    def objective(self, views: list[View] | None = None) -> float:
        """E of views: those of the search when none are given."""
        views = self.views if views is None else views
        sizes = [len(view.units) for view in views]
        rows = sum(view.objective for view in views)
        return rows - log_restaurant(sizes, self.view_concentration)

    def run(self, nats: np.ndarray, single: View, max_views: int) -> None:
        """Search for the views.

        Parameters
        ----------
        nats : ndarray, shape (U, U)
            How strongly the columns depend on each other.
        single : View
            All columns in one view: the answer is never worse.
        max_views : int
        """
        self._plant(nats, single)
        self._record("start")
        self._descend()
        before = math.inf
        while before - self.objective() > TIE:
            before = self.objective()
            self.views = [self.fits.rescaled(view) for view in self.views]
            self._split(nats)
            self._descend()
        self._iterate()
        while len(self.views) > max_views:
            self._merge(least_gain=-math.inf)
        if self.objective() > self.objective([single]):
            self.views = [single]
            self._record("merge")

    def polish(self, patience: int) -> None:
        """Search every view's rows once more, with perturbations."""
        self.views = [
            self.fits.fit(view.units, view.scale, view.labels, patience) for view in self.views
        ]
        self._record("rows")

    def _record(self, kind: str) -> None:
        if not self.trace or self.objective() < self.trace[-1]:
            self.trace.append(self.objective())
        self.progress(kind, 0.0, self.objective(), len(self.views))

    # The tree of columns.

    def _plant(self, nats: np.ndarray, single: View) -> None:
        """Fit every node of the tree of columns, and take its cut of lowest E."""
        n = self.fits.n_units
        nodes = []
        for u in range(n):
            nodes.append(self.fits.fit([u], self.scale))
            self.progress("columns alone", (u + 1) / (4 * n), math.inf, n)
        self._alone = list(nodes)
        best = [(self._node_cost(node), [node]) for node in nodes]
        for t, (a, b) in enumerate(column_tree(nats) if n > 1 else ()):
            node = self._joined(nodes[a], nodes[b]) if t < n - 2 else single
            nodes.append(node)
            apart = best[a][0] + best[b][0], best[a][1] + best[b][1]
            together = self._node_cost(node), [node]
            best.append(min(apart, together, key=lambda cut: cut[0]))
            self.progress("columns in a tree", 0.25 + (t + 1) / (2 * n), math.inf, len(best[-1][1]))
        self.views = best[-1][1]
        self._seeds = _distinct(nodes)

    def _node_cost(self, view: View) -> float:
        """What a view adds to E; the columns' prior but for a constant."""
        return view.objective - math.log(self.view_concentration) - math.lgamma(len(view.units))

    def _joined(self, a: View, b: View) -> View:
        """Fit the columns of two views together: from each one's partition, and from scratch."""
        units = a.units + b.units
        starts = [view for view in (a, b) if view.labels.max() > 0]
        found = [self.fits.fit(units, view.scale, view.labels) for view in starts]
        if len(units) <= FRESH or not found:
            found.append(self.fits.fit(units, a.scale))
        return min(found, key=lambda view: view.objective)

    # Moves.

    def _descend(self) -> None:
        """Move columns and merge views until neither lowers E."""
        before = math.inf
        while before - self.objective() > TIE:
            before = self.objective()
            while self._bear():
                self._record("birth")
            while self._move():
                self._record("move")
            while self._merge():
                self._record("merge")

    def _bear(self) -> bool:
        """Give all columns that some known partition suits better a view of it, if E falls.

        The first column to leave for a new view would pay for it alone: columns that tell nothing
        leave the others together or not at all.
        """
        own = self._own_costs()
        best, found = TIE, None
        for seed in self._seeds:
            gains = own - self.fits.costs(seed)
            leaving = np.flatnonzero(gains > 0.0)
            gain = gains[leaving].sum() - self.fits.rows_cost(seed)
            if leaving.size and gain > best:
                best, found = gain, (seed, set(leaving.tolist()))
        if found is None:
            return False
        views = self._left_for(*found)
        if self.objective(views) > self.objective() - TIE:
            return False
        self.views = views
        return True

    def _left_for(self, seed: View, leaving: set[int]) -> list[View]:
        """The views after some columns left them for a new one."""
        views = [self._refit(seed, sorted(leaving))]
        for view in self.views:
            left = [u for u in view.units if u not in leaving]
            if left:
                views.append(view if len(left) == len(view.units) else self._refit(view, left))
        return views

    def _iterate(self) -> None:
        """Perturb the views and descend again, as long as that gains anything."""
        patience = self.patience if len(self._seeds) > 1 else 0
        best = Optimum(self.views, self.objective(), self.trace)
        best = iterated(best, self._perturbed, lambda best: patience)
        self.views, self.trace = best.state, best.trace

    def _perturbed(self, best: Optimum, fails: int) -> Optimum:
        self.views, self.trace = best.state, list(best.trace)
        self._perturb()
        self._record("perturbation")
        self._descend()
        self.views = [self.fits.rescaled(view) for view in self.views]
        self._descend()
        return Optimum(self.views, self.objective(), self.trace)

    def _perturb(self) -> None:
        """Some columns leave for a view of a known partition, though that may cost."""
        random = self.fits.random
        seed = self._seeds[int(random.integers(len(self._seeds)))]
        own = self._own_costs()
        loss = self.fits.costs(seed) - own
        most = int(random.integers(1, max(self.fits.n_units // 2, 2)))
        leaving = np.argsort(loss, kind="stable")[:most]
        self.views = self._left_for(seed, set(leaving.tolist()))

    def _own_costs(self) -> np.ndarray:
        """-ln p of every unit in its own view, shape (U,)."""
        own = np.empty(self.fits.n_units)
        for view in self.views:
            own[list(view.units)] = self.fits.costs(view)[list(view.units)]
        return own

    def _move(self) -> bool:
        """Let every column choose a view, then fit those that changed; tell whether E fell."""
        before, views = self.objective(), list(self.views)
        members = [list(view.units) for view in views]
        costs = [self.fits.costs(view) for view in views]
        rows = [self.fits.rows_cost(view) for view in views]
        for u in self.fits.random.permutation(self.fits.n_units):
            own = next(v for v, units in enumerate(members) if u in units)
            members[own].remove(u)
            weights = [math.log(len(units)) if units else -math.inf for units in members]
            new = math.log(self.view_concentration)
            price = np.array(
                [cost[u] - weight for cost, weight in zip(costs, weights, strict=True)]
            )
            if not members[own]:  # its own view goes on, as a new one
                price[own] = costs[own][u] + rows[own] - new
            alone = self._alone[u].objective - new
            best = int(np.argmin(price))
            best = own if price[own] <= price[best] + TIE else best
            if alone < price[best] - TIE:
                members.append([u])
                costs.append(self.fits.costs(self._alone[u]))
                rows.append(self.fits.rows_cost(self._alone[u]))
                views.append(self._alone[u])
            else:
                members[best].append(u)
        changed = [
            view if tuple(sorted(units)) == view.units else self._refit(view, units)
            for view, units in zip(views, members, strict=True)
            if units
        ]
        if self.objective(changed) > before - TIE:
            return False
        self.views = changed
        return True

    def _refit(self, view: View, units: Sequence[int]) -> View:
        return self.fits.fit(units, view.scale, view.labels)

    def _merge(self, least_gain: float = TIE) -> bool:
        """Merge the two views whose columns together have the lowest E, if it falls by enough."""
        views = self.views
        if len(views) < 2:
            return False
        estimates = []
        for b in range(len(views)):
            for a in range(b):
                estimates.append((min(self._estimate(a, b), self._estimate(b, a)), a, b))
        best, pair = math.inf, None
        for _, a, b in sorted(estimates)[:REFITTED]:
            key = views[a], views[b]
            if key not in self._met:
                self._met[key] = self._joined(views[a], views[b])
            change = self._node_cost(self._met[key])
            change -= self._node_cost(views[a]) + self._node_cost(views[b])
            if change < best:
                best, pair = change, key
        if pair is None or -best <= least_gain:
            return False
        self.views = [view for view in views if view not in pair] + [self._met[pair]]
        return True

    def _estimate(self, a: int, b: int) -> float:
        """By how much E rises if view b's columns join view a and its partition of the rows."""
        one, other = self.views[a], self.views[b]
        units = list(other.units)
        sizes = len(one.units), len(units)
        prior = math.lgamma(sum(sizes)) - math.lgamma(sizes[0]) - math.lgamma(sizes[1])
        prior -= math.log(self.view_concentration)
        return float(self.fits.costs(one)[units].sum() - other.objective - prior)

    # Columns that tell no groups.

    def dismiss(self, least: float, max_views: int, most: float) -> None:
        """Let columns go that tell their view's groups by less evidence, as long as E allows it.

        Evidence is the rise of E if columns, one or all of a view, join those that tell no groups:
        the log posterior odds of the two places, given the groups. Those that lack most go first,
        and the view that they leave is fitted anew.

        Parameters
        ----------
        least : float
            Nats by which a column must tell the groups of its view.
        max_views : int
        most : float
            E above which no column goes.
        """
        while True:
            lacks = [
                (self.objective(views) - self.objective() - least * n, views)
                for n, views in self._leavings()
                if len(views) <= max_views
            ]
            excess, views = min(lacks, key=lambda choice: choice[0], default=(0.0, []))
            if excess >= 0.0:
                return
            views = [
                view
                if view in self.views or view.labels.max() == 0
                else self._refit(view, view.units)
                for view in views
            ]
            if self.objective(views) > most:
                return
            self.views = views
            self._record("columns that tell nothing")

    def _leavings(self) -> Iterator[tuple[int, list[View]]]:
        """How many columns might leave a view for those that tell no groups, and the views then."""
        undivided = [view for view in self.views if view.labels.max() == 0]
        for view in self.views:
            if view in undivided:
                continue
            kept = [other for other in self.views if other is not view]
            for place in [*undivided, self.fits.undivided(view.scale)]:
                others = [other for other in kept if other is not place]
                for u in view.units if len(view.units) > 1 else ():
                    left = self.fits.with_units(view, [w for w in view.units if w != u])
                    yield 1, [*others, left, self.fits.with_units(place, [*place.units, u])]
                together = self.fits.with_units(place, [*place.units, *view.units])
                yield len(view.units), [*others, together]

    def _split(self, nats: np.ndarray) -> None:
        """Divide views in two where the tree of their own columns has a branch that lowers E."""
        waiting, kept = list(self.views), []
        while waiting:
            view = waiting.pop()
            parts = self._divided(view, nats) if len(view.units) > 2 else None
            if parts is None:
                kept.append(view)
            else:
                waiting.extend(parts)
        if len(kept) > len(self.views):
            self.views = kept
            self._record("split")

    def _divided(self, view: View, nats: np.ndarray) -> list[View] | None:
        """The view cut at the top branch of its columns' tree, if that lowers E."""
        units = np.array(view.units)
        merges = column_tree(nats[np.ix_(units, units)])
        sets = [[int(u)] for u in units]
        for a, b in merges[:-1]:
            sets.append(sets[a] + sets[b])
        parts = [self.fits.fit(sets[node], view.scale) for node in merges[-1]]
        after = sum(self._node_cost(part) for part in parts)
        return parts if after < self._node_cost(view) - TIE else None


def _distinct(views: list[View]) -> list[View]:
    """One view of every partition of the rows, the one of most columns; one cluster first."""
    found = {}
    for view in views:
        found[by_size(view.labels)[0].tobytes()] = view
    return sorted(found.values(), key=lambda view: (view.labels.max(), -len(view.units)))[:SEEDS]
