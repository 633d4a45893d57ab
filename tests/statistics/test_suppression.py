"""Suppression: an intruder with every shown cell and total tries to work out the small ones."""

from __future__ import annotations

import itertools
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from core.statistics.suppression import OFF, TOTAL, suppress, suppress_sizes


class Intruder:
    """Knows the shown cells of some tables, that counts add up, and that none is below 0.

    Cells that are the same count in several tables, such as the size of a group, have one name.
    """

    def __init__(self) -> None:
        self.known: dict[tuple, float] = {}
        self.unknown: dict[tuple, int] = {}
        self.sums: list[list[tuple]] = []

    def reads(self, name: str, table: pd.DataFrame) -> None:
        """Look at a table with totals of rows and columns."""
        rows, columns = list(table.index), list(table.columns)
        for row, column in itertools.product(rows, columns):
            self.sees(self.named(name, row, column), table.loc[row, column])
        for row in rows:
            self.sums.append([self.named(name, row, column) for column in columns])
        for column in columns:
            self.sums.append([self.named(name, row, column) for row in rows])

    @staticmethod
    def named(name: str, row: str, column: str) -> tuple:
        return ("size", row) if column == TOTAL else (name, row, column)

    def sees(self, cell: tuple, value) -> None:
        if not pd.isna(value):
            self.known[cell] = float(value)
        elif cell not in self.unknown:
            self.unknown[cell] = len(self.unknown)

    def largest(self, cell: tuple) -> float:
        """The largest value that a hidden cell can have; its value if it is known elsewhere."""
        if cell in self.known:
            return self.known[cell]
        matrix, right = [], []
        for *parts, total in self.sums:
            row, rest = np.zeros(len(self.unknown)), 0.0
            for part, sign in [*((part, 1.0) for part in parts), (total, -1.0)]:
                if part in self.known:
                    rest -= sign * self.known[part]
                else:
                    row[self.unknown[part]] += sign
            matrix.append(row)
            right.append(rest)
        goal = np.zeros(len(self.unknown))
        goal[self.unknown[cell]] = -1.0
        found = linprog(goal, A_eq=np.array(matrix), b_eq=right, bounds=(0, None))
        assert found.status in (0, 3), found.message
        return np.inf if found.status == 3 else -found.fun


@pytest.mark.parametrize("least", [5, 10])
def test_no_small_cell_of_a_table_can_be_worked_out(least):
    random = np.random.default_rng(least)
    for _ in range(40):
        shape = random.integers(1, 6), random.integers(1, 6)
        counts = pd.DataFrame(random.poisson(random.choice([1, 4, 15]), size=shape))
        counts = counts.rename(index=str, columns=str)
        hidden, whole = suppress(counts, least), suppress(counts, OFF).table
        intruder = Intruder()
        intruder.reads("table", hidden.table)
        for row, column in itertools.product(hidden.table.index, hidden.table.columns):
            if hidden.primary.loc[row, column]:
                largest = intruder.largest(intruder.named("table", row, column))
                count = int(whole.loc[row, column])
                assert largest - count >= max(least - count, least - 1) - 1e-6


def test_a_lone_small_cell_takes_three_others_with_it():
    counts = pd.DataFrame([[30, 2, 40], [50, 60, 70]], index=["a", "b"], columns=list("xyz"))
    hidden = suppress(counts)
    assert hidden.hidden.to_numpy().sum() == 4
    assert not hidden.hidden.loc[TOTAL].any()
    assert hidden.is_whole.tolist() == [False, False, True]
    assert (hidden.as_text() == "hidden").to_numpy().sum() == 4
    assert not suppress(counts + 5).hidden.to_numpy().any()


@pytest.mark.parametrize(
    ("sizes", "hidden"),
    [
        ([120, 90, 12, 3], [12, 3]),
        ([120, 90, 30, 5, 4], [30, 5, 4]),  # 9 would leave 1, 2, 3 or 4 for the smaller one
        ([120, 90, 30], []),
    ],
)
def test_of_sizes_that_fall_the_smallest_is_left_as_many_numbers(sizes, hidden):
    found = suppress_sizes(sizes, 5, [f"Group {k}" for k in range(len(sizes))])
    assert [n for n, away in zip(sizes, found.hidden["Patients"], strict=False) if away] == hidden
    assert found.table.loc[TOTAL, "Patients"] == sum(sizes)


def test_too_few_patients_hide_everything():
    assert suppress(pd.DataFrame([[1, 1]], index=["a"], columns=["x", "y"])).hidden.all(axis=None)


def test_what_is_hidden_stays_hidden_under_every_higher_threshold():
    random = np.random.default_rng(8)
    for _ in range(6):
        counts = pd.DataFrame(random.poisson([60, 25, 5], size=(4, 3)))
        tables = [suppress(counts, least) for least in (5, 10, 20)]
        sizes = np.sort(random.poisson([80, 40, 15, 6]))[::-1]
        lists = [suppress_sizes(sizes, least, list("abcd")) for least in (5, 10, 20)]
        for lower, higher in (*pairwise(tables), *pairwise(lists)):
            assert (higher.hidden | ~lower.hidden).all(axis=None)
    assert not suppress(counts, OFF).hidden.any(axis=None)
