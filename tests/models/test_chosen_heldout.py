"""The chosen model's density of unseen rows: in the data's units, and near the truth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import lognorm

from mapdp_studio.core import choose_model, infer_schema
from tests.benchmarks.chosen_heldout import CHOSEN, INTERVALS, SUGGESTED, held_out, unseen

#: Means and spreads of the logarithms of two columns in two groups as large.
MEANS, SPREADS = np.array([[0.0, 1.0], [2.0, 4.0]]), np.array([[0.8, 0.6], [0.5, 0.7]])


def _log_normal(n: int, seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    group = random.integers(2, size=n)
    x = np.exp(MEANS[group] + SPREADS[group] * random.normal(size=(n, 2)))
    return pd.DataFrame(x, columns=list("ab"))


def _truth(frame: pd.DataFrame) -> np.ndarray:
    parts = lognorm.pdf(frame.to_numpy()[:, None], SPREADS, scale=np.exp(MEANS))
    return np.log(parts.prod(axis=2).mean(axis=1))


def _read_as(frame, **changes):
    """The suggested schema with every column read otherwise, though not by hand."""
    schema = infer_schema(frame)
    for name in frame:
        schema = schema.with_column(name, reason="Because.", **changes)
    return schema.completed(frame)


def test_it_is_above_that_of_a_wrong_scale_and_near_the_truth():
    train, test = _log_normal(400, 0), _log_normal(400, 1)
    found, lost = held_out(train, test, _read_as(train, family="normal", transform=None))
    assert lost == 0
    for wrong in (SUGGESTED, INTERVALS):
        above = found[CHOSEN] - found[wrong]
        assert above.mean() > 4.0 * above.std() / np.sqrt(len(test))
    assert (_truth(test) - found[CHOSEN]).mean() == pytest.approx(0.0, abs=0.05)


def test_it_is_a_density_of_the_data_whatever_the_transform():
    train = _log_normal(300, 2)[["a"]]
    grid = pd.DataFrame({"a": np.geomspace(1e-6, 1e6, 4_000)})
    for transform in (None, "log"):
        schema = _read_as(train, family="normal", transform=transform)
        assert choose_model(train, schema).schema["a"].transform == "log"
        density = np.exp(held_out(train, grid, schema)[0][CHOSEN])
        assert np.trapezoid(density, grid["a"]) == pytest.approx(1.0, abs=0.005)


def test_a_count_read_as_a_measurement_has_probabilities():
    random = np.random.default_rng(0)
    train = pd.DataFrame({"a": np.rint(random.normal(60.0, 2.0, 300)).astype(int)})
    schema = _read_as(train, family="poisson")
    assert choose_model(train, schema).schema["a"].family == "normal"
    found, _ = held_out(train, pd.DataFrame({"a": range(121)}), schema)
    for name in (SUGGESTED, CHOSEN):
        assert np.exp(found[name]).sum() == pytest.approx(1.0, abs=0.02)


def test_a_value_that_a_category_lacks_is_charged():
    train = pd.DataFrame({"a": [0, 9] * 100, "b": np.tile([0, 0, 9, 9], 50)})
    schema = _read_as(train, family="poisson")
    test = pd.DataFrame({"a": [0, 4], "b": [9, 9]})
    chosen = choose_model(train, schema).schema
    assert chosen["a"].family == "categorical"
    np.testing.assert_array_equal(unseen(test, schema, chosen), [0, 1])
    found, lost = held_out(train, test, schema)
    assert lost == 1
    assert found[CHOSEN][1] < found[CHOSEN][0]
