"""A table of steps: what each makes of cells that were worked out by hand, and what it says."""

import numpy as np
import pandas as pd

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

NAN = float("nan")
SMALL = {"a": np.array([6, 2], dtype="uint8"), "b": np.array([2, 0], dtype="uint8")}
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


#: A step, the columns of a table, those that it makes, and what a visitor is told.
CASES = [
    (FillBlanks(("x",)), {"x": [1.0, NAN]}, {"x": [1, 0]}, ""),
    (FillBlanks(("x",)), {"x": ["x", None]}, {"x": ["x", "no"]}, ""),
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
        "",
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
    (
        MergeLevels(("x",), (("No", "no"),)),
        {"x": ["No", "no", None]},
        {"x": ["no", "no", None]},
        "",
    ),
    (
        MergeLevels(("x",), ((1, 2), (2, 1), (9, ""))),
        CODES,
        {"x": [2, 1, None, 3]},
        "1 cell became empty ('9').",
    ),
    (MergeLevels(("x",), ((1, "man"),)), {"x": [1.0, 2, NAN]}, {"x": ["man", "2", None]}, ""),
    (
        MergeLevels(("x",), (("a", "b"), ("c", "b"))),
        {"x": ["a", "b"]},
        {"x": ["b", "b"]},
        "",
    ),
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
        "",
    ),
    (
        CutRanges("x", (18, 65), "x"),
        {"x": [17.9, 18]},
        {"x": ["below 18", "18 to 65"]},
        "",
    ),
    (Logarithm(("x",), 1), {"x": [0, 1, 9]}, {"x, log": np.log([1, 2, 10]).tolist()}, ""),
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
    (Combine(("a", "b"), "sum", "c"), SMALL, {"c": [8, 2]}, ""),
    (Combine(("a", "b"), "difference", "c"), SMALL, {"c": [4, 2]}, ""),
    (Combine(("b", "a"), "difference", "b"), SMALL, {"b": [-4, -2]}, ""),
    (
        Combine(("a", "b"), "ratio", "c"),
        SMALL,
        {"c": [3, None]},
        "1 cell became empty ('2 and 0').",
    ),
    (Combine(("a", "b"), "product", "c"), SMALL, {"c": [12, 0]}, ""),
    (Combine(("a", "b"), "mean", "c"), SMALL, {"c": [4, 1]}, ""),
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
        "",
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
    (
        FilterRows("x", "at least", (1,)),
        SEEN,
        {"x": [1, 2, 3]},
        "",
    ),
    (
        FilterRows("x", "is not", (1.0,)),
        SEEN,
        {"x": [2, 3]},
        "",
    ),
    (FilterRows("x", "at least", (9,), "drop"), SEEN, {"x": [1, 2, 3, None]}, ""),
    (FilterRows("x", "at least", (3,), "drop"), SEEN, {"x": [1, 2, None]}, ""),
    (FilterRows("x", "between", (2, 3)), {"x": [1, 2, 3, 4]}, {"x": [2, 3]}, ""),
    (RenameColumns((("x", "y"), ("y", "x"))), {"x": [1, 2], "y": [3, 4]}, {"y": [1, 2]}, ""),
    (DropRepeated(), {"x": [1, 1, 2], "y": [3, 3, 3]}, {"x": [1, 2], "y": [3, 3]}, ""),
    (DropRepeated(("y",)), {"x": [1, 5, 2], "y": [3, 3, 4]}, {"x": [1, 2], "y": [3, 4]}, ""),
    (FilterRows("x", "is", ("a", "b"), "drop"), {"x": [*"abcd"]}, {"x": ["c", "d"]}, ""),
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
    (OneRowPer("x", rows="n"), {"x": [3, 1, 3]}, {"x": [3, 1], "n": [2, 1]}, ""),
    (
        OneRowPer("x", "y", "", (("z", "slope"), ("z", "last"))),
        {
            "x": [1, 1, 1, 2, 2, 2],
            "y": [3, 1, 2, *[0.3515100700930197] * 3],
            "z": [9.0, 5, 7, 1, 2, 4],
        },
        {"x": [1, 2], "z, slope": [2, None], "z, last": [9, 4]},  # times whose mean is rounded
        "",
    ),
    (
        OneRowPer("x", summaries=(("z", "sum"),)),
        {"x": [1, 1, 2, 3], "z": [1.0, 2, NAN, 4]},
        {"x": [1, 2, 3], "z, sum": [3, None, 4]},
        "",
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
