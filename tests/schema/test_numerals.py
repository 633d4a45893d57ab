"""Numbers as people write them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core import infer_schema
from core.schema.numerals import COMMA, POINT, read_numeral, read_numerals


@pytest.mark.parametrize(
    ("cell", "convention", "value", "unit"),
    [
        ("$1,234.56", POINT, 1234.56, "$"),
        ("1.234,50 €", COMMA, 1234.5, "€"),
        ("12.3 %", POINT, 12.3, "%"),
        ("170 cm", POINT, 170.0, "cm"),
        ("3,5 kg", COMMA, 3.5, "kg"),
        ("(1,234)", POINT, -1234.0, ""),
        ("($12.50)", POINT, -12.5, "$"),
        ("5-", POINT, -5.0, ""),
        ("1'234.5", POINT, 1234.5, ""),
        ("1\u202f234,5", COMMA, 1234.5, ""),
        ("\u22123.5 mg/dL", POINT, -3.5, "mg/dL"),
        ("1.2e3", POINT, 1200.0, ""),
        ("USD 25k", POINT, 25_000.0, "USD"),
        ("10 µg/m³", POINT, 10.0, "µg/m³"),
    ],
)
def test_a_cell_is_read_as_it_is_meant(cell, convention, value, unit):
    found = read_numeral(cell, convention)
    assert (found.value, found.unit, found.limit) == (pytest.approx(value), unit, "")


@pytest.mark.parametrize(
    "cells", [["A11", "A12"], ["170 cm", "1.7 m"], ["$5", "5 €"], ["1st", "2nd"], ["12a", "12b"]]
)
def test_codes_and_two_units_are_no_numbers(cells):
    assert read_numerals(cells) is None


@pytest.mark.parametrize(
    ("cells", "convention"),
    [
        (["1,234", "5,678"], POINT),
        (["0,125", "1,250"], COMMA),
        (["1,5", "12,75"], COMMA),
        (["1.234 €", "950 €"], COMMA),
        (["1.234 kg", "2.345 kg"], POINT),
    ],
)
def test_the_convention_follows_from_all_cells(cells, convention):
    assert read_numerals(cells).convention == convention


def test_a_column_keeps_its_cells_and_says_how_they_were_read():
    random = np.random.default_rng(0)
    numbers = random.normal(5_000, 900, 200).round(2)
    cells = [f"${number:,.2f}" for number in numbers]
    frame = pd.DataFrame({"pay": cells, "x": random.normal(size=200)})
    schema = infer_schema(frame)
    assert (schema["pay"].family, schema["pay"].reading) == ("normal", POINT)
    assert "the unit $" in schema["pay"].reason
    assert "200 cells" in schema["pay"].reason
    np.testing.assert_allclose(schema.encode(frame).values[:, 0], numbers)
    assert frame["pay"].tolist() == cells
    new = pd.DataFrame({"pay": ["$1,000.00"], "x": [0.0]})
    assert schema.encode(new, allow_new_levels=True).values[0, 0] == 1000.0


def test_limits_stand_beside_the_number():
    random = np.random.default_rng(1)
    lab = np.exp(random.normal(0, 1, 300))
    cells = [f"{value:.3f}" if value >= 0.5 else "<0.5" for value in lab]
    spec = infer_schema(pd.DataFrame({"lab": cells}))["lab"]
    assert (spec.family, spec.special, spec.special_codes) == ("normal", ("below 0.5",), ("<0.5",))
    two = [cell.replace("<0.5", random.choice(["<0.5", "<0.2"])) for cell in cells]
    spec = infer_schema(pd.DataFrame({"lab": two}))["lab"]
    assert (spec.special, spec.special_codes) == (("below a limit",), ("<",))
