"""Small counts are hidden, do not follow from a printed total, and hide no more than they must."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.clinical.small_counts import ALL, OFF, Hidden, hide_small, shown
from mapdp_studio.core.statistics.variables import Variable


def away(counts: list[int], least: int) -> list[int]:
    """Which of some counts, followed by their total, are hidden."""
    told = hide_small(pd.Series([*counts, sum(counts)]), least)
    shown_as = told.dropna()
    assert (shown_as == pd.Series([*counts, sum(counts)])[shown_as.index]).all()
    return np.flatnonzero(told.isna()).tolist()


def gives_away(counts: list[int], hidden: set[int], least: int) -> bool:
    """Whether a small count stands there, or follows from the total, or all hidden are few."""
    whole = [*counts, sum(counts)]
    if any(0 < n < least and place not in hidden for place, n in enumerate(whole)):
        return True
    is_few = len(counts) not in hidden and sum(whole[place] for place in hidden) < least
    return bool(hidden) and (len(hidden) == 1 or is_few)


def test_what_is_hidden_of_500_random_tables_is_needed_and_enough():
    random, n_hidden = np.random.default_rng(0), 0
    for _ in range(500):
        counts = random.negative_binomial(1, 0.06, random.integers(2, 7)).tolist()
        least = int(random.choice([5, 10, 20]))
        hidden = away(counts, least)
        assert not gives_away(counts, set(hidden), least)
        whole = [*counts, sum(counts)]
        for place in hidden:
            # One shown again, or a smaller one in its place, and something is given away.
            assert gives_away(counts, {*hidden} - {place}, least), (counts, hidden)
            rest = {n for j, n in enumerate(whole) if j not in hidden and n}
            assert whole[place] < least or all(n >= whole[place] for n in rest), (counts, hidden)
        n_hidden += len(hidden)
    assert n_hidden > 1_000


@pytest.mark.parametrize(
    ("sizes", "hidden"),
    [
        ([90, 40, 3], [1, 2]),
        ([90, 40, 30, 4, 4], [3, 4]),  # eight together, of which neither follows
        ([90, 40, 30, 2, 2], [2, 3, 4]),  # four together are a small count themselves
        ([90, 40, 30], []),
        ([5, 90], []),
        ([90, 3, 0], [0, 1]),  # a zero has no room to be smaller
    ],
)
def test_the_small_group_and_the_next_smallest_are_hidden_and_no_other(sizes, hidden):
    assert away(sizes, 5) == hidden
    assert away(sizes, OFF) == []


def test_a_higher_threshold_hides_as_much_and_more():
    found = [set(away([90, 40, 12, 7, 3], least)) for least in (OFF, 5, 10, 20)]
    assert all(less <= more for less, more in pairwise(found))
    assert (shown(4, 5), shown(1_234, 5), shown(0, OFF)) == ("<5", "1,234", "0")


def groups_of(*sizes: int) -> SimpleNamespace:
    titles = tuple(f"Group {k + 1}" for k in range(len(sizes)))
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return SimpleNamespace(sizes=np.array(sizes), labels=labels, titles=titles)


RARE = np.concatenate([np.arange(40) < 20, np.arange(30) < 3, np.arange(30) < 12]).astype(float)
HOLES = np.where(np.arange(100) < 2, np.nan, np.arange(100.0))
#: Three of the second group had another event first.
TIMES = {"events": np.arange(100) % 2 == 0, "others": np.isin(np.arange(100), [41, 43, 45])}


@pytest.mark.parametrize(
    ("column", "sizes", "figures", "counts"),
    [
        # Of a rare level one cell and that of all.
        (Variable("x", "yes/no", RARE, ("no", "yes")), (40, 30, 30), "0101", "0101"),
        (Variable("x", "time to event", HOLES, **TIMES), (40, 30, 30), "0101", "1101"),
        (Variable("x", "measurement", np.arange(100.0)), (40, 30, 30), "0000", "0000"),
        # A small group hides its cells and the number of patients of the next.
        (Variable("x", "measurement", np.arange(93.0)), (60, 30, 3), "0010", "0110"),
        # Few missing cells hide numbers of patients and no mean.
        (Variable("x", "measurement", HOLES), (60, 40), "000", "101"),
    ],
)
def test_what_of_a_column_is_hidden_by_group_and_of_all(column, sizes, figures, counts):
    groups = groups_of(*sizes)
    hidden, names = Hidden.of([column], groups, 5), [*groups.titles, ALL]
    found = hidden.of_lines(["x"] * len(names), names)
    assert ["".join("01"[int(cell)] for cell in part) for part in found] == [figures, counts]
    assert hidden.of_pair("x", (0, 1)) == ("1" in figures[:2], [c == "1" for c in counts[:2]])
    assert not Hidden.of([column], groups, OFF).counts.any(axis=None)
    assert all(part.all() for part in hidden.of_lines(["not read"], names[:1]))
