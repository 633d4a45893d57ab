"""One spread a row: its degrees of freedom are found, and a heavy-tailed cloud is no groups."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core import MAPDP
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.statistics.copula import copula_reference
from mapdp_studio.core.statistics.t_copula import TCopula


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
    assert low <= TCopula.of(Encoded.from_array(values, "normal")).degrees <= high


def test_a_draw_is_the_table_in_another_order_with_rows_far_out_in_everything():
    random = np.random.default_rng(1)
    values = cloud(random, 500, 2.5)
    values[random.random(values.shape) < 0.1] = np.nan
    copula = TCopula.of(Encoded.from_array(values, "normal"))
    drawn, gaussian = copula.draw(random).values, copula.gaussian.draw(random).values
    assert np.array_equal(np.isnan(drawn), np.isnan(values))
    assert np.array_equal(np.sort(drawn, axis=0), np.sort(values, axis=0), equal_nan=True)
    far = [np.nanmedian(np.abs(table), axis=1) for table in (values, drawn, gaussian)]
    own, of_t, of_gaussian = (np.quantile(one, 0.98) for one in far)
    assert of_t == pytest.approx(own, rel=0.25)
    assert of_gaussian < 0.75 * own


def test_a_table_that_does_not_vary_is_drawn_as_it_is():
    drawn = TCopula.of(Encoded.from_array(np.ones((30, 2)), "normal"))
    assert (drawn.draw(np.random.default_rng(0)).values == 1.0).all()


def test_a_heavy_tailed_cloud_is_no_groups():
    """One cloud in which the spread differs from row to row: a tight and a loose half are found."""
    random = np.random.default_rng(1)
    points = random.normal(size=(200, 6)) / np.sqrt(random.chisquare(3, 200) / 3)[:, None]
    model = MAPDP(random_state=0).fit(points)
    assert model.n_clusters_ > 1
    found = copula_reference(model, 19)
    assert (found.draws < found.observed).all()
    assert (found.heavy_tailed >= found.observed).sum() > 5
    assert found.p > 0.05
    assert "of a heavy-tailed continuum" in found.sentence
