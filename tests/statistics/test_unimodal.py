"""One mode, as near to a sample as can be: the dip, and what two classes become."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mapdp_studio.core.statistics.unimodal import Unimodal


def slopes(fitted: Unimodal) -> np.ndarray:
    return np.diff(fitted.below) / np.diff(fitted.at)


@pytest.mark.parametrize("kind", ["exponential", "two classes", "ties"])
def test_the_density_rises_to_one_mode_and_falls_from_it(kind):
    random = np.random.default_rng(0)
    sample = {
        "exponential": random.exponential(size=300),
        "two classes": np.r_[random.normal(-4, 1, 200), random.normal(4, 1, 100)],
        "ties": random.binomial(6, 0.4, 200).astype(np.float64),
    }[kind]
    fitted = Unimodal.of(sample)
    turns = np.sign(np.diff(slopes(fitted)).round(9))
    turns = turns[turns != 0]
    assert (np.diff(turns) <= 0).all()
    assert (fitted.below[0], fitted.below[-1]) == pytest.approx((0.0, 1.0))
    drawn = fitted.draw(20_000, random)
    assert sample.min() <= drawn.min() < drawn.max() <= sample.max()
    assert stats.kstest(drawn, lambda x: np.interp(x, fitted.at, fitted.below)).pvalue > 0.001


def test_one_mode_is_kept_and_two_are_far_from_it():
    random = np.random.default_rng(1)
    skewed = Unimodal.of(random.exponential(size=400))
    apart = Unimodal.of(np.r_[random.normal(-4, 1, 200), random.normal(4, 1, 200)])
    assert skewed.distance < 0.04
    assert apart.distance > 0.12
    filled = apart.draw(5000, random)
    assert np.mean(np.abs(filled) < 2.0) > 0.2


def test_one_value_is_a_distribution_too():
    assert (Unimodal.of(np.full(5, 3.0)).draw(4, np.random.default_rng(0)) == 3.0).all()
