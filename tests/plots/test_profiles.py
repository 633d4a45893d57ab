"""Profiles drawn."""

from __future__ import annotations

from mapdp_studio.core.plots.heat_maps import differences_figure
from mapdp_studio.core.profiling.profiles import (
    standardised_differences,
)
from tests.tables.natural_units import ENCODED, LABELS


def test_the_heatmap_names_levels_safely():
    differences = standardised_differences(ENCODED, LABELS)
    figure = differences_figure(differences, ["<i>", "b", "c"])
    assert figure.layout.xaxis.ticktext[0] == "&lt;i&gt;"
    assert "colour = red" in figure.layout.yaxis.ticktext
