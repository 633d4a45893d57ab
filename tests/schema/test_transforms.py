"""Laws of what is done to numbers before a likelihood reads them, for every transform there is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import ColumnSpec, Schema, SchemaError, choose_model, infer_schema
from mapdp_studio.core.inference.imputation import put_back
from mapdp_studio.core.models.choice.candidates import candidates_of
from mapdp_studio.core.schema.encode import decode_column, encode_column
from mapdp_studio.core.schema.transforms import TRANSFORMS, jacobian
from mapdp_studio.core.statistics.variables import Variable

NUMBERS = np.array([0.5, 1.0, 3.0, 40.0, 1e6])
EACH = pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)


def column(transform: str | None, values: np.ndarray = NUMBERS) -> tuple[pd.Series, ColumnSpec]:
    return pd.Series(values, name="x"), ColumnSpec("x", "normal", "cluster", transform=transform)


@EACH
def test_it_is_taken_back_and_its_slope_is_the_derivative(transform):
    cells, spec = column(transform.name)
    images = encode_column(cells, spec)
    np.testing.assert_allclose(decode_column(images, spec), NUMBERS, rtol=1e-12)
    assert (decode_column(images - 1e3, spec) >= 0.0).all()
    h = 1e-6 * NUMBERS
    rise = (transform.forward(NUMBERS + h) - transform.forward(NUMBERS - h)) / (2.0 * h)
    np.testing.assert_allclose(transform.slope(NUMBERS, 0.0), rise, rtol=1e-6)
    np.testing.assert_allclose(jacobian(images, transform.name), -np.log(rise), atol=1e-6)


@EACH
def test_0_has_the_mean_slope_of_its_step_or_is_refused(transform):
    cells, spec = column(transform.name, np.array([0.0, 2.0, 5.0]))
    if not transform.takes_zero:
        with pytest.raises(SchemaError, match="above 0"):
            encode_column(cells, spec)
        return
    half = transform.forward(np.array([0.5]))
    np.testing.assert_allclose(transform.slope(np.zeros(1), 1.0), half / 0.5)
    with pytest.raises(SchemaError, match="0 or more"):
        encode_column(cells - 1.0, spec)


@EACH
def test_a_likelihood_says_the_same_in_other_units(transform):
    random = np.random.default_rng(0)
    cells = pd.DataFrame({"x": np.rint(random.gamma(2.0, 50.0, 200)) + 1.0})
    labels, costs = np.arange(200) % 2, []
    for factor in (1.0, 1000.0):
        _, spec = column(transform.name)
        (found, *_) = candidates_of(factor * cells, Schema([spec]), 1.0)["x"]
        costs.append(found.given(labels)[1])
    assert costs[1] - costs[0] == pytest.approx(200 * np.log(1000.0), abs=1e-6)


@EACH
def test_blanks_are_filled_and_tests_made_in_the_table_s_units(transform):
    _, spec = column(transform.name)
    frame, schema = pd.DataFrame({"x": [*NUMBERS, np.nan]}), Schema([spec])
    encoded = schema.encode(frame)
    image = transform.forward(np.array([9.0]))
    values, spread = encoded.values.copy(), np.full((6, 1), np.nan)
    values[5], spread[5] = image, 0.1
    filled, spreads = put_back(frame, schema, encoded, values, spread)
    assert filled["x"][5] == pytest.approx(9.0)
    assert spreads["x"][5] == pytest.approx(0.1 / transform.slope(np.array([9.0]), 0.0)[0])
    np.testing.assert_allclose(Variable.of(frame, schema, "x").amounts[:5], NUMBERS)


def test_amounts_of_which_some_are_0_are_one_group_by_their_roots():
    random = np.random.default_rng(1)
    frame = pd.DataFrame({name: np.rint(random.gamma(0.8, 60.0, 300)) for name in "abc"})
    choice = choose_model(frame, infer_schema(frame))
    assert {choice.schema[name].transform for name in "abc"} <= {"sqrt", "cbrt"}
    assert choice.model.n_clusters_ == 1
    assert choice.objective < choice.suggested_objective
    assert "in cube roots" in choice.text or "in square roots" in choice.text
