"""One view: some columns and a partition of the rows by them, and what fits it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...engine.columns import Columns, default_priors
from ...engine.partition import Partition
from ...families import Prior
from ...inference.contributions import shown_units, unit_log_marginals
from ...schema.encoded import Encoded
from ..priors import choose_prior
from ..progress import Progress
from ..search import search


@dataclass(frozen=True, eq=False)
class View:
    """Some columns and a partition of the rows by them.

    Parameters
    ----------
    units : tuple of int
        Columns and blocks of the table, as ``ViewFits`` counts them, ascending.
    labels : ndarray of int64, shape (N,)
        0..K-1.
    scale : float or None
        The prior scale of its units; None where the priors were given.
    objective : float
        E of the partition on these units, in nats.
    """

    units: tuple[int, ...]
    labels: np.ndarray
    scale: float | None
    objective: float
    _costs: list[np.ndarray] = field(default_factory=list, repr=False)
    _rows_cost: list[float] = field(default_factory=list, repr=False)


@dataclass
class ViewFits:
    """Fits of parts of one table, all in the same nats.

    What goes into a view together counts as one: a column with its special outcomes, a block.

    Parameters
    ----------
    encoded : Encoded
    priors : sequence of Prior or None
        One a unit; None derives them at the prior scale of each view.
    concentration : float
        N_0 of the rows.
    random : numpy.random.Generator
    tick : callable
        Called between steps; what it raises ends the fit.
    chooses_scale : bool
        False keeps the prior scale that the search began with.
    power : float
        The likelihood counts to this power.
    """

    encoded: Encoded
    priors: Sequence[Prior] | None
    concentration: float
    random: np.random.Generator
    tick: Callable[[], None]
    chooses_scale: bool = True
    power: float = 1.0

    def __post_init__(self) -> None:
        self._whole: dict[float | None, Columns] = {}
        #: Columns and blocks, and the place among them of every unit of the encoded table.
        self.names, self.place = shown_units(self.encoded)

    @property
    def n_units(self) -> int:
        """Columns and blocks, each of which belongs to one view."""
        return len(self.names)

    def part(self, units: Sequence[int]) -> Encoded:
        """The table with some of its columns and blocks only."""
        return self.encoded.of_units(self._inside(units))

    def columns(self, units: Sequence[int], scale: float | None) -> Columns:
        """Some columns and blocks, packed under a prior scale or under their given priors."""
        part = self.part(units)
        if self.priors is None:
            return Columns.pack(part, default_priors(part, scale), self.power)
        return Columns.pack(part, [self.priors[u] for u in self._inside(units)], self.power)

    def _inside(self, units: Sequence[int]) -> np.ndarray:
        """Units of the encoded table that some columns and blocks consist of."""
        return np.flatnonzero(np.isin(self.place, list(units)))

    def fit(
        self,
        units: Sequence[int],
        scale: float | None,
        known: np.ndarray | None = None,
        patience: int = 0,
    ) -> View:
        """Search for a partition of the rows by some units, from a known one or from scratch."""
        partition = self.search(units, scale, known, patience)
        return View(tuple(sorted(units)), partition.labels, scale, partition.objective())

    def undivided(self, scale: float | None) -> View:
        """A view of one cluster, of no columns yet."""
        return self.with_units(
            View((), np.zeros(len(self.encoded.values), np.int64), scale, 0.0), ()
        )

    def with_units(self, view: View, units: Sequence[int]) -> View:
        """The view with other columns, its partition and its scale as they are."""
        objective = self.rows_cost(view) + float(self.costs(view)[list(units)].sum())
        return replace(view, units=tuple(sorted(units)), objective=objective)

    def search(
        self,
        units: Sequence[int],
        scale: float | None,
        known: np.ndarray | None = None,
        patience: int = 0,
    ) -> Partition:
        """The same, with the statistics of its clusters and the cells that they filled."""
        columns = self.columns(sorted(units), scale)
        partition, _ = search(columns, self.concentration, self.random, patience, self._told, known)
        return partition

    def partition(self, view: View) -> Partition:
        """A view's partition with its statistics, at rest; one cluster stays one."""
        if view.labels.max():
            return self.search(view.units, view.scale, view.labels)
        columns = self.columns(view.units, view.scale)
        partition = Partition.at_rest(columns, self.concentration, view.labels)
        return partition

    def rescaled(self, view: View) -> View:
        """The view under the prior scale of lowest E on the grid, from its partition on."""
        if self.priors is not None or not self.chooses_scale:
            return view

        def trial(columns: Columns, known: np.ndarray | None) -> tuple[np.ndarray, float]:
            known = view.labels if known is None else known
            partition, _ = search(columns, self.concentration, self.random, 0, self._told, known)
            return partition.labels, partition.objective()

        choice = choose_prior("scale-grid", self.part(view.units), trial, self.random)
        if choice.labels is None:  # no unit's prior has a scale
            return view
        return self.fit(view.units, choice.scale, choice.labels)

    def costs(self, view: View) -> np.ndarray:
        """-ln p of every column or block under the view's partition and scale, shape (U,)."""
        if not view._costs:
            if view.scale not in self._whole:
                self._whole[view.scale] = self.columns(range(self.n_units), view.scale)
            partition = Partition.at_rest(self._whole[view.scale], self.concentration, view.labels)
            costs = -unit_log_marginals(partition).sum(axis=1)
            view._costs.append(np.bincount(self.place, costs))
            self.tick()
        return view._costs[0]

    def rows_cost(self, view: View) -> float:
        """-ln of the prior of the view's partition of the rows."""
        if not view._rows_cost:
            sizes = np.bincount(view.labels, self.encoded.weights)
            view._rows_cost.append(-log_restaurant(sizes, self.concentration))
        return view._rows_cost[0]

    def _told(self, progress: Progress) -> None:
        self.tick()


def log_restaurant(sizes: Sequence[int] | np.ndarray, concentration: float) -> float:
    """Log probability of one partition into clusters of these sizes (Chinese restaurant)."""
    log_p = len(sizes) * math.log(concentration) + sum(math.lgamma(size) for size in sizes)
    return log_p + math.lgamma(concentration) - math.lgamma(concentration + sum(sizes))
