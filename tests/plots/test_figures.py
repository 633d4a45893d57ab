"""Figures show the numbers that were handed in, where they belong, and names as text."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from plotly.colors import hex_to_rgb
from scipy.spatial.distance import pdist

from mapdp_studio.core.comparing.strips import Strip
from mapdp_studio.core.methods.record import CHANCE, DISTANCE, RowCosts
from mapdp_studio.core.models.tolerance import TolerancePath
from mapdp_studio.core.partitions.scores import Contingency
from mapdp_studio.core.plots.clinical import forest_figure, jaccard_figure, reference_figure
from mapdp_studio.core.plots.heat_maps import contingency_figure, differences_figure
from mapdp_studio.core.plots.profiles import bars_figure, missing_cells, reasons_figure
from mapdp_studio.core.plots.settings import MOST, slider_figure, strip_figure, tolerance_figure
from mapdp_studio.core.plots.teaching import costs_figure
from mapdp_studio.core.plots.template import HIGH, INK, LOW, PALETTE
from mapdp_studio.core.profiling.missing import missingness
from mapdp_studio.core.statistics.differences import Effect

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


def test_intervals_reach_from_low_to_high_and_sure_ones_are_filled():
    effects = [Effect("means up to 9", 1.0, 0.5, 3.0), Effect("means up to 5", -1.0, -4.0, 0.5)]
    pairs = [
        SimpleNamespace(groups=(0, k), effect=effect, second=Effect(), adjusted=p)
        for k, (effect, p) in enumerate(zip(effects, (0.01, 0.5), strict=True), start=1)
    ]
    column = SimpleNamespace(variable=SimpleNamespace(title=NAME), pairs=pairs)
    figure = forest_figure([column])
    (points,) = figure.data
    assert list(points.x) == [1.0, -1.0]
    assert (list(points.error_x.array), list(points.error_x.arrayminus)) == ([2, 1.5], [0.5, 3])
    assert list(points.marker.symbol) == ["square", "square-open"]
    assert figure.layout.yaxis.ticktext == ("1 against 2", "1 against 3, up to 5")


def test_what_a_method_chooses_stands_on_top():
    terms = {"p": np.array([0.1, 0.7, 0.2])}
    (bars,) = costs_figure([RowCosts(CHANCE, (0, 1, 2), terms, 1, "", NAME)]).data
    assert (list(bars.x), bars.marker.color[0]) == ([0.7, 0.2, 0.1], PALETTE[1])
    terms = {"d": np.array([3.0, 1.0, 2.0])}
    (bars,) = costs_figure([RowCosts(DISTANCE, (0, 1, 2), terms, 1, "", NAME)]).data
    assert list(bars.x) == [1.0, 2.0, 3.0]
    # Tables without groups stand beside the cohort at 0.
    drawn, cohort = reference_figure({"shuffled": [-3.0, 2.0], "correlated": [-1.0]}).data
    assert list(drawn.x) == [-3.0, 2.0, -1.0]
    assert list(drawn.y) == ["shuffled tables"] * 2 + ["correlated tables"]
    assert (cohort.x, cohort.y) == ((0.0, 0.0), ("shuffled tables", "correlated tables"))


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
