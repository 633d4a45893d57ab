"""Fits to some of the rows: which groups come back in them, and who is in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, leaves_list, linkage
from scipy.spatial.distance import squareform

from ..partitions.co_assignment import co_assignment, rows_to_compare
from ..partitions.labels import by_size
from ..partitions.scores import ari, best_overlaps, match_labels, variation_of_information

#: Groups of fewer patients are not assessable: a draw holds too few of them.
ASSESSABLE = 10
#: Where Hennig's bands of the mean Jaccard similarity begin, and the words for each.
HIGHLY_STABLE, STABLE, DOUBTFUL = 0.85, 0.75, 0.60
BANDS = (
    (HIGHLY_STABLE, "highly stable"),
    (STABLE, "stable"),
    (DOUBTFUL, "doubtful"),
    (-np.inf, "not to be trusted"),
)
#: The same as a sentence.
BANDS_SENTENCE = (
    ", ".join(f"from {least:.2f} {words}" for least, words in BANDS[:-1])
    + f", below that {BANDS[-1][1]}"
)
#: Cuts of the average-linkage tree tried as consensus, besides the partitions given.
CUTS = 10


def band(mean: float) -> str:
    """Hennig's words for a mean Jaccard similarity."""
    return next(words for least, words in BANDS if mean >= least)


@dataclass(frozen=True)
class Draw:
    """One fit on some of the patients."""

    #: int32, shape (N,). 0..K-1 by size; -1 for patients who were not drawn.
    labels: np.ndarray
    #: Mean over the patients not drawn of ln p under these groups minus ln p under one cluster
    #: fitted to the same rows, in nats; None where all were drawn.
    gain: float | None = None
    #: E of the fit, in nats.
    objective: float = np.nan

    @property
    def n_clusters(self) -> int:
        """K."""
        return int(self.labels.max()) + 1


@dataclass(frozen=True)
class Patients:
    """Where the draws put every patient."""

    #: float64, shape (N, K + 1). Share of the draws of a patient that put him in each judged group;
    #: the last column is groups that match none. 0 everywhere for one who was never drawn.
    shares: np.ndarray
    #: int64, shape (N,). Draws of each.
    n_draws: np.ndarray
    #: int64, shape (N,). The judged group, and the likeliest other (K: a group that matches none).
    group: np.ndarray
    second: np.ndarray

    @property
    def share(self) -> np.ndarray:
        """Share of each patient's draws that put them in their own group, shape (N,)."""
        return np.take_along_axis(self.shares, self.group[:, None], axis=1)[:, 0]

    @property
    def second_share(self) -> np.ndarray:
        """The same for the second choice."""
        return np.take_along_axis(self.shares, self.second[:, None], axis=1)[:, 0]


@dataclass(frozen=True)
class HeldOut:
    """How much better the groups predict patients they have not seen than one cluster does."""

    #: float64, shape (B,). Nats per patient of every draw.
    gains: np.ndarray
    #: Over the draws, with the middle 95 % of them.
    mean: float
    low: float
    high: float

    @property
    def sentence(self) -> str:
        """In words."""
        if self.low > 0:
            verdict = "the groups predict unseen patients better than one cluster does"
        elif self.high < 0:
            verdict = "one cluster predicts unseen patients better than the groups do"
        else:
            verdict = "the groups predict unseen patients no better than one cluster does"
        return (
            f"Held out: {verdict} ({self.mean:+.2f} log units a patient,"
            f" {self.low:+.2f} to {self.high:+.2f} over {self.gains.size} draws)."
        )


@dataclass(frozen=True)
class Bootstraps:
    """The draws made so far, against the groups that are judged."""

    #: int64, shape (N,). The judged groups.
    reference: np.ndarray
    draws: tuple[Draw, ...]

    @cached_property
    def n_clusters(self) -> np.ndarray:
        """K of every draw, shape (B,)."""
        return np.array([draw.n_clusters for draw in self.draws])

    @cached_property
    def ari(self) -> np.ndarray:
        """Agreement of every draw with the judged groups on its own patients, shape (B,)."""
        return np.array([ari(*self._seen(draw)) for draw in self.draws])

    @cached_property
    def jaccard(self) -> np.ndarray:
        """Best Jaccard similarity of every group with a cluster of each draw, shape (B, K).

        On the patients of the draw (Hennig 2007); NaN where none of a group was drawn.
        """
        n_groups = int(self.reference.max()) + 1
        draws = [best_overlaps(*self._seen(draw), n_groups) for draw in self.draws]
        return np.array(draws).reshape(len(draws), n_groups)

    @property
    def mean_jaccard(self) -> tuple[float | None, ...]:
        """Mean over the draws by group; None for groups too small to assess."""
        sizes = np.bincount(self.reference)
        return tuple(
            float(np.nanmean(column)) if size >= ASSESSABLE and len(self.draws) else None
            for size, column in zip(sizes, self.jaccard.T, strict=True)
        )

    @property
    def bands(self) -> tuple[str, ...]:
        """Hennig's words for every group."""
        return tuple("not assessable" if mean is None else band(mean) for mean in self.mean_jaccard)

    @cached_property
    def patients(self) -> Patients:
        """Where every patient went."""
        n_groups = int(self.reference.max()) + 1
        shares = np.zeros((self.reference.size, n_groups + 1))
        for draw in self.draws:
            rows = np.flatnonzero(draw.labels >= 0)
            matched = match_labels(self.reference[rows], draw.labels[rows])
            shares[rows, np.minimum(matched, n_groups)] += 1.0
        n_draws = shares.sum(axis=1)
        shares /= np.maximum(n_draws, 1.0)[:, None]
        others = shares.copy()
        others[np.arange(self.reference.size), self.reference] = -1.0
        return Patients(shares, n_draws.astype(np.int64), self.reference, others.argmax(axis=1))

    @property
    def held_out(self) -> HeldOut | None:
        """Predicting the patients that were not drawn; None where there were none."""
        gains = np.array([draw.gain for draw in self.draws if draw.gain is not None])
        if not gains.size:
            return None
        low, high = np.quantile(gains, [0.025, 0.975])
        return HeldOut(gains, float(gains.mean()), float(low), float(high))

    def _seen(self, draw: Draw) -> tuple[np.ndarray, np.ndarray]:
        """Judged groups and labels of the patients of a draw."""
        rows = draw.labels >= 0
        return self.reference[rows], draw.labels[rows]


def draw_patients(
    n_rows: int, patients: np.ndarray | None, n_draws: int, seed: int
) -> Iterator[tuple[int, np.ndarray]]:
    """Rows of bootstrap draws of distinct patients, each after its seed for the fit.

    A patient drawn twice counts once: copies of a row would make a cluster of their own accord.
    ``patients`` says whose row it is; each row is another patient's when absent.
    """
    codes = np.arange(n_rows) if patients is None else pd.factorize(np.asarray(patients))[0]
    # Rows without an id are patients of their own.
    unknown = np.flatnonzero(codes < 0)
    codes[unknown] = codes.max(initial=-1) + 1 + np.arange(unknown.size)
    n_patients = int(codes.max()) + 1
    for b in range(n_draws):
        random = np.random.default_rng([seed, b])
        drawn = np.zeros(n_patients, dtype=bool)
        drawn[random.integers(n_patients, size=n_patients)] = True
        yield seed + b, np.flatnonzero(drawn[codes])


@dataclass(frozen=True)
class Consensus:
    """What the draws agree on."""

    #: float32, shape (R, R). Share of the draws holding both of two rows that put them in one
    #: cluster.
    co_assignment: np.ndarray
    #: int64, shape (R,). The rows it is about.
    rows: np.ndarray
    #: int64, shape (R,). Places of these rows along the tree of average linkage, to draw the matrix
    #: by.
    order: np.ndarray
    #: int64, shape (N,). Of all candidates, the partition with the least expected variation of
    #: information.
    labels: np.ndarray
    #: That expectation in nats over these rows, and the same for the judged groups.
    distance: float
    own_distance: float


def consensus(bootstraps: Bootstraps, candidates: Sequence[np.ndarray]) -> Consensus:
    """Summarise the draws beside partitions of all rows, the judged groups first."""
    n = bootstraps.reference.size
    rows = rows_to_compare(n, np.random.default_rng(0))
    seen = [draw.labels[rows] for draw in bootstraps.draws]
    shared = co_assignment(seen)
    tree = linkage(squareform(1.0 - shared, checks=False), "average")
    tried = [np.asarray(labels) for labels in candidates]
    if rows.size == n:
        tried += _cuts(tree, n)
    distances = [_expected_distance(labels[rows], seen) for labels in tried]
    best = int(np.argmin(distances))
    labels = by_size(tried[best])[0]
    return Consensus(shared, rows, leaves_list(tree), labels, distances[best], distances[0])


def _cuts(tree: np.ndarray, n: int) -> Iterator[np.ndarray]:
    """Partitions into 1, 2, .. clusters along the tree."""
    for k in range(1, min(CUTS, n) + 1):
        yield fcluster(tree, k, criterion="maxclust") - 1


def _expected_distance(labels: np.ndarray, draws: Sequence[np.ndarray]) -> float:
    """Mean variation of information to the draws, each on its own rows."""
    distances = [variation_of_information(labels[drawn >= 0], drawn[drawn >= 0]) for drawn in draws]
    return float(np.mean(distances))
