"""No small count can be worked out from the bands in which a form's figures are told."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from core.release.bands import bands

LEAST = 5
SIZES = 12, 16


def _tables(calls_none: bool) -> list[np.ndarray]:
    """Every table of two groups of these sizes, without patients of no group."""
    spare = range(max(SIZES) + 1) if calls_none else (0,)
    tables = []
    for a, b, none_a, none_b in product(range(13), range(17), spare, spare):
        if a + none_a <= SIZES[0] and b + none_b <= SIZES[1]:
            rest = SIZES[0] - a - none_a, SIZES[1] - b - none_b
            tables.append(np.array([[rest[0], a, none_a], [b, rest[1], none_b], [0, 0, 0]]))
    return tables


def _fits(table: np.ndarray, told) -> bool:
    right = np.diag(table)[:-1]
    missed, wrong = table[:-1].sum(axis=1) - right, table[:, :-1].sum(axis=0) - right
    return all(
        (low <= counts).all() and (counts <= high).all()
        for counts, (low, high) in ((missed, told.missed), (wrong, told.wrong))
    )


@pytest.mark.parametrize(
    "counts",
    [(0, 0, 0, 0), (2, 6, 0, 0), (6, 4, 0, 0), (11, 0, 0, 0), (5, 9, 0, 0), (1, 3, 2, 1)],
    ids=str,
)
def test_as_many_values_of_a_small_count_remain_as_the_threshold(counts):
    a, b, none_a, none_b = counts
    true = np.array([[12 - a - none_a, a, none_a], [b, 16 - b - none_b, none_b], [0, 0, 0]])
    told = bands(true, LEAST)
    possible = [table for table in _tables(bool(none_a)) if _fits(table, told)]
    assert any((table == true).all() for table in possible)
    for row, column in product(range(2), range(2 + bool(none_a))):
        if true[row, column] < LEAST:
            assert len({int(table[row, column]) for table in possible}) >= LEAST


def test_a_band_s_figure_covers_the_true_one_and_its_interval():
    true = np.array([[228, 30, 5, 0], [23, 202, 2, 0], [5, 2, 19, 0], [4, 6, 0, 1]])
    exact, told = bands(true, 0), bands(true, LEAST)
    assert exact.sensitivity()[0] == "87 % (82 % to 90 %)"  # 228 of 263, by Wilson
    assert exact.predictive()[2] == "73 % (54 % to 86 %)"  # 19 of 26
    for one, other in ((exact, told),):
        for sharp, wide in zip(one.sensitivity(), other.sensitivity(), strict=True):
            assert _ends(wide)[0] <= _ends(sharp)[0] <= _ends(sharp)[1] <= _ends(wide)[1]


def _ends(text: str) -> tuple[float, float]:
    low, high = text[text.index("(") + 1 : -1].replace("%", "").split(" to ")
    return float(low), float(high)
