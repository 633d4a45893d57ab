"""The shared view and its figure: where rows stand, what outlines hold, what is drawn how."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core.comparing.comparison import Truth
from core.comparing.outlines import RADIUS, outlines
from core.comparing.panels import Panel, truth_panel
from core.comparing.projection import MOST_ROWS, choose_view
from core.plots import SVG_LIMIT
from core.plots.panels import RING, STALE, panels_figure
from core.schema.encoded import Encoded, Unit
from core.schema.schema import ColumnSpec, Schema

RANDOM = np.random.default_rng(1)
N = 60
FRAME = pd.DataFrame(
    {
        "weight": RANDOM.normal(70.0, 9.0, N),
        "dose": np.exp(RANDOM.normal(1.0, 1.0, N)),
        "grade": RANDOM.integers(1, 5, N).astype(float),
        "colour": RANDOM.choice(["amber", "blue", "cyan"], N),
    }
)
FRAME.loc[:4, "weight"] = np.nan
SCHEMA = Schema(
    [
        ColumnSpec("weight", "normal"),
        ColumnSpec("dose", "normal", transform="log"),
        ColumnSpec("grade", "binomial", trials=4, offset=1.0),
        ColumnSpec("colour", "categorical"),
    ]
)
ENCODED = SCHEMA.encode(FRAME)


def features(encoded: Encoded) -> np.ndarray:
    """Codes, and one 0/1 column for each level of the last column."""
    levels = np.arange(len(encoded.units[-1].options["levels"]))
    return np.column_stack([encoded.values[:, :-1], encoded.values[:, -1:] == levels])


def test_many_columns_stand_in_the_plane_of_most_variance():
    view = choose_view(ENCODED)
    complete = ~np.isnan(ENCODED.values).any(axis=1)
    along = [features(ENCODED) @ weights + constant for weights, constant in view.weights]
    assert view.points.dtype == np.float32
    np.testing.assert_allclose(view.points[complete], np.array(along).T[complete], atol=1e-5)
    assert np.corrcoef(view.points.T)[0, 1] == pytest.approx(0.0, abs=1e-6)
    assert view.x.title.startswith("component 1, ")


def test_a_pair_of_columns_is_labelled_in_its_own_units():
    view = choose_view(ENCODED, ("dose", "grade"))
    assert view.x.title == "dose (log scale)"
    assert all(np.log(float(text)) == pytest.approx(place) for place, text in view.x.ticks)
    assert [text for _, text in view.y.ticks] == ["1", "2", "3", "4"]
    assert "Jittered" in view.note
    assert "grade" in view.note


def test_missing_values_stand_in_the_margin_and_no_row_is_lost():
    view = choose_view(ENCODED, ("weight", "colour"))
    assert len(view.points) == N
    assert view.x.ticks[0][1] == "missing"
    least = FRAME["weight"].min()
    assert (view.points[:5, 0] < least).all()
    assert (view.points[5:, 0] >= np.float32(least)).all()
    assert np.isfinite(view.points).all()
    assert [text for _, text in view.y.ticks] == ["amber", "blue", "cyan"]
    assert view.weights is None


def test_jitter_is_the_same_every_time_and_leaves_the_category_readable():
    first, second = (choose_view(ENCODED, ("colour", "weight")) for _ in range(2))
    np.testing.assert_array_equal(first.points, second.points)
    np.testing.assert_array_equal(first.points[:, 0].round(), ENCODED.values[:, 3])


def test_one_column_is_a_strip():
    one = Encoded(ENCODED.values[:, :1].copy(), ENCODED.units[:1])
    view = choose_view(one)
    assert view.y.title == ""
    assert view.weights is None


def test_a_large_table_is_shown_by_a_stated_sample():
    values = RANDOM.normal(size=(MOST_ROWS + 1, 2))
    view = choose_view(Encoded(values, tuple(Unit(n, "normal", (n,)) for n in "ab")))
    assert view.rows.size == MOST_ROWS
    assert f"{MOST_ROWS:,} of the {MOST_ROWS + 1:,} rows" in view.note
    np.testing.assert_array_equal(view.points, values[view.rows].astype(np.float32))


def test_categories_alone_are_jittered_in_their_plane():
    codes = RANDOM.integers(3, size=(200, 3)).astype(float)
    units = tuple(Unit(n, "categorical", (n,), {"levels": (0, 1, 2)}) for n in "abc")
    view = choose_view(Encoded(codes, units))
    assert "coincide" in view.note
    assert np.unique(view.points, axis=0).shape[0] == 200


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


def panels(view, n: int = 3) -> list[Panel]:
    labels = np.arange(len(view.points)) % 3 - 1
    names = ("cluster 1", "<b>bold</b>", "rest")
    panel = Panel("one <i>", "remark", labels, labels, names, ((0.0, 0.0, 0, "1"),))
    return [panel] * n


def test_panels_share_fixed_axes_and_show_every_row():
    view = choose_view(ENCODED)
    figure = panels_figure(view, panels(view, 5), n_columns=3)
    rows = [trace for trace in figure.data if trace.customdata is not None]
    assert len(rows) == 5
    for trace in rows:
        assert trace.x.dtype == np.float32
        assert sorted(trace.customdata) == list(range(1, N + 1))
    for k in range(1, 6):
        number = "" if k == 1 else str(k)
        for axis, expected in (("x", view.x), ("y", view.y)):
            drawn = figure.layout[f"{axis}axis{number}"]
            assert drawn.range == (expected.low, expected.high)
            assert drawn.matches == (None if k == 1 else axis)
    low = [figure.layout[f"yaxis{k}"].domain[0] for k in ("", 2, 3, 4, 5)]
    assert low[0] == low[1] == low[2] > low[3] == low[4]
    # Where nothing stands below, the axis is labelled.
    labelled = [figure.layout[f"xaxis{k}"].showticklabels for k in ("", 2, 3, 4, 5)]
    assert labelled == [False, False, True, True, True]


def test_few_points_are_svg_and_many_are_webgl():
    for n, kind in ((SVG_LIMIT, "scatter"), (SVG_LIMIT + 1, "scattergl")):
        units = tuple(Unit(name, "normal", (name,)) for name in "ab")
        view = choose_view(Encoded(RANDOM.normal(size=(n, 2)), units))
        figure = panels_figure(view, panels(view), n_columns=3)
        assert {trace.type for trace in figure.data} == {kind}


def test_tiny_clusters_are_grey_rings_and_stale_panels_faint():
    view = choose_view(ENCODED)
    panel = panels(view, 1)[0]
    fresh, stale = (
        panels_figure(view, [replace(panel, is_stale=stale)], 1).data[0].marker
        for stale in (False, True)
    )
    grey = panel.labels < 0
    symbols = np.frombuffer(b64decode(fresh.symbol["bdata"]), np.uint8)
    assert set(symbols[grey]) == {RING}
    assert RING not in symbols[~grey]
    assert len(set(fresh.color[grey])) == 1
    assert not set(fresh.color[grey]) & set(fresh.color[~grey])
    assert fresh.opacity > stale.opacity == STALE


def test_names_from_the_table_stay_text():
    view = choose_view(ENCODED)
    figure = panels_figure(view, panels(view, 1), 1)
    assert "&lt;b&gt;bold" in "".join(figure.data[0].text)
    assert "one &lt;i&gt;" in figure.layout.annotations[0].text


def test_rows_without_a_known_group_are_grey():
    view = choose_view(ENCODED)
    classes = np.arange(N) % 3 - 1
    panel = truth_panel(view, Truth("kind", classes, ("a", "b")))
    assert (panel.labels[classes < 0] == -1).all()
    assert panel.names[panel.codes[0]] == "not known"
    assert len(panel.badges) == 2
