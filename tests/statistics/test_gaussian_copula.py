"""Tables with the margins and rank correlations of another, without its groups."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from mapdp_studio.core.schema.encoded import Encoded, Unit
from mapdp_studio.core.statistics.gaussian_copula import GaussianCopula, correlations


def mixed_table(n: int = 800) -> Encoded:
    """Six columns of every sort behind one factor, and one that has nothing to do with it."""
    random = np.random.default_rng(3)
    severity = random.normal(size=n)
    noisy = severity[:, None] * 0.8 + 0.6 * random.normal(size=(n, 6))
    values = np.column_stack(
        [
            np.exp(noisy[:, 0]),
            noisy[:, 1] > 1.0,
            np.digitize(noisy[:, 2], [-1, 0, 1]),
            np.floor(np.exp(noisy[:, 3])),
            np.array([2, 0, 1])[np.digitize(noisy[:, 4], [-0.5, 0.5])],
            -noisy[:, 5],
            random.normal(size=n),
        ]
    ).astype(np.float64)
    values[random.random(values.shape) < 0.1] = np.nan
    families = ["normal", "bernoulli", "binomial", "poisson", "categorical", "normal", "normal"]
    units = tuple(
        Unit(f"x{j}", family, (f"x{j}",), {"levels": (0, 1, 2), "trials": 3})
        for j, family in enumerate(families)
    )
    return Encoded(values, units)


def test_a_copula_keeps_margins_holes_and_rank_correlations():
    encoded = mixed_table()
    copula = GaussianCopula.of(encoded)
    tables = [copula.draw(np.random.default_rng(b)).values for b in range(20)]
    for table in tables:
        assert (np.isnan(table) == np.isnan(encoded.values)).all()
        for own, drawn in zip(encoded.values.T, table.T, strict=True):
            assert np.array_equal(np.sort(own), np.sort(drawn), equal_nan=True)
    level = np.array([1.0, 2.0, 0.0])  # of the category, along the factor
    orderly = [
        np.column_stack([t[:, :4], level[np.nan_to_num(t[:, 4]).astype(int)], t[:, 5:]])
        for t in (encoded.values, *tables)
    ]
    own, *drawn = (stats.spearmanr(t, nan_policy="omit").statistic for t in orderly)
    assert np.mean(drawn, axis=0) == pytest.approx(own, abs=0.04)


def test_correlations_over_the_rows_that_have_both():
    random = np.random.default_rng(5)
    values = random.normal(size=(50, 3)) @ random.normal(size=(3, 3))
    values[random.random(values.shape) < 0.2] = np.nan
    both = ~np.isnan(values[:, :2]).any(axis=1)
    expected = np.corrcoef(values[both, 0], values[both, 1])[0, 1]
    assert correlations(values)[0, 1] == pytest.approx(expected)
    constant = np.column_stack([values[:, 0], np.ones(50), np.full(50, np.nan)])
    assert correlations(constant)[0].tolist() == [1.0, 0.0, 0.0]
