"""Panels: which points are drawn, how, on what axes."""

from __future__ import annotations

from base64 import b64decode
from dataclasses import replace

import numpy as np

from core.comparing.panels import MOST_COLOURS, Panel, truth_panel
from core.comparing.projection import choose_view
from core.plots.panels import RING, STALE, SVG_LIMIT, panels_figure
from core.plots.template import PALETTE, SYMBOLS
from core.schema.encoded import Encoded, Unit
from tests.classroom import room
from tests.tables.mixed import ENCODED, N

RANDOM = np.random.default_rng(1)


def panels(view, n: int = 3) -> list[Panel]:
    labels = np.arange(len(view.points)) % 3 - 1
    names = ("cluster 1", "<b>bold</b>", "rest")
    panel = Panel("one <i>", "remark", labels, labels, names, ((0.0, 0.0, 0),))
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


def test_small_clusters_are_ringed_in_webgl():
    here = room("5.3", 2000)
    figure = panels_figure(here.view, [truth_panel(here.view, here.truth)], 1)
    rows, rings = figure.data[:2]
    is_grey = rows.marker.color == len(PALETTE)
    assert rings.type == "scattergl"
    assert rings.marker.line.width > 0
    np.testing.assert_array_equal(rings.x, rows.x[is_grey])
    assert len(rings.x) == 4


def test_no_two_clusters_with_a_colour_share_their_mark():
    view = choose_view(
        Encoded(RANDOM.normal(size=(MOST_COLOURS, 2)), (Unit("xy", "gaussian", ("x", "y")),))
    )
    labels = np.arange(MOST_COLOURS)
    panel = Panel("all", "", labels, labels, tuple(map(str, labels)))
    (rows,) = panels_figure(view, [panel], 1).data
    symbols = np.frombuffer(b64decode(rows.marker.symbol["bdata"]), np.uint8)
    assert len(set(zip(rows.marker.color.tolist(), symbols.tolist(), strict=True))) == MOST_COLOURS
    assert len(PALETTE) * len(SYMBOLS) == MOST_COLOURS


def test_lit_rows_stand_out_once_more_and_all_others_are_faint():
    view = choose_view(ENCODED)
    (panel,) = panels(view, 1)
    apart = np.arange(N) % 7 == 0
    rows, strong = panels_figure(view, [replace(panel, apart=apart)], 1, is_lit=True).data[:2]
    assert rows.marker.opacity == STALE
    assert len(rows.x) == N
    assert strong.marker.opacity == 1.0
    np.testing.assert_array_equal(strong.x, view.points[apart, 0])
    np.testing.assert_array_equal(strong.marker.color, rows.marker.color[apart])
    assert strong.customdata is None


def test_arrows_end_where_rows_stand_at_the_edge():
    view = room("5.3", 300).view
    bare = panels_figure(replace(view, ways=None), panels(view, 1), 1)
    figure = panels_figure(view, panels(view, 1), 1)
    assert len(figure.data) == len(bare.data) + 1
    (arrows,) = [trace for trace in figure.data if trace.mode == "lines"]
    ends = {(x, y) for x, y in zip(arrows.x, arrows.y, strict=True) if x == x}
    assert {tuple(way[1]) for way in view.ways} <= ends
