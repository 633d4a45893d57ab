"""Groups that an imperfect model does not multiply: the partition as the likelihood loses weight.

With enough rows every deviation of a column from its model is worth a cluster. The likelihood to a
power zeta below 1 (Miller and Dunson, "Robust Bayesian inference via coarsening", JASA 2019) asks
only that the table is near a draw from the model. From zeta = 1 down the clusters merge; where they
are real, they stay for a while: a plateau.

The number of clusters alone says too little: a cluster of outliers comes and goes while the groups
stay. So what must stay is every group: at each power of the range some cluster must be nearly the
same rows. Tails, a few rows beside each group, make a plateau no finer than one without them; only
where the fit itself has no more groups than the plateau is a few rows a group like the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..engine.columns import Columns
from ..engine.partition import Partition
from ..engine.sweeps import TIE
from ..inference.merge_path import MergePath, merge_path
from ..partitions.labels import by_size
from ..partitions.scores import nmi
from ..wording import counted, percent
from .arguments import check_share
from .centroids import k_means_labels
from .descent import Descent, Points
from .mapdp import MAPDP
from .progress import Progress

#: Powers tried where none are given: so many, equal in their logarithm, from 1 to the lowest.
N_POWERS, LOWEST = 40, 0.02
#: Partitions from which the search at one power descends, those of lowest E first.
MOST_STARTS = 3
#: K of the K-means partitions among them.
K_MEANS = range(2, 7)


@dataclass(frozen=True)
class TolerancePath:
    """The partitions of lowest E under the likelihood to falling powers."""

    #: Shape (P,). Falling, from 1.
    powers: np.ndarray
    #: One array (N,) a power: 0 the largest cluster.
    labels: tuple[np.ndarray, ...]
    #: Shape (P,). E under each power, in nats; those of two powers are not comparable.
    objectives: np.ndarray
    #: Shape (P,). Clusters of at least 5 rows and 1 % of them.
    n_clusters: np.ndarray
    #: How often each row counts; None for once.
    weights: np.ndarray | None = None

    @cached_property
    def _finest(self) -> Plateau | None:
        return finest_plateau(self.powers, self.labels, self.weights)

    @property
    def proposed(self) -> int | None:
        """Index of the first power at which there are the groups of the finest plateau alone.

        None where there is no plateau.
        """
        return None if self._finest is None else self._finest.first

    @property
    def plateau(self) -> tuple[float, float] | None:
        """Highest and lowest power over which the groups of the finest plateau stay."""
        if self._finest is None:
            return None
        return float(self.powers[self._finest.start]), float(self.powers[self._finest.stop - 1])

    @property
    def staying(self) -> str:
        """Which groups stay, and over which range: part of a sentence."""
        if self.plateau is None:
            kept = f"no groups stay while its weight falls by a factor of {FACTOR:g}"
        else:
            high, low = map(percent, self.plateau)
            n_groups = counted(int(self.n_clusters[self.proposed]), "group")
            kept = f"{n_groups} stay from {high} of its weight down to {low}"
        return f"as the evidence counts less, {kept}"

    @property
    def sentence(self) -> str:
        """How many groups there are at power 1, and which stay below it."""
        return f"{counted(int(self.n_clusters[0]), 'group')}; {self.staying}."

    def as_frame(self) -> pd.DataFrame:
        """One row a power: ``power``, ``n_clusters``, ``largest``, ``objective``, ``agreement``.

        ``agreement`` is the normalised mutual information with the power before.
        """
        pairs = zip(self.labels, self.labels[1:], strict=False)
        return pd.DataFrame(
            {
                "power": self.powers,
                "n_clusters": self.n_clusters,
                "largest": [int(np.bincount(labels).max()) for labels in self.labels],
                "objective": self.objectives,
                "agreement": [np.nan, *(nmi(before, after) for before, after in pairs)],
            }
        )


def tolerance_path(
    model: MAPDP,
    powers: Sequence[float] | None = None,
    callback: Callable[[Progress], None] | None = None,
) -> TolerancePath:
    """The partitions of a table under the likelihood to falling powers.

    The path of merges from the model's clusters down to one gives a partition at every power; the
    search goes on from it, from the last power's answer and from K-means, under the model's priors.

    Parameters
    ----------
    model : MAPDP
        Fitted. If at another power than 1, its table is searched at 1 first.
    powers : sequence of float, optional
        Falling from 1, above 0; 40 from 1 to .02 when absent, equal in their logarithms.
    callback : callable, optional
        Told of every power; what it raises ends the work.

    Examples
    --------
    >>> import numpy as np
    >>> from mapdp_studio import MAPDP, tolerance_path
    >>> rows = np.random.default_rng(0).normal([[0.0], [9.0]], 1.0, (2, 60)).reshape(-1, 1)
    >>> tolerance_path(MAPDP(random_state=0).fit(rows)).sentence
    '2 groups; as the evidence counts less, 2 groups stay from 100 % of its weight down to 50 %.'
    """
    check_is_fitted(model)
    tried = _powers(powers)
    if model.likelihood_power != 1.0:
        encoded = model.columns_.encoded
        model = clone(model).set_params(likelihood_power=1.0, prior=list(model.prior_))
        model.fit_encoded(encoded)
    return _walk(model, tried, callback or (lambda progress: None))


def _powers(powers: Sequence[float] | None) -> np.ndarray:
    if powers is None:
        return np.geomspace(1.0, LOWEST, N_POWERS)
    values = np.array([check_share("powers", float(power)) for power in powers])
    if not values.size or values[0] != 1.0 or (np.diff(values) >= 0.0).any():
        raise ValueError("powers must fall from 1 on: give for example [1, 0.5, 0.2].")
    return values


def _walk(model: MAPDP, powers: np.ndarray, callback: Callable[[Progress], None]) -> TolerancePath:
    """One power after the other."""
    columns, n_0 = model.columns_, model.concentration
    random = np.random.default_rng(0)
    points = Points(columns, random)
    path = merge_path(model.partition_)
    n_rows = columns.n_rows
    by_means = [k_means_labels(points.all, k, random) for k in K_MEANS if k <= n_rows]
    weights = columns.encoded.weights
    labels, objectives = [], []
    for step, power in enumerate(powers):
        packed = columns.with_power(power)
        best = _cut(packed, n_0, path)
        if step:
            starts = [Partition(packed, n_0, some) for some in (labels[-1], *by_means)]
            best = _lowest([best, *starts], points, random)
        labels.append(by_size(best.labels, weights)[0])
        objectives.append(best.objective())
        phase = f"power {power:.2f}"
        callback(Progress(step + 1, len(powers), objectives[-1], best.n_clusters, phase))
    counted = np.array([count_clusters(found, weights) for found in labels])
    return TolerancePath(powers, tuple(labels), np.array(objectives), counted, weights)


def _cut(columns: Columns, n_0: float, path: MergePath) -> Partition:
    """The partition of lowest E on the merge path under these columns' power."""
    partition = Partition.at_rest(columns, n_0, path.labels)
    names = list(range(partition.n_clusters))
    lowest, best = partition.objective(), partition.labels.copy()
    for kept, dropped in zip(path.kept, path.dropped, strict=True):
        low, high = sorted((names.index(kept), names.index(dropped)))
        partition.unite(low, high)
        names[low], names[high] = kept, names[-1]
        names.pop()
        objective = partition.objective()
        if objective < lowest:
            lowest, best = objective, partition.labels.copy()
    return Partition.at_rest(columns, n_0, best)


def _lowest(starts: list[Partition], points: Points, random: np.random.Generator) -> Partition:
    """The lowest of the descents from the starts of lowest E."""
    points.failed_splits.clear()
    reached: dict[float, Partition] = {}
    for start in starts:
        start.settle()
        reached.setdefault(round(start.objective(), 6), start)
    best = None
    for _, partition in sorted(reached.items())[:MOST_STARTS]:
        Descent(partition, points, random, lambda step, at=partition: at.objective()).run()
        if best is None or partition.objective() < best.objective() - TIE:
            best = partition
    return best


#: A cluster counts from this many rows, and from this share of them.
LEAST_ROWS, LEAST_SHARE = 5, 0.01
#: A cluster of fewer rows, or of a smaller share of the largest one's, may be a group's tail: of a
#: table's values one to ten percent lie far off as a rule (Hampel and others 1986, section 1.2c).
TAIL_ROWS, TAIL_SHARE = 10, 0.1
#: A plateau spans at least this factor of powers, half a step beyond its ends counted.
FACTOR = 1.5
#: From power 1 down, where the groups are those of the fit itself: the range is seen from one side
#: only, and how far it would go on above 1 is not known.
FACTOR_FROM_ONE = 1.35
#: A cluster is the same group from this Jaccard similarity on (Hennig 2007: a valid, stable one).
SAME_GROUP = 0.75


@dataclass(frozen=True)
class Plateau:
    """Neighbouring powers over which the groups of one partition stay."""

    #: Index of the first power whose partition has those groups and no other that counts.
    first: int
    #: Indices of the first power and of that after the last.
    start: int
    stop: int


def count_clusters(labels: np.ndarray, weights: np.ndarray | None = None) -> int:
    """Clusters of at least ``LEAST_ROWS`` rows and ``LEAST_SHARE`` of all; 1 where none is."""
    return max(len(_counted(labels, weights)), 1)


def finest_plateau(
    powers: np.ndarray, labels: Sequence[np.ndarray], weights: np.ndarray | None = None
) -> Plateau | None:
    """The plateau of most groups, then of fewest tails, the first of several; None without two.

    Parameters
    ----------
    powers : ndarray, shape (P,)
        Falling from 1.
    labels : sequence of P ndarrays of int, shape (N,)
        The partition at every power.
    weights : ndarray, shape (N,), optional
        How often each row counts.
    """
    same = _Sameness(labels, weights)
    logs = np.log(powers)
    edges = np.concatenate([logs[:1], 0.5 * (logs[1:] + logs[:-1]), logs[-1:]])
    best, finest = None, (1, 0)
    for at, groups in enumerate(same.groups):
        n_groups = same.n_groups(at)
        fineness = (n_groups, n_groups - len(groups)) if at else (len(groups), 0)
        if n_groups < 2 or fineness <= finest:
            continue
        start, stop = same.range_of(at)
        asked = FACTOR_FROM_ONE if at == 0 else FACTOR
        if edges[start] - edges[stop] >= np.log(asked) - 1e-9:
            best, finest = Plateau(at, start, stop), fineness
    return best


def _counted(labels: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """The clusters that count."""
    sizes = np.bincount(labels, weights)
    return np.flatnonzero(sizes >= max(LEAST_ROWS, LEAST_SHARE * sizes.sum()))


class _Sameness:
    """Which groups of the partitions of a path are found again at other powers."""

    def __init__(self, labels: Sequence[np.ndarray], weights: np.ndarray | None) -> None:
        self._labels, self._weights = labels, weights
        self._overlaps: dict[tuple[int, int], np.ndarray] = {}
        self.sizes = [np.bincount(some, weights) for some in labels]
        #: Clusters that count, at each power.
        self.groups = [_counted(some, weights) for some in labels]

    def n_groups(self, at: int) -> int:
        """How many of the clusters that count are no tails."""
        sizes = self.sizes[at]
        least = max(TAIL_ROWS, TAIL_SHARE * sizes.max())
        return int((sizes[self.groups[at]] >= least).sum())

    def range_of(self, at: int) -> tuple[int, int]:
        """The widest range about a power over which all of its groups are found again."""
        start, stop = at, at + 1
        while start > 0 and self._stay(at, start - 1):
            start -= 1
        while stop < len(self._labels) and self._stay(at, stop):
            stop += 1
        return start, stop

    def _stay(self, at: int, other: int) -> bool:
        best = self._overlap(at, other).max(axis=1)
        return bool((best[self.groups[at]] >= SAME_GROUP).all())

    def _overlap(self, first: int, second: int) -> np.ndarray:
        """Jaccard similarity of the clusters at two powers."""
        if first > second:
            return self._overlap(second, first).T
        known = self._overlaps.get((first, second))
        if known is None:
            sizes = self.sizes[first][:, None], self.sizes[second]
            pairs = self._labels[first] * sizes[1].size + self._labels[second]
            n_pairs = sizes[0].size * sizes[1].size
            shared = np.bincount(pairs, self._weights, n_pairs).reshape(-1, sizes[1].size)
            known = shared / np.maximum(sizes[0] + sizes[1] - shared, 1e-300)
            self._overlaps[first, second] = known
        return known
