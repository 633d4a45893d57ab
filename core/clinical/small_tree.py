"""A tree of at most five questions that leads to a group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import softmax
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from .point_score import INNER, MORE, MOST_QUESTIONS, best_slope
from .questions import Question

#: Patients at an end of the tree at least.
SMALLEST_END = 10


@dataclass(frozen=True)
class Fork:
    """A question of the tree, or one of its ends."""

    #: Place of its question; -1 of an end.
    question: int
    #: Answers that go the first way, the others go the second; and whether no answer does.
    first_way: frozenset[int]
    unknown_first: bool
    #: Forks that the two ways lead to.
    ways: tuple[int, int]
    #: float64, shape (K,). Share of every group among the patients who came here.
    shares: np.ndarray


@dataclass(frozen=True)
class SmallTree:
    """Forks from the root on; ends among them."""

    forks: tuple[Fork, ...]

    @property
    def asked(self) -> tuple[int, ...]:
        """Places of the questions, each once, from the root on."""
        asked = [fork.question for fork in self.forks if fork.question >= 0]
        return tuple(dict.fromkeys(asked))

    def ends(self, places: np.ndarray) -> np.ndarray:
        """The end that answers lead to, shape (R,), from answers to all questions, (R, Q)."""
        return np.array([self._end(row) for row in places], dtype=np.int64)

    def probabilities(self, places: np.ndarray) -> np.ndarray:
        """Probability of every group, shape (R, K), for a patient in one of them."""
        return np.array([self.forks[end].shares for end in self.ends(places)])

    def _end(self, row: np.ndarray) -> int:
        at = 0
        while self.forks[at].question >= 0:
            fork = self.forks[at]
            place = int(row[fork.question])
            is_first = fork.unknown_first if place < 0 else place in fork.first_way
            at = fork.ways[0 if is_first else 1]
        return at

    def lines(
        self, questions: Sequence[Question], titles: Sequence[str]
    ) -> list[tuple[str, str, str]]:
        """A line a fork to print, counted from 1: the question, and where yes and no lead.

        How sure an end is stays untold: with the patients who came there, few would follow from it.
        """
        number = {
            at: place
            for place, at in enumerate(
                [at for at, fork in enumerate(self.forks) if fork.question >= 0], 1
            )
        }

        def goal(at: int) -> str:
            if at in number:
                return f"question {number[at]}"
            return titles[int(self.forks[at].shares.argmax())]

        lines = []
        for at in number:
            fork = self.forks[at]
            question = questions[fork.question]
            unknown = "yes" if fork.unknown_first else "no"
            said = f"{question.title}: {question.first(fork.first_way)}? (not known: {unknown})"
            lines.append((said, goal(fork.ways[0]), goal(fork.ways[1])))
        return lines


def fit_tree(
    questions: Sequence[Question],
    places: np.ndarray,
    labels: np.ndarray,
    least: int,
    seed: int,
) -> SmallTree:
    """Grow the tree for patients in groups 0..K-1, by the answers that a form has.

    How sure its ends may be is learned from patients who had no part in growing one. Parameters
    and shapes are those of ``fit_points``.
    """
    scores = np.empty((labels.size, int(labels.max()) + 1))
    parts = StratifiedKFold(INNER, shuffle=True, random_state=seed)
    for train, test in parts.split(labels, labels):
        grown = _grown(questions, places[train], labels[train], least, seed)
        scores[test] = np.log(grown.probabilities(places[test]))
    slope = min(best_slope(scores, labels), 1.0)
    forks = _grown(questions, places, labels, least, seed).forks
    return SmallTree(
        tuple(replace(fork, shares=softmax(slope * np.log(fork.shares))) for fork in forks)
    )


def _grown(
    questions: Sequence[Question], places: np.ndarray, labels: np.ndarray, least: int, seed: int
) -> SmallTree:
    columns, meaning, usual = _columns(questions, places)
    tree = (
        DecisionTreeClassifier(
            max_leaf_nodes=MOST_QUESTIONS + 1,
            min_samples_leaf=min(max(SMALLEST_END, 2 * least), max(labels.size // 2, 1)),
            random_state=seed,
        )
        .fit(np.column_stack(columns), labels)
        .tree_
    )
    forks = []
    for at in range(tree.node_count):
        shares = tree.value[at, 0] * tree.n_node_samples[at] + MORE
        shares = shares / shares.sum()
        if tree.children_left[at] < 0:
            forks.append(Fork(-1, frozenset(), False, (-1, -1), shares))
            continue
        j, place = meaning[tree.feature[at]]
        ways = int(tree.children_left[at]), int(tree.children_right[at])
        if place is None:
            first = frozenset(range(int(np.floor(tree.threshold[at])) + 1))
        else:  # an answer that is given goes the right way
            first, ways = frozenset([place]), ways[::-1]
        forks.append(Fork(j, first, usual[j] in first, ways, shares))
    return SmallTree(tuple(forks))


def _columns(
    questions: Sequence[Question], places: np.ndarray
) -> tuple[list[np.ndarray], list[tuple[int, int | None]], list[int]]:
    """What trees split on, the question and answer it stands for, and each usual answer.

    The place of an answer where answers have an order, whether it is given where they have none.
    """
    columns, meaning, usual = [], [], []
    for j, question in enumerate(questions):
        # That an answer is missing here says nothing of why it is for somebody else.
        counts = np.bincount(places[:, j] + 1, minlength=2)[1:]
        usual.append(int(counts.argmax()))
        filled = np.where(places[:, j] >= 0, places[:, j], usual[j])
        if question.is_ordered and question.first_special == len(question.words):
            columns.append(filled)
            meaning.append((j, None))
            continue
        for place in range(len(question.words)):
            columns.append(filled == place)
            meaning.append((j, place))
    return columns, meaning, usual
