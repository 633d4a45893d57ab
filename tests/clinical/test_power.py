"""What a study can find, said before its lock."""

from __future__ import annotations

import pytest

from core import ColumnSpec, Schema
from core.clinical.power import power_of
from core.clinical.power_figures import COLUMNS, DISTANCES, FOUND, PATIENTS
from tests.benchmarks.power import share_found


def schema_of(n_measured: int, n_others: int = 0) -> Schema:
    kinds = ["normal"] * n_measured + ["bernoulli"] * n_others
    return Schema([ColumnSpec(f"{j}", kind) for j, kind in enumerate(kinds)])


def test_it_says_the_figures_and_goes_between_them():
    power = power_of(schema_of(16), 240)
    assert power.shares == FOUND[PATIENTS.index(240)][COLUMNS.index(16)]
    assert "240 patients and 16 columns" in power.sentence
    assert "7 of 10 studies where they lie 1 SD apart" in power.sentence
    low, high = (power_of(schema_of(16), n).shares[2] for n in (240, 480))
    assert low < power_of(schema_of(16), 340).shares[2] < high
    assert power_of(schema_of(4), 60).least is None
    assert "Even at 2 SD" in power_of(schema_of(4), 60).sentence


def test_beyond_what_was_measured_it_says_so():
    assert power_of(schema_of(40), 5000).shares == FOUND[-1][-1]
    assert "no less is found" in power_of(schema_of(40), 5000).sentence
    assert "no more is found" in power_of(schema_of(2), 240).sentence
    assert "3 of them are not" in power_of(schema_of(5, 3), 240).sentence
    assert "as if" not in power_of(schema_of(8), 240).sentence


@pytest.mark.parametrize("distance", [1.0, 2.0])
def test_a_figure_is_what_the_benchmark_measures(distance):
    """The cheapest line of the table, measured anew."""
    known = FOUND[0][1][DISTANCES.index(distance)]
    assert share_found("measurement", 60, 8, distance) == pytest.approx(known, abs=0.05)
