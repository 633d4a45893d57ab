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
from ..partitions.scores import best_overlaps, contingency
from .bootstraps import DOUBTFUL
from .resampling import refit

#: Fits, each to half of the rows, of a long table to so many.
DRAWS, MOST_ROWS = 20, 1_000
#: Perturbations in vain that end a search.
PATIENCE = 5
#: More groups than this are many to read, and more than these are not looked at.
MOST_READ, MOST_GROUPS = 9, 15
#: Groups come back whose mean overlap is not below this (Hennig 2007: "not to be trusted"); where
#: some always fail to, those numbers are taken whose worst group does nearly as well as any.
FIRM, NEARLY = DOUBTFUL, 0.03
#: Groups of fewer rows, or of a smaller share of all, are small: whether they come back is not
#: asked, they are not taken apart to be shown first, nor shown first where they hold more than that
#: share together.
LEAST_ROWS, LEAST_SHARE = 10, 0.02


@dataclass(frozen=True)
class Redraws:
    """Overlap of groups with those of fits to half of the rows, by the number of groups.

    The groups of every fit are merged one by one, as those of the whole table are.
    """

    #: float64, shape (B, K - 1, K). Best Jaccard similarity of every one of 2, .. K groups with a
    #: group of each draw, on the draw's own rows; NaN where none of them was drawn, where the group
    #: is small, and past the number of groups.
    overlap: np.ndarray
    #: bool, shape (K - 1,). Whether 2, .. K groups can be read: hardly a row is in a small one, and
    #: none of the two that one group less has together is small.
    is_readable: np.ndarray

    @property
    def least(self) -> np.ndarray:
        """Mean over the draws of the group that comes back least, shape (K - 1,)."""
        seen = np.isfinite(self.overlap)
        mean = np.nansum(self.overlap, axis=0) / np.maximum(seen.sum(axis=0), 1)
        return np.where(seen.any(axis=0), mean, np.inf).min(axis=1)

    def of(self, n_groups: int) -> float:
        """Mean overlap of the one of so many groups that comes back least."""
        return float(self.least[n_groups - 2])

    @property
    def first(self) -> int:
        """The most groups that can be read and all come back; if never all do, nearly as many."""
        readable = self.is_readable if self.is_readable.any() else np.ones_like(self.is_readable)
        least = np.where(readable, self.least, -np.inf)
        firm = np.flatnonzero(least >= FIRM)
        if firm.size:
            return 2 + int(firm[-1])
        few = least[: MOST_READ - 1]
        return 2 + int(np.flatnonzero(few >= few.max() - NEARLY)[-1])


def redraws(
    model: MAPDP,
    path: MergePath,
    *,
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
    refits, work = Refits(DRAWS, callback, executor), partial(_overlaps, model, whole[1:])
    overlap = np.array(list(refits.map(work, range(DRAWS), "rows drawn anew")))
    overlap[:, ~np.array([are_asked(labels, n_groups) for labels in whole[1:]])] = np.nan
    return Redraws(overlap, np.array(readable))


def is_readable(coarse: np.ndarray, fine: np.ndarray) -> bool:
    """Whether groups can be read, of which a coarser partition has two together."""
    sizes, least = np.bincount(fine), least_rows(fine.size)
    parts = next(row[row > 0] for row in contingency(coarse, fine) if (row > 0).sum() > 1)
    return parts.min() >= least and sizes[sizes < least].sum() <= LEAST_SHARE * fine.size


def least_rows(n_rows: int) -> float:
    """Of a group that is not small."""
    return max(LEAST_ROWS, LEAST_SHARE * n_rows)


def are_asked(labels: np.ndarray, n_groups: int) -> np.ndarray:
    """Of which groups it is asked whether they come back: of no small ones, unless all are."""
    sizes = np.bincount(labels, minlength=n_groups)
    large = sizes >= least_rows(labels.size)
    return large if large.any() else sizes > 0


def _overlaps(
    model: MAPDP, whole: np.ndarray, seed: int, callback: Callable[..., None]
) -> np.ndarray:
    """Of the groups of all rows with those of some, shape (K - 1, K)."""
    n_numbers, n_rows = whole.shape
    random = np.random.default_rng(seed)
    rows = np.sort(random.choice(n_rows, min(n_rows // 2, MOST_ROWS), replace=False))
    table = model.columns_.encoded.rows(rows)
    fitted = refit(model, table, seed, callback, prior=list(model.prior_), patience=PATIENCE)
    path = merge_path(fitted.partition_)
    finest = path.objectives.size
    return np.array(
        [
            best_overlaps(labels[rows], path.labels_at(min(k, finest)), n_numbers + 1)
            for k, labels in enumerate(whole, 2)
        ]
    )
