"""Numbers as people write them."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.reading.numbers import COMMA, POINT, read_numeral, read_numerals


@pytest.mark.parametrize(
    ("cell", "convention", "value", "unit"),
    [
        ("$1,234.56", POINT, 1234.56, "$"),
        ("1.234,50 €", COMMA, 1234.5, "€"),
        ("12.3 %", POINT, 12.3, "%"),
        ("7/10", POINT, 7.0, "/10"),
        ("170 cm", POINT, 170.0, "cm"),
        ("3,5 kg", COMMA, 3.5, "kg"),
        ("(1,234)", POINT, -1234.0, ""),
        ("~12.5 mg", POINT, 12.5, "mg"),
        ("($12.50)", POINT, -12.5, "$"),
        ("5-", POINT, -5.0, ""),
        ("12.-", POINT, 12.0, ""),  # francs
        ("9,49,274", POINT, 949274.0, ""),
        ("1'234.5", POINT, 1234.5, ""),
        ("1\u202f234,5", COMMA, 1234.5, ""),
        ("\u22123.5 mg/dL", POINT, -3.5, "mg/dL"),
        *((f"{minus}2.5", POINT, -2.5, "") for minus in "\u2010\u2011\u2012\u2013\ufe63\uff0d"),
        *((f"7.1{flag}", POINT, 7.1, "") for flag in (" (H)", "(LL)", "↑", " ↓↓", "!")),
        ("1.2e3", POINT, 1200.0, ""),
        ("4.2 x 10^6", POINT, 4.2e6, ""),
        ("1,5·10⁵", COMMA, 1.5e5, ""),
        ("3 \u00d7 10⁻²", POINT, 0.03, ""),
        ("5.2 x10^9/L", POINT, 5.2, "x10^9/L"),
        ("52?", POINT, 52.0, ""),
        ("52 (?)", POINT, 52.0, ""),
        ("USD 25k", POINT, 25_000.0, "USD"),
        ("10 µg/m³", POINT, 10.0, "µg/m³"),
    ],
)
def test_a_cell_is_read_as_it_is_meant(cell, convention, value, unit):
    found = read_numeral(cell, convention)
    assert (found.value, found.unit, found.limit) == (pytest.approx(value), unit, False)


#: Every abbreviation that the reader knows, with what it stands for.
COUNTS = {
    **dict.fromkeys(["k", "K", "Tsd", "Tausend", "thousand", "thousands"], 1e3),
    **dict.fromkeys(["m", "M", "mn", "Mio", "mln", "million", "millions", "Millionen"], 1e6),
    **dict.fromkeys(["b", "B", "bn", "bln", "Mrd", "Mia", "Milliarde", "Milliarden"], 1e9),
    **dict.fromkeys(["billion", "billions"], 1e9),
}


@pytest.mark.parametrize("convention", [POINT, COMMA])
@pytest.mark.parametrize("word", COUNTS)
def test_thousands_millions_and_billions_count_however_they_are_written(word, convention):
    number = "1.25" if convention == POINT else "1,25"
    if word.startswith("billion") and convention == COMMA:  # a German one is a thousand of these
        assert read_numeral(f"{number} {word}", convention).value == 1.25
        return
    for blank in ("", " ", "\u00a0"):
        for written in (f"{blank}{word}", f"{blank}{word}."):
            for cell in (f"€{number}{written}", f"{number}{written} €", f"-{number}{written} EUR"):
                found = read_numeral(cell, convention)
                assert abs(found.value) == pytest.approx(1.25 * COUNTS[word]), cell
                assert found.unit in ("€", "EUR")
            if len(word) > 2 or word in ("k", "bn"):  # no unit is called so
                found = read_numeral(f"{number}{written}", convention)
                assert (found.value, found.unit) == (pytest.approx(1.25 * COUNTS[word]), ""), cell


@pytest.mark.parametrize(
    "unit", ["m", "M", "B", "mm", "mN", "km", "kg", "m²", "m/s", "k/µL", "K", "Mol", "bar"]
)
def test_units_that_begin_like_a_count_stay_units(unit):
    found = read_numeral(f"5 {unit}", POINT)
    assert (found.value, found.unit) == (5.0, unit)


@pytest.mark.parametrize(
    ("cells", "convention"),
    [
        (["1,234", "5,678"], POINT),
        (["0,125", "1,250"], COMMA),
        (["1,5", "12,75"], COMMA),
        (["1.234 €", "950 €"], COMMA),
        (["1.234 kg", "2.345 kg"], POINT),
        (["37.5 °C", "36.1 C"], POINT),
        (["136", "128 L", "149 H", "151 HH", "141"], POINT),
        (["13,6L", "12,8", "14,9H", "15,1", "14,1"], COMMA),
        # Codes and two units are no numbers.
        *((cells, None) for cells in (["A11", "A12"], ["1st", "2nd"], ["12a", "12b"])),
        *(
            (cells, None)
            for cells in (["170 cm", "1.7 m"], ["$5", "5 €"], ["7 H", "5 L", "3 H", "4"])
        ),
        *((cells, None) for cells in (["5 h", "3 d", "7", "8"], ["12a", "7", "3 b", "8", "9"])),
    ],
)
def test_the_convention_follows_from_all_cells(cells, convention):
    found = read_numerals(cells)
    assert (found and found.convention) == convention


def test_a_column_keeps_its_cells_and_says_how_they_were_read():
    random = np.random.default_rng(0)
    numbers = random.normal(5_000, 900, 200).round(2)
    cells = [f"${number:,.2f}" for number in numbers]
    frame = pd.DataFrame({"pay": cells, "x": random.normal(size=200)})
    schema = infer_schema(frame)
    assert (schema["pay"].family, schema["pay"].reading) == ("normal", POINT)
    longest = max(dict.fromkeys(cells), key=len)
    text = f"with the unit $: “{longest}” is {longest[1:].rstrip('0')}."
    assert text in schema["pay"].reason
    np.testing.assert_allclose(schema.encode(frame).values[:, 0], numbers)
    assert frame["pay"].tolist() == cells
    new = pd.DataFrame({"pay": ["$1,000.00"], "x": [0.0]})
    assert schema.encode(new, allow_new_levels=True).values[0, 0] == 1000.0


@pytest.mark.parametrize("mark", ["(1)", " (12)", "*", "†", " [a]"])
def test_the_mark_of_a_footnote_is_no_part_of_a_number(mark):
    random = np.random.default_rng(2)
    numbers = random.integers(1_000, 3_000_000, 300)
    cells = [f"{number:,}".replace(",", ".") for number in numbers]
    cells[::40] = [cell + mark for cell in cells[::40]]
    frame = pd.DataFrame({"people": cells, "x": random.normal(size=300)})
    schema = infer_schema(frame)
    assert schema["people"].reading == COMMA
    assert f"{mark}” is " in schema["people"].reason
    codes = schema.with_column("people", transform=None).encode(frame)
    np.testing.assert_allclose(codes.values[:, 0], numbers)


def test_limits_stand_beside_the_number():
    random = np.random.default_rng(1)
    lab = np.exp(random.normal(0, 1, 300))
    cells = [f"{value:.3f}" if value >= 0.5 else "<0.5" for value in lab]
    spec = infer_schema(pd.DataFrame({"lab": cells}))["lab"]
    assert (spec.family, spec.special, spec.special_codes) == ("normal", ("below 0.5",), ("<0.5",))
    two = [cell.replace("<0.5", random.choice(["<0.5", "<0.2"])) for cell in cells]
    spec = infer_schema(pd.DataFrame({"lab": two}))["lab"]
    assert (spec.special, spec.special_codes) == (("below a limit",), ("<",))
