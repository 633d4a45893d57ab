"""Short rules: for every group the few conditions that tell it best, and how often they are right.

A rule is found by a beam search over conditions in natural units: of all rules of one condition the
best few are kept, each is joined with every condition, and again, up to three. The best one agrees
most with its group (F1: twice the rows right over the rows named plus those of the group), and each
condition more has to earn its place. The ordered set that assigns every row takes up these rules,
and as many others for the rows that none of them names. Cross-validated figures hold rules against
rows that they were not made from, cut points and all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..schema.encoded import Encoded
from .conditions import BELOW, Cells, Condition, possible_conditions
from .contrasts import LEAST_ROWS
from .cut_points import cut_points
from .profiles import natural_columns
from .spellings import Spelling, spelled

MOST_CONDITIONS = 3
#: Rules of each group that are kept from one length to the next.
WIDTH = 4
#: By how much F1 has to rise for one condition more.
EARNED = 0.02
FOLDS = 5
#: Rows among which rules are sought, and of each group at least; counted are all rows.
SEARCHED, OF_EACH = 2_000, 40
#: Groups that are tried as the one that all other rows are given.
TRIED_AS_REST = 3

Table = Mapping[tuple[str, bool], Cells]


@dataclass(frozen=True)
class Rule:
    """Conditions that all hold in a row, and the group that it is said to be of."""

    group: int
    conditions: tuple[Condition, ...]

    def holds(self, cells: Table) -> np.ndarray:
        """Which rows it names, shape (N,)."""
        return np.logical_and.reduce([c.holds(cells[c.key]) for c in self.conditions])

    def said(self, cells: Table) -> str:
        """In words: "age ≥ 45 and sex = F"; two of one column side by side, named once."""
        first = [c.column for c in self.conditions]
        said, before = [], None
        for condition in sorted(
            self.conditions, key=lambda c: (first.index(c.column), c.word == BELOW)
        ):
            text = condition.said(cells[condition.key])
            is_again = condition.column == before and not condition.of_outcome
            said.append(text.removeprefix(f"{before} ") if is_again else text)
            before = condition.column
        return " and ".join(said)


@dataclass(frozen=True)
class Tally:
    """How often a rule is right, in rows: of those that it names, so many are of its group."""

    named: int
    right: int
    #: Rows of the group.
    size: int


@dataclass(frozen=True)
class RuleSet:
    """Rules in their order; a row is of the group whose rule is the first that names it."""

    rules: tuple[Rule, ...]
    #: Group of all rows that no rule names.
    otherwise: int

    def assign(self, cells: Table) -> np.ndarray:
        """Group of every row, shape (N,)."""
        n_rows = next(iter(cells.values())).values.size
        found, left = np.full(n_rows, self.otherwise), np.ones(n_rows, dtype=bool)
        for rule in self.rules:
            named = left & rule.holds(cells)
            found[named], left = rule.group, left & ~named
        return found

    def never(self, n_groups: int) -> list[int]:
        """Groups that no row is given."""
        given = {self.otherwise, *(rule.group for rule in self.rules)}
        return [k for k in range(n_groups) if k not in given]


@dataclass(frozen=True)
class ShortRules:
    """The rules of a partition's groups."""

    #: Length K. None of a group too small for one, or that no condition tells.
    rules: tuple[Rule | None, ...]
    #: Length K. On all rows; and each row by rules made without it.
    tallies: tuple[Tally | None, ...]
    validated: tuple[Tally | None, ...]
    #: Of all rows.
    whole: RuleSet
    #: Share of rows that rule sets give their own group, each row by one made without it.
    agreement: float
    #: Share of the rows that the largest group has.
    largest: float
    #: Among so many rows the rules were sought.
    n_searched: int


def short_rules(cells: Table, labels: np.ndarray, seed: int = 0) -> ShortRules | None:
    """Find the rules of every group, and the ordered set of them that assigns every row.

    Parameters
    ----------
    cells : mapping of Cells
        Columns that rules may speak of, of N rows.
    labels : ndarray of int64, shape (N,)
        0..K-1.
    seed : int
        Of the folds, and of the rows drawn where there are many.

    Returns
    -------
    ShortRules
        None of a single group, of tiny ones alone, or where no column can be spoken of.
    """
    sizes = np.bincount(labels)
    if sizes.size < 2 or sizes.max() < LEAST_ROWS or not cells:
        return None
    random = np.random.default_rng(seed)
    validated, agreement = _validated(cells, labels, random)
    rules, whole, n_searched = _made(cells, labels, np.arange(labels.size), random)
    return ShortRules(
        rules,
        tuple(rule and tally(rule, cells, labels) for rule in rules),
        tuple(rule and validated[k] for k, rule in enumerate(rules)),
        whole,
        agreement,
        float(sizes.max()) / labels.size,
        n_searched,
    )


def _validated(
    cells: Table, labels: np.ndarray, random: np.random.Generator
) -> tuple[list[Tally], float]:
    """How often rules of every group are right, and a set of them, on rows they were made without.

    The tallies of all folds are added up; the second figure is a share of all rows.
    """
    fold, sizes = _folds(labels, random), np.bincount(labels)
    named, right = np.zeros((2, sizes.size), dtype=np.int64)
    n_agree = 0
    for f in range(FOLDS):
        rules, whole, _ = _made(cells, labels, np.flatnonzero(fold != f), random)
        apart = np.flatnonzero(fold == f)
        beside, own = {key: part.rows(apart) for key, part in cells.items()}, labels[apart]
        for rule in filter(None, rules):
            found = tally(rule, beside, own)
            named[rule.group] += found.named
            right[rule.group] += found.right
        n_agree += int((whole.assign(beside) == own).sum())
    tallies = [Tally(*map(int, figures)) for figures in zip(named, right, sizes, strict=True)]
    return tallies, n_agree / labels.size


def tally(rule: Rule, cells: Table, labels: np.ndarray) -> Tally:
    """How often a rule is right on some rows."""
    holds, own = rule.holds(cells), labels == rule.group
    return Tally(int(holds.sum()), int((holds & own).sum()), int(own.sum()))


def _folds(labels: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Fold of every row, shape (N,): every group is spread over all of them."""
    order = random.permutation(labels.size)
    order = order[np.argsort(labels[order], kind="stable")]
    fold = np.empty(labels.size, dtype=np.int64)
    fold[order] = np.arange(labels.size) % FOLDS
    return fold


def _made(
    cells: Table, labels: np.ndarray, inside: np.ndarray, random: np.random.Generator
) -> tuple[tuple[Rule | None, ...], RuleSet, int]:
    """Rules of every group and their order, from some rows, and how many were looked at."""
    n_groups = int(labels.max()) + 1
    places, weights = _drawn(labels[inside], n_groups, random)
    rows = inside[places]
    own, drawn = labels[rows], {key: part.rows(rows) for key, part in cells.items()}
    of_note = np.where(np.bincount(own)[own] < LEAST_ROWS, n_groups, own)
    conditions = list(possible_conditions(drawn, cut_points(drawn, of_note, weights)))
    holds = np.array([c.holds(drawn[c.key]) for c in conditions]).reshape(-1, rows.size).T

    def sought(which: np.ndarray) -> tuple[Rule | None, ...]:
        found = _search(holds[which], own[which], weights[which], n_groups)
        return tuple(
            None if at is None else Rule(k, tuple(conditions[j] for j in at))
            for k, at in enumerate(found)
        )

    rules = sought(np.arange(rows.size))
    return rules, _rule_set(rules, sought, drawn, own, weights), rows.size


def _drawn(
    labels: np.ndarray, n_groups: int, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rows to look at, and for how many rows each of them stands."""
    if labels.size <= SEARCHED:
        return np.arange(labels.size), np.ones(labels.size, dtype=np.float32)
    sizes = np.bincount(labels, minlength=n_groups)
    wanted = np.maximum(np.rint(SEARCHED * sizes / labels.size), OF_EACH)
    wanted = np.minimum(sizes, wanted).astype(np.int64)
    order = random.permutation(labels.size)
    order = order[np.argsort(labels[order], kind="stable")]
    rank = np.arange(labels.size) - (np.cumsum(sizes) - sizes)[labels[order]]
    rows = np.sort(order[rank < wanted[labels[order]]])
    return rows, (sizes / np.maximum(wanted, 1))[labels[rows]].astype(np.float32)


def _search(
    holds: np.ndarray, labels: np.ndarray, weights: np.ndarray, n_groups: int
) -> list[tuple[int, ...] | None]:
    """The best rule of every group, as places of its conditions; None without any.

    ``holds`` says in which rows each of P conditions holds, shape (N, P).
    """
    counted = holds.astype(np.float32)
    sizes = np.bincount(labels, weights, n_groups)
    front = [(k, ()) for k in range(n_groups) if np.sum(labels == k) >= LEAST_ROWS]
    best: list[tuple[float, tuple[int, ...] | None]] = [(0.0, None)] * n_groups
    for length in range(MOST_CONDITIONS if front else 0):
        masks = np.stack([_all(holds, at) for _, at in front], axis=1) * weights[:, None]
        of = np.array([k for k, _ in front])
        right = counted.T @ (masks * (labels[:, None] == of))
        scores = 2.0 * right / (counted.T @ masks + sizes[of])
        front, last = [], front
        for k in np.unique(of):
            columns = np.flatnonzero(of == k)
            longer = _longer(scores[:, columns], [last[j][1] for j in columns])
            front += [(k, at) for _, at in longer]
            score = longer[0][0] - EARNED * length if longer else 0.0
            if score > best[k][0]:
                best[k] = score, longer[0][1]
        if not front:
            break
    return [at for _, at in best]


def _all(holds: np.ndarray, at: tuple[int, ...]) -> np.ndarray:
    return np.logical_and.reduce(holds[:, list(at)], axis=1)


def _longer(
    scores: np.ndarray, shorter: list[tuple[int, ...]]
) -> list[tuple[float, tuple[int, ...]]]:
    """The best rules with one condition more, one of each score: equal ones mostly say the same.

    ``scores`` are those of P conditions joined to each of the shorter rules, shape (P, W).
    """
    found: dict[float, tuple[int, ...]] = {}
    for place in np.argsort(-scores, axis=None, kind="stable"):
        if len(found) == WIDTH:
            break
        j, which = divmod(int(place), len(shorter))
        score = float(scores[j, which])
        if j not in shorter[which] and score not in found:
            found[score] = (*shorter[which], j)
    return list(found.items())


def _rule_set(
    rules: tuple[Rule | None, ...],
    sought: Callable[[np.ndarray], tuple[Rule | None, ...]],
    cells: Table,
    labels: np.ndarray,
    weights: np.ndarray,
) -> RuleSet:
    """The groups' rules in their order, and others for the rows that none of those names.

    Of the first only those stay that are right in half of the rows left to them, or more.
    """
    first = _in_order(rules, cells, labels, weights)
    kept, left = [], np.ones(labels.size, dtype=bool)
    for rule in first.rules:
        named = left & rule.holds(cells)
        if 2.0 * weights[named & (labels == rule.group)].sum() >= weights[named].sum():
            kept.append(rule)
            left &= ~named
    rows = np.flatnonzero(left)
    if not rows.size:
        return RuleSet(tuple(kept), first.otherwise)
    beside = {key: part.rows(rows) for key, part in cells.items()}
    then = _in_order(sought(rows), beside, labels[rows], weights[rows])
    return RuleSet((*kept, *then.rules), then.otherwise)


def _in_order(
    rules: tuple[Rule | None, ...], cells: Table, labels: np.ndarray, weights: np.ndarray
) -> RuleSet:
    """The rules in the order and with the rest that are right in most rows.

    The most often right rule first, then the most often right among the rows that are left.
    """
    told = [rule for rule in rules if rule is not None]
    names = np.array([rule.group for rule in told], dtype=np.int64)
    holds = np.stack([np.zeros(labels.size, dtype=bool), *(r.holds(cells) for r in told)])[1:]
    left_over = [
        weights[(labels == k) & ~holds[names == k].any(axis=0)].sum() for k in range(len(rules))
    ]
    best = -1.0, RuleSet((), 0)
    for rest in np.argsort(-np.array(left_over), kind="stable")[:TRIED_AS_REST].tolist():
        order, right = _ordered(holds, names, rest, labels, weights)
        if right > best[0]:
            best = right, RuleSet(tuple(told[j] for j in order), rest)
    return best[1]


def _ordered(
    holds: np.ndarray, names: np.ndarray, rest: int, labels: np.ndarray, weights: np.ndarray
) -> tuple[list[int], float]:
    """The order of rules given one group for the rest, and the weight of the rows right."""
    left = weights.astype(np.float64)
    own = holds & (labels == names[:, None])
    waiting, order, right = names != rest, [], 0.0
    while waiting.any():
        good, named = own @ left, holds @ left
        first = int(np.where(waiting, (good + 1.0) / (named + 2.0), -1.0).argmax())
        order.append(first)
        waiting[first] = False
        right += float(good[first])
        left = np.where(holds[first], 0.0, left)
    return order, right + float(left[labels == rest].sum())


@dataclass(frozen=True, eq=False)
class TableRules:
    """The rules of a table's groups, with what they compare and how its cells are written."""

    found: ShortRules
    cells: Table
    spellings: Mapping[tuple[str, bool], Spelling]


def rules_of_table(frame: pd.DataFrame, encoded: Encoded, labels: np.ndarray) -> TableRules | None:
    """Rules in the terms of a table's own cells; None where there can be none.

    ``encoded`` are the rows of the frame, ``labels`` their groups 0..K-1, shape (N,).
    """
    cells, spellings = spelled(frame, natural_columns(encoded))
    found = short_rules(cells, labels)
    return None if found is None else TableRules(found, cells, spellings)
