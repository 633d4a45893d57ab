"""Figures show the numbers that were handed in, where they belong, and names as text."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.comparing.strips import Strip
from mapdp_studio.core.models.tolerance import TolerancePath
from mapdp_studio.core.partitions.scores import Contingency
from mapdp_studio.core.plots.clinical import volcano_figure
from mapdp_studio.core.plots.group_cards import MOST as MOST_CARDS
from mapdp_studio.core.plots.group_cards import group_cards_figure
from mapdp_studio.core.plots.heat_maps import contingency_figure, differences_figure
from mapdp_studio.core.plots.restaurant import mixture_figure, stick_figure
from mapdp_studio.core.plots.settings import (
    MOST,
    slider_figure,
    strip_figure,
    tolerance_figure,
)
from mapdp_studio.core.plots.template import HIGH, LOW, colour_of
from mapdp_studio.core.profiling.cards import profile_cards
from mapdp_studio.core.teaching.prior import draw_mixture, stick_breaking


def test_a_volcano_names_what_differs_and_draws_p_values_that_are_too_small_for_doubles():
    lines = pd.DataFrame(
        {
            "title": ["a", "b", "c", "d"],
            "g": [2.0, -1.0, 0.1, None],
            "judged": [0.0, 0.01, 0.5, None],
            "differs": [True, True, False, False],
            "remark": ["", "", "few", ""],
        }
    )
    figure = volcano_figure(lines, 0.05, "A", "B")
    differing, other = figure.data
    assert list(differing.x) == [2.0, -1.0]
    assert list(differing.y) == pytest.approx([300.0, 2.0])
    assert list(differing.customdata) == [1, 2]
    assert other.marker.symbol == "circle-open"
    assert other.text == ("c: +0.10 SD, p 0.50; few",)
    assert [note.text for note in figure.layout.annotations] == ["a", "b"]
    assert figure.layout.shapes[0].y0 == pytest.approx(-np.log10(0.05))


def test_cells_are_coloured_from_low_to_high_and_written_with_their_sign():
    index = pd.MultiIndex.from_tuples([("age", ""), ("sex", "f")])
    figure = differences_figure(pd.DataFrame([[1.26, -0.04], [np.nan, -2.0]], index), ["<i>", "B"])
    (cells,) = figure.data
    assert list(figure.layout.xaxis.ticktext) == ["&lt;i&gt;", "B"]
    assert list(figure.layout.yaxis.ticktext) == ["age", "sex = f"]
    assert [colour for _, colour in cells.colorscale] == [LOW, "#ffffff", HIGH]
    assert [list(row) for row in cells.text] == [["+1.3", "+0.0"], ["", "-2.0"]]
    assert (cells.zmin, cells.zmax) == (-2.5, 2.5)
    table = Contingency.of(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))
    (cells,) = contingency_figure(table, ("A", ["a", "b"]), ("B", ["c", "d"])).data
    np.testing.assert_allclose(cells.z, [[2 / 3, 1 / 3], [0, 1]])
    assert [list(row) for row in cells.text] == [["2", "1"], ["", "1"]]


VALUES = np.array([0.1, 1.0, 10.0])
STRIP = Strip("concentration", VALUES, np.array([2, 3, 90]), nmi=np.array([0.5, 1.0, 0.2]))


def test_a_strip_says_every_value_and_bands_the_right_k():
    figure = strip_figure(STRIP, 1.0, 3)
    k, nmi = figure.data
    assert (list(k.y), list(k.customdata)) == ([2, 3, MOST], VALUES.tolist())
    assert k.text[2] == "N₀ = 10: K = 90, NMI 0.20"
    assert (nmi.yaxis, list(nmi.y)) == ("y2", [0.5, 1.0, 0.2])
    line, band = figure.layout.shapes
    assert (line.x0, line.x1) == (1.0, 1.0)
    assert (band.y0, band.y1) == (2.5, 3.5)


def test_under_a_slider_a_strip_stands_where_the_slider_s_places_are():
    figure = slider_figure(STRIP, [0, 4, 7], 9, 4, 3)
    k, nmi = figure.data
    assert list(k.x) == list(nmi.x) == list(k.customdata) == [0, 4, 7]
    assert figure.layout.xaxis.range == (0, 8)
    line, band = figure.layout.shapes
    assert (line.x0, band.y0, band.y1) == (4, 2.5, 3.5)
    bic = Strip("n_clusters", np.arange(1.0, 4.0), np.arange(1, 4), bic=-VALUES)
    figure = slider_figure(bic, [0, 1, 2], 20, 2, 2)
    line, band = figure.layout.shapes
    assert (band.x0, band.x1) == (0.5, 1.5)
    assert figure.data[0].text[1] == "K = 2, BIC of K-means -1"


def test_the_stick_s_pieces_are_its_weights_and_a_mixture_s_rows_in_their_clusters():
    weights, draw = stick_breaking(3.0, 20, seed=1), draw_mixture(200, 2.0, seed=3)
    (stick,), (cloud,) = stick_figure(weights).data, mixture_figure(draw).data
    np.testing.assert_allclose(stick.x, 100.0 * weights)
    starts = np.array(stick.base, dtype=float)
    np.testing.assert_allclose(starts, 100.0 * (weights.cumsum() - weights))
    np.testing.assert_array_equal(np.column_stack([cloud.x, cloud.y]), draw.rows)
    assert list(cloud.marker.color) == [colour_of(k) for k in draw.labels]
    sizes = np.bincount(draw.labels)
    assert list(cloud.text) == [f"cluster {k + 1}, {sizes[k]:,} rows" for k in draw.labels]


COUNTS = np.array([9, 3, 3, 3, 3, 3, 3, 1, 1, 1])
POWERS = np.geomspace(1.0, 0.2, 10)
MERGED = [np.arange(90) * k // 90 for k in COUNTS]
PATH = TolerancePath(POWERS, tuple(MERGED), np.zeros(10), COUNTS)


def test_the_plateau_is_shaded_if_there_is_one_and_the_slider_stands_where_it_is():
    figure = tolerance_figure(PATH, 0.5)
    band, slider = figure.layout.shapes
    assert (band.x0, band.x1, slider.x0) == (POWERS[6], POWERS[1], 0.5)
    assert list(figure.data[0].customdata) == POWERS.tolist()
    assert figure.layout.xaxis.range[0] > figure.layout.xaxis.range[1]
    path = TolerancePath(POWERS, (np.zeros(90, int),) * 10, PATH.objectives, COUNTS)
    (slider,) = tolerance_figure(path, 1.0).layout.shapes
    assert slider.x0 == 1.0


N = 12
OF_CARDS = np.repeat(np.arange(N), np.arange(40, 40 - N, -1))
FRAME = pd.DataFrame(
    {
        "<b>kind": np.array([f"level {k} & more" for k in range(N)])[OF_CARDS],
        "size": OF_CARDS * 3.0 + np.random.default_rng(0).normal(size=OF_CARDS.size),
    }
)


def test_the_largest_groups_have_a_card_each_with_their_figures():
    cards = profile_cards(infer_schema(FRAME).encode(FRAME), OF_CARDS)
    titles = [f"Group <{k}>" for k in range(N)]
    sizes = np.bincount(OF_CARDS).tolist()
    figure = group_cards_figure("a <i>table", titles, sizes, list(range(N)), cards, "#123456")
    head, *texts = (note.text for note in figure.layout.annotations)
    assert head == f"<b>a &lt;i&gt;table: 12 groups, {OF_CARDS.size} rows; the 9 largest</b>"
    assert len(texts) == MOST_CARDS
    for k, text in enumerate(texts):
        assert text.startswith(f"<b>Group &lt;{k}&gt;</b>  {sizes[k]} rows, ")
        assert "&lt;b&gt;kind" in text
        assert "<b>kind" not in text
        for trait in cards[k].traits[:2]:
            assert f"<b>{trait.here}</b> (all {trait.overall})" in text
    fills = [shape.fillcolor for shape in figure.layout.shapes if shape.fillcolor]
    assert fills == [colour_of(k) for k in range(MOST_CARDS)]
