"""Short rules: the few conditions that find a group best by F1, and how often they are right."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from ..schema.encoded import Encoded
from .conditions import AT_LEAST, BELOW, IS, IS_NOT, Cells, Condition, cells_of_table
from .profiles import LEAST_ROWS, natural_columns

MOST_CONDITIONS = 3
#: By how much F1 has to rise for one condition more.
EARNED = 0.02
FOLDS = 5
#: Rows among which rules are sought, and of each group at least; counted are all rows.
SEARCHED, OF_EACH = 2_000, 40
MOST_LEVELS = 12

CellTable = Mapping[tuple[str, bool], Cells]


@dataclass(frozen=True)
class Tally:
    """How often a rule is right, in rows: of those that it names, so many are of its group."""

    named: int
    right: int
    size: int

    @classmethod
    def of(cls, rule: "Rule", cells: CellTable, labels: np.ndarray) -> Self:
        """On some rows."""
        holds, own = rule.holds(cells), labels == rule.group
        return cls(int(holds.sum()), int((holds & own).sum()), int(own.sum()))


@dataclass(frozen=True)
class Rule:
    """Conditions that all hold in a row, and the group that it is said to be of."""

    group: int
    conditions: tuple[Condition, ...]
    #: On all rows; and each row by rules made without it. None before they are counted.
    tally: Tally | None = None
    apart: Tally | None = None

    def holds(self, cells: CellTable) -> np.ndarray:
        """Which rows it names, shape (N,)."""
        return np.logical_and.reduce([c.covers(cells[c.key].values) for c in self.conditions])

    def text(self, cells: CellTable) -> str:
        """In words: "age ≥ 45 and sex = F"; two of one column side by side, named once."""
        first = [c.column for c in self.conditions]
        texts, before = [], None
        for condition in sorted(
            self.conditions, key=lambda c: (first.index(c.column), c.relation == BELOW)
        ):
            text = condition.text(cells[condition.key])
            is_again = condition.column == before and not condition.of_outcome
            texts.append(text.removeprefix(f"{before} ") if is_again else text)
            before = condition.column
        return " and ".join(texts)


@dataclass(frozen=True, eq=False)
class TableRules:
    """The rules of a table's groups, with the cells that they compare."""

    #: Length K. None of a group too small for one, or that no condition tells.
    rules: tuple[Rule | None, ...]
    cells: CellTable

    @property
    def in_order(self) -> list[Rule]:
        """Those that are right in half of their rows or more, the surest first."""
        sure = [r for r in self.rules if r and 2 * r.tally.right >= r.tally.named]
        return sorted(sure, key=lambda rule: -rule.tally.right / rule.tally.named)


def rules_of_table(frame: pd.DataFrame, encoded: Encoded, labels: np.ndarray) -> TableRules | None:
    """Rules in the terms of a table's own cells; None where there can be none."""
    return short_rules(cells_of_table(frame, natural_columns(encoded)), labels)


def short_rules(cells: CellTable, labels: np.ndarray) -> TableRules | None:
    """Find the rules of every group."""
    sizes = np.bincount(labels)
    if sizes.size < 2 or sizes.max() < LEAST_ROWS or not cells:
        return None
    random = np.random.default_rng(0)
    fold = np.empty(labels.size, dtype=np.int64)  # every group is spread over all of them
    order = random.permutation(labels.size)
    fold[order[np.argsort(labels[order], kind="stable")]] = np.arange(labels.size) % FOLDS
    named, right = np.zeros(sizes.size, int), np.zeros(sizes.size, int)
    for f in range(FOLDS):
        apart = np.flatnonzero(fold == f)
        rest, own = {key: part.rows(apart) for key, part in cells.items()}, labels[apart]
        for rule in filter(None, _find_rules(cells, labels, np.flatnonzero(fold != f), random)):
            found = Tally.of(rule, rest, own)
            named[rule.group] += found.named
            right[rule.group] += found.right
    counted = (Tally(*map(int, of)) for of in zip(named, right, sizes, strict=True))
    found_rules = _find_rules(cells, labels, np.arange(labels.size), random)
    rules = (
        rule and replace(rule, tally=Tally.of(rule, cells, labels), apart=apart)
        for rule, apart in zip(found_rules, counted, strict=True)
    )
    return TableRules(tuple(rules), cells)


def _find_rules(
    cells: CellTable, labels: np.ndarray, inside: np.ndarray, random: np.random.Generator
) -> tuple[Rule | None, ...]:
    """Rules of every group, from some rows."""
    rows, weights = _sample(labels, inside, random)
    splits = _Splits({key: part.rows(rows) for key, part in cells.items()}, weights)
    own = labels[rows]
    return tuple(splits.best(own == k, k) for k in range(int(labels.max()) + 1))


def _sample(
    labels: np.ndarray, inside: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    if inside.size <= SEARCHED:
        return inside, np.ones(inside.size)
    rows, weights = [], []
    for k in np.unique(labels[inside]):
        own = inside[labels[inside] == k]
        size = min(own.size, max(OF_EACH, round(SEARCHED * own.size / inside.size)))
        rows.append(random.choice(own, size, replace=False))
        weights.append(np.full(size, own.size / size))
    return np.concatenate(rows), np.concatenate(weights)


class _Splits:
    """Columns as a tree reads them, and its splits as conditions."""

    def __init__(self, cells: CellTable, weights: np.ndarray) -> None:
        self.cells, self.weights = cells, weights
        #: Of every column of the table: the cells, their distinct values, and the level asked for.
        self._read: list[tuple[Cells, np.ndarray, float | None]] = []
        columns = []
        for part in cells.values():
            missing = np.isnan(part.values)
            distinct, places = np.unique(part.values[~missing], return_inverse=True)
            for level in _levels_to_ask(part, distinct, places):
                column = np.full(missing.size, np.nan)
                column[~missing] = places if level is None else part.values[~missing] == level
                columns.append(column)
                self._read.append((part, distinct, level))
        self.table = np.column_stack(columns) if columns else np.empty((weights.size, 0))

    def best(self, own: np.ndarray, group: int) -> Rule | None:
        """The rule that agrees most with one group, whose rows are ``own``, shape (N,)."""
        if own.sum() < LEAST_ROWS or own.all() or not self.table.shape[1]:
            return None
        tree = DecisionTreeClassifier(
            max_depth=MOST_CONDITIONS,
            min_samples_leaf=LEAST_ROWS,
            class_weight="balanced",
            random_state=0,
        ).fit(self.table, own, sample_weight=self.weights)
        best, found = 0.0, None
        for conditions in self._nodes(tree):
            rule = Rule(group, conditions)
            holds = rule.holds(self.cells)
            named, right = self.weights[holds].sum(), self.weights[holds & own].sum()
            score = 2.0 * right / (named + self.weights[own].sum())
            score -= EARNED * (len(conditions) - 1)
            if score > best:
                best, found = score, rule
        return found

    def _nodes(self, model: DecisionTreeClassifier) -> Iterator[tuple[Condition, ...]]:
        tree = model.tree_
        waiting: list[tuple[int, tuple[Condition, ...]]] = [(0, ())]
        while waiting:
            node, conditions = waiting.pop()
            left, right = tree.children_left[node], tree.children_right[node]
            if conditions:
                yield conditions
            if left >= 0 and not np.isfinite(tree.threshold[node]):
                waiting.append((int(left), conditions))  # a cell to be there is no condition
            elif left >= 0:
                lower, upper = self._split(int(tree.feature[node]), int(tree.threshold[node]))
                waiting += [
                    (int(right), _joined(conditions, upper)),
                    (int(left), _joined(conditions, lower)),
                ]

    def _split(self, j: int, place: int) -> tuple[Condition, Condition]:
        """Both sides of a split above a place; a missing cell is on neither."""
        cells, distinct, level = self._read[j]
        if level is None:
            cut = cells.round_cut(float(distinct[place]), float(distinct[place + 1]))
            left, right = (Condition(cells.part.name, word, cut) for word in (BELOW, AT_LEAST))
        else:
            right = Condition(cells.part.name, IS, level, cells.of_outcome)
            left = replace(right, relation=IS_NOT)
            if distinct.size == 2 and not cells.of_outcome:  # not one is the other
                left = replace(right, value=float(distinct[distinct != level][0]))
        return left, right


def _levels_to_ask(cells: Cells, distinct: np.ndarray, places: np.ndarray) -> list[float | None]:
    """Levels that a column is asked for, the commonest; None for where its values lie."""
    if distinct.size < 2:
        return []
    if cells.is_cut:
        return [None]
    common = distinct[np.argsort(-np.bincount(places), kind="stable")].tolist()
    if cells.of_outcome:  # being a number is no outcome
        return [level for level in common if level][:MOST_LEVELS]
    return common[: 1 if len(common) == 2 else MOST_LEVELS]


def _joined(conditions: tuple[Condition, ...], last: Condition) -> tuple[Condition, ...]:
    """One condition more, in the place of a wider one of the same column."""
    if last.relation == IS_NOT:
        return (*conditions, last)
    same = (last.key, last.relation)
    others = [c for c in conditions if (c.key, c.relation) != same]
    if last.relation == IS:
        others = [c for c in others if c.key != last.key]
    return (*others, last)
