"""Outlines hold 95 % of what the model says of a cluster."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.comparing.outlines import RADIUS, outlines
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.schema.encoded import Encoded, Unit
from tests.tables.mixed import ENCODED

RANDOM = np.random.default_rng(1)


def test_an_outline_holds_95_percent_of_a_gaussian_block():
    covariance = np.array([[4.0, 1.5], [1.5, 1.0]])
    mean = np.array([3.0, -1.0])
    table = RANDOM.normal(size=(50, 2))
    view = choose_view(Encoded(table, (Unit("both", "gaussian", ("a", "b")),)), ("a", "b"))
    (curve,) = outlines(view, [{"both": {"mean": mean, "covariance": covariance}}])
    steps = curve.astype(np.float64) - mean
    distance = np.einsum("ij,jk,ik->i", steps, np.linalg.inv(covariance), steps)
    np.testing.assert_allclose(distance, RADIUS**2, rtol=1e-4)
    assert np.exp(-(RADIUS**2) / 2) == pytest.approx(0.05)


def test_an_outline_in_the_plane_has_the_moments_of_the_mixed_model():
    view = choose_view(ENCODED)
    cluster = {
        "weight": {"mean": 75.0, "sd": 4.0},
        "dose": {"mean": 1.2, "sd": 0.3},
        "grade": {"mean": 1.6, "probability": 0.4},
        "colour": {"probabilities": [0.2, 0.5, 0.3]},
    }
    (curve,) = outlines(view, [cluster])
    random, n = np.random.default_rng(0), 200_000
    drawn = np.column_stack(
        [
            random.normal(75.0, 4.0, n),
            random.normal(1.2, 0.3, n),
            random.binomial(4, 0.4, n),
            random.multinomial(1, [0.2, 0.5, 0.3], n),
        ]
    )
    points = np.column_stack([drawn @ weights + constant for weights, constant in view.weights])
    np.testing.assert_allclose(curve[:-1].mean(axis=0), points.mean(axis=0), atol=0.02)
    scatter = 2.0 * np.cov(curve[:-1].T, bias=True) / RADIUS**2
    np.testing.assert_allclose(scatter, np.cov(points.T), rtol=0.03, atol=0.005)
