"""Descriptions of a table before any model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.profiling.describe import find_spread, in_words


def test_few_values_are_counted_one_by_one_and_many_in_ranges():
    few = find_spread(pd.Series(["a", None, "b", "a"]))
    assert (few.labels, few.counts, few.n_missing) == (["a", "b"], [2, 1], 1)
    many = find_spread(pd.Series(np.arange(100.0)))
    assert sum(many.counts) == 100
    assert many.places is not None
    assert many.n_distinct == 100


def test_steps_are_counted_in_their_order_and_other_words_behind_them():
    cells = pd.Series(["high"] * 4 + ["low"] * 3 + ["none"] * 2 + ["lost"])
    assert find_spread(cells).labels == ["high", "low", "none", "lost"]
    assert find_spread(cells, ("none", "low", "high")).labels == ["none", "low", "high", "lost"]


def test_infinity_is_left_out_of_the_ranges():
    assert sum(find_spread(pd.Series([*np.arange(50.0), np.inf])).counts) == 50


def test_numbers_stand_where_they_are():
    few = find_spread(pd.Series([1, 2, 2, 5]))
    assert (few.labels, few.places, few.counts) == (["1", "2", "5"], [1.0, 2.0, 5.0], [1, 2, 1])
    far = find_spread(pd.Series([0, 2, 2, 210]))  # three bars of one width would stand side by side
    assert far.counts[0] == 3
    assert far.counts[-1] == 1
    assert far.places[-1] - far.places[0] > 150


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
