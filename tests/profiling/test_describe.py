"""Descriptions of a table before any model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.profiling.profiles import column_of_table, distribution


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
