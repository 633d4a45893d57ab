"""The shared view: where rows stand, and what its axes say."""

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
    assert view.has_one_unit


def test_a_pair_of_columns_is_labelled_in_its_own_units_and_jittered_the_same_every_time():
    view = choose_view(ENCODED, ("dose", "grade"))
    assert view.x.title == "dose (log scale)"
    assert all(np.log(float(text)) == pytest.approx(place) for place, text in view.x.ticks)
    assert [text for _, text in view.y.ticks] == ["1", "2", "3", "4"]
    assert "Jittered so that equal values stay apart: grade." in view.note
    first, second = (choose_view(ENCODED, ("colour", "weight")) for _ in range(2))
    np.testing.assert_array_equal(first.points, second.points)
    np.testing.assert_array_equal(first.points[:, 0].round(), ENCODED.values[:, 3])


@pytest.mark.parametrize(
    ("transform", "numbers", "ticks"),
    [
        ("log", (0.02, 5e5), "0.01 1 100 10,000 1e+06"),
        ("log", (2.0, 150.0), "3 10 30 100"),
        ("log", (4.0, 31.0), "5 10 20"),
        ("log", (4.0, 9.0), "4 5 6 7 8 9"),
        ("sqrt", (0.0, 90.0), "2 4 6 8 20 40 60 80"),
    ],
)
def test_ticks_of_a_scale_are_round_numbers(transform, numbers, ticks):
    unit = Unit("a", "normal", ("a",), {"transform": transform})
    low, high = (np.log if transform == "log" else np.sqrt)(numbers)
    table = Encoded(np.linspace(low, high, 40)[:, None], (unit,))
    found = choose_view(table).x.ticks
    assert " ".join(text for _, text in found) == ticks
    back = np.exp if transform == "log" else np.square
    assert all(back(place) == pytest.approx(float(text.replace(",", ""))) for place, text in found)


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
    assert ((np.diff(ways, axis=1)[:, 0] * there).sum(axis=1) > 0).all()


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
    jittered = choose_view(Encoded.from_array(counts, "normal"))  # none is moved
    assert jittered.y.high > 40.0


def test_x_and_y_have_one_unit_and_no_panel_of_theirs_is_low_or_narrow():
    def view(*names):
        units = tuple(Unit(name, "normal", (name,)) for name in names)
        return choose_view(Encoded(RANDOM.normal(size=(40, 2)) * [1.0, 9.0], units))

    tied, free = view("x", "Y"), view("income", "age")
    assert (tied.has_one_unit, free.has_one_unit) == (True, False)
    across, up = (axis.high - axis.low for axis in (tied.x, tied.y))
    assert up == pytest.approx(1.3 * across)
    assert abs(tied.x.low + tied.x.high) < 3.0  # about the same middle
    assert free.y.high - free.y.low > 5.0 * (free.x.high - free.x.low)
    logged = replace(tied.units[0], options={"transform": "log"})
    table = Encoded(RANDOM.normal(size=(40, 2)), (logged, tied.units[1]))
    assert not choose_view(table).has_one_unit
