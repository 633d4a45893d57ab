"""Laws of what is done to numbers before a likelihood reads them, for every transform there is."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import ColumnSpec, Schema, SchemaError
from mapdp_studio.core.models.choice.model import Dataset
from mapdp_studio.core.schema.encode import decode_column, encode_column
from mapdp_studio.core.schema.transforms import TRANSFORMS, jacobian

NUMBERS = np.array([0.5, 1.0, 3.0, 40.0, 1e6])


@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_a_transform_keeps_its_laws(transform):
    spec, cells = ColumnSpec("x", "normal", transform=transform.name), pd.Series(NUMBERS)
    images = encode_column(cells, spec)
    np.testing.assert_allclose(decode_column(images, spec), NUMBERS, rtol=1e-12)
    assert (decode_column(images - 1e3, spec) >= 0.0).all()
    h = 1e-6 * NUMBERS
    rise = (transform.forward(NUMBERS + h) - transform.forward(NUMBERS - h)) / (2.0 * h)
    np.testing.assert_allclose(transform.slope(NUMBERS, 0.0), rise, rtol=1e-6)
    np.testing.assert_allclose(jacobian(images, transform.name), -np.log(rise), atol=1e-6)
    # 0 has the mean slope of its step or is refused.
    if transform.takes_zero:
        half = transform.forward(np.array([0.5]))
        np.testing.assert_allclose(transform.slope(np.zeros(1), 1.0), half / 0.5)
        rise = np.diff(transform.forward(np.array([1.5, 2.5])))
        np.testing.assert_allclose(transform.slope(np.full(1, 2.0), 1.0), rise)
    wrong, says = (-1.0, "0 or more") if transform.takes_zero else (0.0, "above 0")
    with pytest.raises(SchemaError, match=says):
        encode_column(pd.Series([wrong, 2.0]), spec)
    # A likelihood says the same in other units.
    amounts = np.rint(np.random.default_rng(0).gamma(2.0, 50.0, 200)) + 1.0
    tables = (pd.DataFrame({"x": factor * amounts}) for factor in (1.0, 1000.0))
    datasets = (Dataset.of(table, Schema([spec])) for table in tables)
    one, other = (data.given(np.arange(200) % 2)[0]["x"][0].cells for data in datasets)
    assert other - one == pytest.approx(200 * np.log(1000.0), abs=1e-6)
