"""Panels: which points are drawn, how, on what axes."""

from dataclasses import replace

import numpy as np
import pytest

from mapdp_studio.core.comparing.panels import MOST_COLOURS, Panel, labels_panel, truth_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.plots.panels import STALE, SVG_LIMIT, panels_figure
from mapdp_studio.core.plots.template import INK, PALETTE, SYMBOLS
from mapdp_studio.core.schema.encoded import Encoded
from tests.classroom import room
from tests.tables.mixed import ENCODED, N

VIEW = choose_view(ENCODED)
LOW, HIGH = np.array([(axis.low, axis.high) for axis in (VIEW.x, VIEW.y)]).T
LABELS = np.arange(N) % 3 - 1  # -1: too small for a colour
NAMES = ("cluster 1", "<b>bold</b>", "rest")
PANEL = Panel("one <i>", "remark", LABELS, LABELS, NAMES, ((0.0, 0.0, 0),))


def drawn(panel: Panel, view=VIEW, **kwargs):
    traces = panels_figure(view, [panel], 1, **kwargs).data
    return traces, [trace for trace in traces if trace.customdata is not None]


def test_panels_share_fixed_axes_and_show_every_row_in_its_mark():
    figure = panels_figure(VIEW, [PANEL] * 5, n_columns=3)
    rows = [trace for trace in figure.data if trace.customdata is not None]
    for number in ("", 2, 3, 4, 5):
        own = [trace for trace in rows if trace.xaxis == f"x{number}"]
        assert sorted(np.concatenate([t.customdata for t in own])) == list(range(1, N + 1))
        for label, trace in zip((0, 1, -1), own, strict=True):
            assert (LABELS[trace.customdata - 1] == label).all()
            at = np.column_stack([trace.x, trace.y])
            np.testing.assert_array_equal(at, VIEW.points[trace.customdata - 1])
        assert [t.marker.color for t in own] == [*PALETTE[:2], INK]
        assert own[2].marker.line.width > 0  # by which WebGL draws open symbols
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


@pytest.mark.parametrize("letters", [13, 26])
@pytest.mark.parametrize("is_low", [False, True])
def test_headings_have_room_and_what_has_one_unit_is_tied(letters, is_low):
    one_unit = replace(VIEW, has_one_unit=is_low)
    layout = panels_figure(one_unit, [PANEL] * 3, 3, letters=letters, is_low=is_low).layout
    assert layout.margin.t >= 6 + (1.25 if is_low else 2.5) * letters
    assert ("<br>" in layout.annotations[0].text) == (not is_low)
    assert (layout.yaxis3.scaleanchor, layout.xaxis.constrain) == (
        ("x", "domain") if is_low else (None, None)
    )
    bare = panels_figure(one_unit, [PANEL] * 3, 3, has_axes=False).layout
    assert (bare.xaxis.showticklabels, bare.xaxis.ticks, bare.yaxis.title.text) == (False, "", "")


@pytest.mark.parametrize(("n", "kind"), [(SVG_LIMIT, "scatter"), (SVG_LIMIT + 1, "scattergl")])
def test_few_points_are_svg_and_many_are_webgl(n, kind):
    values = np.random.default_rng(1).normal(size=(n, 2))
    view = choose_view(Encoded.from_array(values, "normal"))
    panel = labels_panel(view, "all", np.zeros(n, int), [0])
    assert {trace.type for trace in drawn(panel, view)[0]} == {kind}


def test_far_rows_keep_their_names_and_have_arrows():
    here = room("5.3", 2000)
    panel = truth_panel(here.view, here.truth)
    traces, rows = drawn(panel, here.view)
    (rings,) = [trace for trace in rows if trace.marker.symbol == "circle-open"]
    assert list(rings.text) == [panel.names[panel.codes[row - 1]] for row in rings.customdata]
    (arrows,) = [trace for trace in traces if trace.mode == "lines"]
    ends = {(x, y) for x, y in zip(arrows.x, arrows.y, strict=True) if x == x}
    assert {tuple(way[1]) for way in here.view.ways} <= ends


def test_no_two_clusters_with_a_colour_share_their_mark():
    view = choose_view(Encoded.from_array(np.random.default_rng(1).normal(size=(80, 2)), "normal"))
    labels = np.arange(MOST_COLOURS)
    traces, _ = drawn(Panel("all", "", labels, labels, tuple(map(str, labels))), view)
    assert len({(trace.marker.color, trace.marker.symbol) for trace in traces}) == MOST_COLOURS
    assert len(PALETTE) * len(SYMBOLS) == MOST_COLOURS


def test_lit_rows_stand_out_once_more_and_what_is_stale_or_not_lit_is_faint():
    apart = np.arange(N) % 7 == 0
    traces, faint = drawn(replace(PANEL, apart=apart), is_lit=True)
    strong = [trace for trace in traces if trace.mode == "markers" and trace.customdata is None]
    for below, above in zip(faint, strong, strict=True):
        assert (below.marker.opacity, above.marker.opacity) == (STALE, 1.0)
        assert below.marker.color == above.marker.color
        lit = apart[below.customdata - 1] | (below.marker.color == INK)
        np.testing.assert_array_equal(above.x, below.x[lit])
    _, stale = drawn(replace(PANEL, is_stale=True))
    assert {trace.marker.opacity for trace in stale} == {STALE}


@pytest.mark.parametrize("reach", [0.3, 0.6, 5.0])
def test_an_outline_that_leads_out_of_its_panel_runs_along_the_edge(reach):
    angles = np.linspace(0.0, 2.0 * np.pi, 73)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    curve = (LOW + HIGH) / 2.0 + reach * (HIGH - LOW) * circle
    *_, line, _ = drawn(replace(PANEL, outlines=((0, curve),)))[0]
    found = np.column_stack([line.x, line.y])
    assert ((found > LOW) & (found < HIGH)).all()
    assert np.isfinite(found).all(axis=1).sum() == len(circle) * (reach < 1.0)  # else all outside


def test_the_ringed_row_has_its_cluster_s_colour():
    for row, colour in ((1, PALETTE[0]), (2, PALETTE[1]), (0, "#ffffff")):
        *_, last = drawn(PANEL, marked=row)[0]
        assert (last.marker.color, *last.x) == (colour, VIEW.points[row, 0])


def test_selected_rows_stand_out_and_a_panel_may_show_fewer_rows_than_its_figure():
    sample = replace(VIEW, points=VIEW.points[::2], rows=VIEW.rows[::2])
    part = replace(PANEL, labels=LABELS[::2], codes=LABELS[::2], view=sample)
    _, rows = drawn(part, selected=np.arange(0, N, 4))
    assert sorted(np.concatenate([trace.customdata for trace in rows])) == [*range(1, N + 1, 2)]
    selected = [trace.customdata[list(trace.selectedpoints)] for trace in rows]
    assert sorted(np.concatenate(selected)) == [*range(1, N + 1, 4)]
