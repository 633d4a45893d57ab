"""Rows drawn anew: how well the groups come back, for every number of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..inference.merge_path import MergePath, merge_path
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.side_by_side import Refits
from ..partitions.scores import ari, contingency
from .refits import refit, take_rows

#: Fits, each to half of the rows, of a long table to so many.
DRAWS, MOST_ROWS = 20, 1_000
#: Perturbations in vain that end a search.
PATIENCE = 5
#: More groups than this are many to read, and more than these are not looked at.
MOST_READ, MOST_GROUPS = 9, 15
#: Groups come back from this mean agreement on; where none do, those nearly as well as the best.
FIRM, NEARLY = 0.88, 0.03
#: Groups of fewer rows, or of a smaller share of all, are small: they are not taken apart to be
#: shown first, nor shown first where they hold more than that share together.
LEAST_ROWS, LEAST_SHARE = 10, 0.02
#: What is said of an agreement, from it on.
WORDS = (
    (FIRM, "nearly the same"),
    (0.75, "much the same"),
    (0.5, "partly the same"),
    (-1.0, "mostly others"),
)


@dataclass(frozen=True)
class Redraws:
    """Agreement of groups with those of fits to half of the rows, by their number.

    The groups of every fit are merged one by one, as those of the whole table are.
    """

    #: float64, shape (B, K - 1). Adjusted Rand index of 2, .. K groups, on every draw's own rows.
    agreement: np.ndarray
    #: bool, shape (K - 1,). Whether 2, .. K groups can be read: hardly a row is in a small one, and
    #: none of the two that one group less has together is small.
    is_readable: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """Over the draws, shape (K - 1,)."""
        return self.agreement.mean(axis=0)

    def of(self, n_groups: int) -> float:
        """Mean agreement of so many groups."""
        return float(self.mean[n_groups - 2])

    @property
    def first(self) -> int:
        """The most groups that can be read and come back; if none do, nearly as well as any few."""
        readable = self.is_readable if self.is_readable.any() else np.ones_like(self.is_readable)
        mean = np.where(readable, self.mean, -np.inf)
        firm = np.flatnonzero(mean >= FIRM)
        if firm.size:
            return 2 + int(firm[-1])
        few = mean[: MOST_READ - 1]
        return 2 + int(np.flatnonzero(few >= few.max() - NEARLY)[-1])

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
    whole = np.array([path.labels_at(k) for k in range(1, n_groups + 1)])
    readable = [is_readable(*pair) for pair in itertools.pairwise(whole)]
    refits = Refits(DRAWS, callback, executor)
    seeds = range(random_state, random_state + DRAWS)
    draws = refits.map(partial(_agreement, model, whole[1:]), seeds, "rows drawn anew")
    return Redraws(np.array(list(draws)), np.array(readable))


def is_readable(coarse: np.ndarray, fine: np.ndarray) -> bool:
    """Whether groups can be read, of which a coarser partition has two together."""
    sizes = np.bincount(fine)
    least = max(LEAST_ROWS, LEAST_SHARE * fine.size)
    parts = next(row[row > 0] for row in contingency(coarse, fine) if (row > 0).sum() > 1)
    return parts.min() >= least and sizes[sizes < least].sum() <= LEAST_SHARE * fine.size


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
