"""Which groups stay as the evidence counts less: those of the plateau, in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..models.tolerance import TolerancePath
from ..wording import counted

#: Groups of fewer rows are said to be small.
SMALL = 10


@dataclass(frozen=True)
class Survivors:
    """Which of the fitted groups stay as the evidence counts less."""

    #: Of the likelihood, at which the groups that stay are seen best; None where none stay.
    power: float | None
    #: What was found and what stays, over which range.
    sentence: str

    @classmethod
    def of(cls, path: TolerancePath, labels: np.ndarray) -> Survivors:
        """Of a path that begins at a fit with these labels, 0 the largest group."""
        sizes = np.bincount(labels)
        said = counted(sizes.size, "group")
        if n_small := int((sizes < SMALL).sum()):
            said += f", {n_small:,} of them under {SMALL} rows"
        power = None if path.plateau is None else float(path.powers[_readable(path)])
        return cls(power, f"{said}; {path.staying}.")


def _readable(path: TolerancePath) -> int:
    """Of the plateau, the first power whose partition has the fewest clusters, small ones too."""
    high, low = path.plateau
    within = (path.powers <= high) & (path.powers >= low)
    alone = path.n_clusters == path.n_clusters[path.proposed]
    return int(min(np.flatnonzero(within & alone), key=lambda at: path.labels[at].max()))
