"""Panels: which points are drawn, how, on what axes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mapdp_studio.core.comparing.panels import MOST_COLOURS, Panel, truth_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.plots.panel_traces import CLEAR_OF, STALE
from mapdp_studio.core.plots.panels import SVG_LIMIT, panels_figure
from mapdp_studio.core.plots.template import INK, PALETTE, SYMBOLS
from mapdp_studio.core.schema.encoded import Encoded, Unit
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
    for number in ("", 2, 3, 4, 5):
        own = [trace for trace in rows if trace.xaxis == f"x{number}"]
        assert sorted(np.concatenate([t.customdata for t in own])) == list(range(1, N + 1))
        for trace in own:
            assert trace.x.dtype == np.float32
            at = np.column_stack([trace.x, trace.y])
            np.testing.assert_array_equal(at, view.points[trace.customdata - 1])
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


def test_axes_are_tied_to_each_other_where_they_have_one_unit():
    view = choose_view(ENCODED)
    for tied in (True, False):
        layout = panels_figure(replace(view, has_one_unit=tied), panels(view), 2).layout
        assert layout.yaxis.scaleanchor == ("x" if tied else None)
        for axis in (layout.xaxis, layout.xaxis3, layout.yaxis, layout.yaxis3):
            assert axis.constrain == ("domain" if tied else None)
        # All others match the first, which is closer.
        assert (layout.xaxis3.matches, layout.yaxis3.matches) == ("x", "y")
    assert view.has_one_unit


def test_without_axes_no_panel_says_anything_below_or_beside_it():
    view = choose_view(ENCODED)
    layout = panels_figure(view, panels(view), 3, has_axes=False).layout
    for axis in (layout.xaxis, layout.xaxis3, layout.yaxis, layout.yaxis3):
        assert (axis.showticklabels, axis.ticks, axis.title.text) == (False, "", "")
    full = panels_figure(view, panels(view), 3).layout
    assert layout.height - layout.margin.b == full.height - full.margin.b


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
        [
            trace
            for trace in panels_figure(view, [replace(panel, is_stale=stale)], 1).data
            if trace.customdata is not None
        ]
        for stale in (False, True)
    )
    *coloured, grey = fresh
    np.testing.assert_array_equal(grey.customdata - 1, np.flatnonzero(panel.labels < 0))
    assert (grey.marker.symbol, grey.marker.color) == ("circle-open", INK)
    # WebGL draws open symbols by their line.
    assert grey.marker.line.width > 0
    for label, trace in enumerate(coloured):
        np.testing.assert_array_equal(trace.customdata - 1, np.flatnonzero(panel.labels == label))
        assert trace.marker.color == PALETTE[label]
        assert not trace.marker.symbol.endswith("open")
    assert fresh[0].marker.opacity > stale[0].marker.opacity == STALE


def test_names_from_the_table_stay_text():
    view = choose_view(ENCODED)
    figure = panels_figure(view, panels(view, 1), 1)
    assert "&lt;b&gt;bold" in "".join(str(trace.hovertemplate) for trace in figure.data)
    assert "one &lt;i&gt;" in figure.layout.annotations[0].text


def test_rings_of_several_groups_keep_their_names():
    here = room("5.3", 2000)
    panel = truth_panel(here.view, here.truth)
    rows = [trace for trace in panels_figure(here.view, [panel], 1).data if trace.name]
    (rings,) = [trace for trace in rows if trace.marker.symbol == "circle-open"]
    assert rings.type == "scattergl"
    assert len(rings.x) == 4
    for trace in rows:
        names = [panel.names[panel.codes[row - 1]] for row in trace.customdata]
        if trace is rings:
            assert (np.array(names) == trace.text).all()
        else:  # one cluster's rows say its name in one template
            assert trace.text is None
            assert set(names) == {
                trace.hovertemplate.split(": ")[1].removesuffix("<extra></extra>")
            }


def test_no_two_clusters_with_a_colour_share_their_mark():
    view = choose_view(
        Encoded(RANDOM.normal(size=(MOST_COLOURS, 2)), (Unit("xy", "gaussian", ("x", "y")),))
    )
    labels = np.arange(MOST_COLOURS)
    panel = Panel("all", "", labels, labels, tuple(map(str, labels)))
    rows = panels_figure(view, [panel], 1).data
    assert len({(trace.marker.color, trace.marker.symbol) for trace in rows}) == MOST_COLOURS
    assert len(PALETTE) * len(SYMBOLS) == MOST_COLOURS


def test_lit_rows_stand_out_once_more_and_all_others_are_faint():
    view = choose_view(ENCODED)
    (panel,) = panels(view, 1)
    apart = np.arange(N) % 7 == 0
    drawn = panels_figure(view, [replace(panel, apart=apart)], 1, is_lit=True).data
    faint = [trace for trace in drawn if trace.customdata is not None]
    strong = [trace for trace in drawn if trace.mode == "markers" and trace.customdata is None]
    assert {trace.marker.opacity for trace in faint} == {STALE}
    assert sum(len(trace.x) for trace in faint) == N
    assert {trace.marker.opacity for trace in strong} == {1.0}
    for below, above in zip(faint, strong, strict=True):
        assert below.marker.color == above.marker.color
        is_grey = below.marker.symbol == "circle-open"  # too small a cluster for a colour
        lit = apart[below.customdata - 1] | is_grey
        np.testing.assert_array_equal(above.x, below.x[lit])


def test_arrows_end_where_rows_stand_at_the_edge():
    view = room("5.3", 300).view
    bare = panels_figure(replace(view, ways=None), panels(view, 1), 1)
    figure = panels_figure(view, panels(view, 1), 1)
    assert len(figure.data) == len(bare.data) + 1
    (arrows,) = [trace for trace in figure.data if trace.mode == "lines"]
    ends = {(x, y) for x, y in zip(arrows.x, arrows.y, strict=True) if x == x}
    assert {tuple(way[1]) for way in view.ways} <= ends


def test_an_outline_that_leads_out_of_its_panel_runs_along_the_edge():
    view = choose_view(ENCODED)
    low, high = np.array([(axis.low, axis.high) for axis in (view.x, view.y)]).T
    angles = np.linspace(0.0, 2.0 * np.pi, 73)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    middle, size = (low + high) / 2.0, high - low
    (panel,) = panels(view, 1)
    for reach in (0.3, 0.6, 5.0):
        outlines = ((0, middle + reach * size * circle),)
        *_, line, _ = panels_figure(view, [replace(panel, outlines=outlines)], 1).data
        drawn = np.column_stack([line.x, line.y])
        assert ((low < drawn) & (drawn < high)).all()
        np.testing.assert_allclose(drawn[:1], drawn[-1:], atol=1e-3)
        assert len(drawn) == len(circle) * (reach < 1.0)  # all of it lies outside


def test_the_ringed_row_has_the_colour_of_its_cluster_in_every_panel():
    view = choose_view(ENCODED)
    (panel,) = panels(view, 1)
    for row, colour in ((1, PALETTE[0]), (2, PALETTE[1]), (0, "#ffffff")):
        *_, last = panels_figure(view, [panel], 1, marked=row).data
        assert (last.marker.color, *last.x) == (colour, view.points[row, 0])


def test_a_number_moves_out_of_the_ring_s_way():
    view = choose_view(ENCODED)
    size = np.array([view.x.high - view.x.low, view.y.high - view.y.low])
    for step in (0.0, 0.05, 0.5):
        place = view.points[3] + step * size
        (panel,) = panels(view, 1)
        badges = replace(panel, badges=((*place, 0),))
        drawn = panels_figure(view, [badges], 1, marked=3).data
        (number,) = [trace for trace in drawn if trace.mode == "markers+text"]
        moved = np.array([number.x[0], number.y[0]])
        away = np.linalg.norm((moved - view.points[3]) / size)
        assert away == pytest.approx(max(CLEAR_OF, np.sqrt(2) * step), rel=0.01)


def test_what_stands_about_the_panels_grows_with_their_headings():
    view = choose_view(ENCODED)
    for letters, grows in ((12, False), (17, False), (26, True)):
        layout = panels_figure(view, panels(view), 3, letters=letters).layout
        usual = panels_figure(view, panels(view), 3).layout
        for side in "ltb":
            assert (layout.margin[side] > usual.margin[side]) == grows
        assert layout.margin.t >= 6 + 2.5 * letters  # two lines
