"""A course that may bend, against courses whose places are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mapdp_studio.core import MAPDP
from mapdp_studio.core.schema.encoded import Encoded, Unit
from mapdp_studio.core.statistics.copula import copula_reference
from mapdp_studio.core.statistics.course import AT, PLACES, Course, _local_lines
from tests.benchmarks.light_tables import ageing


def turning(seed: int) -> tuple[Encoded, np.ndarray]:
    """Columns that turn at their own places along an age, and the ages."""
    table = ageing(300, np.random.default_rng(seed))
    return Encoded.from_array(table, "normal"), np.random.default_rng(seed).uniform(size=300)


@pytest.mark.parametrize("seed", [3, 7])
def test_places_are_found_where_every_column_turns_at_its_own(seed):
    """The first component folds such a course: rows of its middle would lie at both ends."""
    encoded, age = turning(seed)
    course = Course.of(encoded)
    places = course.likely @ AT
    assert course.likely.sum(axis=1) == pytest.approx(np.ones(300))
    assert abs(stats.spearmanr(places, age).statistic) > 0.97


def test_a_drawn_course_is_about_as_clear_as_the_table_s_own():
    """Were its places taken as known, courses would be drawn that are blurred, or far clearer."""
    encoded, _ = turning(3)
    course = Course.of(encoded)
    drawn = [course.draw(np.random.default_rng(b)) for b in range(20)]
    told = np.array([Course.of(one).log_likelihood for one in drawn])
    assert abs(told.mean() - course.log_likelihood) < 2.5 * told.std()
    spread = np.mean([one.values.std(axis=0) for one in drawn], axis=0)
    assert spread == pytest.approx(encoded.values.std(axis=0), rel=0.1)


def test_three_groups_in_a_triangle_are_more_than_a_course_through_them():
    random = np.random.default_rng(6)
    group = np.repeat([0, 1, 2], [140, 130, 130])
    means = 1.5 * (group[:, None] == np.arange(8) % 3)
    table = means + random.normal(size=means.shape)
    assert copula_reference(MAPDP(random_state=0).fit(table), 19).p == pytest.approx(0.05)


@pytest.mark.parametrize("n_values", [1, 3])
def test_names_alone_and_columns_that_do_not_vary_have_a_course(n_values):
    random = np.random.default_rng(7)
    units = [Unit(f"{j}", "categorical", (f"{j}",), {"levels": (*"abc",)}) for j in range(3)]
    encoded = Encoded(random.integers(n_values, size=(40, 3)).astype(np.float64), tuple(units))
    course = Course.of(encoded)
    assert course.draw(random).values.shape == (40, 3)
    assert np.isfinite(course.log_likelihood)


def test_local_lines_return_a_line_whatever_the_masses():
    mass = np.random.default_rng(1).uniform(0.1, 2.0, PLACES)[:, None]
    lines = np.column_stack([3.0 * AT - 1.0, np.full(PLACES, 2.0)])
    assert _local_lines(mass, mass * lines) == pytest.approx(lines)
