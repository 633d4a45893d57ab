"""What each step makes of cells that were worked out by hand, what it says, and what it refuses."""

import re

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.prepare import (
    Combine,
    CutRanges,
    DatePart,
    DivideBy,
    DropRepeated,
    FillBlanks,
    FilterRows,
    Join,
    Logarithm,
    MergeLevels,
    NumberFromText,
    OneRowPer,
    OrderLevels,
    RenameColumns,
    ShareOfTotal,
    SplitCell,
    TimeBetween,
)
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.prepare.step import PrepareError
from mapdp_studio.core.schema.infer import infer_schema

NAN = float("nan")
SMALL = {"a": np.array([6, 2], dtype="uint8"), "b": np.array([2, 0], dtype="uint8")}
THREE_DAYS = [*pd.date_range("2020-01-01", periods=3)]
DAYS = ["30.12.2019", "31.12.2019", "soon", None]
PARTS = {"a": [1, 0, 2, 3.0], "b": [3, 0, NAN, 0]}
SIZES = {"a": [6, 1, 2, 3.0], "n": [3, 0, NAN, 6]}
STAYS = {"from": ["1/2/2000", "x"], "to": ["2001-02-01", "2000-01-01"]}
CODES = {"x": [1, 2, 9, 3]}
SEEN = {"x": [1.0, 2.0, 3.0, NAN]}
VISITS = pd.DataFrame(
    {
        "who": ["b", "a", None, "a", "b", "a"],
        "day": ["2.1.2021", "1.1.2021", "1.1.2021", "1.1.2023", "1.1.2021", "1.1.2022"],
        "kg": [70, 80, 1, 84, NAN, 81.5],
        "drug": ["x", None, "x", "y", "x", "x"],
    }
)
#: What is kept of a column, what that is called, and what it is of a and of b.
KEPT = [
    (("kg", "first"), "kg", 80, 70),
    (("kg", "last"), "kg", 84, 70),
    (("kg", "mean"), "kg, mean", 245.5 / 3, 70),
    (("kg", "min"), "kg, minimum", 80, 70),
    (("kg", "max"), "kg, maximum", 84, 70),
    (("kg", "sum"), "kg, sum", 245.5, 70),
    (("kg", "count"), "kg, cells filled", 3, 1),
    (("kg", "slope"), "kg, slope", 4 / (730 / 365.2425), None),
    (("drug", "share", "x"), "drug, share of x", 0.5, 1),
    (("drug", "values"), "drug, different values", 2, 1),
    (("drug", "last"), "drug", "y", "x"),
]
ORDERS = pd.DataFrame({"customer": [10.0, 11, 12, NAN], "sum": [5, 6, 7, 8], "kg": [1, 2, 3, 4]})


def split(*how: object) -> SplitCell:
    return SplitCell("x", *how)


#: A step, the columns of a table, those that it makes, and what a visitor is told, if anything.
CASES = [
    (FillBlanks(("x",)), {"x": [1.0, NAN]}, {"x": [1, 0]}),
    (FillBlanks(("x",)), {"x": ["x", None]}, {"x": ["x", "no"]}),
    (
        NumberFromText(("x", "y"), ","),
        {"x": ["1 a", "none", "n.k.", "none", None], "y": [0.1, 2, 3, 4, NAN]},
        {"x": [1, *[None] * 4], "y": [0.1, 2, 3, 4, None]},
        "3 cells became empty ('none', 'n.k.').",
    ),
    # 120/80: two numbers of a cell, with units, of three parts, and with decimal commas.
    (
        split("/", "numbers", ("top", "low")),
        {"x": ["120/80", "118.5 / 76 mmHg", None, "?"]},
        {"x, top": [120, 118.5, None, None], "x, low": [80, 76, None, None]},
        "1 cell became empty ('?').",
    ),
    (
        split("-", "numbers", (*"abc",)),
        {"x": ["1-2-3", "4 - 5 - 6", "7-8"]},
        {"x, a": [1, 4, None], "x, b": [2, 5, None], "x, c": [3, 6, None]},
        "1 cell became empty ('7-8').",
    ),
    (
        split("/", "numbers", ("a", "b")),
        {"y": [1, 2], "x": ["1,5/2", "2,5/3,5"], "z": [5, 6]},
        {"y": [1, 2], "x, a": [1.5, 2.5], "x, b": [2, 3.5], "z": [5, 6]},
    ),
    (
        split("#", "numbers", ("a", "b")),
        {"x": ["5 ft 4 in", "-6.5 (2.5 %)", "5'11\"", "5"]},
        {"x, a": [5, -6.5, 5, None], "x, b": [4, 2.5, 11, None]},
        "1 cell became empty ('5').",
    ),
    # 38+2: 40, or weeks and days.
    (
        split("+", "sum"),
        {"x": ["38+2", "2+0", "3"]},
        {"x, sum": [40, 2, None]},
        "1 cell became empty ('3').",
    ),
    (
        split("+", "weeks and days"),
        {"x": ["38+2", "40+0", "39+7", "-1+-1"]},
        {"x, weeks": [38 + 2 / 7, 40, None, None]},
        "2 cells became empty ('39+7', '-1+-1').",
    ),
    # Several answers of a cell.
    (
        split(";", "answers", ("a", "b")),
        {"x": ["a;b", " b ", "c", None, "a;d"]},
        {"x: a": ["yes", "no", None, None, "yes"], "x: b": ["yes", "yes", None, None, "no"]},
        "No column is made for 'c', 'd'. 1 cell became empty ('c').",
    ),
    (
        split(",", "answers", ("1", "4")),
        {"x": ["1,4", "4", "2"]},
        {"x: 1": ["yes", "no", None], "x: 4": ["yes", "yes", None]},
        "No column is made for '2'. 1 cell became empty ('2').",
    ),
    (MergeLevels(("x",), (("No", "no"),)), {"x": ["No", "no", None]}, {"x": ["no", "no", None]}),
    (
        MergeLevels(("x",), ((1, 2), (2, 1), (9, ""))),
        CODES,
        {"x": [2, 1, None, 3]},
        "1 cell became empty ('9').",
    ),
    (MergeLevels(("x",), ((1, "man"),)), {"x": [1.0, 2, NAN]}, {"x": ["man", "2", None]}),
    (MergeLevels(("x",), (("a", "b"), ("c", "b"))), {"x": ["a", "b"]}, {"x": ["b", "b"]}),
    (
        OrderLevels(("x",), ("a", "b")),
        {"x": [*"abcdef"]},
        {"x": ["a", "b", *[None] * 4]},
        "4 cells became empty ('c', 'd', 'e' and 1 more).",
    ),
    (
        CutRanges("x", (18, 65), "band"),
        {"x": [17.9, 18, 64, 65, NAN]},
        {"band": ["below 18", "18 to 65", "18 to 65", "65 and more", None]},
    ),
    (CutRanges("x", (18, 65), "x"), {"x": [17.9, 18]}, {"x": ["below 18", "18 to 65"]}),
    (Logarithm(("x",), 1), {"x": [0, 1, 9]}, {"x, log": np.log([1, 2, 10]).tolist()}),
    (
        ShareOfTotal(("a", "b")),
        PARTS,
        {"a, share": [0.25, None, None, 1], "b, share": [0.75, None, None, 0]},
        "1 cell became empty ('0 and 0').",
    ),
    (
        DivideBy(("a",), "n"),
        SIZES,
        {"a per n": [2, None, None, 0.5], "n": [3, 0, None, 6]},
        "1 cell became empty ('1 and 0').",
    ),
    (Combine(("a", "b"), "sum", "c"), SMALL, {"c": [8, 2]}),
    (Combine(("a", "b"), "difference", "c"), SMALL, {"c": [4, 2]}),
    (Combine(("b", "a"), "difference", "b"), SMALL, {"b": [-4, -2]}),
    (
        Combine(("a", "b"), "ratio", "c"),
        SMALL,
        {"c": [3, None]},
        "1 cell became empty ('2 and 0').",
    ),
    (Combine(("a", "b"), "product", "c"), SMALL, {"c": [12, 0]}),
    (Combine(("a", "b"), "mean", "c"), SMALL, {"c": [4, 1]}),
    *(
        (
            DatePart("d", "%d.%m.%Y", part, "p"),
            {"d": DAYS},
            {"p": [first, second, None, None]},
            "1 cell became empty ('soon').",
        )
        for part, first, second in (
            ("year", 2019, 2019),
            ("month", "December", "December"),
            ("weekday", "Monday", "Tuesday"),
            ("quarter", 4, 4),
            ("day of year", 364, 365),
            ("days since the first", 0, 1),
        )
    ),
    (DatePart("d", "", "year", "p"), {"d": [pd.NaT, pd.NaT]}, {"p": [None, None]}, "'p' is empty."),
    (
        DatePart("d", "%m/%d/%y", "year", "d", latest=2026),
        {"d": ["01/31/26", "01/31/27", "12/14/68", "02/29/00"]},
        {"d": [2026, 1927, 1968, 2000]},
    ),
    (
        TimeBetween("from", "%d/%m/%Y", "to", unit="days", into="stay"),
        STAYS,
        {"stay": [366, None]},
        "1 cell became empty ('x and 2000-01-01').",
    ),
    (
        TimeBetween("to", "", on_day="2000-01-02", unit="days", into="stay"),
        STAYS,
        {"stay": [-396, 1]},
        "In 1 row the time is below 0: it ends before it begins.",
    ),
    (FilterRows("x", "at least", (1,)), SEEN, {"x": [1, 2, 3]}),
    (FilterRows("x", "is not", (1.0,)), SEEN, {"x": [2, 3]}),
    (FilterRows("x", "at least", (9,), "drop"), SEEN, {"x": [1, 2, 3, None]}),
    (FilterRows("x", "at least", (3,), "drop"), SEEN, {"x": [1, 2, None]}),
    (FilterRows("x", "between", (2, 3)), {"x": [1, 2, 3, 4]}, {"x": [2, 3]}),
    (FilterRows("x", "is not", ("2020-01-02",)), {"x": THREE_DAYS}, {"x": THREE_DAYS[::2]}),
    (RenameColumns((("x", "y"), ("y", "x"))), {"x": [1, 2], "y": [3, 4]}, {"y": [1, 2]}),
    (DropRepeated(), {"x": [1, 1, 2], "y": [3, 3, 3]}, {"x": [1, 2], "y": [3, 3]}),
    (DropRepeated(("y",)), {"x": [1, 5, 2], "y": [3, 3, 4]}, {"x": [1, 2], "y": [3, 4]}),
    (FilterRows("x", "is", ("a", "b"), "drop"), {"x": [*"abcd"]}, {"x": ["c", "d"]}),
    # One row of each unit, in the order of the days: three of a, two of b.
    *(
        (
            OneRowPer("who", "day", "%d.%m.%Y", (kept,), "visits"),
            VISITS,
            {"who": ["b", "a"], name: [of_b, of_a], "visits": [2, 3]},
            "1 row without a 'who' left out.",
        )
        for kept, name, of_a, of_b in KEPT
    ),
    (
        OneRowPer("who", "day", "%d.%m.%Y", (("kg", "last"),)),
        VISITS.assign(day=["soon", *VISITS["day"][1:]]),
        {"who": ["b", "a"], "kg": [70, 84]},
        "1 row without a 'who' left out.",
    ),
    (OneRowPer("x", rows="n"), {"x": [3, 1, 3]}, {"x": [3, 1], "n": [2, 1]}),
    (
        OneRowPer("x", "y", "", (("z", "slope"), ("z", "last"))),
        {
            "x": [1, 1, 1, 2, 2, 2],
            "y": [3, 1, 2, *[0.3515100700930197] * 3],
            "z": [9.0, 5, 7, 1, 2, 4],
        },
        {"x": [1, 2], "z, slope": [2, None], "z, last": [9, 4]},  # times whose mean is rounded
    ),
    (
        OneRowPer("x", summaries=(("z", "sum"),)),
        {"x": [1, 1, 2, 3], "z": [1.0, 2, NAN, 4]},
        {"x": [1, 2, 3], "z, sum": [3, None, 4]},
    ),
    # Keys meet as numbers or text.
    *(
        (
            Join("orders.csv", "id", "customer", ("sum", "kg"), other=ORDERS),
            {"id": keys, "kg": [0, 0, 0]},
            {"kg": [0, 0, 0], "sum": [5, None, 7], "kg (orders.csv)": [1, None, 3]},
            f"2 of 3 rows found theirs{lost}.",
        )
        for keys, lost in (
            ([10, 13, 12], ", 1 row did not ('13')"),
            ([10.0, NAN, 12], ""),
            (["10", "13", "12"], ", 1 row did not ('13')"),
        )
    ),
]


@pytest.mark.parametrize("case", CASES)
def test_cells_are_as_worked_out_by_hand_and_what_was_lost_is_told(case):
    step, columns, made, *remarks = case
    prepared = Recipe().with_step(step).apply(pd.DataFrame(columns))
    (record,) = prepared.records
    assert (record.problem, record.remark) == ("", "".join(remarks))
    for name, expected in made.items():
        cells = [None if pd.isna(cell) else cell for cell in prepared.frame[name].tolist()]
        assert cells == expected
    assert [name for name in prepared.frame if name in made] == [*made]


@pytest.mark.parametrize(
    ("cell", "by_point", "by_comma"),
    [
        ("461.748(1)", 461.748, 461748),
        ("30 %", 30, 30),
        ("3 BHK", 3, 3),
        ("12\u2020", 12, 12),
        ("~ -.5e-3 mg", -0.0005, ...),
        ("\u22127", -7, -7),
        ("10-20", 10, 10),
        ("A-12", 12, 12),
        ("(12)", -12, -12),
        ("(1,234)", -1234, -1.234),
        ("$ 1,234,567.8 *", 1234567.8, None),
        ("1.234,5 \u20ac", None, 1234.5),
        ("1 234,5 \u20ac", None, 1234.5),
        ("1\u202f234 m\u00b2", 1234, 1234),
        ("1'234", 1234, 1234),
        # What has further signs among its digits is not read rather than read wrongly.
        ("1.2.2020", None, None),
        ("12,34", None, 12.34),
        ("1 2345", 1, 1),
        ("none", None, None),
    ],
)
def test_the_first_number_of_a_cell(cell, by_point, by_comma):
    for decimal, number in ((".", by_point), (",", by_comma)):
        if number is ...:  # nobody writes both so
            continue
        frame = pd.DataFrame({"x": ["1", cell]})
        read = NumberFromText(("x",), decimal).apply(frame)["x"][1]
        assert pd.isna(read) if number is None else read == number, decimal


@pytest.mark.parametrize(
    ("cells", "likely"),
    [
        (["1.5 m", "2 m"], "."),
        (["1,5 m", "2 m"], ","),
        (["1.234 a", "2.345 b", "3.456", "4.567"], "."),
    ],
)
def test_the_decimal_sign_is_the_one_that_reads_most_cells(cells, likely):
    frame = pd.DataFrame({"x": cells})
    assert NumberFromText.likely("decimal", frame, {"columns": ("x",)}) == likely


@pytest.mark.parametrize(
    ("cells", "likely"),
    [
        (["120/80", "118/76", "130/85", "?"], ("/", "numbers", ("first", "second"))),
        (["38+2", "40+0", "31+6"], ("+", "weeks and days", ())),
        (["38+2", "40+7", "31+6"], ("+", "sum", ())),
        (["3+4", "4+3", "3+3", "5+4"], ("+", "sum", ())),  # Gleason's, no weeks
        (["38 2/7", "40 0/7", "31 6/7"], ("+", "weeks and days", ())),
        (["30 x 20 x 15 mm", "9 x 8 x 7 mm"], ("x", "numbers", ("first", "second", "third"))),
        (["7/8/8", "5/7/9"], ("/", "numbers", ("first", "second", "third"))),
        (["E4V5M6", "E1V2M4"], ("#", "numbers", ("first", "second", "third"))),
        (
            ["Dog\nCat", "Cat", "Dog\nBird", "Bird", "Bird"],
            ("\n", "answers", ("Bird", "Dog", "Cat")),
        ),
        (["['a', 'b']", "['b']", "['b', 'a']"], (",", "answers", ("b", "a"))),
        (["46+2", "40+0", "31+6"], ("+", "sum", ())),
        (["a;b", "b", "a", "c; a"], (";", "answers", ("a", "b", "c"))),
        (["11,12", "2", "12", "2,11"], (",", "answers", ("2", "11", "12"))),
        (["1,2,4", "2", "4", "1,4"], (",", "answers", ("1", "2", "4"))),
        (["1 2 4", "2", "4", "1 4"], (" ", "answers", ("1", "2", "4"))),
        (["4,1", "2,4,1", "1"], (",", "answers", ("1", "2", "4"))),
        (["120/80 mmHg", "118/76 mmHg"], ("/", "numbers", ("first", "second"))),
        (["4.8±0.8", "5.1 ± 1.2"], ("±", "numbers", ("first", "second"))),
        (["A & B", "A", "B", "B & C", "A & C"], ("&", "answers", ("A", "B", "C"))),
        (["en/de", "en", "de", "fr/en", "fr"], ("/", "answers", ("en", "de", "fr"))),
        (["Asian/Pacific Islander", "White", "Black", "Asian"], (";", "answers", None)),
    ],
)
def test_how_cells_are_likely_to_be_split(cells, likely):
    frame, values = pd.DataFrame({"x": cells}), {"column": "x"}
    for name, expected in zip(("sign", "how", "parts"), likely, strict=True):
        values[name] = SplitCell.likely(name, frame, values)
        assert expected is None or values[name] == expected


def test_what_a_new_column_is_called_at_first_says_of_what_it_is():
    values = {"column": "d", "part": "year", "unit": "days", "start": "a", "end": "b", "on_day": ""}
    steps = (DatePart, TimeBetween, CutRanges)
    names = [step.likely("into", pd.DataFrame(), values) for step in steps]
    assert names == ["d, year", "days from a to b", "d"]


TWICE = pd.concat([ORDERS, ORDERS.head(1)])
ORDERED = {"x": pd.Categorical(["a", None], ["a", "b"], ordered=True)}
SEEN_ON = {"seen": pd.to_datetime(["2020-01-31"] * 3)}
#: A step, a table that it cannot be carried out on, and the sentence.
REFUSED = [
    *(
        (FillBlanks(("x",), "none"), columns, "A blank in 'x' cannot mean 'none'")
        for columns in ({"x": [1.0, NAN]}, {"x": pd.array([True, None])}, ORDERED)
    ),
    (NumberFromText(("x",)), {"x": ["a", "b"]}, "No cell of 'x' holds a number"),
    (NumberFromText(("seen",)), SEEN_ON, "'seen' holds dates"),
    (split(";", "answers", ("b",)), {"x": ["a;b"] * 2, "x: b": 1}, "There is a column 'x: b'"),
    (split("/", "sum"), {"x": ["a;b"] * 2}, "No cell of 'x' holds 2 numbers with '/' between"),
    (
        split(";", "answers", ("d",)),
        {"x": ["a;b"] * 2},
        "No cell of 'x' holds one of these answers",
    ),
    (OrderLevels(("x",), ("a", "b")), {"x": ["c", "d"]}, "No cell of 'x' is one of these levels"),
    (CutRanges("x", (1,), "y"), {"x": ["c", "d"]}, "'x' holds text, not numbers: add the step"),
    (CutRanges("x", (1,), "y"), {"x": [1, 2], "y": 1}, "There is a column 'y' already"),
    (Logarithm(("x",)), {"x": [0, 1, 9]}, r"'x' has 1 value at or below 0.*: add 1 to all"),
    (Logarithm(("x",), 1), {"x": [-3, -1, 9]}, r"'x' has 2 values at or below -1.*: add more"),
    (ShareOfTotal(("a", "b")), {"a": [1, 2], "b": [-1, 2]}, "'b' has values below 0"),
    (Combine(("a", "b"), "sum", " "), PARTS, "The new column needs a name"),
    (Combine(("a", "x"), "sum", "c"), PARTS, "There is no column 'x'"),
    (DatePart("to", "%d.%m.%Y", "year", "y"), STAYS, r"written as 31\.01\.2020"),
    (DatePart("to", "%Q", "year", "y"), STAYS, "'%Q' is no way to write a date"),
    (DatePart("seen", "%Y", "year", "y"), SEEN_ON, "'seen' holds dates already"),
    (FilterRows("x", "<", ("a",)), SEEN, "'a' cannot be compared with 'x': give a number"),
    (FilterRows("seen", "<", (1,)), SEEN_ON, "'1' cannot be compared with 'seen': give a day"),
    (FilterRows("x", ">", (2,)), SEEN, "1 row would be left"),
    (RenameColumns((("a", "b"),)), PARTS, "Two columns would be called 'b'"),
    (RenameColumns((("a", " "),)), PARTS, "A name needs a letter"),
    (OneRowPer("a", "", "", (("x", "mean"),)), {"a": [1, 2], "x": ["u", "v"]}, "'x' holds text"),
    (
        Join("o.csv", "id", "customer", ("sum",), other=TWICE),
        {"id": [10, 11]},
        r"several rows for a key \('10'\): make it one row per",
    ),
    (
        Join("r.csv", "id", "customer", ("sum",), other=ORDERS),
        {"id": ["a", "b"]},
        r"No row finds its own in 'r.csv'.*'a'.*'10'",
    ),
    (
        Join("r.csv", "id", "no", ("sum",), other=ORDERS),
        {"id": [1, 2]},
        "'r.csv' has no column 'no'",
    ),
    (Join("r.csv", "id", "no", ("sum",)), {"id": [1, 2]}, "'r.csv' is not at hand: load"),
]


@pytest.mark.parametrize(("step", "columns", "why"), REFUSED)
def test_a_step_that_cannot_be_says_why_and_leaves_the_table(step, columns, why):
    frame = pd.DataFrame(columns)
    prepared = Recipe().with_step(step).apply(frame)
    (record,) = prepared.records
    assert re.search(why, record.problem)
    assert record.problem.count(". ") == 0
    pd.testing.assert_frame_equal(prepared.frame, frame)


#: Steps that are none on any table.
NO_STEPS = [
    (FillBlanks, (("x",), " "), "Say what a blank means"),
    (NumberFromText, (("x",), ";"), "';' is none of"),
    (SplitCell, ("x", ";", "sum", ("a",)), "name none"),
    (SplitCell, ("x", ";", "numbers"), "Say for which parts"),
    (SplitCell, ("x", ";", "answers", ("a", "a")), "a name of its own"),
    (MergeLevels, (("x",), ()), "Say which value"),
    (OrderLevels, (("x",), ("a",)), "two levels at least"),
    (OrderLevels, (("x",), (1, 1.0)), "two levels at least"),
    (CutRanges, ("x", (2.0, 1.0), "y"), "from the lowest to the highest"),
    (CutRanges, ("x", (1.0, 1.0 + 1e-14, 1.0 + 2e-14), "y"), "too close"),
    (ShareOfTotal, (("a",),), "Choose 2 columns at least"),
    (ShareOfTotal, (("a", "a"),), "'a' is chosen twice"),
    (DivideBy, (("a", "n"), "n"), "cannot be divided by itself"),
    (Combine, (("a", "b", "c"), "ratio", "d"), "A ratio is one of two columns"),
    (TimeBetween, ("a", "", "b", "", "2020-01-01"), "Choose up to when"),
    (TimeBetween, ("a", ""), "Choose up to when"),
    (TimeBetween, ("a", "", "", "", "1.1.2020"), "'1.1.2020' is no day"),
    (FilterRows, ("x", "between", (1,)), "needs 2 values"),
    (FilterRows, ("x", "is"), "needs 1 value"),
    (FilterRows, ("x", "is empty", (1,)), "needs 0 values"),
    (OneRowPer, ("a",), "Say what is kept"),
    (OneRowPer, ("a", "", "", (("b", "slope"),)), "A slope needs the column"),
    (OneRowPer, ("a", "", "", (("b", "share"),)), "needs a level"),
    (OneRowPer, ("a", "", "", (("a", "mean"),)), "is the unit itself"),
    (OneRowPer, ("a", "", "", (("b", "mean"), ("b", "mean"))), "Two columns would be called"),
    (OneRowPer, ("a", "", "", (("b", "mode"),)), "'mode' is none of"),
    (Join, ("o.csv", "id", "no", ()), "Choose 1 column at least"),
]


@pytest.mark.parametrize(("step", "arguments", "why"), NO_STEPS)
def test_what_is_no_step_is_refused_in_a_sentence(step, arguments, why):
    with pytest.raises(PrepareError, match=why):
        step(*arguments)


def test_what_steps_make_is_taken_for_what_it_is():
    """Ticks are yes or no, levels in order and ranges are ratings, split answers are yes or no."""
    frame = pd.DataFrame(
        {"box": [1.0, NAN] * 9, "cross": ["x", None] * 9, "age": [17.9, 18, 64] * 6}
    )
    frame["known"] = pd.array([True, None] * 9, dtype="boolean")
    frame["word"] = ["rot", "gelb", "grau"] * 6
    frame["said"] = ["a;b", "b", "a"] * 6
    recipe = Recipe()
    for step in (
        FillBlanks(("box", "cross", "known")),
        CutRanges("age", (18, 65), "band"),
        OrderLevels(("word",), ("grau", "rot", "gelb")),
        SplitCell("said", ";", "answers", ("a", "b")),
    ):
        recipe = recipe.with_step(step)
    schema = infer_schema(recipe.apply(frame).frame)
    yes_no = "box", "cross", "known", "said: a", "said: b"
    assert {schema[name].family for name in yes_no} == {"bernoulli"}
    assert schema["cross"].levels == ("no", "x")
    assert (schema["word"].family, schema["word"].levels) == ("binomial", ("grau", "rot", "gelb"))
    assert schema["band"].levels == ("below 18", "18 to 65", "65 and more")


@pytest.mark.parametrize("how", ["sum", "mean", "product"])
def test_how_cells_lie_in_memory_is_not_seen(how):
    names = list("abcdefghi")
    together = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 9)), columns=names)
    apart = together.copy()
    apart[["a", "b"]] = together[["a", "b"]].copy()
    step = Combine(tuple(names), how, "all")
    assert step.apply(apart)["all"].equals(step.apply(together)["all"])
