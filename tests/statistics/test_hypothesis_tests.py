"""Tests hold their level where means are equal and spreads are not, or say that they cannot."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.statistics import hypothesis_tests
from mapdp_studio.core.statistics.hypothesis_tests import (
    SKEWED,
    TOO_SKEWED,
    compare_counts,
    compare_means,
    skewness_of_means,
)
from mapdp_studio.core.statistics.survival import compare_survival

SETS, RESAMPLES = 150, 199


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    monkeypatch.setattr(hypothesis_tests, "RESAMPLES", RESAMPLES)


def counts(random, n, wide):
    return random.poisson(2.0 * (random.gamma(1 / 1.5, 1.5, n) if wide else 1.0), n).astype(float)


def ratings(random, n, wide):
    return random.choice([0.0, 4.0], n) if wide else random.binomial(4, 0.5, n).astype(float)


def log_normal(random, n, wide):
    sd = 0.9 if wide else 0.35
    return np.exp(sd * random.normal(size=n) - sd**2 / 2)


@pytest.mark.parametrize(
    ("draw", "compare"),
    [
        (counts, compare_counts),
        (ratings, compare_means),
        (log_normal, compare_means),
    ],
    ids=["counts", "ratings", "log-normal"],
)
@pytest.mark.parametrize("sizes", [(264, 26), (200, 12)], ids=str)
def test_equal_means_and_other_spreads_are_no_finding(draw, compare, sizes):
    rejected = 0
    for seed in range(SETS):
        random = np.random.default_rng([seed, *sizes])
        groups = [draw(random, sizes[0], False), draw(random, sizes[1], True)]
        test = compare(groups, min(sizes) < 20)
        assert test.p is not None or test.reason == TOO_SKEWED
        rejected += test.p is not None and test.p <= 0.05
    # Nominal 5 %: 8 % and three standard errors of so few tables.
    assert rejected <= SETS * (0.08 + 3 * np.sqrt(0.05 * 0.95 / SETS))


def test_true_shifts_are_found():
    random = np.random.default_rng(0)
    few = counts(random, 264, False), random.poisson(4.0, 26).astype(float)
    assert compare_counts(few, False).p < 0.01
    shifted = random.normal(size=200), random.normal(1.2, size=12)
    assert compare_means(shifted, True).p < 0.02
    higher = ratings(random, 264, False), random.binomial(4, 0.8, 26).astype(float)
    assert compare_means(higher, False).p < 0.001


def test_symmetric_columns_are_rarely_called_too_skewed():
    called = sum(
        skewness_of_means([random.normal(size=200), random.normal(size=12)]) > SKEWED
        for random in map(np.random.default_rng, range(200))
    )
    assert called <= 10


def test_a_group_without_events_is_compared_by_who_had_any():
    random = np.random.default_rng(1)
    found = compare_counts([np.zeros(30), random.poisson(1.0, 30).astype(float)], False)
    assert found.name == "Fisher's exact test of any event"
    assert found.p < 1e-4


def test_a_p_value_that_stops_where_rearrangements_end_says_so():
    apart, events = [np.arange(1.0, 16.0), np.arange(100.0, 115.0)], [np.ones(15)] * 2
    found = compare_survival(apart, events, True, np.random.default_rng(0))
    assert found.p == found.floor == 2 / (hypothesis_tests.RESAMPLES + 1)
    count = hypothesis_tests.RESAMPLES
    said = f"\u2264 {found.floor:g}, the smallest that {count:,} rearrangements can show"
    assert found.p_text == said
    assert found.stopped == f"p {said}."
    known = compare_survival(apart, events, False, np.random.default_rng(0))
    assert (known.p_text, known.stopped) == ("< 0.001", "")
