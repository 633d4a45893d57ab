"""A point score: each answer gives every group so many points, one not known none.

A naive Bayes classifier with its logarithms rounded; how sure it may be is learned from patients
whose part of the rows gave no points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp, softmax
from sklearn.model_selection import StratifiedKFold

from ..release.blurred import blurred
from .questions import Question

#: Questions at most, and parts of the rows that the questions are chosen on.
MOST_QUESTIONS, INNER = 5, 3
#: Points of a factor e of odds; a group's share in an answer counts this many patients more.
POINTS, MORE = 2.0, 0.5
#: A further question is worth its place if it raises the accuracy by this much.
WORTH = 0.003
#: Between these a point's worth in log odds is looked for; independent columns have 1 / POINTS.
SLOPES = (0.02, 1.5)


@dataclass(frozen=True)
class PointScore:
    """Points of a few questions for K groups."""

    #: Places of the questions asked, in the order in which they were chosen.
    asked: tuple[int, ...]
    #: float64, shape (K,). Points to start with, 0 the most.
    start: np.ndarray
    #: Of each question asked: points of every answer, shape (A + 1, K); the last of no answer, 0.
    tables: tuple[np.ndarray, ...]
    #: Log odds that a point is worth.
    slope: float

    def totals(self, places: np.ndarray) -> np.ndarray:
        """Points for every group, shape (R, K), of answers to all questions, shape (R, Q)."""
        total = np.tile(self.start, (len(places), 1))
        for table, question in zip(self.tables, self.asked, strict=True):
            total += table[places[:, question]]
        return total

    def probabilities(self, places: np.ndarray) -> np.ndarray:
        """Probability of every group, shape (R, K), for a patient in one of them."""
        return softmax(self.slope * self.totals(places), axis=1)


def fit_points(
    questions: Sequence[Question],
    places: np.ndarray,
    labels: np.ndarray,
    least: int,
    seed: int,
) -> PointScore:
    """Choose questions and their points for patients in groups 0..K-1.

    Parameters
    ----------
    questions : sequence of Q Question
    places : ndarray of int64, shape (R, Q)
    labels : ndarray of int64, shape (R,)
        Every group has ``INNER`` patients or more.
    least : int
        Smaller counts do not follow from the points.
    seed : int
    """
    shape = len(questions), labels.size, int(labels.max()) + 1
    given, start = np.zeros(shape), np.zeros(shape[1:])
    for train, test in StratifiedKFold(INNER, shuffle=True, random_state=seed).split(
        labels, labels
    ):
        start[test] = _start(labels[train], shape[2])
        for j, question in enumerate(questions):
            table = _table(question, places[train, j], labels[train], shape[2], least)
            given[j, test] = table[places[test, j]]
    asked = _chosen(given, start, labels)
    slope = best_slope(start + given[asked].sum(axis=0), labels)
    tables = [_table(questions[j], places[:, j], labels, shape[2], least) for j in asked]
    return PointScore(tuple(asked), _start(labels, shape[2]), tuple(tables), slope)


def _start(labels: np.ndarray, n_groups: int) -> np.ndarray:
    points = np.rint(POINTS * np.log(np.bincount(labels, minlength=n_groups) / labels.size))
    return points - points.max()


def _table(
    question: Question, places: np.ndarray, labels: np.ndarray, n_groups: int, least: int
) -> np.ndarray:
    """Points of every answer and of none, shape (A + 1, K)."""
    n_answers = len(question.words)
    cells = np.where(places < 0, n_answers, places) * n_groups + labels
    counts = np.bincount(cells, minlength=(n_answers + 1) * n_groups).astype(np.float64)
    counts = counts.reshape(n_answers + 1, n_groups)
    # Who gave no answer is in a cell, too: with the group's size, it would tell of the others.
    cells = slice(None) if counts[-1].any() else slice(n_answers)
    counts = blurred(counts[cells], least)[:n_answers] + MORE
    overall = counts.sum(axis=1, keepdims=True) / counts.sum()
    points = np.rint(POINTS * np.log(counts / counts.sum(axis=0) / overall))
    return np.vstack([points, np.zeros(n_groups)])


def _chosen(given: np.ndarray, start: np.ndarray, labels: np.ndarray) -> list[int]:
    """Questions one after the other, the most helpful each time; then one is exchanged at a time.

    ``given``, (Q, R, K), is what an answer gives a patient without the patient's own part.
    """

    def best_beside(others: list[int]) -> tuple[float, int]:
        total = start + given[others].sum(axis=0)
        right = ((total + given).argmax(axis=2) == labels).mean(axis=1)
        right[others] = -1.0
        return float(right.max()), int(right.argmax())

    chosen: list[int] = []
    reached = 0.0
    while len(chosen) < min(MOST_QUESTIONS, len(given)):
        score, j = best_beside(chosen)
        if chosen and score < reached + WORTH:
            break
        chosen.append(j)
        reached = score
    for place in range(len(chosen)):
        score, j = best_beside(chosen[:place] + chosen[place + 1 :])
        if score > reached:
            chosen[place], reached = j, score
    return chosen


def best_slope(totals: np.ndarray, labels: np.ndarray) -> float:
    """What a point is worth by the likelihood of the groups, to two digits (Platt 1999).

    Parameters
    ----------
    totals : ndarray of float64, shape (R, K)
        Points, or other scores, of patients who had no part in making them.
    labels : ndarray of int64, shape (R,)
    """
    each = np.arange(labels.size)

    def loss(slope: float) -> float:
        scores = slope * totals
        return float(np.mean(logsumexp(scores, axis=1) - scores[each, labels]))

    found = minimize_scalar(loss, bounds=SLOPES, method="bounded").x
    return float(f"{found:.2g}")
