"""A curve through the middle of a table, against courses whose middle is known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from core.statistics.principal_curve import principal_curve, shares_below, smoothed


def test_the_order_along_a_bent_course_is_found():
    random = np.random.default_rng(0)
    at = random.uniform(-1.5, 1.5, 300)
    middle = np.column_stack([at, at**2])[:, np.arange(8) % 2]
    points = middle + 0.2 * random.normal(size=middle.shape)
    start = points[:, 0] + random.normal(size=300)
    found = principal_curve(points, start)
    assert abs(stats.spearmanr(found, at).statistic) > 0.99
    # The arc length of the middle, ends and noise aside.
    fine = np.linspace(-1.5, 1.5, 1000)
    length = np.linalg.norm(np.diff(np.column_stack([fine] * 4 + [fine**2] * 4), axis=0), axis=1)
    assert np.ptp(found) == pytest.approx(length.sum(), rel=0.15)


def test_local_lines_return_a_line_and_leave_out_holes():
    places = shares_below(np.random.default_rng(1).normal(size=80))
    values = np.column_stack([3.0 * places - 1.0, np.full(80, np.nan), places])
    values[::3, 2] = np.nan
    at = np.linspace(0.0, 1.0, 7)
    found = smoothed(at, places, values)
    assert found[:, 0] == pytest.approx(3.0 * at - 1.0)
    assert found[:, 2] == pytest.approx(at)
    assert np.isnan(found[:, 1]).all()
