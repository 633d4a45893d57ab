"""Methods of scikit-learn and scipy on mixed tables with missing cells, through one adapter."""

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
import sklearn.cluster
from scipy.cluster.hierarchy import fcluster, linkage, optimal_leaf_ordering
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.exceptions import ConvergenceWarning

from ...inference.fit import Fit
from ...partitions.labels import by_size
from ...schema.encoded import Encoded
from ..estimator import Callback, ClusterEstimator, one_of, whole
from ..numeric import plain_numbers
from ..progress import Progress
from .graph import NEIGHBOURS, check_pairs, gower

#: Bisecting K-means: starts of every division.
DIVISIONS = 5
#: Most rows of a tree whose leaves are put in order, which takes N^2 steps a merge.
ORDERED = 500
_arguments = dataclass(eq=False, repr=False)


class WrappedEstimator(ClusterEstimator):
    """Base: a subclass clusters numbers or Gower's dissimilarities, and may name its ``cost``."""

    measure: str = "encoding"
    compares_pairs: ClassVar[bool] = True

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        if self.compares_pairs:
            check_pairs(len(encoded.values), type(self).__name__)
        callback(Progress(0, 2, np.inf, 1, "how far apart rows are"))
        if self.measure == "gower":
            rows = gower(encoded)
        else:
            rows = plain_numbers(encoded, getattr(self, "schema_", None) is not None)
        callback(Progress(1, 2, np.inf, 1, "clusters"))
        labels, details = self._cluster(rows)
        cost = details.pop("cost") if "cost" in details else self._squared_error(rows, labels)
        return self._make_fit(by_size(labels)[0], [cost], n_iter=1, **details)

    def _cluster(self, rows: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        """Labels of numbers (N, P) or dissimilarities (N, N), and what else the ``Fit`` tells."""
        raise NotImplementedError

    def _squared_error(self, rows: np.ndarray, labels: np.ndarray) -> float:
        """About the means; of dissimilarities, that of points so far apart."""
        groups = [np.flatnonzero(labels == k) for k in np.unique(labels)]
        if self.measure == "encoding":
            return sum(float(rows[of].var(axis=0).sum()) * of.size for of in groups)
        return sum(float(np.square(rows[np.ix_(of, of)]).sum()) / (2.0 * of.size) for of in groups)

    @property
    def _seed(self) -> Any:
        """scikit-learn takes no Generator: a number drawn from it."""
        if isinstance(self.random_state, np.random.Generator):
            return int(self.random_state.integers(2**31))
        return self.random_state


@_arguments
class AffinityPropagation(WrappedEstimator):
    """Exemplars that rows choose by passing messages (M12 section 25.3; scikit-learn).

    Parameters
    ----------
    preference : float, optional
        Below 0; lower makes fewer clusters.
        By default the median similarity, minus the squared distance of plain numbers.
    max_iter : int
        Most rounds of messages.
    random_state : int, RandomState or None

    Attributes
    ----------
    exemplars_ : ndarray of int64, shape (K,)
        Row that stands for each cluster.
        Empty where the messages did not settle, and all rows are then one cluster.
    objective_ : float
        The sum of the rows' squared distances to their exemplars.
    labels_, result_, n_clusters_
    """

    preference: float | None = None
    _: KW_ONLY
    max_iter: int = 500
    random_state: Any = None

    limits: ClassVar = {"max_iter": whole(1)}

    def _cluster(self, rows: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        similar = -cdist(rows, rows, "sqeuclidean")
        model = sklearn.cluster.AffinityPropagation(
            damping=0.7,
            max_iter=self.max_iter,
            preference=self.preference,
            affinity="precomputed",
            random_state=self._seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # reported in the result instead
            warnings.filterwarnings("ignore", "All samples have mutually equal similarities")
            model.fit(similar)
        self.exemplars_ = np.empty(0, dtype=np.int64)
        if not len(model.cluster_centers_indices_) or model.labels_.min() < 0:
            note = "the messages did not settle: all rows are one cluster"
            cost = -float(similar.mean(axis=1).sum())
            return np.zeros(len(rows), dtype=np.int64), {"note": note, "cost": cost}
        labels, clusters = by_size(model.labels_)
        self.exemplars_ = np.ravel(model.cluster_centers_indices_).astype(np.int64)[clusters]
        cost = 0.0 - float(similar[np.arange(len(rows)), self.exemplars_[labels]].sum())
        return labels, {"cost": cost}


@_arguments
class SpectralClustering(WrappedEstimator):
    """K clusters from the eigenvectors of a graph of nearest neighbours (M12 25.4; scikit-learn).

    Parameters
    ----------
    n_clusters : int
        At most one a row is made.
    random_state : int, RandomState or None
    """

    n_clusters: int = 3
    _: KW_ONLY
    random_state: Any = None

    limits: ClassVar = {"n_clusters": whole(1)}

    def _cluster(self, rows: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        if self.n_clusters >= len(rows):
            return np.arange(len(rows)), {}
        model = sklearn.cluster.SpectralClustering(
            self.n_clusters,
            affinity="precomputed_nearest_neighbors",
            n_neighbors=min(NEIGHBOURS, len(rows)),
            assign_labels="cluster_qr",
            random_state=self._seed,
        )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Graph is not fully connected")
            return model.fit_predict(cdist(rows, rows)), {}


@_arguments
class BisectingKMeans(WrappedEstimator):
    """The widest cluster is divided by 2-means until there are K (M12 25.5.2; scikit-learn).

    Parameters
    ----------
    n_clusters : int
        At most one a row is made.
    random_state : int, RandomState or None
    """

    n_clusters: int = 3
    _: KW_ONLY
    random_state: Any = None

    compares_pairs = False
    limits: ClassVar = {"n_clusters": whole(1)}

    def _cluster(self, rows: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        n = min(self.n_clusters, len(np.unique(rows, axis=0)))
        model = sklearn.cluster.BisectingKMeans(n, n_init=DIVISIONS, random_state=self._seed)
        return model.fit_predict(rows), {}


@_arguments
class HDBSCAN(WrappedEstimator):
    """Dense regions of any shape; rows between them are noise (Campello and others; scikit-learn).

    Parameters
    ----------
    min_cluster_size : int
        Fewest rows of a cluster, at least 2.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (N,)
        After ``fit`` as scikit-learn's, -1 for noise.
        In ``result_``, and after ``fit_encoded``, 0 is the largest, and noise is a group as others.
    n_clusters_ : int
        Dense regions; in ``result_`` the noise counts as one.
    result_, objective_

    Examples
    --------
    >>> from mapdp_studio import HDBSCAN
    >>> HDBSCAN(min_cluster_size=3).fit([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2], [50.0]]).labels_
    array([ 0,  0,  0,  1,  1,  1, -1])
    """

    min_cluster_size: int = 5

    limits: ClassVar = {"min_cluster_size": whole(2)}

    def _fit_rows(self, encoded: Encoded, callback: Callback | None, **more: Any) -> Self:
        super()._fit_rows(encoded, callback, **more)
        self.labels_ = self._labels
        self.n_clusters_ = int(self.labels_.max()) + 1
        return self

    def _cluster(self, rows: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        self._labels = np.zeros(len(rows), dtype=np.int64)
        if len(rows) > 1:
            model = sklearn.cluster.HDBSCAN(
                min_cluster_size=min(self.min_cluster_size, len(rows)), copy=True
            ).fit(rows)
            self._labels = model.labels_.astype(np.int64)
        return self._labels, {"note": f"{np.count_nonzero(self._labels < 0):,} rows noise"}


@_arguments
class TreeEstimator(WrappedEstimator):
    """Base of the methods that make a tree of the rows, which is cut."""

    n_clusters: int = 3

    limits: ClassVar = {"n_clusters": whole(1)}

    def labels_at(self, n_clusters: int) -> np.ndarray:
        """Labels with that many clusters, 0 the largest, shape (N,)."""
        return labels_at(self.linkage_, n_clusters)

    def _cluster(self, rows: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        self.linkage_ = self._tree(rows) if len(rows) > 1 else np.empty((0, 4))
        return self.labels_at(min(self.n_clusters, len(rows))), {}


@_arguments
class Agglomerative(TreeEstimator):
    """The two nearest clusters are merged until one is left (M12 section 25.5.1; scipy).

    Parameters
    ----------
    n_clusters : int
        Where the tree is cut; at most one a row.
    linkage : {"average", "single", "complete", "ward"}; "ward" needs ``measure="encoding"``
    measure : {"encoding", "gower"}
        Distances of plain numbers, or Gower's dissimilarity.

    Attributes
    ----------
    linkage_ : ndarray of float64, shape (N - 1, 4)
        Scipy's form, similar leaves side by side.
    objective_ : float
        The squared error, or what stands for it between dissimilarities.
    labels_, result_, n_clusters_
    """

    linkage: str = "average"
    measure: str = "encoding"

    limits: ClassVar = TreeEstimator.limits | {
        "linkage": one_of("average", "single", "complete", "ward"),
        "measure": one_of("encoding", "gower"),
    }

    def check_arguments(self) -> None:
        """Ward's linkage needs the numbers, too."""
        super().check_arguments()
        if self.linkage == "ward" and self.measure == "gower":
            raise ValueError(
                "linkage='ward' needs means, which dissimilarities have not: "
                "choose measure='encoding', or another linkage."
            )

    def _tree(self, rows: np.ndarray) -> np.ndarray:
        is_numbers = self.measure == "encoding"
        distances = pdist(rows) if is_numbers else squareform(rows, checks=False)
        tree = linkage(distances, self.linkage)
        return optimal_leaf_ordering(tree, distances) if len(rows) <= ORDERED else tree


@_arguments
class DissimilarityAnalysis(TreeEstimator):
    """The widest group is divided by a splinter, from all rows down (M12 section 25.5.2; Gower).

    Parameters
    ----------
    n_clusters : int
        Where the tree is cut; at most one a row.

    Attributes
    ----------
    linkage_ : ndarray of float64, shape (N - 1, 4)
        Scipy's form; heights are diameters.
    labels_, result_, n_clusters_, objective_
        As in ``Agglomerative``.
    """

    measure = "gower"

    def _tree(self, rows: np.ndarray) -> np.ndarray:
        return divisive_linkage(rows)


def in_order(merges: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """Scipy's linkage matrix (N - 1, 4) of a tree: merges by height, the lower ones first.

    ``merges``, (N - 1, 2): number t makes node N + t; ``heights``, (N - 1,), never fall upwards.
    """
    n = len(merges) + 1
    order = np.argsort(heights, kind="stable")
    number = np.arange(2 * n - 1)
    number[n + order] = n + np.arange(n - 1)
    pairs = np.sort(number[merges[order]], axis=1)
    counts = np.ones(2 * n - 1)
    for t, pair in enumerate(pairs):
        counts[n + t] = counts[pair].sum()
    return np.column_stack([pairs, heights[order], counts[n:]]).astype(np.float64)


def labels_at(linkage: np.ndarray, n_clusters: int) -> np.ndarray:
    """Labels with so many clusters, 0 the largest, (N,); ValueError if not between 1 and N."""
    n = len(linkage) + 1
    if not 1 <= n_clusters <= n:
        raise ValueError(f"k={n_clusters} is not in the tree: give a number from 1 to {n}.")
    if n == 1:
        return np.zeros(1, dtype=np.int64)
    # Merges of one height are distinguished by their places.
    tree = np.column_stack([linkage[:, :2], np.arange(1.0, n), linkage[:, 3]])
    return by_size(fcluster(tree, n - n_clusters, "distance"))[0]


def splinter(dissimilarity: np.ndarray) -> np.ndarray:
    """Which rows, (n,), leave a group of dissimilarities (n, n) first (M12 eqs. 25.52-25.54)."""
    n = len(dissimilarity)
    gone = np.zeros(n, dtype=bool)
    gone[int(np.argmax(dissimilarity.sum(axis=1)))] = True
    to_gone = dissimilarity[:, gone].sum(axis=1)
    to_left = dissimilarity.sum(axis=1) - to_gone
    for n_gone in range(1, n - 1):
        gain = np.where(gone, -np.inf, to_left / (n - n_gone - 1) - to_gone / n_gone)
        moves = int(np.argmax(gain))
        if gain[moves] <= 0.0:
            break
        gone[moves] = True
        to_gone += dissimilarity[:, moves]
        to_left -= dissimilarity[:, moves]
    return gone


def divisive_linkage(dissimilarity: np.ndarray) -> np.ndarray:
    """Scipy's tree of dissimilarities (N, N) by splinters, from the top; heights are diameters."""
    n = len(dissimilarity)
    merges, heights = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
    waiting, t = [(np.arange(n), n - 1, 0)], n - 1  # rows, and where their node is written
    while waiting:
        rows, above, side = waiting.pop()
        if rows.size == 1:
            merges[above, side] = rows[0]
            continue
        t -= 1
        if above < n - 1:
            merges[above, side] = n + t
        part = dissimilarity[np.ix_(rows, rows)]
        heights[t], gone = part.max(), splinter(part)
        waiting += [(rows[gone], t, 0), (rows[~gone], t, 1)]
    return in_order(merges, heights)
