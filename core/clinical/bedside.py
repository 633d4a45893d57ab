"""A bedside rule: at most five questions whose answers give points for each group.

Each answer gives every group so many points, a question not answered none, and the group with the
most points wins: a naive Bayes classifier with its logarithms rounded. Columns are chosen inside
the folds on which the rule is judged; a rule that has seen the patients it is tried on looks
better than it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold

from ..profiling.profiles import NaturalColumn, natural_columns
from ..schema.facts import spelled, spelled_range
from ..wording import listed, percent
from .subgroups import Subgroups

#: Columns at most, folds inside and outside, and answers of a column of numbers.
MOST_COLUMNS, FOLDS, INNER, ANSWERS = 5, 5, 3, 4
#: Points of a factor e of odds; a group's share in an answer counts this many patients more.
POINTS, MORE = 2.0, 0.5
#: A further column is worth its place if it raises the accuracy by this much.
WORTH = 0.003
#: Groups of fewer patients cannot be in every fold: the rule is about the others.
SMALLEST = 2 * FOLDS


@dataclass(frozen=True)
class BedsideRule:
    """A point score over a few columns, and how well it gives the groups back."""

    #: In the order in which they were chosen.
    columns: tuple[str, ...]
    #: A line an answer: column, answer, and points for every group; the first gives all a start.
    points: pd.DataFrame
    #: Cross-validated: share of patients put in their group, and its mean over the groups.
    accuracy: float
    balanced_accuracy: float
    #: Share of the largest group: what naming it for everybody would give.
    largest: float
    #: Cross-validated: a row a group found, a column a group that the rule gives.
    confusion: pd.DataFrame

    @property
    def sentence(self) -> str:
        """In words."""
        return (
            f"From {listed(self.columns, MOST_COLUMNS)}, {percent(self.accuracy)} of the patients "
            f"come into their own group (balanced over the groups, "
            f"{percent(self.balanced_accuracy)}; naming the largest group for everybody, "
            f"{percent(self.largest)}). Cross-validated in {FOLDS} parts, the columns chosen anew "
            "in each."
        )


@dataclass(frozen=True)
class _Answers:
    """A column as a few answers."""

    name: str
    #: int64, shape (N,). Place of every patient's answer, -1 where there is none.
    codes: np.ndarray
    words: tuple[str, ...]


def bedside_rule(groups: Subgroups, seed: int = 0) -> BedsideRule | None:
    """Find the rule, or None where no two groups are large enough for it."""
    kept = [k for k, size in enumerate(groups.sizes) if size >= SMALLEST]
    if len(kept) < 2:
        return None
    rows = np.flatnonzero(np.isin(groups.labels, kept))
    labels = np.searchsorted(kept, groups.labels[rows])
    encoded = groups.model.columns_.encoded
    answers = [_answers(column, rows) for column in natural_columns(encoded)]
    everyone = np.arange(labels.size)
    predicted = np.empty_like(labels)
    for train, test in _folds(FOLDS, seed).split(labels, labels):
        chosen = _choose(answers, labels, train, seed)
        start, tables = _points([answers[j] for j in chosen], labels, train)
        predicted[test] = _totals(start, tables, [answers[j] for j in chosen], test).argmax(axis=1)
    chosen = [answers[j] for j in _choose(answers, labels, everyone, seed)]
    titles = [groups.titles[k] for k in kept]
    crossed = np.zeros((len(kept), len(kept)), dtype=np.int64)
    np.add.at(crossed, (labels, predicted), 1)
    return BedsideRule(
        tuple(column.name for column in chosen),
        _printed(chosen, *_points(chosen, labels, everyone), titles),
        float((predicted == labels).mean()),
        float(balanced_accuracy_score(labels, predicted)),
        float(np.bincount(labels).max() / labels.size),
        pd.DataFrame(crossed, index=titles, columns=titles),
    )


def _answers(column: NaturalColumn, rows: np.ndarray) -> _Answers:
    """A column's levels; of many numbers, as many equal parts."""
    codes, values = column.codes[rows], column.values[rows]
    known = ~np.isnan(codes)
    places = np.full(rows.size, -1, dtype=np.int64)
    if column.levels is not None:
        places[known] = codes[known].astype(np.int64)
        return _Answers(column.name, places, column.levels)
    distinct = np.unique(values[known])
    if distinct.size <= 2 * ANSWERS:
        places[known] = np.searchsorted(distinct, values[known])
        return _Answers(column.name, places, tuple(spelled(value) for value in distinct))
    inner = np.unique(np.quantile(values[known], np.linspace(0, 1, ANSWERS + 1)[1:-1]))
    places[known] = np.searchsorted(inner, values[known], side="left")
    words = [f"up to {spelled(inner[0])}"]
    words += [spelled_range(low, high) for low, high in pairwise(inner)]
    return _Answers(column.name, places, (*words, f"above {spelled(inner[-1])}"))


def _folds(count: int, seed: int) -> StratifiedKFold:
    return StratifiedKFold(count, shuffle=True, random_state=seed)


def _points(
    answers: Sequence[_Answers], labels: np.ndarray, rows: np.ndarray
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Points to start with, shape (K,), and of every answer of every column, (A + 1, K).

    The last row is of no answer: no points.
    """
    of, n_groups = labels[rows], int(labels.max()) + 1
    start = np.rint(POINTS * np.log(np.bincount(of, minlength=n_groups) / of.size))
    tables = []
    for column in answers:
        codes = column.codes[rows]
        counts = np.full((len(column.words), n_groups), MORE)
        np.add.at(counts, (codes[codes >= 0], of[codes >= 0]), 1)
        overall = counts.sum(axis=1, keepdims=True) / counts.sum()
        points = np.rint(POINTS * np.log(counts / counts.sum(axis=0) / overall))
        tables.append(np.vstack([points, np.zeros(n_groups)]))
    return start - start.max(), tables


def _totals(
    start: np.ndarray, tables: list[np.ndarray], answers: Sequence[_Answers], rows: np.ndarray
) -> np.ndarray:
    """Points of every row for every group, shape (R, K)."""
    total = np.tile(start, (rows.size, 1))
    for table, column in zip(tables, answers, strict=True):
        total += table[column.codes[rows]]
    return total


def _choose(
    answers: Sequence[_Answers], labels: np.ndarray, rows: np.ndarray, seed: int
) -> list[int]:
    """Columns one after the other, each the one that helps most; then one is exchanged at a time.

    What a column gives a patient is reckoned without the patient's own part of the rows.
    """
    shape = len(answers), rows.size, int(labels.max()) + 1
    given, start = np.zeros(shape), np.zeros(shape[1:])
    for train, test in _folds(INNER, seed).split(rows, labels[rows]):
        begin, tables = _points(answers, labels, rows[train])
        start[test] = begin
        for j, (table, column) in enumerate(zip(tables, answers, strict=True)):
            given[j, test] = table[column.codes[rows[test]]]
    of = labels[rows]

    def best_beside(total: np.ndarray, taken: list[int]) -> tuple[float, int]:
        right = ((total + given).argmax(axis=2) == of).mean(axis=1)
        right[taken] = -1.0
        return float(right.max()), int(right.argmax())

    chosen: list[int] = []
    reached = 0.0
    while len(chosen) < min(MOST_COLUMNS, len(answers)):
        score, j = best_beside(start + given[chosen].sum(axis=0), chosen)
        if chosen and score < reached + WORTH:
            break
        chosen.append(j)
        reached = score
    for place in range(len(chosen)):
        others = chosen[:place] + chosen[place + 1 :]
        score, j = best_beside(start + given[others].sum(axis=0), others)
        if score > reached:
            chosen[place], reached = j, score
    return chosen


def _printed(
    answers: Sequence[_Answers], start: np.ndarray, tables: list[np.ndarray], titles: list[str]
) -> pd.DataFrame:
    lines = [{"Column": "to start with", "Answer": ""} | dict(zip(titles, start, strict=True))]
    for column, table in zip(answers, tables, strict=True):
        for word, points in zip(column.words, table, strict=False):
            line = {"Column": column.name, "Answer": word}
            lines.append(line | dict(zip(titles, points, strict=True)))
    return pd.DataFrame(lines).astype(dict.fromkeys(titles, np.int64))
