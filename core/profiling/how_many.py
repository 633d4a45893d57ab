"""How many groups: the number that is shown first, and the evidence for others."""

import itertools
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd

from ..engine.partition import Partition
from ..inference.fit import Fit
from ..inference.merge_path import MergePath, merge_path
from ..models.estimator import Callback
from ..models.mapdp import MAPDP, check_is_searched
from ..models.progress import Refits
from ..partitions.scores import ari, best_overlaps, contingency
from ..schema.encoded import Encoded
from ..statistics.chance import ONE_LINE, Chance, chance, rank_one_share
from ..statistics.nulls import GroupSearch
from ..statistics.resampling import DOUBTFUL, STABLE, band, refit
from ..wording import counted, percent

#: Fits, each to half of the rows, of a long table to so many at most.
DRAWS, MOST_ROWS = 20, 1_000
#: Perturbations in vain that end a search.
PATIENCE = 5
#: More groups than this are many to read, and more than these are not looked at.
MOST_READ, MOST_GROUPS = 9, 15
#: Least mean overlap (Hennig 2007); if none has it, numbers whose worst group is so near the best.
FIRM, NEARLY = DOUBTFUL, 0.03
#: Smaller groups are not asked to come back, nor shown first where they hold more than that share.
LEAST_ROWS, LEAST_SHARE = 10, 0.02
#: Rows of the table, unless fewer groups were found.
MOST_SHOWN = 10
EXPLAINED = (
    "Sizes from the smallest. Kept: share of what all fitted groups lower E by. Comes back: of the "
    f"group that comes back least in {DRAWS} fits to half of the rows, merged to as many groups, "
    "the rows it shares with the group most like it, as a share of the rows in either: 1 is the "
    f"same group, below {FIRM:.2f} it is {band(0.0)} (Hennig 2007). Same as next: agreement with "
    "one group more (adjusted Rand index: 1 is the same groups, 0 no more alike than by chance). "
    "Chance: what as many groups gain on tables with shuffled columns, as a share of what they "
    "gain here."
)


@dataclass(frozen=True)
class Redraws:
    """Overlap of groups with those of fits to half of the rows, by the number of groups."""

    #: float64, (B, K - 1, K). Best Jaccard similarity of each of 2 .. K groups with one of a draw,
    #: on its rows; NaN of groups not drawn, small, or past the number.
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
) -> Redraws | None:
    """Fit half of the rows again and again, under the model's own prior, from new starts."""
    n_rows, n_groups = path.labels.size, min(path.objectives.size, MOST_GROUPS)
    if n_groups < 2 or n_rows < 4:
        return None
    whole = np.array([path.labels_at(k) for k in range(1, n_groups + 1)])
    readable = [is_readable(*pair) for pair in itertools.pairwise(whole)]
    refits = Refits(DRAWS, model.columns_.encoded.values.size, callback)
    work = partial(_overlaps, model, whole[1:])
    overlap = np.array(list(refits.map(work, range(DRAWS), "rows drawn anew")))
    overlap[:, ~np.array([are_assessed(labels, n_groups) for labels in whole[1:]])] = np.nan
    return Redraws(overlap, np.array(readable))


def is_readable(coarse: np.ndarray, fine: np.ndarray) -> bool:
    """Whether groups can be read, of which a coarser partition has two together."""
    sizes, least = np.bincount(fine), least_rows(fine.size)
    parts = next(row[row > 0] for row in contingency(coarse, fine) if (row > 0).sum() > 1)
    return parts.min() >= least and sizes[sizes < least].sum() <= LEAST_SHARE * fine.size


def least_rows(n_rows: int) -> float:
    """Least rows of a group that is not small."""
    return max(LEAST_ROWS, LEAST_SHARE * n_rows)


def are_assessed(labels: np.ndarray, n_groups: int) -> np.ndarray:
    """Which groups are assessed for coming back: all that are not small, or all if all are."""
    sizes = np.bincount(labels, minlength=n_groups)
    large = sizes >= least_rows(labels.size)
    return large if large.any() else sizes > 0


def _overlaps(model: MAPDP, whole: np.ndarray, seed: int, callback: Callback) -> np.ndarray:
    """Overlaps of the groups of all rows with those of a draw, shape (K - 1, K)."""
    n_numbers, n_rows = whole.shape
    random = np.random.default_rng(seed)
    encoded = model.columns_.encoded
    n_drawn = min(n_rows // 2, encoded.sample_size(MOST_ROWS))
    rows = np.sort(random.choice(n_rows, n_drawn, replace=False))
    table = encoded.rows(rows)
    fitted = refit(model, table, seed, callback, prior=list(model.prior_), patience=PATIENCE)
    path = merge_path(fitted.partition_)
    finest = path.objectives.size
    return np.array(
        [
            best_overlaps(labels[rows], path.labels_at(min(k, finest)), n_numbers + 1)
            for k, labels in enumerate(whole, 2)
        ]
    )


@dataclass(frozen=True, eq=False)
class GroupNumber:
    """The groups of a fit, merged one by one, and how well every number of them comes back."""

    path: MergePath
    #: None where fewer than two groups were found, or rows were not drawn anew.
    redraws: Redraws | None
    chance: Chance | None = None
    encoded: Encoded | None = None

    @property
    def n_groups(self) -> int:
        """The most groups that all come back; one where chance makes as many."""
        return self.first(self.chance)

    @property
    def labels(self) -> np.ndarray:
        """Int64, shape (N,). The rows in so many groups, 0 the largest."""
        return self.path.labels_at(self.n_groups)

    @property
    def table(self) -> pd.DataFrame:
        """``as_frame`` by the number of groups, under names without blanks."""
        table = self.as_frame(self.chance).set_index("groups")
        return table.rename(columns=lambda name: name.replace(" ", "_"))

    @property
    def sentence(self) -> str:
        """Where the groups come from, how well they come back, and what chance makes."""
        n = self.n_groups
        gradient = self.gradient(self.encoded, n, self.chance)
        found = gradient or ("" if self.chance is None else self.chance.sentence)
        return f"{self.text(n)} {found}".replace("**", "").strip()

    def _repr_html_(self) -> str:
        return f"<p>{self.sentence}</p>{self.table.to_html(border=0)}"

    def __repr__(self) -> str:
        return f"{self.sentence}\n{self.table}"

    @property
    def n_fitted(self) -> int:
        """Groups of the fit."""
        return self.path.objectives.size

    def first(self, found: Chance | None = None) -> int:
        """How many groups are shown first: one where chance makes as much, as far as is known."""
        if found is not None and found.is_chance:
            return 1
        return self.n_fitted if self.redraws is None else self.redraws.first

    def kept(self, n_groups: int) -> float:
        """Share of what the fitted groups lower E by that so many of them keep."""
        lowered = self.path.objectives[-1] - self.path.objectives
        return float(lowered[self.n_fitted - n_groups] / lowered[0]) if self.n_fitted > 1 else 1.0

    def text(self, n_groups: int) -> str:
        """Of so many groups on the path: where they come from, and how well they come back."""
        if n_groups == 1:
            return "**One group**: all rows together."
        text = f"**{counted(n_groups, 'group')}**, "
        fitted = f"put together from the {self.n_fitted:,} of the fit."
        text += fitted if n_groups < self.n_fitted else "as fitted."
        if not self.is_known(n_groups):
            return text if self.redraws is None else f"{text} Rows were not drawn anew for so many."
        found, first = self.redraws.of(n_groups), self.redraws.first
        # A group that is there may have doubtful rows.
        firm = "which rows are in it is doubtful" if FIRM <= found < STABLE else band(found)
        text += (
            f" Sought again in {DRAWS} random halves of the rows, the least firm of those that are "
            f"not tiny comes back with a mean overlap of {found:.2f} ({firm})"
        )
        if n_groups != first:
            text += f"; with {first:,} groups, of {self.redraws.of(first):.2f}"
        return f"{text}."

    def gradient(self, encoded: Encoded, n_groups: int, found: Chance | None) -> str:
        """A sentence where so many groups are steps of one gradient; empty elsewhere."""
        if found is None or not found.is_cloud or n_groups < 2:
            return ""
        labels = self.path.labels_at(n_groups if n_groups > 2 else self.n_fitted)
        share = rank_one_share(encoded, labels)
        if share is None or share < ONE_LINE:
            return ""
        return (
            f"**One gradient cut into classes**: {percent(share)} of the differences between the "
            "groups lie on one line, and tables of one cloud gain as much."
        )

    def is_known(self, n_groups: int) -> bool:
        """Whether it was measured how so many groups come back."""
        return self.redraws is not None and 2 <= n_groups <= len(self.redraws.is_readable) + 1

    def as_frame(self, found: Chance | None = None) -> pd.DataFrame:
        """One row for each number of groups; None where nothing is known.

        ``sizes`` from the smallest; ``kept``, share of what E gains; ``comes back``, mean overlap
        of the worst group in fits to half the rows; ``same as next``, adjusted Rand index with one
        group more; ``chance``, what shuffled tables gain as a share of it.
        """
        most = min(self.n_fitted, MOST_SHOWN)
        numbers = [*range(2, most + 1), *([self.n_fitted] if self.n_fitted > most else [])]
        lines = [self._line(k, found) for k in numbers]
        return pd.DataFrame(lines, columns=[*self._line(1, found)])

    def _line(self, k: int, found: Chance | None) -> dict[str, object]:
        labels = self.path.labels_at(k)
        sizes = [f"{size:,}" for size in np.sort(np.bincount(labels))]
        if len(sizes) > MOST_SHOWN:  # all of them would be cut off
            sizes = [*sizes[: MOST_SHOWN // 2], "\u2026", *sizes[-(MOST_SHOWN // 2) :]]
        next_ = self.path.labels_at(k + 1) if k < self.n_fitted else None
        return {
            "groups": k,
            "sizes": ", ".join(sizes),
            "kept": self.kept(k),
            "comes back": self.redraws.of(k) if self.is_known(k) else None,
            "same as next": None if next_ is None else ari(labels, next_),
            "chance": None if found is None else found.share(k),
        }


def how_many(
    model: MAPDP,
    frame: Any = None,
    *,
    callback: Callback | None = None,
) -> GroupNumber:
    """Ask how many of the groups come back, and whether chance makes as many.

    Half of the rows are drawn 20 times and searched anew. Shown first is the largest number of
    groups that all come back: mean Jaccard similarity of .6 and more (Hennig 2007, Comput. Stat.
    Data Anal. 52), tiny groups aside.

    Parameters
    ----------
    model : MAPDP
        Fitted; it is not changed.
    frame : DataFrame or array, shape (N, M), optional
        The table that it was fitted to. Without it chance is not asked.
    callback : callable, optional
        Told of every step; what it raises ends the work.

    Raises
    ------
    TypeError
        No fitted MAPDP, whose search can be made again.
    """
    check_is_searched(model, "how_many")
    path, found = merge_path(model.partition_), None
    drawn = redraws(model, path, callback=callback)
    if frame is not None and path.objectives.size > 1:
        found = chance(GroupSearch.of(model), callback=callback)
    return GroupNumber(path, drawn, found, model.columns_.encoded)


@dataclass(eq=False, repr=False)
class MergedMAPDP(MAPDP):
    """MAP-DP whose clusters are merged until at most ``n_groups`` are left."""

    n_groups: int = field(default=1, kw_only=True)

    @classmethod
    def of(cls, fitted: MAPDP, n_groups: int, path: MergePath) -> Self:
        """A fitted model, which is not changed, with its clusters put together on their path."""
        given = fitted.get_params()
        twin = cls(**given, n_groups=n_groups)
        vars(twin).update({name: of for name, of in vars(fitted).items() if name not in given})
        return twin.adopt(twin._merged(path), fitted.prior_scale_, fitted.schema_)

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        fit, fitted = super()._fit(encoded, callback), self.partition_
        merged = self._merged(merge_path(fitted))
        if merged is fitted:
            return fit
        return self._partition_fit(merged, self.prior_scale_, [merged.objective()])

    def _merged(self, path: MergePath) -> Partition:
        if path.objectives.size <= self.n_groups:
            return self.partition_
        labels = path.labels_at(self.n_groups)
        return Partition.of_labels(self.columns_, self.concentration, labels)
