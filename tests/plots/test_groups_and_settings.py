"""Figures of groups and of settings show the numbers that were handed in, where they belong."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.comparing.strips import Strip
from mapdp_studio.core.partitions.scores import Contingency
from mapdp_studio.core.plots.clinical import (
    alluvial_figure,
    group_bars,
    pair_figure,
    volcano_figure,
)
from mapdp_studio.core.plots.heat_maps import contingency_figure, differences_figure
from mapdp_studio.core.plots.settings import MOST, strip_figure
from mapdp_studio.core.plots.template import HIGH, LOW, PALETTE, see_through


def test_flows_count_every_patient_in_the_colour_of_the_first_partition():
    first, second = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 0, 1, 1, 1, 2])
    (flows,) = alluvial_figure([first, second], ["as locked", "other"]).data
    left, right = (list(side["values"]) for side in flows.dimensions)
    found = dict(zip(zip(left, right, strict=True), flows.counts, strict=True))
    assert found == {(1, 1): 2, (1, 2): 1, (2, 2): 2, (3, 3): 1}
    assert list(flows.line.color) == [see_through(PALETTE[k - 1], 0.6) for k in left]


def test_a_difference_stands_on_the_side_of_the_group_it_is_higher_in():
    index = pd.MultiIndex.from_tuples([("age", ""), ("tremor", "yes"), ("walk", "")])
    between = pd.DataFrame(
        {"difference": [1.5, -0.5, 0.25], "nats_per_row": [2.0, 1.0, 0.5]}, index
    )
    figure = pair_figure(between, ("A", 0), ("B", 1))
    a, b = figure.data
    assert (list(a.x), list(a.y), a.name) == ([1.5, 0.25], [0, 2], "higher in A")
    assert (list(b.x), list(b.y), b.name) == ([-0.5], [1], "higher in B")
    assert list(a.x - a.error_x.arrayminus) == [0.0, 0.0]
    assert list(b.x + b.error_x.array) == [0.0]
    assert list(figure.layout.yaxis.ticktext) == ["age", "tremor = yes", "walk"]


def test_bars_are_those_of_their_group():
    table = pd.DataFrame({1: [0.2, 0.4], 0: [0.6, 0.8]}, index=["age <b>", "walk"])
    first, second = group_bars(table, ["A", "B"], "share").data
    assert (first.name, list(first.x)) == ("B", [0.2, 0.4])
    assert (second.name, second.marker.color) == ("A", PALETTE[0])
    assert list(first.customdata) == ["age &lt;b&gt;", "walk"]


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
    (cells,) = differences_figure(pd.DataFrame([[1.26, -0.04], [np.nan, -2.0]], index), "AB").data
    assert [colour for _, colour in cells.colorscale] == [LOW, "#ffffff", HIGH]
    assert [list(row) for row in cells.text] == [["+1.3", "+0.0"], ["", "-2.0"]]
    assert (cells.zmin, cells.zmax) == (-2.5, 2.5)
    table = Contingency.of(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]))
    (cells,) = contingency_figure(table, ("A", ["a", "b"]), ("B", ["c", "d"])).data
    np.testing.assert_allclose(cells.z, [[2 / 3, 1 / 3], [0, 1]])
    assert [list(row) for row in cells.text] == [["2", "1"], ["", "1"]]


def test_a_strip_says_every_value_and_bands_the_right_k():
    values = np.array([0.1, 1.0, 10.0])
    strip = Strip("concentration", values, np.array([2, 3, 90]), nmi=np.array([0.5, 1.0, 0.2]))
    figure = strip_figure(strip, 1.0, 3, 3)
    k, nmi = figure.data
    assert (list(k.y), list(k.customdata)) == ([2, 3, MOST], values.tolist())
    assert k.text[2] == "N₀ = 10: K = 90, NMI 0.20"
    assert (nmi.yaxis, list(nmi.y)) == ("y2", [0.5, 1.0, 0.2])
    line, band = figure.layout.shapes
    assert (line.x0, line.x1) == (1.0, 1.0)
    assert (band.y0, band.y1) == (2.5, 3.5)
    bic = Strip("n_clusters", values, np.array([1, 2, 3]), bic=-values, highest_bic=values)
    line, band = strip_figure(bic, 2.0, 2, 20).layout.shapes
    assert (band.x0, band.x1) == (1.5, 2.5)
