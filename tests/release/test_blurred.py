"""Nothing of a small count follows from counts that were blurred."""

from __future__ import annotations

import numpy as np

from core.release.blurred import blurred

LEAST = 5


def test_every_value_of_a_small_count_is_told_alike():
    """Also: the largest count gave away what it stood in for, where the sum was known."""
    random, tried = np.random.default_rng(0), 0
    for _ in range(200):
        counts = random.integers(0, 16, (4, 3)).astype(np.float64)
        told = blurred(counts, LEAST)
        np.testing.assert_allclose(told.sum(axis=0), counts.sum(axis=0))
        for row, column in np.argwhere(counts < LEAST):
            largest = counts[:, column].argmax()
            if counts[largest, column] < LEAST:
                continue  # all are small, and all are told as what is usual
            for other in range(LEAST):
                changed = counts.copy()
                changed[largest, column] += counts[row, column] - other
                changed[row, column] = other
                ranks = np.delete(changed[:, column], largest)
                if changed[largest, column] < max(LEAST, ranks.max() + 1):
                    continue  # another count would be the largest
                np.testing.assert_allclose(blurred(changed, LEAST), told)
                tried += 1
    assert tried > 1000


def test_without_a_threshold_counts_stay():
    counts = np.array([[0.0, 3.0], [7.0, 1.0]])
    np.testing.assert_array_equal(blurred(counts, 0), counts)


def test_which_counts_give_way_does_not_tell_the_small_one():
    """Two counts as good as equal gave way together: with 4 for the 2, one of them had alone."""
    counts = np.array([[2, 32, 18], [21, 31, 0], [48, 2, 0], [49, 0, 0], [10, 5, 2]], dtype=float)
    told = blurred(counts, LEAST)
    for value in range(LEAST):
        same = []
        for third in range(40, 60):
            other = counts.copy()
            other[[0, 2, 3], 0] = value, third, 99 - value - third
            same.append(np.allclose(blurred(other, LEAST), told))
        assert any(same)
