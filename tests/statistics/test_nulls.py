"""Tables without groups: margins, holes and correlations kept, tails and skewness found."""

import numpy as np
import pytest
from scipy import stats

from mapdp_studio.core.schema.encoded import Encoded, Unit
from mapdp_studio.core.statistics.nulls import (
    CORRELATED,
    HEAVY,
    KINDS,
    SKEWED,
    Copula,
    correlations,
    references,
    standardised,
)


def of(kind: str, encoded: Encoded) -> Copula:
    return dict(references(encoded))[kind]


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


def in_the_order_of_the_factor(table: np.ndarray) -> np.ndarray:
    level = np.array([1.0, 2.0, 0.0])  # of the category, along the factor
    codes = np.nan_to_num(table[:, 4]).astype(int)
    named = np.where(np.isnan(table[:, 4]), np.nan, level[codes])
    return np.column_stack([table[:, :4], named, table[:, 5:]])


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_keeps_values_and_holes_and_all_but_the_shuffled_its_rank_correlations(kind):
    encoded = mixed_table()
    null = of(kind, encoded)
    tables = [null.draw(np.random.default_rng(b)).values for b in range(20)]
    for table in tables:
        assert (np.isnan(table) == np.isnan(encoded.values)).all()
        for own, drawn in zip(encoded.values.T, table.T, strict=True):
            assert np.array_equal(np.sort(own), np.sort(drawn), equal_nan=True)
    own, *drawn = (
        stats.spearmanr(in_the_order_of_the_factor(table), nan_policy="omit").statistic
        for table in (encoded.values, *tables)
    )
    expected = np.eye(7) if kind == "shuffled" else own
    # One skewed side makes rows agree there more than the same correlation does elsewhere.
    near = 0.08 if kind == "skewed" else 0.04
    assert np.mean(drawn, axis=0) == pytest.approx(expected, abs=near)


@pytest.mark.parametrize("kind", KINDS)
def test_a_two_part_column_has_numbers_where_its_outcome_is_one(kind):
    """Costs with zeros: drawn apart, one half would tell who has the other."""
    random = np.random.default_rng(2)
    severity = random.exponential(size=300)
    paid = severity + random.normal(size=300) > 1.0
    values = np.column_stack(
        [severity, random.normal(size=300) - severity, np.where(paid, severity, np.nan), ~paid]
    )
    values[:20, 2:] = np.nan  # nobody knows
    units = [Unit(name, "normal", (name,)) for name in ("severity", "walk", "cost")]
    options = {"of": "cost", "levels": ("number", "0")}
    encoded = Encoded(values, (*units, Unit("cost 0", "bernoulli", ("cost 0",), options)))
    drawn = of(kind, encoded).draw(random).values
    assert np.array_equal(np.isnan(drawn[:, 2]), drawn[:, 3] != 0)
    assert np.array_equal(np.isnan(drawn[:, 3]), np.isnan(values[:, 3]))
    assert not np.array_equal(drawn[20:, 3], values[20:, 3])
    assert np.mean(drawn[:, 3] == 0) == pytest.approx(np.mean(values[:, 3] == 0), abs=0.12)


def test_correlations_over_the_rows_that_have_both():
    random = np.random.default_rng(5)
    values = random.normal(size=(50, 3)) @ random.normal(size=(3, 3))
    values[random.random(values.shape) < 0.2] = np.nan
    both = ~np.isnan(values[:, :2]).any(axis=1)
    expected = np.corrcoef(values[both, 0], values[both, 1])[0, 1]
    assert correlations(values)[0, 1] == pytest.approx(expected)
    constant = np.column_stack([values[:, 0], np.ones(50), np.full(50, np.nan)])
    assert correlations(constant)[0].tolist() == [1.0, 0.0, 0.0]


def cloud(random: np.random.Generator, n: int, degrees: float) -> np.ndarray:
    """Eight columns, correlated, of a multivariate t distribution; infinitely many: normal."""
    points = random.normal(size=(n, 8)) + 0.7 * random.normal(size=(n, 1))
    if np.isfinite(degrees):
        points /= np.sqrt(random.chisquare(degrees, n) / degrees)[:, None]
    return points


@pytest.mark.parametrize("steps", [None, (-1.2, -0.4, 0.4, 1.2)])
@pytest.mark.parametrize(("degrees", "low", "high"), [(3.0, 2.0, 3.0), (np.inf, 15.0, np.inf)])
def test_the_degrees_of_freedom_have_a_lower_bound(steps, degrees, low, high):
    """Of numbers, and of answers of five levels, whose ties hide the tails; with holes in both."""
    random = np.random.default_rng(3)
    values = cloud(random, 400, degrees)
    if steps is not None:
        values = np.digitize(values, steps).astype(np.float64)
    values[random.random(values.shape) < 0.1] = np.nan
    assert low <= of(HEAVY, Encoded.from_array(values, "normal")).degrees <= high


def test_rows_of_a_heavy_tailed_table_are_far_out_in_everything():
    random = np.random.default_rng(1)
    values = cloud(random, 500, 2.5)
    values[random.random(values.shape) < 0.1] = np.nan
    encoded = Encoded.from_array(values, "normal")
    tables = [values, *(of(kind, encoded).draw(random).values for kind in (HEAVY, CORRELATED))]
    far = [np.nanmedian(np.abs(table), axis=1) for table in tables]
    own, of_t, of_gaussian = (np.quantile(one, 0.98) for one in far)
    assert of_t == pytest.approx(own, rel=0.25)
    assert of_gaussian < 0.75 * own


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_skewed_table_thins_out_to_the_same_side_at_least_as_much(sign):
    """Many mild, few severe: without skewness rows are as far out on the other side."""
    random = np.random.default_rng(0)
    values = sign * random.exponential(size=(600, 1)) + 0.7 * random.normal(size=(600, 6))
    values[:, ::2] *= -1.0
    encoded = Encoded.from_array(values, "normal")

    def skewness(table: Encoded) -> float:
        return stats.skew(standardised(table) @ np.tile([-1.0, 1.0], 3))

    own, nulls = skewness(encoded), (of(kind, encoded) for kind in (SKEWED, CORRELATED))
    drawn, gaussian = (np.mean([skewness(null.draw(random)) for _ in range(10)]) for null in nulls)
    assert np.sign(own) == sign
    assert abs(own) * 0.9 < abs(drawn) < abs(own) * 1.5
    assert np.sign(drawn) == sign
    assert abs(gaussian) < 0.8 * abs(own)


def test_a_table_that_does_not_vary_is_drawn_as_it_is():
    encoded = Encoded.from_array(np.ones((30, 2)), "normal")
    for _, kind in references(encoded):
        assert (kind.draw(np.random.default_rng(0)).values == 1.0).all()
