"""Fits to some of the rows: which groups come back in them, and who is in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ..partitions.scores import best_overlaps, match_labels

#: Groups of fewer rows are not assessable: a draw holds too few of them.
ASSESSABLE = 10
#: Where Hennig's bands of the mean Jaccard similarity begin, and the words for each.
HIGHLY_STABLE, STABLE, DOUBTFUL = 0.85, 0.75, 0.60
BANDS = (
    (HIGHLY_STABLE, "highly stable"),
    (STABLE, "stable"),
    (DOUBTFUL, "doubtful"),
    (-np.inf, "not to be trusted"),
)
BANDS_SENTENCE = (
    ", ".join(f"from {least:.2f} {words}" for least, words in BANDS[:-1])
    + f", below that {BANDS[-1][1]}"
)


def band(mean: float) -> str:
    """Hennig's words for a mean Jaccard similarity."""
    return next(words for least, words in BANDS if mean >= least)


@dataclass(frozen=True)
class Draw:
    """One fit on some of the rows."""

    #: int32, shape (N,). 0..K-1 by size; -1 for rows that were not drawn.
    labels: np.ndarray
    #: E of the fit, in nats.
    objective: float = np.nan

    @property
    def n_clusters(self) -> int:
        """K."""
        return int(self.labels.max()) + 1


@dataclass(frozen=True)
class Places:
    """Where the draws put every row."""

    #: float64, (N, K + 1). Share of a row's draws by judged group, last none of them; else 0.
    shares: np.ndarray
    #: int64, shape (N,).
    n_draws: np.ndarray
    #: int64, shape (N,). The judged group, and the likeliest other (K: a group that matches none).
    group: np.ndarray
    second: np.ndarray

    @property
    def share(self) -> np.ndarray:
        """Share of each row's draws that put it in its own group, shape (N,)."""
        return np.take_along_axis(self.shares, self.group[:, None], axis=1)[:, 0]


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
    def jaccard(self) -> np.ndarray:
        """Best Jaccard similarity per draw and group, (B, K) (Hennig 2007); NaN if none drawn."""
        n_groups = int(self.reference.max()) + 1
        found = np.empty((len(self.draws), n_groups))
        for b, draw in enumerate(self.draws):
            rows = draw.labels >= 0
            found[b] = best_overlaps(self.reference[rows], draw.labels[rows], n_groups)
        return found

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
    def patients(self) -> Places:
        """Where every row went."""
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
        return Places(shares, n_draws.astype(np.int64), self.reference, others.argmax(axis=1))


def draw_patients(
    n_rows: int, patients: np.ndarray | None, n_draws: int, seed: int
) -> Iterator[tuple[int, np.ndarray]]:
    """Rows of bootstrap draws of distinct patients, each after its seed for the fit."""
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
