"""Groups that stay while the likelihood loses weight (Miller and Dunson, JASA 2019)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..engine.packed import PackedTable
from ..engine.partition import Partition
from ..inference.merge_path import MergePath, merge_path
from ..partitions.labels import by_size
from ..wording import counted, percent
from .descent import Descent, Optimum, Points, lowest
from .kmeans import k_means_labels
from .mapdp import MAPDP
from .progress import Progress

#: Powers tried: so many, equal in their logarithm, from 1 to the lowest.
N_POWERS, LOWEST = 40, 0.02
#: Partitions from which the search at one power descends, those of lowest E first.
MOST_STARTS = 3
K_MEANS = range(2, 7)
#: A cluster counts from this many rows, and from this share of them.
LEAST_ROWS, LEAST_SHARE = 5, 0.01
#: A smaller cluster, or share of the largest one's rows, may be a group's tail: one to ten percent
#: of a table's values lie far off as a rule (Hampel and others 1986, section 1.2c).
TAIL_ROWS, TAIL_SHARE = 10, 0.1
#: Least factor of powers of a plateau, half a step beyond its ends counted; and of one from power
#: 1, which is seen from one side only.
FACTOR, FACTOR_FROM_ONE = 1.5, 1.35
#: A cluster is the same group from this Jaccard similarity on (Hennig 2007: a valid, stable one).
SAME_GROUP = 0.75


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
    #: None: every row counts once.
    weights: np.ndarray | None = None

    @cached_property
    def _finest(self) -> tuple[int, int, int] | None:
        return finest_plateau(self.powers, self.labels, self.weights)

    @property
    def proposed(self) -> int | None:
        """Index of the first power at which the groups of the finest plateau are alone, or None."""
        return None if self._finest is None else self._finest[0]

    @property
    def plateau(self) -> tuple[float, float] | None:
        """Highest and lowest power over which the groups of the finest plateau stay."""
        if self._finest is None:
            return None
        _, start, stop = self._finest
        return float(self.powers[start]), float(self.powers[stop - 1])

    @property
    def sentence(self) -> str:
        """How many clusters there are at power 1, and which stay below it."""
        stays = f"no clusters stay while its weight falls by a factor of {FACTOR:g}"
        if self.plateau is not None:
            high, low = map(percent, self.plateau)
            clusters = counted(int(self.n_clusters[self.proposed]), "cluster")
            stays = f"{clusters} stay from {high} of its weight down to {low}"
        clusters = counted(int(self.n_clusters[0]), "cluster")
        return f"{clusters}; as the evidence counts less, {stays}."


def tolerance_path(
    model: MAPDP, *, callback: Callable[[Progress], None] | None = None
) -> TolerancePath:
    """The partitions of a table under the likelihood to falling powers, and the model's priors.

    There are 40 powers from 1 to .02, spaced by logarithm.

    Parameters
    ----------
    model : MAPDP
        Fitted; at another power than 1, its table is searched at 1 first.
    callback : callable, optional
        Called after every power; what it raises ends the work.

    Examples
    --------
    >>> import numpy as np
    >>> from mapdp_studio import MAPDP, tolerance_path
    >>> rows = np.random.default_rng(0).normal([[0.0], [9.0]], 1.0, (2, 60)).reshape(-1, 1)
    >>> tolerance_path(MAPDP(random_state=0).fit(rows)).sentence  # doctest: +ELLIPSIS
    '2 clusters; as the evidence counts less, 2 clusters stay from 100 % ... down to 50 %.'
    """
    check_is_fitted(model)
    tried = np.geomspace(1.0, LOWEST, N_POWERS)
    if model.likelihood_power != 1.0:
        encoded = model.columns_.encoded
        model = clone(model).set_params(likelihood_power=1.0, prior=list(model.prior_))
        model.fit_encoded(encoded)
    packed, n_0, random = model.columns_, model.concentration, np.random.default_rng(0)
    weights, path = packed.encoded.weights, merge_path(model.partition_)
    points, labels, objectives = Points(packed, random), [], []
    by_means = [k_means_labels(points.all, k, random) for k in K_MEANS if k <= packed.n_rows]
    for step, power in enumerate(tried):
        packed = packed.with_power(power)
        best = _cut(packed, n_0, path)
        if step:
            starts = [Partition(packed, n_0, z) for z in (labels[-1], *by_means)]
            best = _lowest([best, *starts], points, random)
        labels.append(by_size(best.labels, weights)[0])
        objectives.append(best.objective())
        if callback is not None:
            phase = f"power {power:.2f}"
            callback(Progress(step + 1, len(tried), objectives[-1], best.n_clusters, phase))
    n_clusters = np.array([count_clusters(found, weights) for found in labels])
    return TolerancePath(tried, tuple(labels), np.array(objectives), n_clusters, weights)


def _cut(packed: PackedTable, n_0: float, path: MergePath) -> Partition:
    """The partition of lowest E on the merge path under these columns' power."""
    partition = Partition.of_labels(packed, n_0, path.labels)
    names = list(range(partition.n_clusters))
    lowest, best = partition.objective(), partition.labels.copy()
    for kept, dropped in zip(path.kept, path.dropped, strict=True):
        low, high = sorted((names.index(kept), names.index(dropped)))
        partition.merge_pair(low, high)
        names[low], names[high] = kept, names[-1]
        names.pop()
        if (objective := partition.objective()) < lowest:
            lowest, best = objective, partition.labels.copy()
    return Partition.of_labels(packed, n_0, best)


def _lowest(starts: list[Partition], points: Points, random: np.random.Generator) -> Partition:
    """The one of lowest E of the descents from the best starts."""
    points.failed_splits.clear()
    reached = {round(start.settle(), 6): start for start in reversed(starts)}
    ends = []
    for _, partition in sorted(reached.items())[:MOST_STARTS]:
        Descent(partition, points, random).run()
        ends.append(Optimum(partition, partition.objective()))
    return lowest(ends).state


def count_clusters(labels: np.ndarray, weights: np.ndarray | None = None) -> int:
    """Clusters of at least ``LEAST_ROWS`` rows and ``LEAST_SHARE`` of all; 1 where none is."""
    return max(_that_count(np.bincount(labels, weights)).size, 1)


def finest_plateau(
    powers: np.ndarray, labels: Sequence[np.ndarray], weights: np.ndarray | None = None
) -> tuple[int, int, int] | None:
    """The plateau of most groups, then of fewest tails, the first of several; None without two.

    Neighbouring powers over which every group of one partition is nearly some cluster: the first
    whose partition has those groups and no other that counts, the first of all, and that after the
    last. Tails make it no finer unless the fit has no more groups. ``powers`` (P,) fall from 1;
    ``labels`` are P arrays (N,); ``weights`` (N,).
    """
    logs = np.log(powers)
    edges = np.concatenate([logs[:1], 0.5 * (logs[1:] + logs[:-1]), logs[-1:]])
    best, finest = None, (1, 0)
    for at, own in enumerate(labels):
        sizes = np.bincount(own, weights)
        groups = _that_count(sizes)
        n_groups = int((sizes[groups] >= max(TAIL_ROWS, TAIL_SHARE * sizes.max())).sum())
        fineness = (n_groups, n_groups - len(groups)) if at else (len(groups), 0)
        if n_groups < 2 or fineness <= finest:
            continue
        start, stop = at, at + 1
        while start > 0 and _stay(groups, own, labels[start - 1], weights):
            start -= 1
        while stop < len(labels) and _stay(groups, own, labels[stop], weights):
            stop += 1
        if edges[start] - edges[stop] >= np.log(FACTOR if at else FACTOR_FROM_ONE) - 1e-9:
            best, finest = (at, start, stop), fineness
    return best


def _that_count(sizes: np.ndarray) -> np.ndarray:
    return np.flatnonzero(sizes >= max(LEAST_ROWS, LEAST_SHARE * sizes.sum()))


def _stay(
    groups: np.ndarray, own: np.ndarray, other: np.ndarray, weights: np.ndarray | None
) -> bool:
    """Whether each of some clusters of a partition is nearly one of another."""
    sizes, others = np.bincount(own, weights)[:, None], np.bincount(other, weights)
    pairs = own * others.size + other
    shared = np.bincount(pairs, weights, sizes.size * others.size).reshape(-1, others.size)
    overlap = shared / np.maximum(sizes + others - shared, 1e-300)
    return bool((overlap.max(axis=1)[groups] >= SAME_GROUP).all())
