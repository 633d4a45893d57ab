"""Which groups stay as the evidence counts less: those of the plateau, in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..models.tolerance import TolerancePath
from ..partitions.naming import Naming
from ..partitions.scores import contingency
from ..wording import counted

#: Groups of fewer rows are said to be small.
SMALL = 10


@dataclass(frozen=True)
class Survivors:
    """The fitted groups, and which of them stay as the evidence counts less."""

    n_fitted: int
    #: Fitted groups of fewer than ``SMALL`` rows.
    n_small: int
    #: Groups that stay; None where none do.
    n_surviving: int | None
    #: Fitted groups put together as they lie on the plateau.
    merged: tuple[tuple[int, ...], ...]
    #: Groups left after those merges beside the surviving ones, too small to count.
    n_beside: int
    #: Rows that the merges leave in another group than the plateau has them in.
    n_apart: int
    #: At which they were put together.
    power: float | None
    #: Which stay and over which range, as the path says it.
    staying: str

    @classmethod
    def of(cls, path: TolerancePath, labels: np.ndarray) -> Survivors:
        """Of a path that begins at a fit with these labels, 0 the largest group."""
        sizes = np.bincount(labels)
        fitted, small = sizes.size, int((sizes < SMALL).sum())
        if path.plateau is None:
            return cls(fitted, small, None, (), 0, 0, None, path.staying)
        at = _readable(path)
        merged = Naming.towards(labels, path.labels[at])
        groups = merged.apply(labels).labels
        in_both = contingency(groups, path.labels[at])
        surviving = int(path.n_clusters[at])
        return cls(
            fitted,
            small,
            surviving,
            merged.merged,
            max(len(in_both) - surviving, 0),
            int(labels.size - in_both.max(axis=1).sum()),
            float(path.powers[at]),
            path.staying,
        )

    @property
    def sentence(self) -> str:
        """What was found and what stays."""
        said = counted(self.n_fitted, "group")
        if self.n_small:
            said += f", {self.n_small:,} of them under {SMALL} rows"
        return f"{said}; {self.staying}."

    @property
    def beside(self) -> str:
        """What the groups too small to count are; empty without any."""
        one = self.n_beside == 1
        left = f"{counted(self.n_beside, 'group')} {'is' if one else 'are'} too small to count."
        return left if self.n_beside else ""

    @property
    def remark(self) -> str:
        """How the cut is made of the fitted groups."""
        said = (
            "The fitted groups put together as they lie at a tolerance for misfit of "
            f"{self.power:.2g}, about which they stay."
        )
        said += f" {self.beside}" if self.beside else ""
        if self.n_apart:
            said += f" {counted(self.n_apart, 'row')} would lie in another group there."
        return said


def _readable(path: TolerancePath) -> int:
    """Of the plateau, the first power whose partition has the fewest clusters, small ones too."""
    high, low = path.plateau
    within = (path.powers <= high) & (path.powers >= low)
    alone = path.n_clusters == path.n_clusters[path.proposed]
    return int(min(np.flatnonzero(within & alone), key=lambda at: path.labels[at].max()))
