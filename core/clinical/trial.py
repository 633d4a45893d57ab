"""What a form for patients says of patients it has not seen, held against their groups."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ..statistics.intervals import Estimate, share
from ..wording import percent

#: Patients are alike whose highest probability lies between the same two of these.
SURE = (0.0, 0.5, 0.7, 0.9)
#: Fewer like patients say nothing.
ENOUGH = 10


@dataclass(frozen=True)
class Trial:
    """Held-out answers of a form for K groups and for none of them."""

    #: int64, shape (N,). Group of every patient, K for one in none that the form knows.
    truth: np.ndarray
    #: float64, shape (N, K + 1). Of every group and of none, from the others' patients.
    probabilities: np.ndarray

    @property
    def n_groups(self) -> int:
        """Groups that the form knows."""
        return self.probabilities.shape[1] - 1

    @cached_property
    def called(self) -> np.ndarray:
        """What the form says, shape (N,); K is none of its groups."""
        return self.probabilities.argmax(axis=1)

    @cached_property
    def confusion(self) -> np.ndarray:
        """Patients by their group, down, and by what the form says, across: (K + 1, K + 1)."""
        crossed = np.zeros((self.n_groups + 1, self.n_groups + 1), dtype=np.int64)
        np.add.at(crossed, (self.truth, self.called), 1)
        return crossed

    @property
    def accuracy(self) -> float:
        """Share of the patients of its groups that the form puts into their own."""
        own = self.confusion[:-1]
        return float(np.trace(own) / own.sum())

    @property
    def balanced_accuracy(self) -> float:
        """The mean of that share over the groups."""
        return float(self.sensitivity.value.mean())

    @property
    def largest(self) -> float:
        """Share of the largest group: what naming it for everybody would give."""
        sizes = self.confusion[:-1].sum(axis=1)
        return float(sizes.max() / sizes.sum())

    @property
    def brier(self) -> float:
        """Mean squared distance of the probabilities from what is true, 0 to 2 (Brier 1950)."""
        return float(np.square(self.probabilities - self._true).sum(axis=1).mean())

    @property
    def brier_of_shares(self) -> float:
        """The same of everybody's probabilities being the groups' shares."""
        return float(np.square(self._true.mean(axis=0) - self._true).sum(axis=1).mean())

    @property
    def _true(self) -> np.ndarray:
        return np.eye(self.n_groups + 1)[self.truth]

    @property
    def sensitivity(self) -> Estimate:
        """Share of each group's patients that the form puts there, shape (K,)."""
        right, sizes = np.diag(self.confusion)[:-1], self.confusion[:-1].sum(axis=1)
        return share(right / sizes, sizes.astype(np.float64))

    @property
    def predictive(self) -> Estimate:
        """Share of those put into each group who are of it, shape (K,); NaN of nobody."""
        right, called = np.diag(self.confusion)[:-1], self.confusion[:, :-1].sum(axis=0)
        part = np.divide(right, called, out=np.full(right.size, np.nan), where=called > 0)
        told = share(np.nan_to_num(part), called.astype(np.float64))
        return Estimate(part, told.low, told.high)

    def like(self, group: int, probability: float) -> tuple[int, int]:
        """Patients told to be in that group about as surely, and how many of them were."""
        at = int(np.searchsorted(SURE, probability, side="right")) - 1
        alike = (self._sure == at) & (self.called == group)
        return int(alike.sum()), int((alike & (self.truth == group)).sum())

    @cached_property
    def _sure(self) -> np.ndarray:
        highest = self.probabilities.max(axis=1)
        return np.searchsorted(SURE, highest, side="right") - 1

    def reliability(self) -> pd.DataFrame:
        """How often the group named is right, by how sure the form was; ready to print."""
        ends = [*SURE[1:], 1.0]
        right = self.called == self.truth
        lines = []
        for at, (low, high) in enumerate(zip(SURE, ends, strict=True)):
            of = self._sure == at
            if of.any():
                lines.append(
                    {
                        "Highest probability": f"{100 * low:.0f} to {100 * high:.0f} %",
                        "Patients": int(of.sum()),
                        "Said on average": percent(self.probabilities.max(axis=1)[of].mean()),
                        "Were there": percent(right[of].mean()),
                    }
                )
        return pd.DataFrame(lines)
