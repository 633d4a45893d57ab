"""Small counts are hidden, do not follow from a printed total, and hide no more than they must."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from mapdp_studio.core.clinical.small_counts import ALL, OFF, TOTAL, Hidden, hide_small, shown
from mapdp_studio.core.statistics.variables import Variable


def crossed(counts: np.ndarray) -> pd.DataFrame:
    """Counts with their totals."""
    table = pd.DataFrame(counts)
    table[TOTAL] = table.sum(axis=1)
    table.loc[TOTAL] = table.sum()
    return table


def between(told: pd.DataFrame, whole: pd.DataFrame, cell: tuple[int, int]) -> tuple[int, int]:
    """Fewest and most patients in a cell, by whole numbers that fit all that is told."""
    shape, at = whole.shape, np.arange(whole.size).reshape(whole.shape)
    sums = []
    for line in (*at, *at.T):
        row = np.zeros(whole.size)
        row[line[:-1]], row[line[-1]] = 1.0, -1.0
        sums.append(row)
    known = told.to_numpy().ravel()
    low = np.where(np.isnan(known), 0.0, known)
    high = np.where(np.isnan(known), 10.0 * whole.to_numpy().max(), known)
    place = np.ravel_multi_index(cell, shape)
    ends = []
    for sign in (1.0, -1.0):
        goal = np.zeros(whole.size)
        goal[place] = sign
        found = milp(
            goal,
            constraints=LinearConstraint(np.array(sums), 0.0, 0.0),
            bounds=Bounds(low, high),
            integrality=np.ones(whole.size),
        )
        ends.append(round(float(found.x[place])))
    return ends[0], ends[1]


def test_no_hidden_cell_of_200_random_tables_follows_from_what_is_shown():
    rng = np.random.default_rng(0)
    n_hidden = 0
    for _ in range(200):
        rows, columns = rng.integers(2, 6, 2)
        whole = crossed(rng.negative_binomial(1, 0.06, (rows, columns)))
        least = int(rng.choice([5, 10, 20]))
        told = hide_small(whole, least)
        away = told.isna().to_numpy()
        small = (whole > 0) & (whole < least)
        assert away[small.to_numpy()].all()
        assert told.equals(whole.astype(float).where(~away))
        for cell in np.argwhere(away):
            low, high = between(told, whole, tuple(cell))
            assert low < high, (whole, told)
        n_hidden += away.sum()
    assert n_hidden > 1_000


@pytest.mark.parametrize(
    ("sizes", "hidden"),
    [
        ([90, 40, 3], [40, 3]),
        ([90, 40, 30, 4, 4], [4, 4]),  # eight together, of which neither follows
        ([90, 40, 30, 2, 2], [30, 2, 2]),  # four together are a small count themselves
        ([90, 40, 30], []),
    ],
)
def test_the_small_group_and_the_next_smallest_are_hidden_and_no_other(sizes, hidden):
    counts = pd.DataFrame({"Patients": [*sizes, sum(sizes)]}, [*map(str, range(len(sizes))), TOTAL])
    told = hide_small(counts, 5)["Patients"]
    assert [n for n, away in zip(sizes, told.isna()[:-1], strict=True) if away] == hidden
    assert told[TOTAL] == sum(sizes)
    assert hide_small(counts, OFF).equals(counts.astype(float))


def test_without_a_total_only_small_counts_are_hidden():
    counts = pd.DataFrame([[3, 40], [0, 50]], columns=["yes", "no"])
    assert hide_small(counts, 5).isna().to_numpy().tolist() == [[True, False], [False, False]]


def test_a_higher_threshold_hides_as_much_and_more():
    counts = pd.DataFrame({"Patients": [90, 40, 12, 7, 3, 152]}, [*"abcde", TOTAL])
    away = [set(np.flatnonzero(hide_small(counts, k)["Patients"].isna())) for k in (OFF, 5, 10, 20)]
    assert all(less <= more for less, more in pairwise(away))
    assert (
        not hide_small(pd.DataFrame({"Patients": [5, 90, 95]}, [*"ab", TOTAL]), 5)
        .isna()
        .any(axis=None)
    )
    assert (shown(4, 5), shown(1_234, 5), shown(0, OFF)) == ("<5", "1,234", "0")


def groups_of(*sizes: int) -> SimpleNamespace:
    titles = tuple(f"Group {k + 1}" for k in range(len(sizes)))
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return SimpleNamespace(sizes=np.array(sizes), labels=labels, titles=titles)


RARE = np.concatenate([np.arange(40) < 20, np.arange(30) < 3, np.arange(30) < 12]).astype(float)
HOLES = np.where(np.arange(100) < 2, np.nan, np.arange(100.0))


@pytest.mark.parametrize(
    ("column", "sizes", "figures", "counts"),
    [
        # Of a rare level one cell and that of all.
        (Variable("x", "yes/no", RARE, ("no", "yes")), (40, 30, 30), "0101", "0101"),
        (Variable("x", "measurement", np.arange(100.0)), (40, 30, 30), "0000", "0000"),
        # A small group hides its cells and the number of patients of the next.
        (Variable("x", "measurement", np.arange(93.0)), (60, 30, 3), "0010", "0110"),
        # Few missing cells hide numbers of patients and no mean.
        (Variable("x", "measurement", HOLES), (60, 40), "000", "101"),
    ],
)
def test_what_of_a_column_is_hidden_by_group_and_of_all(column, sizes, figures, counts):
    hidden = Hidden.of([column], groups_of(*sizes), 5)
    assert list(hidden.figures) == [*groups_of(*sizes).titles, ALL]
    for found, expected in ((hidden.figures, figures), (hidden.counts, counts)):
        assert "".join("01"[cell] for cell in found.loc["x"]) == expected
    assert hidden.of_pair("x", (0, 1)) == ("1" in figures[:2], [c == "1" for c in counts[:2]])
    assert not Hidden.of([column], groups_of(*sizes), OFF).counts.any(axis=None)
