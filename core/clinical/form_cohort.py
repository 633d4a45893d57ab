"""A cohort as forms for a new patient read it: answers, groups, and MAP-DP on a few answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import softmax
from sklearn.model_selection import StratifiedKFold

from ..engine.partition import Partition
from ..inference.row_scores import RowScores
from ..schema.encoded import Encoded
from .questions import Question, places_of, questions_of
from .subgroups import Subgroups


@dataclass(frozen=True)
class FormCohort:
    """The answers and groups of a cohort."""

    groups: Subgroups
    encoded: Encoded
    questions: tuple[Question, ...]
    #: int64, shape (N, Q). Answers of every patient.
    places: np.ndarray
    #: int64, shape (N,). Group of every patient, those kept first.
    labels: np.ndarray
    #: How many are kept: a patient of a later group is in none that a form knows.
    n_groups: int

    @classmethod
    def of(cls, groups: Subgroups, kept: tuple[int, ...]) -> FormCohort:
        """Of the groups of a study, those kept having the numbers 0, 1 and so on."""
        encoded = replace(groups.model.columns_.encoded, weights=None)
        questions = questions_of(encoded)
        others = [k for k in range(groups.sizes.size) if k not in kept]
        labels = np.argsort([*kept, *others])[groups.labels]
        return cls(groups, encoded, questions, places_of(questions, encoded), labels, len(kept))

    @property
    def truth(self) -> np.ndarray:
        """Group of every patient among those kept, their number for none of them, shape (N,)."""
        return np.minimum(self.labels, self.n_groups)

    @property
    def known(self) -> np.ndarray:
        """Rows of the groups kept."""
        return np.flatnonzero(self.truth < self.n_groups)

    def folds(self, count: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Rows to learn from and rows held out, every group of those kept among both."""
        known = self.known
        others = np.flatnonzero(self.truth == self.n_groups)
        parts = StratifiedKFold(count, shuffle=True, random_state=seed)
        for fold, (_, test) in enumerate(parts.split(known, self.truth[known])):
            out = np.concatenate([known[test], others[fold::count]])
            yield np.setdiff1d(np.arange(self.labels.size), out), out

    def clusters(self, rows: np.ndarray) -> RowScores:
        """MAP-DP's clusters made of some rows, those kept of which there are any first."""
        model = self.groups.model
        labels = np.unique(self.labels[rows], return_inverse=True)[1]
        partition = Partition.at_rest(model.columns_.subset(rows), model.concentration, labels)
        return RowScores.of(partition)

    def posterior(
        self, clusters: RowScores, n_known: int, rows: np.ndarray, asked: Sequence[int]
    ) -> np.ndarray:
        """What ``posterior`` says of some rows, from the answers to some questions alone."""
        names = [self.questions[j].name for j in asked]
        return posterior(clusters, n_known, self.encoded.rows(rows), names)


def posterior(
    clusters: RowScores, n_known: int, encoded: Encoded, names: Collection[str]
) -> np.ndarray:
    """MAP-DP's probabilities from some columns alone, shape (R, n_known + 1).

    Of the first clusters, and of none of them: of the others, too few to be known, or of a new one.
    """
    values = encoded.values.copy()
    for unit, start in zip(encoded.units, encoded.starts, strict=True):
        for d, column in enumerate(unit.columns):
            if (unit.of if unit.is_outcome else column) not in names:
                values[:, start + d] = np.nan
    each = softmax(clusters.log_joint(Encoded(values, encoded.units)), axis=1)
    return np.column_stack([each[:, :n_known], each[:, n_known:].sum(axis=1)])


def with_none(own: np.ndarray, none: np.ndarray) -> np.ndarray:
    """Probabilities of groups, for a patient in one of them, beside that of none, shape (R,)."""
    return np.column_stack([own * (1.0 - none)[:, None], none])
