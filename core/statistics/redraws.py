"""Rows drawn anew: how well the groups come back, for every number of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..inference.merge_path import MergePath, merge_path
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..partitions.scores import ari
from .refits import Refits, refit, take_rows

#: Fits, each to half of the rows, of a long table to so many.
DRAWS, MOST_ROWS = 20, 1_000
#: Perturbations in vain that end a search.
PATIENCE = 5
#: More groups than this are not looked at: nobody reads so many cards.
MOST_GROUPS = 15
#: A number of groups comes back about as well as another where it agrees by at most so much less.
ABOUT = 0.1
#: Groups of fewer rows, or of a smaller share of all, are not shown first.
LEAST_ROWS, LEAST_SHARE = 10, 0.02
#: What is said of an agreement, from it on.
WORDS = (
    (0.9, "nearly the same"),
    (0.75, "much the same"),
    (0.5, "partly the same"),
    (-1, "others"),
)


@dataclass(frozen=True)
class Redraws:
    """Agreement of groups with those of fits to half of the rows, by their number.

    The groups of every fit are merged one by one, as those of the whole table are.
    """

    #: float64, shape (B, K - 1). Adjusted Rand index of 2, .. K groups, on every draw's own rows.

    agreement: np.ndarray
    #: float64, shape (K - 1,). Share of all rows in the smallest of 2, .. K groups.
    smallest: np.ndarray
    n_rows: int

    @property
    def mean(self) -> np.ndarray:
        """Over the draws, shape (K - 1,)."""
        return self.agreement.mean(axis=0)

    def of(self, n_groups: int) -> float:
        """Mean agreement of so many groups."""
        return float(self.mean[n_groups - 2])

    @property
    def first(self) -> int:
        """The most groups, none of them small, that come back about as well as any."""
        least = max(LEAST_ROWS / self.n_rows, LEAST_SHARE)
        readable = self.smallest >= least
        if not readable.any():
            readable[:] = True
        mean = np.where(readable, self.mean, -np.inf)
        return 2 + int(np.flatnonzero(mean >= mean.max() - ABOUT)[-1])

    def in_words(self, n_groups: int) -> str:
        """How alike so many groups come back."""
        return next(words for least, words in WORDS if self.of(n_groups) >= least)


def redraws(
    model: MAPDP,
    path: MergePath,
    *,
    random_state: int = 0,
    callback: Callback | None = None,
    executor: Any = None,
) -> Redraws | None:
    """Fit half of the rows again and again, under the model's own prior, from new starts.

    The path is that of the model's groups. None where these are fewer than two, or no row can be
    left out. What the callback raises ends the work.
    """
    n_rows, n_groups = path.labels.size, min(path.objectives.size, MOST_GROUPS)
    if n_groups < 2 or n_rows < 4:
        return None
    whole = np.array([path.labels_at(k) for k in range(2, n_groups + 1)])
    refits = Refits(DRAWS, callback, executor)
    seeds = range(random_state, random_state + DRAWS)
    draws = refits.map(partial(_agreement, model, whole), seeds, "rows drawn anew")
    sizes = (np.bincount(labels).min() / n_rows for labels in whole)
    return Redraws(np.array(list(draws)), np.array(list(sizes)), n_rows)


def _agreement(
    model: MAPDP, whole: np.ndarray, seed: int, callback: Callable[..., None]
) -> np.ndarray:
    """Of the groups of some rows with those of all, shape (K - 1,)."""
    n_rows = whole.shape[1]
    random = np.random.default_rng(seed)
    rows = np.sort(random.choice(n_rows, min(n_rows // 2, MOST_ROWS), replace=False))
    table = take_rows(model.columns_.encoded, rows)
    fitted = refit(model, table, seed, callback, prior=list(model.prior_), patience=PATIENCE)
    path = merge_path(fitted.partition_)
    finest = path.objectives.size
    return np.array(
        [ari(labels[rows], path.labels_at(min(k, finest))) for k, labels in enumerate(whole, 2)]
    )
