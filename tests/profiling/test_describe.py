"""Descriptions of a table before any model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.profiling.profiles import column_of_table, distribution, in_words


def _spread(cells, order=None):
    """Of each bar: what it stands for, and its rows; the ends of ranges."""
    spread = distribution(column_of_table(cells, order), np.zeros(len(cells), dtype=int))
    return spread.labels, spread.counts[0].tolist(), spread.edges


@pytest.mark.parametrize(
    ("cells", "order", "labels", "counts"),
    [
        (["a", None, "b", "a"], None, ("a", "b"), [2, 1]),
        ([True, False, True], None, ("True", "False"), [2, 1]),
        ([1, 2, 2, 5], None, ("1", "2", "3", "4", "5"), [1, 2, 0, 0, 1]),
        (["high"] * 3 + ["low", "lost"], None, ("high", "low", "lost"), [3, 1, 1]),
        (["high"] * 3 + ["low", "lost"], ("low", "high"), ("low", "high", "lost"), [1, 3, 1]),
    ],
)
def test_few_values_have_a_bar_each_in_their_order(cells, order, labels, counts):
    assert _spread(pd.Series(cells), order) == (labels, counts, None)


def test_many_numbers_are_counted_in_ranges_and_infinity_in_none():
    _, counts, edges = _spread(pd.Series([*np.arange(100.0), np.inf]))
    assert (sum(counts), edges[0], edges[-1]) == (100, 0.0, 99.0)
    assert len(_spread(pd.Series(list(map(str, range(99)))))[0]) == 30


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ([1.0, 2.5], "1 to 2.5"),
        ([7, 7], "always 7"),
        ([41, 4795], "41 to 4,795"),
        ([289.0, 13862.4], "289 to 13,862"),
        ([1931, 2015], "1931 to 2015"),
        ([0.00001, 1e16], "1e-05 to 1e+16"),
        ([True, False], "yes/no"),
        (["x", "y"], "2 distinct"),
        ([None, None], "all missing"),
        (pd.to_datetime(["2020-01-01", "2021-06-30"]), "2020-01-01 to 2021-06-30"),
    ],
)
def test_a_column_in_words(column, words):
    assert in_words(pd.Series(column)) == words
