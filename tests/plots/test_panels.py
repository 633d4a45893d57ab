"""Panels: which points are drawn, how, on what axes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mapdp_studio.core.comparing.panels import MOST_COLOURS, Panel, truth_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.plots.panels import CLEAR_OF, STALE, SVG_LIMIT, panels_figure
from mapdp_studio.core.plots.template import INK, PALETTE, SYMBOLS
from mapdp_studio.core.schema.encoded import Encoded, Unit
from tests.classroom import room
from tests.tables.mixed import ENCODED, N

RANDOM = np.random.default_rng(1)
VIEW = choose_view(ENCODED)
SIZE = np.array([VIEW.x.high - VIEW.x.low, VIEW.y.high - VIEW.y.low])


def panel_of(view=VIEW, **change) -> Panel:
    labels = np.arange(len(view.points)) % 3 - 1
    names = ("cluster 1", "<b>bold</b>", "rest")
    panel = Panel("one <i>", "remark", labels, labels, names, ((0.0, 0.0, 0),))
    return replace(panel, **change)


def drawn(panel: Panel, view=VIEW, **kwargs):
    """All traces of one panel, and those of its rows."""
    traces = panels_figure(view, [panel], 1, **kwargs).data
    return traces, [trace for trace in traces if trace.customdata is not None]


def test_panels_share_fixed_axes_and_show_every_row():
    figure = panels_figure(VIEW, [panel_of()] * 5, n_columns=3)
    rows = [trace for trace in figure.data if trace.customdata is not None]
    for number in ("", 2, 3, 4, 5):
        own = [trace for trace in rows if trace.xaxis == f"x{number}"]
        assert sorted(np.concatenate([t.customdata for t in own])) == list(range(1, N + 1))
        for trace in own:
            assert trace.x.dtype == np.float32
            at = np.column_stack([trace.x, trace.y])
            np.testing.assert_array_equal(at, VIEW.points[trace.customdata - 1])
        for axis, expected in (("x", VIEW.x), ("y", VIEW.y)):
            found = figure.layout[f"{axis}axis{number}"]
            assert found.range == (expected.low, expected.high)
            assert found.matches == (axis if number else None)
    low = [figure.layout[f"yaxis{k}"].domain[0] for k in ("", 2, 3, 4, 5)]
    assert low[0] == low[1] == low[2] > low[3] == low[4]
    # Where nothing stands below, the axis is labelled.
    labelled = [figure.layout[f"xaxis{k}"].showticklabels for k in ("", 2, 3, 4, 5)]
    assert labelled == [False, False, True, True, True]
    assert "&lt;b&gt;bold" in "".join(str(trace.hovertemplate) for trace in rows)
    assert figure.layout.annotations[0].text.startswith("<b>one &lt;i&gt;</b><br>")


def test_axes_are_tied_where_they_have_one_unit_left_out_on_demand_and_grow_with_letters():
    three, usual = [panel_of()] * 3, panels_figure(VIEW, [panel_of()] * 3, 3).layout
    for tied in (True, False):
        layout = panels_figure(replace(VIEW, has_one_unit=tied), three, 2).layout
        assert layout.yaxis.scaleanchor == ("x" if tied else None)
        for axis in (layout.xaxis, layout.xaxis3, layout.yaxis, layout.yaxis3):
            assert axis.constrain == ("domain" if tied else None)
    bare = panels_figure(VIEW, three, 3, has_axes=False).layout
    for axis in (bare.xaxis, bare.xaxis3, bare.yaxis, bare.yaxis3):
        assert (axis.showticklabels, axis.ticks, axis.title.text) == (False, "", "")
    assert bare.height - bare.margin.b == usual.height - usual.margin.b
    for letters, grows in ((12, False), (17, False), (26, True)):
        for is_low, n_lines in ((False, 2.5), (True, 1.25)):
            layout = panels_figure(VIEW, three, 3, letters=letters, is_low=is_low).layout
            assert layout.margin.t >= 6 + n_lines * letters
            assert ("<br>" in layout.annotations[0].text) == (not is_low)
        assert (layout.margin.l > usual.margin.l) == (layout.margin.b > usual.margin.b) == grows


@pytest.mark.parametrize(("n", "kind"), [(SVG_LIMIT, "scatter"), (SVG_LIMIT + 1, "scattergl")])
def test_few_points_are_svg_and_many_are_webgl(n, kind):
    view = choose_view(Encoded.from_array(RANDOM.normal(size=(n, 2)), "normal"))
    assert {trace.type for trace in drawn(panel_of(view), view)[0]} == {kind}


def test_tiny_clusters_are_grey_rings_and_stale_panels_faint():
    panel = panel_of()
    (_, fresh), (_, stale) = (drawn(replace(panel, is_stale=stale)) for stale in (False, True))
    *coloured, grey = fresh
    np.testing.assert_array_equal(grey.customdata - 1, np.flatnonzero(panel.labels < 0))
    assert (grey.marker.symbol, grey.marker.color) == ("circle-open", INK)
    assert grey.marker.line.width > 0  # by which WebGL draws open symbols
    for label, trace in enumerate(coloured):
        np.testing.assert_array_equal(trace.customdata - 1, np.flatnonzero(panel.labels == label))
        assert trace.marker.color == PALETTE[label]
        assert not trace.marker.symbol.endswith("open")
    assert fresh[0].marker.opacity > stale[0].marker.opacity == STALE


def test_far_rows_keep_their_names_and_have_arrows():
    here = room("5.3", 2000)
    panel = truth_panel(here.view, here.truth)
    traces, rows = drawn(panel, here.view)
    (rings,) = [trace for trace in rows if trace.marker.symbol == "circle-open"]
    assert (rings.type, len(rings.x)) == ("scattergl", 4)
    for trace in rows:
        names = [panel.names[panel.codes[row - 1]] for row in trace.customdata]
        if trace is rings:
            assert (np.array(names) == trace.text).all()
        else:  # one cluster's rows say its name in one template
            said = trace.hovertemplate.split(": ")[1].removesuffix("<extra></extra>")
            assert (trace.text, {*names}) == (None, {said})
    (arrows,) = [trace for trace in traces if trace.mode == "lines"]
    ends = {(x, y) for x, y in zip(arrows.x, arrows.y, strict=True) if x == x}
    assert {tuple(way[1]) for way in here.view.ways} <= ends


def test_no_two_clusters_with_a_colour_share_their_mark():
    units = (Unit("xy", "gaussian", ("x", "y")),)
    view = choose_view(Encoded(RANDOM.normal(size=(MOST_COLOURS, 2)), units))
    labels = np.arange(MOST_COLOURS)
    traces, _ = drawn(Panel("all", "", labels, labels, tuple(map(str, labels))), view)
    assert len({(trace.marker.color, trace.marker.symbol) for trace in traces}) == MOST_COLOURS
    assert len(PALETTE) * len(SYMBOLS) == MOST_COLOURS


def test_lit_rows_stand_out_once_more_and_all_others_are_faint():
    apart = np.arange(N) % 7 == 0
    traces, faint = drawn(panel_of(apart=apart), is_lit=True)
    strong = [trace for trace in traces if trace.mode == "markers" and trace.customdata is None]
    assert {trace.marker.opacity for trace in faint} == {STALE}
    assert sum(len(trace.x) for trace in faint) == N
    assert {trace.marker.opacity for trace in strong} == {1.0}
    for below, above in zip(faint, strong, strict=True):
        assert below.marker.color == above.marker.color
        is_grey = below.marker.symbol == "circle-open"  # too small a cluster for a colour
        lit = apart[below.customdata - 1] | is_grey
        np.testing.assert_array_equal(above.x, below.x[lit])


@pytest.mark.parametrize("reach", [0.3, 0.6, 5.0])
def test_an_outline_that_leads_out_of_its_panel_runs_along_the_edge(reach):
    low, high = np.array([(axis.low, axis.high) for axis in (VIEW.x, VIEW.y)]).T
    angles = np.linspace(0.0, 2.0 * np.pi, 73)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    curve = (low + high) / 2.0 + reach * SIZE * circle
    *_, line, _ = drawn(panel_of(outlines=((0, curve),)))[0]
    found = np.column_stack([line.x, line.y])
    assert ((low < found) & (found < high)).all()
    np.testing.assert_allclose(found[:1], found[-1:], atol=1e-3)
    assert len(found) == len(circle) * (reach < 1.0)  # else all of it lies outside


def test_the_ringed_row_has_its_cluster_s_colour_and_numbers_move_out_of_its_way():
    for row, colour in ((1, PALETTE[0]), (2, PALETTE[1]), (0, "#ffffff")):
        *_, last = drawn(panel_of(), marked=row)[0]
        assert (last.marker.color, *last.x) == (colour, VIEW.points[row, 0])
    for step in (0.0, 0.05, 0.5):
        place = VIEW.points[3] + step * SIZE
        traces, _ = drawn(panel_of(badges=((*place, 0),)), marked=3)
        (number,) = [trace for trace in traces if trace.mode == "markers+text"]
        away = np.linalg.norm((np.array([number.x[0], number.y[0]]) - VIEW.points[3]) / SIZE)
        assert away == pytest.approx(max(CLEAR_OF, np.sqrt(2) * step), rel=0.01)
