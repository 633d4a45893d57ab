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
    #: int64, shape (N,). Group among those kept, their number for none of them.
    truth: np.ndarray
    #: How many are kept.
    n_groups: int

    @classmethod
    def of(cls, groups: Subgroups, kept: tuple[int, ...]) -> FormCohort:
        """Of the groups of a study, those kept having the numbers 0, 1 and so on."""
        encoded = replace(groups.model.columns_.encoded, weights=None)
        questions = questions_of(encoded)
        of_group = np.full(groups.sizes.size, len(kept))
        of_group[list(kept)] = np.arange(len(kept))
        places = places_of(questions, encoded)
        return cls(groups, encoded, questions, places, of_group[groups.labels], len(kept))

    @property
    def known(self) -> np.ndarray:
        """Rows of the groups kept."""
        return np.flatnonzero(self.truth < self.n_groups)

    def folds(self, count: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Rows to learn from, of groups that are kept, and rows held out, of all."""
        known = self.known
        others = np.flatnonzero(self.truth == self.n_groups)
        parts = StratifiedKFold(count, shuffle=True, random_state=seed)
        for fold, (train, test) in enumerate(parts.split(known, self.truth[known])):
            yield known[train], np.concatenate([known[test], others[fold::count]])

    def scores(self, rows: np.ndarray, labels: np.ndarray) -> RowScores:
        """MAP-DP's clusters made of some rows in groups 0..K-1."""
        model = self.groups.model
        columns = model.columns_.subset(rows)
        partition = Partition(columns, model.concentration, labels)
        partition.settle()
        return RowScores.of(partition)

    def posterior(self, scores: RowScores, rows: np.ndarray, asked: Sequence[int]) -> np.ndarray:
        """MAP-DP's probabilities for some rows, from the answers to some questions alone."""
        names = [self.questions[j].name for j in asked]
        return posterior(scores, self.encoded.rows(rows), names)


def posterior(scores: RowScores, encoded: Encoded, names: Collection[str]) -> np.ndarray:
    """MAP-DP's probabilities of its clusters and a new one from some columns alone."""
    values = encoded.values.copy()
    for unit, start in zip(encoded.units, encoded.starts, strict=True):
        for d, column in enumerate(unit.columns):
            if (unit.of if unit.is_outcome else column) not in names:
                values[:, start + d] = np.nan
    return softmax(scores.log_joint(Encoded(values, encoded.units)), axis=1)


def with_none(own: np.ndarray, none: np.ndarray) -> np.ndarray:
    """Probabilities of groups, for a patient in one of them, beside that of none, shape (R,)."""
    return np.column_stack([own * (1.0 - none)[:, None], none])
