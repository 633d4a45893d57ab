"""Latitude and longitude are found, and left for the map."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core import infer_schema
from core.comparing.map_view import map_view
from core.schema.places import find_place

RANDOM = np.random.default_rng(0)
HOMES = pd.DataFrame(
    {
        "price": RANDOM.normal(100, 10, 50),
        "Latitude": RANDOM.normal(60.0, 0.1, 50),
        "lng": RANDOM.normal(16.4, 0.1, 50),
        "plateau": RANDOM.normal(1.0, 0.1, 50),
    }
)


def test_a_place_is_left_for_the_map():
    schema = infer_schema(HOMES)
    assert find_place(HOMES) == ("Latitude", "lng")
    assert [spec.role for spec in schema.values()] == ["cluster", "ignore", "ignore", "cluster"]
    assert schema["lng"].reason.startswith("Where the row is")
    means = {"Latitude": "Latitude, mean", "lng": "lng, mean"}  # as of the rows of one unit
    assert find_place(HOMES.rename(columns=means)) == tuple(means.values())


@pytest.mark.parametrize(
    "frame",
    [
        HOMES.drop(columns="lng"),
        HOMES.assign(Latitude=HOMES["Latitude"] + 40.0),
        HOMES.assign(Latitude=60, lng=16),
        HOMES.assign(start_lat=HOMES["Latitude"]),
    ],
    ids=["one of them", "beyond the pole", "whole numbers", "two places"],
)
def test_what_is_no_place_is_none(frame):
    assert find_place(frame) is None
    assert map_view(frame, ()) is None


def test_a_map_is_as_long_across_as_up_and_leaves_out_rows_without_a_place():
    frame = HOMES.assign(lng=HOMES["lng"].where(HOMES.index > 4))
    view = map_view(frame, ())
    assert view.rows.tolist() == list(range(5, 50))
    across, up = view.points.T
    np.testing.assert_allclose(up, frame["Latitude"][5:], rtol=1e-6)
    # At 60 degrees a degree of longitude is half as long as one of latitude.
    np.testing.assert_allclose(across, frame["lng"][5:] / 2, rtol=6e-3)
    assert view.has_one_unit
    assert view.note == "5 rows without a place."
