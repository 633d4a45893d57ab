"""One example and more of every step, on a small table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mapdp_studio.core.prepare.cells import FillBlanks, MergeLevels, NumberFromText, OrderLevels
from mapdp_studio.core.prepare.columns import (
    Combine,
    CutRanges,
    DatePart,
    DivideBy,
    Logarithm,
    ShareOfTotal,
    TimeBetween,
)
from mapdp_studio.core.prepare.rows import DropRepeated, FilterRows, OneRowPer
from mapdp_studio.core.prepare.split import SplitCell
from mapdp_studio.core.prepare.step import Step
from mapdp_studio.core.prepare.tables import Join, RenameColumns

FRAME = pd.DataFrame(
    {
        "id": [3, 1, 3, 2, 1, 3],
        "visit": ["2020-05-01", "2020-01-01", "2021-05-01", None, "2022-01-01", "2022-05-01"],
        "born": ["01/31/55", "2/1/26", "12/31/99", "x", None, "02/29/00"],
        "seen": pd.to_datetime(["2020-05-01", "2020-01-01", None, "2021-03-01", *2 * ["2022-1-1"]]),
        "weight": [80.0, 60.0, 82.0, np.nan, 64.0, 84.0],
        "fat": [1, 0, 3, 0, 2, 4],
        "box": [1.0, np.nan, np.nan, 1.0, np.nan, 1.0],
        "cross": ["x", None, None, "x", "x", None],
        "answer": ["No", "no", "yes", "yes", None, "No"],
        "pressure": ["120/80", "118 / 76", None, "130/85", "?", "99.5/60"],
        "carried": ["38+2", "40+0", "39+6", None, "31+7", "3"],
        "signs": ["cough; fever", "fever", None, "rash;cough", "none", "x"],
        "density": ["461.748(1)", "30 %", "3 BHK", "12\u2020", "(1.5)", "none"],
    }
)
OTHER = pd.DataFrame({"no": ["1", "3", "9"], "fat": [7, 8, 9], "clinic": ["A", "B", "C"]})
OTHER_NAME = "clinic's.csv"

EXAMPLES: tuple[Step, ...] = (
    FilterRows("weight", "between", (60, 82)),
    FilterRows("answer", "is", ("no", "No"), "drop"),
    DropRepeated(),
    DropRepeated(("id",)),
    FillBlanks(("box", "cross")),
    FillBlanks(("weight",), 0.5),
    NumberFromText(("density",)),
    SplitCell("pressure", "/", "numbers", ("first", "second")),
    SplitCell("carried", "+", "sum"),
    SplitCell("carried", "+", "weeks and days"),
    SplitCell("signs", ";", "answers", ("cough", "fever", "rash", "none")),
    MergeLevels(("answer",), (("No", "no"), ("yes", ""))),
    MergeLevels(("fat", "box"), ((0, 1), (1, 0))),
    OrderLevels(("answer",), ("no", "No", "yes")),
    OrderLevels(("fat",), (4, 3, 0)),
    CutRanges("weight", (62, 82.5), "range"),
    CutRanges("fat", (1,), "fat"),
    *(DatePart("seen", "", part, "part") for part in ("year", "month", "weekday", "quarter")),
    DatePart("visit", "", "day of year", "visit"),
    DatePart("visit", "", "days since the first", "day"),
    DatePart("born", "%m/%d/%y", "year", "year", 2025),
    TimeBetween("born", "%m/%d/%y", "seen", unit="years", into="age"),
    TimeBetween("visit", "", on_day="2022-01-31", unit="days", into="days"),
    Combine(("weight", "fat"), "difference", "lean"),
    Combine(("fat", "weight"), "ratio", "weight"),
    *(Combine(("weight", "fat", "box"), how, "all") for how in ("sum", "product", "mean")),
    ShareOfTotal(("weight", "fat")),
    DivideBy(("weight",), "fat"),
    Logarithm(("weight",)),
    Logarithm(("fat", "weight"), 1),
    OneRowPer("id", rows="visits"),
    OneRowPer(
        "id",
        "visit",
        "",
        (
            *(("weight", how) for how in ("first", "last", "mean", "min", "max", "sum", "slope")),
            *(("weight", "count"), ("answer", "values"), ("answer", "share", "no")),
            ("cross", "last"),
        ),
        "visits",
    ),
    OneRowPer("id", "fat", "", (("weight", "slope"), ("seen", "first"))),
    Join(OTHER_NAME, "id", "no", ("clinic", "fat"), other=OTHER),
    RenameColumns((("fat", "lipid"),)),
)
