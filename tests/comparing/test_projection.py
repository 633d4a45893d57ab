"""The shared view: where rows stand, and what its axes say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mapdp_studio.core.comparing.projection import MOST_ROWS, choose_view
from mapdp_studio.core.schema.encoded import Encoded, Unit
from mapdp_studio.demo_datasets.catalogue import EXAMPLES
from tests.classroom import room
from tests.tables.mixed import ENCODED, FRAME, N

RANDOM = np.random.default_rng(1)


def test_many_columns_stand_in_the_plane_of_most_variance():
    view = choose_view(ENCODED)
    complete = ~np.isnan(ENCODED.values).any(axis=1)
    levels = np.arange(len(ENCODED.units[-1].options["levels"]))
    features = np.column_stack([ENCODED.values[:, :-1], ENCODED.values[:, -1:] == levels])
    along = [features @ weights + constant for weights, constant in view.weights]
    assert view.points.dtype == np.float32
    np.testing.assert_allclose(view.points[complete], np.array(along).T[complete], atol=1e-5)
    assert np.corrcoef(view.points.T)[0, 1] == pytest.approx(0.0, abs=1e-6)
    assert view.x.title.startswith("component 1, ")


def test_a_pair_of_columns_is_labelled_in_its_own_units_and_jittered_the_same_every_time():
    view = choose_view(ENCODED, ("dose", "grade"))
    assert view.x.title == "dose (log scale)"
    assert all(np.log(float(text)) == pytest.approx(place) for place, text in view.x.ticks)
    assert [text for _, text in view.y.ticks] == ["1", "2", "3", "4"]
    assert "Jittered so that equal values stay apart: grade." in view.note
    first, second = (choose_view(ENCODED, ("colour", "weight")) for _ in range(2))
    np.testing.assert_array_equal(first.points, second.points)
    np.testing.assert_array_equal(first.points[:, 0].round(), ENCODED.values[:, 3])


def test_missing_values_stand_in_the_margin_and_no_row_is_lost():
    view = choose_view(ENCODED, ("weight", "colour"))
    assert len(view.points) == N
    assert view.x.ticks[0][1] == "missing"
    least = FRAME["weight"].min()
    assert (view.points[:5, 0] < least).all()
    assert (view.points[5:, 0] >= np.float32(least)).all()
    assert np.isfinite(view.points).all()
    assert view.x.low < view.points[:, 0].min()
    assert [text for _, text in view.y.ticks] == ["amber", "blue", "cyan"]
    assert view.weights is None


def test_one_column_is_a_strip_a_large_table_a_stated_sample_and_categories_are_jittered():
    strip = choose_view(Encoded(ENCODED.values[:, :1].copy(), ENCODED.units[:1]))
    assert (strip.y.title, strip.weights) == ("", None)
    values = RANDOM.normal(size=(MOST_ROWS + 1, 2))
    view = choose_view(Encoded.from_array(values, "normal"))
    assert view.rows.size == MOST_ROWS
    assert f"{MOST_ROWS:,} of the {MOST_ROWS + 1:,} rows" in view.note
    np.testing.assert_array_equal(view.points, values[view.rows].astype(np.float32))
    codes = RANDOM.integers(3, size=(200, 3)).astype(float)
    units = tuple(Unit(n, "categorical", (n,), {"levels": (0, 1, 2)}) for n in "abc")
    view = choose_view(Encoded(codes, units))
    assert "coincide" in view.note
    assert np.unique(view.points, axis=0).shape[0] == 200


@pytest.mark.parametrize("key", EXAMPLES)
def test_only_far_outliers_are_brought_to_the_edge(key):
    here = room(key, 600)
    points, shown = here.encoded.values.astype(np.float32), here.view.points
    moved = (shown != points).any(axis=1)
    if key != "5.3":
        assert not moved.any()
        return
    assert moved.sum() == 4
    assert "4 rows lie far outside" in here.view.note
    assert here.view.x.high - here.view.x.low < 0.5 * np.ptp(points[:, 0])
    middle = np.percentile(points, (5, 95), axis=0).mean(axis=0)
    edge, there = shown[moved] - middle, points[moved] - middle
    np.testing.assert_allclose(edge[:, 1] / edge[:, 0], there[:, 1] / there[:, 0], rtol=1e-4)
    # Arrows end at these rows, and point to where they lie.
    ways = here.view.ways
    np.testing.assert_array_equal(ways[:, 1], shown[moved])
    along = ways[:, 1] - ways[:, 0]
    np.testing.assert_allclose(along[:, 1] / along[:, 0], there[:, 1] / there[:, 0], rtol=1e-3)
    assert ((along * there).sum(axis=1) > 0).all()


def test_an_outlier_does_not_squash_the_plane_and_levels_stay_where_they_are():
    values = RANDOM.normal(size=(300, 4))
    values[0] = 500.0
    view = choose_view(Encoded.from_array(values, "normal"))
    assert "1 row lies far outside" in view.note
    assert np.ptp(view.points[1:, 0]) > 0.2 * (view.x.high - view.x.low)
    codes = np.where(np.arange(300) < 295, 0.0, 2.0)
    units = Unit("a", "normal", ("a",)), Unit("e", "categorical", ("e",), {"levels": (0, 1, 2)})
    table = Encoded(np.column_stack([values[:, 0], codes]), units)
    assert choose_view(table, ("a", "e")).y.high > 2.0
    counts = np.column_stack([RANDOM.normal(size=300), np.where(np.arange(300) == 0, 40.0, codes)])
    assert (
        choose_view(Encoded.from_array(counts, "normal")).y.high > 40.0
    )  # jittered: none is moved


# ---- axes of one unit


def table(names: str) -> Encoded:
    units = tuple(Unit(name, "normal", (name,)) for name in names.split("|"))
    spread = [1.0] * (len(units) - 1) + [9.0]
    return Encoded(np.random.default_rng(0).normal(size=(40, len(units))) * spread, units)


@pytest.mark.parametrize(
    ("names", "is_one"),
    [
        ("x|y", True),
        ("sepal length (cm)|petal length (cm)", True),
        ("bill_length_mm|bill_depth_mm", True),
        ("flipper_length_mm|body_mass_g", False),
        ("income|age", False),
        ("height (cm)|weight (kg)", False),
        ("income|age|visits", True),  # components of the standardised columns
    ],
)
def test_two_columns_have_one_unit_where_their_names_say_so(names, is_one):
    assert choose_view(table(names)).has_one_unit == is_one


def test_a_log_scale_has_another_unit_than_a_plain_one():
    lengths = table("a_mm|b_mm")
    logged = replace(lengths.units[0], options={"transform": "log"})
    mixed = replace(lengths, units=(logged, lengths.units[1]))
    assert not choose_view(mixed, ("a_mm", "b_mm")).has_one_unit


def test_no_panel_of_one_unit_is_more_than_twice_as_long_as_wide_nor_too_low():
    view, free = choose_view(table("x|y")), choose_view(table("income|age"))
    assert (view.y.low, view.y.high) == (free.y.low, free.y.high)
    across, up = (axis.high - axis.low for axis in (view.x, view.y))
    assert up == pytest.approx(2.0 * across)
    assert view.x.low + view.x.high == pytest.approx(free.x.low + free.x.high)
    now = view.no_lower(3.0).y
    assert now.high - now.low == pytest.approx(3.0 * across)
    assert now.high + now.low == pytest.approx(view.y.high + view.y.low)
    assert view.no_lower(0.1).y == view.y
    assert free.no_lower(3.0).y == free.y
