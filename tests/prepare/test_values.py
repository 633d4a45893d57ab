"""What each step makes of cells that were worked out by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.prepare.asked import PrepareError
from mapdp_studio.core.prepare.cells import FillBlanks, MergeLevels, NumberFromText, OrderLevels
from mapdp_studio.core.prepare.columns import Combine, CutRanges, DivideBy, Logarithm, ShareOfTotal
from mapdp_studio.core.prepare.dates import DatePart, TimeBetween
from mapdp_studio.core.prepare.joining import Join
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.prepare.rows import FilterRows
from mapdp_studio.core.prepare.split import SplitCell
from mapdp_studio.core.prepare.units import OneRowPer
from mapdp_studio.core.schema.infer import infer_schema

NAN = float("nan")


def cells(step, column: str, **columns) -> list:
    """A column after a step, its holes as None."""
    changed = step.apply(pd.DataFrame(columns))[column]
    return [None if pd.isna(cell) else cell for cell in changed.tolist()]


@pytest.mark.parametrize(
    ("cell", "number", "signs"),
    [
        ("461.748(1)", 461.748, {}),
        ("30 %", 30.0, {}),
        ("3 BHK", 3.0, {}),
        ("12\u2020", 12.0, {}),
        ("~ -.5e-3 mg", -0.0005, {}),
        ("\u22127", -7.0, {}),
        ("10-20", 10.0, {}),
        ("A-12", 12.0, {}),
        ("(12)", -12.0, {}),
        ("(1,234)", -1234.0, {"thousands": ","}),
        ("$ 1,234,567.8 *", 1234567.8, {"thousands": ","}),
        ("1.234,5 \u20ac", 1234.5, {"decimal": ",", "thousands": "."}),
        ("1 234,5 \u20ac", 1234.5, {"decimal": ",", "thousands": " "}),
        ("1\u202f234 m\u00b2", 1234.0, {"thousands": " "}),
        ("1'234", 1234.0, {"thousands": "'"}),
        # What has further signs among its digits is not read rather than read wrongly.
        ("1,234", None, {}),
        ("1 234,5", None, {"decimal": ","}),
        ("1.2.2020", None, {}),
        ("12,34", None, {"thousands": ","}),
        ("none", None, {}),
    ],
)
def test_the_first_number_of_a_cell(cell, number, signs):
    step = NumberFromText(("x",), **signs)
    assert cells(step, "x", x=["1", cell])[1] == number


def test_cells_without_a_number_are_counted_and_numbers_stay():
    frame = pd.DataFrame({"x": ["1 a", "none", "n.k.", "none", None], "y": [0.1, 2, 3, 4, NAN]})
    step = NumberFromText(("x", "y"), ",", ".")
    told = step.found(frame, step.apply(frame))
    assert told == "3 cells hold no number that can be read so, and became empty ('none', 'n.k.')."
    assert step.apply(frame)["y"].equals(frame["y"])
    with pytest.raises(PrepareError, match="No cell of 'x' holds a number"):
        step.apply(pd.DataFrame({"x": ["a", "b"], "y": [1, 2]}))


@pytest.mark.parametrize(
    ("cells_", "step", "made"),
    [
        (["120/80", "118.5 / 76 mmHg"], ("/", "numbers", ("top", "low")), [[120, 80], [118.5, 76]]),
        (["1-2-3", "4 - 5 - 6", "7-8"], ("-", "numbers", (*"abc",)), [[1, 2, 3], [4, 5, 6], None]),
        (["1,5/2", "2,5/3,5"], ("/", "numbers", ("a", "b")), [[1.5, 2], [2.5, 3.5]]),
        (["38+2", "2+0", "3"], ("+", "sum", ()), [[40], [2], None]),
        (["38+2", "40+0", "39+7"], ("+", "weeks and days", ()), [[38 + 2 / 7], [40], None]),
        (["a;b", " b ", "c"], (";", "answers", ("a", "b")), [["yes", "yes"], ["no", "yes"], None]),
        (
            ["1,4", "4", "2,1"],
            (",", "answers", ("1", "4")),
            [["yes"] * 2, ["no", "yes"], ["yes", "no"]],
        ),
    ],
)
def test_what_stands_in_one_cell_is_split(cells_, step, made):
    frame = pd.DataFrame({"before": [*cells_, None], "x": [*cells_, None], "behind": 1})
    changed = SplitCell("x", *step).apply(frame)
    assert [changed.columns[0], changed.columns[-1], "x" in changed] == ["before", "behind", False]
    split = changed.iloc[:, 1:-1]
    for row, wanted in zip(split.itertuples(index=False), [*made, None], strict=True):
        assert all(map(pd.isna, row)) if wanted is None else list(row) == wanted


@pytest.mark.parametrize(
    ("cells_", "likely"),
    [
        (["120/80", "118/76", "130/85", "?"], ("/", "numbers", ("first", "second"))),
        (["38+2", "40+0", "31+6"], ("+", "weeks and days", ())),
        (["38+2", "40+7", "31+6"], ("+", "sum", ())),
        (["46+2", "40+0", "31+6"], ("+", "sum", ())),
        (
            ["fever;cough", "cough", "fever", "rash; fever"],
            (";", "answers", ("fever", "cough", "rash")),
        ),
        (["1,2,4", "2", "4", "1,4"], (",", "answers", ("4", "1", "2"))),
    ],
)
def test_how_cells_are_likely_to_be_split(cells_, likely):
    frame, values = pd.DataFrame({"x": cells_}), {"column": "x"}
    for name, wanted in zip(("sign", "how", "parts"), likely, strict=True):
        values[name] = SplitCell.likely(name, frame, values)
        assert values[name] == wanted
    assert SplitCell(**values).found(frame, SplitCell(**values).apply(frame)).count("empty") == (
        "?" in cells_
    )


def test_a_split_says_what_it_cannot_read():
    frame = pd.DataFrame({"x": ["a;b", "b", "c"], "x: b": 1})
    step = SplitCell("x", ";", "answers", ("a",))
    assert step.found(frame, step.apply(frame)) == (
        "2 cells without one of these answers became empty ('b', 'c'). "
        "No column is made for 'b', 'c'."
    )
    for wrong, why in (
        (SplitCell("x", ";", "answers", ("b",)), "There is a column 'x: b' already"),
        (SplitCell("x", "/", "sum"), "No cell of 'x' holds 2 numbers with '/' between them"),
        (SplitCell("x", ";", "answers", ("d",)), "No cell of 'x' holds one of these answers"),
    ):
        with pytest.raises(PrepareError, match=why):
            wrong.apply(frame)
    for arguments in (
        ("sum", ("a",)),
        ("numbers", ()),
        ("answers", ("a", "a")),
        ("answers", (" ",)),
    ):
        with pytest.raises(PrepareError):
            SplitCell("x", ";", *arguments)


def test_a_blank_that_means_no_makes_two_values():
    frame = pd.DataFrame({"box": [1.0, NAN] * 9, "cross": ["x", None] * 9})
    frame["known"] = pd.array([True, None] * 9, dtype="boolean")
    assert infer_schema(frame).names("cluster") == ()
    filled = FillBlanks(("box", "cross", "known")).apply(frame)
    assert filled["box"].tolist() == [1, 0] * 9
    assert filled["known"].tolist() == [True, False] * 9
    schema = infer_schema(filled)
    assert [schema[n].family for n in filled] == ["bernoulli"] * 3
    assert schema["cross"].levels == ("no", "x")
    with pytest.raises(PrepareError, match="'box' holds numbers: a blank can mean a number"):
        FillBlanks(("box",), "none").apply(frame)


def test_spellings_and_codes_are_merged():
    assert cells(MergeLevels(("x",), (("No", "no"),)), "x", x=["No", "no", None]) == [
        *("no", "no", None)
    ]
    swapped = MergeLevels(("x",), ((1, 2), (2, 1), (9, "")))
    assert cells(swapped, "x", x=[1, 2, 9, 3]) == [2.0, 1.0, None, 3.0]
    assert cells(MergeLevels(("x",), ((1, "man"),)), "x", x=[1.0, 2, NAN]) == ["man", "2", None]
    frame = pd.DataFrame({"x": ["a", "b"]})
    step = MergeLevels(("x",), (("a", "b"), ("c", "b")))
    assert step.found(frame, step.apply(frame)) == "No cell is 'c'."
    assert step.sentence == "In 'x', 'a', 'c' became 'b'"


def test_ordered_levels_are_a_rating_in_that_order():
    frame = pd.DataFrame({"x": ["rot", "gelb", "grau", "blau"] * 9})
    prepared = Recipe().with_step(OrderLevels(("x",), ("grau", "rot", "gelb"))).apply(frame)
    spec = infer_schema(prepared.frame)["x"]
    assert (spec.family, spec.levels) == ("binomial", ("grau", "rot", "gelb"))
    assert prepared.records[0].remark == (
        "9 cells of levels that are not in the order became empty ('blau')."
    )
    letters = pd.DataFrame({"x": [*"abcdef"]})
    step = OrderLevels(("x",), ("a", "b"))
    assert "('c', 'd', 'e' and 1 more)" in step.found(letters, step.apply(letters))


def test_ranges_begin_with_their_lower_end_and_are_a_rating():
    step = CutRanges("age", (18, 65), "band")
    frame = pd.DataFrame({"age": [17.9, 18, 64, 65, NAN] * 9})
    cut = step.apply(frame)
    assert cut["band"].tolist()[:4] == ["below 18", "18 to 65", "18 to 65", "65 and more"]
    assert infer_schema(cut)["band"].levels == ("below 18", "18 to 65", "65 and more")
    assert step.found(frame.head(2), step.apply(frame.head(2))) == "No row is in '65 and more'."


def test_a_logarithm_says_what_to_do_with_zeros():
    frame = pd.DataFrame({"x": [0, 1, 9]})
    with pytest.raises(PrepareError, match=r"'x' has 1 value at or below 0.*: add 1 to all"):
        Logarithm(("x",)).apply(frame)
    assert Logarithm(("x",), 1).apply(frame)["x, log"].tolist() == np.log([1, 2, 10]).tolist()


def test_shares_of_a_total():
    parts = {"a": [1, 0, 2, 3.0], "b": [3, 0, NAN, 0]}
    assert cells(ShareOfTotal(("a", "b")), "a, share", **parts) == [0.25, None, None, 1.0]
    assert cells(ShareOfTotal(("a", "b")), "b, share", **parts) == [0.75, None, None, 0.0]


def test_amounts_are_divided_by_a_size_that_stays():
    step, sizes = DivideBy(("a",), "n"), {"a": [6, 1, 2, 3.0], "n": [3, 0, NAN, 6]}
    assert cells(step, "a per n", **sizes) == [2.0, None, None, 0.5]
    assert step.found(pd.DataFrame(sizes), step.apply(pd.DataFrame(sizes))).startswith("2 rows")
    with pytest.raises(PrepareError, match="cannot be divided by itself"):
        DivideBy(("a", "n"), "n")


@pytest.mark.parametrize(
    ("how", "made"),
    [
        *(("sum", [8.0, 2.0]), ("difference", [4.0, 2.0]), ("ratio", [3.0, None])),
        *(("product", [12.0, 0.0]), ("mean", [4.0, 1.0])),
    ],
)
def test_numbers_are_combined(how, made):
    small = {"a": np.array([6, 2], dtype="uint8"), "b": np.array([2, 0], dtype="uint8")}
    assert cells(Combine(("a", "b"), how, "c"), "c", **small) == made
    assert cells(Combine(("b", "a"), "difference", "b"), "b", **small) == [-4.0, -2.0]


@pytest.mark.parametrize(
    ("part", "value"),
    [
        *(("year", 2019.0), ("month", "December"), ("weekday", "Tuesday"), ("quarter", 4.0)),
        *(("day of year", 365.0), ("days since the first", 1.0)),
    ],
)
def test_parts_of_a_date(part, value):
    days = ["30.12.2019", "31.12.2019", "soon", None]
    assert cells(DatePart("d", "%d.%m.%Y", part, "p"), "p", d=days)[1:] == [value, None, None]
    assert cells(DatePart("d", "", part, "p"), "p", d=[pd.NaT, pd.NaT]) == [None, None]


def test_two_digits_of_a_year_are_none_in_the_future():
    days = ["01/31/26", "01/31/27", "12/14/68", "02/29/00"]
    step = DatePart("d", "%m/%d/%y", "year", "year", latest=2026)
    assert cells(step, "year", d=days) == [2026.0, 1927.0, 1968.0, 2000.0]


def test_the_time_between_dates():
    frame = pd.DataFrame({"from": ["1/2/2000", "x"], "to": ["2001-02-01", "2000-01-01"]})
    step = TimeBetween("from", "%d/%m/%Y", "to", unit="days", into="stay")
    assert cells(step, "stay", **frame) == [366.0, None]
    assert step.found(frame, step.apply(frame)) == (
        "1 cell is no date as it should be written ('x')."
    )
    age = TimeBetween("from", "%d/%m/%Y", on_day="2026-02-01", into="age")
    assert cells(age, "age", **frame)[0] == pytest.approx(26, abs=0.01)
    with pytest.raises(PrepareError, match=r"written as 31\.01\.2020"):
        TimeBetween("to", "%d.%m.%Y", on_day="2026-02-01").apply(frame)


VISITS = pd.DataFrame(
    {
        "who": ["b", "a", None, "a", "b", "a"],
        "day": ["2.1.2021", "1.1.2021", "1.1.2021", "1.1.2023", "1.1.2021", "1.1.2022"],
        "kg": [70, 80, 1, 84, NAN, 81.5],
        "drug": ["x", None, "x", "y", "x", "x"],
    }
)


def test_one_row_per_unit():
    ways = ("first", "last", "mean", "min", "max", "sum", "count")
    step = OneRowPer(
        *("who", "day", "%d.%m.%Y"),
        (
            *(("kg", how) for how in (*ways, "slope")),
            *(("drug", "share", "x"), ("drug", "values")),
            ("day", "last"),
        ),
        "visits",
    )
    made = step.apply(VISITS).set_index("who")
    assert made.index.tolist() == ["b", "a"]
    assert made.loc["a"].tolist()[:7] == [
        80,
        84,
        pytest.approx(81.8333, abs=1e-4),
        80,
        84,
        245.5,
        3,
    ]
    assert made.loc["a", "kg, slope"] == pytest.approx(2.0, abs=0.01)
    assert pd.isna(made.loc["b", "kg, slope"])
    assert made["drug, share of x"].tolist() == [1.0, 0.5]
    assert made["drug, different values"].tolist() == [1, 2]
    assert made["day"].tolist() == ["2.1.2021", "1.1.2023"]
    assert made["visits"].tolist() == [2, 3]
    assert step.found(VISITS, made) == "1 row without a 'who' left out."


ORDERS = pd.DataFrame({"customer": [10.0, 11, 12, NAN], "sum": [5, 6, 7, 8], "kg": [1, 2, 3, 4]})


@pytest.mark.parametrize(
    ("keys", "lost"),
    [
        ([10, 13, 12], ", 1 row did not ('13')"),
        ([10.0, NAN, 12], ""),
        (["10", "13", "12"], ", 1 row did not ('13')"),
    ],
)
def test_keys_meet_as_numbers_or_text(keys, lost):
    frame = pd.DataFrame({"id": keys, "kg": [0, 0, 0]})
    step = Join("orders.csv", "id", "customer", ("sum", "kg"), other=ORDERS)
    changed = step.apply(frame)
    assert changed.columns.tolist() == ["id", "kg", "sum", "kg (orders.csv)"]
    assert changed["sum"].fillna(0).tolist() == [5, 0, 7]
    assert step.found(frame, changed) == (
        f"2 of 3 rows found theirs{lost}; 1 key of 'orders.csv' belongs to no row here ('11')."
    )


def test_a_join_refuses_keys_of_several_rows_and_waits_for_its_table():
    frame = pd.DataFrame({"id": [10, 11]})
    twice = pd.concat([ORDERS, ORDERS.head(1)])
    with pytest.raises(PrepareError, match=r"several rows for a key \('10'\): make it one row per"):
        Join("orders.csv", "id", "customer", ("sum",), other=twice).apply(frame)
    step = Join("orders.csv", "id", "customer", ("sum",), other=ORDERS)
    saved = Recipe().with_step(step).to_dicts()
    waiting = Recipe.of_dicts(saved)
    assert waiting.to_dicts() == saved
    assert waiting.apply(frame).records[0].problem == (
        "'orders.csv' is not at hand: load the second table again."
    )
    again = waiting.with_tables({step.digest: ORDERS}).apply(frame)
    assert again.frame["sum"].tolist() == [5, 6]


@pytest.mark.parametrize("how", ["sum", "mean", "product"])
def test_how_cells_lie_in_memory_is_not_seen(how):
    names = list("abcdefghi")
    together = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 9)), columns=names)
    apart = together.copy()
    apart[["a", "b"]] = together[["a", "b"]].copy()
    step = Combine(tuple(names), how, "all")
    assert step.apply(apart)["all"].equals(step.apply(together)["all"])


def test_what_cannot_be_compared_is_said():
    frame = pd.DataFrame({"size": [1, 2, 3], "seen": pd.to_datetime(["2020-01-31"] * 3)})
    with pytest.raises(PrepareError, match="'a' cannot be compared with 'size': give a number"):
        FilterRows("size", "<", ("a",)).apply(frame)
    with pytest.raises(PrepareError, match="'1' cannot be compared with 'seen': give a day"):
        FilterRows("seen", "<", (1,)).apply(frame)
    assert len(FilterRows("seen", "at most", ("2020-02-01",)).apply(frame)) == 3


def test_blanks_are_filled_before_levels_are_put_in_order():
    ordered = OrderLevels(("x",), ("a", "b")).apply(pd.DataFrame({"x": ["a", "b", None]}))
    with pytest.raises(PrepareError, match="fill its blanks before"):
        FillBlanks(("x",)).apply(ordered)


def test_a_join_that_finds_no_row_is_refused_with_both_keys():
    other = pd.DataFrame({"code": ["c", "d"], "rate": [1.0, 2.0]})
    with pytest.raises(PrepareError, match=r"No row finds its own in 'r.csv'.*'a'.*'c'"):
        Join("r.csv", "id", "code", ("rate",), other=other).apply(pd.DataFrame({"id": ["a", "b"]}))


def test_a_filter_says_that_blank_rows_go_and_that_none_does():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, NAN]})
    for step, told in (
        (FilterRows("x", "at least", (1,)), "Among the rows that go is 1 whose cell is blank."),
        (FilterRows("x", "at least", (9,), "drop"), "No row is dropped."),
        (FilterRows("x", "at least", (3,), "drop"), ""),
    ):
        assert step.found(frame, step.apply(frame)) == told
