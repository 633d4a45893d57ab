"""Collapsed Gibbs sampling: M12 Algorithm 25.1 with the factor p_k(x_i) that its line 6 omits."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from ..engine.packed import PackedTable
from ..engine.partition import Partition
from ..inference.fit import Fit
from ..partitions.consensus import distances, rows_to_compare
from ..partitions.labels import by_size, renumbered
from ..schema.encoded import Encoded
from .descent import SPLIT_KINDS
from .estimator import Callback, ClusterEstimator, WeighsRows, above, number, one_of, share, whole
from .mapdp import BayesianEstimator
from .progress import Progress
from .search import STARTS, Search

#: Kept draws hold at most this many labels in all.
MOST_LABELS = 50_000_000
#: Most clusters, over evenly spaced draws, among which the centre of the draws is sought.
MOST_COMPARED = 1_500


@dataclass(frozen=True)
class Chain:
    """Trace and draws of one chain."""

    #: Shape (T,). E, K and N_0 after every sweep.
    objectives: np.ndarray
    n_clusters: np.ndarray
    concentrations: np.ndarray
    #: int32, shape (S, N). Labels kept after the burn-in, evenly spaced.
    draws: np.ndarray
    #: int64, shape (N,). The draw with the lowest E, and when it came.
    best: np.ndarray
    best_sweep: int


@dataclass(eq=False, repr=False)
class CollapsedGibbs(WeighsRows, BayesianEstimator):
    """Draw partitions from their exact posterior.

    Parameters
    ----------
    concentration, likelihood, prior, likelihood_power, random_state
        As in ``MAPDP``; the draws are of the posterior with the likelihood to that power.
    n_sweeps : int
        Sweeps of each chain.
    burn_in : float
        Share of the sweeps that the summaries leave out, at least 0 and below 1.
    n_chains : int
        Independent chains.
    n_kept : int
        Draws kept of each chain, for co-assignment and consensus.
    init : array of int, shape (N,), optional
        Labels to start from, as they are; by default each chain has a start of another kind,
        descended until converged first.
    concentration_prior : tuple of float, optional
        Shape and rate of a Gamma prior of N_0.
        N_0 is then drawn after every sweep (Escobar and West 1995).
    read_out : "lowest" E (R16), or "centre", the kept draw of likely K nearest to all others

    Attributes
    ----------
    labels_ : ndarray of int64, shape (N,)
        As ``read_out`` says.
    n_clusters_trace_, objective_trace_ : ndarray, shape (n_chains * n_sweeps,)
        Chain after chain.
    chains_ : tuple of Chain

    Examples
    --------
    >>> import numpy as np
    >>> from mapdp_studio import CollapsedGibbs
    >>> rows = np.random.default_rng(0).normal([[0.0], [9.0]], 1.0, (2, 40)).reshape(-1, 1)
    >>> model = CollapsedGibbs(n_sweeps=30, random_state=0).fit(rows)
    >>> model.n_clusters_, np.bincount(model.labels_).tolist()
    (2, [40, 40])
    """

    concentration: float = 3.0
    _: KW_ONLY
    likelihood: str = "normal"
    prior: Any = "scale-grid"
    likelihood_power: float = 1.0
    n_sweeps: int = 600
    burn_in: float = 0.5
    n_chains: int = 1
    n_kept: int = 100
    init: Any = None
    concentration_prior: tuple[float, float] | None = None
    random_state: Any = None
    read_out: str = "lowest"

    limits: ClassVar = BayesianEstimator.limits | {
        **dict.fromkeys(("n_sweeps", "n_chains", "n_kept"), whole(1)),
        **{"likelihood_power": share, "burn_in": number(0.0)},
        "read_out": one_of("lowest", "centre"),
    }

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        if self.burn_in >= 1:
            raise ValueError(f"burn_in={self.burn_in!r} is not allowed: give a share below 1.")
        for value in self.concentration_prior or ():
            above(0.0)("concentration_prior", value)
        choice, random = self._choose_prior(encoded, callback)
        packed = choice.packed.with_power(self.likelihood_power)
        self.chains_ = tuple(
            self._chain(self._start(packed, c, random, callback), c, random, callback)
            for c in range(self.n_chains)
        )
        best = min(self.chains_, key=lambda chain: chain.objectives.min())
        self.n_clusters_trace_ = np.concatenate([chain.n_clusters for chain in self.chains_])
        compared = rows_to_compare(packed.n_rows, random)
        is_lowest = self.read_out == "lowest"
        labels = best.best if is_lowest else self._centre(compared)
        partition = Partition(packed, self.concentration, by_size(labels, encoded.weights)[0])
        objective = partition.settle()
        return self._partition_fit(
            partition,
            choice.scale,
            np.concatenate([chain.objectives for chain in self.chains_]),
            objective=float(best.objectives.min()) if is_lowest else objective,
            n_iter=best.best_sweep + 1,
        )

    def _fit_some(
        self, encoded: Encoded, rows: np.ndarray, callback: Callback | None
    ) -> ClusterEstimator:
        """Labels to start from are of all rows, or of those that count."""
        init = self.init
        if init is not None and len(init) == len(encoded.values):
            self.init = np.asarray(init)[rows]
        try:
            return super()._fit_some(encoded, rows, callback)
        finally:
            self.init = init

    def _start(
        self, packed: PackedTable, chain: int, random: np.random.Generator, callback: Callback
    ) -> Partition:
        """Given labels, or a converged start: single-row draws merge a raw one slowly."""
        if self.init is not None:
            labels = renumbered(np.asarray(self.init))
            if labels.shape != (packed.n_rows,):
                raise ValueError(f"init must have one label for each of {packed.n_rows} rows.")
            return Partition(packed, self.concentration, labels)
        search = Search(packed, self.concentration, random, callback)
        partition = search.start(STARTS[(chain + 1) % len(STARTS)])
        search.descent(partition, "start of a chain", len(SPLIT_KINDS)).run()
        return partition

    def _chain(
        self, partition: Partition, chain: int, random: np.random.Generator, callback: Callback
    ) -> Chain:
        n, n_sweeps = partition.labels.size, self.n_sweeps
        first, room = int(self.burn_in * n_sweeps), MOST_LABELS // (n * self.n_chains)
        n_kept = min(self.n_kept, n_sweeps - first, max(room, 1))
        keep = {*np.linspace(first, n_sweeps - 1, n_kept).round().astype(int).tolist()}
        traces, draws = np.empty((3, n_sweeps)), []
        best, best_sweep, lowest = partition.labels, -1, np.inf
        for sweep in range(n_sweeps):
            partition.sweep(random.permutation(n), random.random(n))
            if self.concentration_prior is not None:
                state = partition.concentration, partition.n_clusters, partition.total_weight
                drawn = draw_concentration(*state, self.concentration_prior, random)
                partition.concentration = drawn
            objective = partition.objective()
            traces[:, sweep] = objective, partition.n_clusters, partition.concentration
            if objective < lowest:
                lowest, best_sweep, best = objective, sweep, partition.labels.copy()
            if sweep in keep:
                draws.append(partition.labels.astype(np.int32))
            done, phase = chain * n_sweeps + sweep + 1, f"chain {chain + 1} of {self.n_chains}"
            total = self.n_chains * n_sweeps
            callback(Progress(done, total, objective, partition.n_clusters, phase))
        n_clusters = traces[1].astype(np.int64)
        return Chain(traces[0], n_clusters, traces[2], np.array(draws), best, best_sweep)

    def _centre(self, compared: np.ndarray) -> np.ndarray:
        """The kept draw, of those with a likely K, nearest to all by variation of information."""
        draws = np.concatenate([chain.draws for chain in self.chains_])
        low, high = self.likely_clusters()
        draws = draws[:: -(-int((draws.max(axis=1) + 1).sum()) // MOST_COMPARED)]
        far = distances(draws[:, compared]).sum(axis=0)
        n_clusters = draws.max(axis=1) + 1
        unlikely = np.maximum(low - n_clusters, n_clusters - high).clip(min=0)
        return by_size(draws[np.lexsort((far, unlikely))[0]])[0]

    def n_clusters_posterior(self) -> dict[int, float]:
        """Posterior probability of every K met after the burn-in."""
        first = int(self.burn_in * self.n_sweeps)
        seen = np.concatenate([chain.n_clusters[first:] for chain in self.chains_])
        values, counts = np.unique(seen, return_counts=True)
        return dict(zip(values.tolist(), (counts / seen.size).tolist(), strict=True))

    def likely_clusters(self) -> tuple[int, int]:
        """Range of K in 95 % of the draws after the burn-in."""
        chances = self.n_clusters_posterior()
        below = np.cumsum(list(chances.values()))
        values = list(chances)
        low, high = np.searchsorted(below, (0.025, 0.975 - 1e-9))
        return values[low], values[min(high, len(values) - 1)]


def draw_concentration(
    concentration: float,
    n_clusters: int,
    n_rows: float,
    prior: tuple[float, float],
    random: np.random.Generator,
) -> float:
    """Draw N_0 given K under a Gamma(shape, rate) prior (Escobar and West 1995, section 6)."""
    shape, rate = prior
    eta = random.beta(concentration + 1.0, n_rows)
    rate = rate - np.log(eta)
    odds = (shape + n_clusters - 1.0) / (n_rows * rate)
    if random.random() * (1.0 + odds) < odds:
        return float(random.gamma(shape + n_clusters) / rate)
    return float(random.gamma(shape + n_clusters - 1.0) / rate)
