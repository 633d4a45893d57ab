"""Latitude and longitude are found, and left aside."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.schema.places import find_place

RANDOM = np.random.default_rng(0)
HOMES = pd.DataFrame(
    {
        "price": RANDOM.normal(100, 10, 50),
        "Latitude": RANDOM.normal(60.0, 0.1, 50),
        "lng": RANDOM.normal(16.4, 0.1, 50),
        "plateau": RANDOM.normal(1.0, 0.1, 50),
    }
)


def test_a_place_is_left_aside():
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
