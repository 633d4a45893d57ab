"""Groups beside those of tables that have everything but groups."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core import MAPDP
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.statistics.copula import copula_reference, rank_one_share


def test_a_gain_no_larger_than_the_reference_s_is_not_rejected():
    random = np.random.default_rng(1)
    severity = random.normal(size=(120, 1)) + 0.5 * random.normal(size=(120, 8))
    found = copula_reference(MAPDP(random_state=0).fit(severity), 19)
    assert found.p > 0.05
    group = random.integers(3, size=120)
    crossing = 2.5 * np.eye(3)[group][:, np.arange(12) % 3] + random.normal(size=(120, 12))
    model = MAPDP(random_state=0).fit(crossing)
    found = copula_reference(model, 19)
    assert found.p == pytest.approx(0.05)
    assert "0 of 19" in found.sentence
    assert [draws.size for draws in found.kinds.values()] == [19, 19, 19, 19]
    assert rank_one_share(model.columns_.encoded, model.labels_) < 0.7


def test_a_course_that_bends_is_no_groups():
    """Half of the symptoms rise, the others come and go: a Gaussian continuum gains less."""
    random = np.random.default_rng(0)
    at = random.uniform(-1.5, 1.5, 150)
    curve = np.column_stack([1.3 * at, 1.3 * (at**2 - 0.75)])[:, np.arange(12) % 2]
    course = curve + random.normal(size=curve.shape)
    found = copula_reference(MAPDP(random_state=0).fit(course), 19)
    assert (found.draws < found.observed).all()
    assert (found.bending >= found.observed).any()
    assert found.p > 0.05
    assert "along one course that may bend" in found.sentence


def test_groups_along_one_line_have_rank_one():
    severity = np.linspace(-2, 2, 300)[:, None] * np.array([1.0, -1.0, 0.5])
    labels = np.repeat([0, 1, 2], 100)
    encoded = Encoded.from_array(severity, "normal")
    assert rank_one_share(encoded, labels) == pytest.approx(1.0)
    assert rank_one_share(encoded, np.repeat([0, 1], 150)) is None
