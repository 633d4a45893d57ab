"""Groups whose means do not differ are tighter and looser, never subtypes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import ColumnSpec, Schema
from mapdp_studio.core.clinical.t_tests import TTests, read_columns
from mapdp_studio.core.clinical.verdict import ONLY_SPREAD, means_of, traffic_light
from tests.clinical.test_traffic_light import known, reference_of


def tightness(shift: float, kinds: bool = False) -> TTests:
    """A tight group of 50 and a loose one of 40, found without whichever column is left out."""
    random, labels = np.random.default_rng(5), np.repeat([0, 1], [50, 40])
    table = {name: random.normal(size=90) * (1 + 3 * labels) for name in "abcd"}
    table["a"] += shift * labels
    if kinds:
        odds = np.where(labels[:, None] == 1, [0.8, 0.1, 0.1], [0.1, 0.1, 0.8])
        table["name"] = [random.choice(["x", "y", "z"], p=p) for p in odds]
    frame = pd.DataFrame(table)
    specs = [ColumnSpec(c, "categorical" if c == "name" else "normal") for c in frame]
    names = tuple(frame)
    columns = read_columns(frame, Schema(specs))
    return TTests(columns, names, labels, ("Group 1", "Group 2"), dict.fromkeys(names, labels))


def light_of(tests: TTests):
    return traffic_light(tests.labels, known(), reference_of(0.01), None, means_of(tests))


def test_groups_that_differ_in_spread_alone_are_never_green():
    means = means_of(tightness(0.0))
    assert means.alike == ("Group 1 and Group 2",)
    light = light_of(tightness(0.0))
    assert (light.colour, light.headline) == ("amber", ONLY_SPREAD)
    assert "tighter and looser" in light.clauses[-2].sentence


@pytest.mark.parametrize("tests", [tightness(6.0), tightness(0.0, kinds=True)])
def test_one_mean_or_one_column_of_names_that_differs_is_enough(tests):
    light = light_of(tests)
    assert (light.colour, light.provisional) == ("green", False)
    assert light.clauses[-2].colour == "green"


def test_before_all_columns_are_left_out_nothing_is_green():
    tests = tightness(6.0)
    light = light_of(replace(tests, without={"a": tests.labels}))
    assert light.provisional
    assert light.colour == "amber"
    assert "1 of 4 columns" in light.clauses[-2].sentence


def test_groups_that_rest_on_a_column_are_not_called_tighter_and_looser():
    """Far apart in one column, without which they are not found: nothing says that it is spread."""
    tests = tightness(0.0)
    resting = replace(tests, without=tests.without | {"b": None})
    means = means_of(resting)
    assert (means.alike, means.resting) == ((), ("Group 1 and Group 2",))
    light = light_of(resting)
    assert (light.colour, light.clauses[-2].colour) == ("amber", "amber")
    assert light.headline != ONLY_SPREAD
    assert "rest on these alone" in light.clauses[-2].sentence
