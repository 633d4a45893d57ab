"""Figures show the numbers that were handed in, where they belong, and names as text."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from plotly.colors import hex_to_rgb
from scipy.spatial.distance import pdist

from mapdp_studio.core.comparing.panels import MOST_COLOURS, Panel, labels_panel, truth_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.comparing.strips import Strip
from mapdp_studio.core.methods.record import CHANCE, DISTANCE, RowCosts
from mapdp_studio.core.models.tolerance import TolerancePath
from mapdp_studio.core.partitions.scores import Contingency
from mapdp_studio.core.plots.clinical import jaccard_figure
from mapdp_studio.core.plots.heat_maps import contingency_figure, differences_figure
from mapdp_studio.core.plots.panels import STALE, SVG_LIMIT, panels_figure
from mapdp_studio.core.plots.profiles import bars_figure, missing_cells, reasons_figure
from mapdp_studio.core.plots.settings import MOST, slider_figure, strip_figure, tolerance_figure
from mapdp_studio.core.plots.teaching import costs_figure
from mapdp_studio.core.plots.template import HIGH, INK, LOW, PALETTE, SYMBOLS
from mapdp_studio.core.profiling.missing import missingness
from mapdp_studio.core.schema.encoded import Encoded
from tests.classroom import room
from tests.tables.mixed import ENCODED, N

NAME = "<b>a & b"
TABLE = Contingency.of(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))
HOLES = pd.DataFrame({NAME: [True, False], "c": [True, True]})


@pytest.mark.parametrize(
    "draw",
    [
        lambda: bars_figure([NAME], [1.0], "nats"),
        lambda: contingency_figure(TABLE, (NAME, [NAME, "b"]), ("B", ["c", NAME])),
        lambda: differences_figure(pd.DataFrame([[1.0]], [(NAME, NAME)]), [NAME]),
        lambda: jaccard_figure([NAME], [0.9], np.array([[0.8], [1.0]]), [0]),
        lambda: missing_cells(missingness(HOLES)),
        lambda: reasons_figure([NAME], [1.0], (NAME, 0), (NAME, None)),
    ],
    ids=["bars", "contingency", "differences", "jaccard", "missing", "reasons"],
)
def test_names_of_a_table_are_text(draw):
    sent = draw().to_json()
    assert "&lt;b&gt;a &amp; b" in sent.replace("\\u003c", "<").replace("\\u0026", "&")
    assert NAME not in sent.replace("\\u003c", "<").replace("\\u003e", ">").replace("\\u0026", "&")


def test_cells_are_coloured_from_low_to_high_and_written_with_their_sign():
    index = pd.MultiIndex.from_tuples([("age", ""), ("sex", "f")])
    figure = differences_figure(pd.DataFrame([[1.26, -0.04], [np.nan, -2.0]], index), ["A", "B"])
    (cells,) = figure.data
    assert figure.layout.yaxis.ticktext == ("age", "sex = f")
    assert figure.layout.yaxis.range == (1.5, -0.5)  # the first on top
    assert [colour for _, colour in cells.colorscale] == [LOW, "#ffffff", HIGH]
    assert [list(row) for row in cells.text] == [["+1.3", "+0.0"], ["", "-2.0"]]
    assert (cells.zmin, cells.zmax) == (-2.5, 2.5)
    (cells,) = contingency_figure(TABLE, ("A", ["a", "b"]), ("B", ["c", "d"])).data
    np.testing.assert_allclose(cells.z, [[2 / 3, 1 / 3], [0, 1]])
    assert [list(row) for row in cells.text] == [["2", "1"], ["", "1"]]


def test_bars_and_boxes_have_the_colours_of_their_groups():
    figure = reasons_figure(["a", "b"], np.array([2.0, -1.0]), ("own", 3), ("other", 4))
    assert figure.data[0].marker.color == (PALETTE[3], PALETTE[4])
    assert figure.layout.xaxis.title.text.startswith("◂ speaks for other")
    assert reasons_figure(["a"], [-1.0], ("own", 3), ("none", None)).data[0].marker.color == (INK,)
    draws = np.array([[0.8, 0.1, 0.3], [1.0, 0.2, 0.4]])
    figure = jaccard_figure(["a", "b", "c"], [0.9, None, 0.35], draws, [2, 0, 1])
    boxes = [trace for trace in figure.data if trace.type == "box"]
    assert [box.marker.color for box in boxes] == [PALETTE[2], PALETTE[1]]
    assert [list(box.x) for box in boxes] == [[0.8, 1.0], [0.3, 0.4]]
    assert figure.layout.yaxis.ticktext == ("a: 0.90", "b: not shown", "c: 0.35")


def test_what_a_method_chooses_stands_on_top():
    terms = {"p": np.array([0.1, 0.7, 0.2])}
    (bars,) = costs_figure([RowCosts(CHANCE, (0, 1, 2), terms, 1, "", NAME)]).data
    assert (list(bars.x), bars.marker.color[0]) == ([0.7, 0.2, 0.1], PALETTE[1])
    terms = {"d": np.array([3.0, 1.0, 2.0])}
    (bars,) = costs_figure([RowCosts(DISTANCE, (0, 1, 2), terms, 1, "", NAME)]).data
    assert list(bars.x) == [1.0, 2.0, 3.0]


VALUES = np.array([0.1, 1.0, 10.0])
STRIP = Strip("concentration", VALUES, np.array([2, 3, 90]), nmi=np.array([0.5, 1.0, 0.2]))


def test_a_strip_says_every_value_and_bands_the_right_k():
    figure = strip_figure(STRIP, 1.0, 3)
    k, nmi = figure.data
    assert (list(k.y), list(k.customdata)) == ([2, 3, MOST], VALUES.tolist())
    assert k.text[2] == "N₀ = 10, K = 90"
    assert (nmi.yaxis, list(nmi.y)) == ("y2", [0.5, 1.0, 0.2])
    line, band = figure.layout.shapes
    assert (line.x0, band.y0, band.y1) == (1.0, 2.5, 3.5)
    assert figure.layout.yaxis2.tickvals is None
    # Under a slider it stands where the slider's places are.
    figure = slider_figure(STRIP, [0, 4, 7], 9, 4, 3)
    assert [list(line.customdata) for line in figure.data] == [[0, 4, 7]] * 2
    assert (figure.layout.xaxis.range, figure.layout.yaxis2.range) == ((0, 8), (-0.05, 1.05))
    assert figure.layout.shapes[0].x0 == 4
    bic = Strip("n_clusters", np.arange(1.0, 4.0), np.arange(1, 4), bic=-VALUES)
    figure = slider_figure(bic, [0, 1, 2], 20, 2, 2)
    assert (figure.layout.shapes[1].x0, figure.layout.shapes[1].x1) == (0.5, 1.5)
    assert (figure.data[0].name, list(figure.data[0].y)) == ("BIC", (-VALUES).tolist())


def test_the_plateau_is_shaded_if_there_is_one_and_the_slider_stands_where_it_is():
    counts, powers = np.array([9, 3, 3, 3, 3, 3, 3, 1, 1, 1]), np.geomspace(1.0, 0.2, 10)
    merged = tuple(np.arange(90) * k // 90 for k in counts)
    figure = tolerance_figure(TolerancePath(powers, merged, np.zeros(10), counts), 0.5)
    band, slider = figure.layout.shapes
    assert (band.x0, band.x1, slider.x0) == (powers[6], powers[1], 0.5)
    assert list(figure.data[0].customdata) == powers.tolist()
    assert figure.layout.yaxis.dtick == "D2", "K is whole: no tick between 1 and 2"
    assert figure.layout.xaxis.range[0] > figure.layout.xaxis.range[1]
    flat = TolerancePath(powers, (np.zeros(90, int),) * 10, np.zeros(10), counts)
    (slider,) = tolerance_figure(flat, 1.0).layout.shapes
    assert slider.x0 == 1.0


#: Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB: row by row.
DEFICIENCIES = {
    "protanopia": "0.152 1.053 -0.205  0.115 0.786 0.099  -0.004 -0.048 1.052",
    "deuteranopia": "0.367 0.861 -0.228  0.280 0.673 0.047  -0.012 0.043 0.969",
    "tritanopia": "1.256 -0.077 -0.179  -0.078 0.931 0.148  0.005 0.691 0.304",
}


@pytest.mark.parametrize("seen", DEFICIENCIES.values(), ids=DEFICIENCIES)
def test_colours_differ_under_every_deficiency(seen):
    sent = np.array([hex_to_rgb(colour) for colour in PALETTE]) / 255.0
    linear = np.where(sent <= 0.04045, sent / 12.92, ((sent + 0.055) / 1.055) ** 2.4)
    linear = (linear @ np.array(seen.split(), dtype=float).reshape(3, 3).T).clip(0, 1)
    assert pdist(np.cbrt(linear)).min() > 0.14  # cube roots, as CIE's lightness is


VIEW = choose_view(ENCODED)
BOTTOM, TOP = np.array([(axis.low, axis.high) for axis in (VIEW.x, VIEW.y)]).T
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
    (waiting,) = drawn(Panel("waits", ""), view)[0]
    assert len(waiting.x) == n * (kind == "scatter"), "the frames of many rows are there at once"
    some = replace(view, points=view.points[:50], rows=view.rows[:50], arrows=None)
    look = replace(labels_panel(some, "look", np.zeros(50, int), [0]), view=some)
    assert {trace.type for trace in drawn(look, view)[0]} == {"scatter"}, "so is a first look"


def test_far_rows_keep_their_names_and_have_arrows():
    here = room("5.3", 2000)
    panel = truth_panel(here.view, here.truth)
    traces, rows = drawn(panel, here.view)
    (rings,) = [trace for trace in rows if trace.marker.symbol == "circle-open"]
    assert list(rings.text) == [panel.names[panel.codes[row - 1]] for row in rings.customdata]
    (arrows,) = [trace for trace in traces if trace.mode == "lines"]
    ends = {(x, y) for x, y in zip(arrows.x, arrows.y, strict=True) if x == x}
    assert {tuple(one[1]) for one in here.view.arrows} <= ends
    waiting, _ = drawn(Panel("waits", ""), here.view)
    assert "lines" not in {trace.mode for trace in waiting}, "no arrow leads to rows not drawn"


def test_no_two_clusters_with_a_colour_share_their_mark():
    view = choose_view(Encoded.from_array(np.random.default_rng(1).normal(size=(80, 2)), "normal"))
    labels = np.arange(MOST_COLOURS)
    traces, _ = drawn(Panel("all", "", labels, labels, tuple(map(str, labels))), view)
    assert len({(trace.marker.color, trace.marker.symbol) for trace in traces}) == MOST_COLOURS
    assert len(PALETTE) * len(SYMBOLS) == MOST_COLOURS


def test_lit_rows_stand_out_once_more_and_what_is_not_lit_is_faint():
    apart = np.arange(N) % 7 == 0
    traces, faint = drawn(replace(PANEL, apart=apart), is_lit=True)
    strong = [trace for trace in traces if trace.mode == "markers" and trace.customdata is None]
    for below, above in zip(faint, strong, strict=True):
        assert (below.marker.opacity, above.marker.opacity) == (STALE, 1.0)
        assert below.marker.color == above.marker.color
        lit = apart[below.customdata - 1] | (below.marker.color == INK)
        np.testing.assert_array_equal(above.x, below.x[lit])


def test_what_is_stale_is_veiled_and_its_traces_stay_as_they_were():
    """The browser draws no trace anew for a veil."""
    fresh = panels_figure(VIEW, [PANEL, PANEL, PANEL], 2, paper="#123456")
    stale = replace(PANEL, is_stale=True)
    figure = panels_figure(VIEW, [stale, PANEL, stale], 2, paper="#123456")
    assert figure.data == fresh.data
    assert not fresh.layout.shapes
    veils = [(veil.xref, veil.yref, veil.fillcolor, veil.opacity) for veil in figure.layout.shapes]
    assert veils == [(f"x{k} domain", f"y{k} domain", "#123456", 1 - STALE) for k in ("", 3)]
    assert [heading.opacity for heading in figure.layout.annotations] == [0.55, 1.0, 0.55]


@pytest.mark.parametrize("reach", [0.3, 0.6, 5.0])
def test_an_outline_that_leads_out_of_its_panel_runs_along_the_edge(reach):
    angles = np.linspace(0.0, 2.0 * np.pi, 73)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    curve = (BOTTOM + TOP) / 2.0 + reach * (TOP - BOTTOM) * circle
    *_, line, _ = drawn(replace(PANEL, outlines=((0, curve),)))[0]
    found = np.column_stack([line.x, line.y])
    assert ((found > BOTTOM) & (found < TOP)).all()
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
