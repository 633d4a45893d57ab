"""Random tables as people have them, and random steps that prepare them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from mapdp_studio.core.prepare import STEPS
from mapdp_studio.core.prepare.cells import FillBlanks, MergeLevels, NumberFromText, OrderLevels
from mapdp_studio.core.prepare.columns import (
    PARTS,
    UNITS,
    WAYS,
    Combine,
    CutRanges,
    DatePart,
    DivideBy,
    Logarithm,
    ShareOfTotal,
    TimeBetween,
)
from mapdp_studio.core.prepare.rows import (
    SHARE,
    SUMMARIES,
    TESTS,
    DropRepeated,
    FilterRows,
    OneRowPer,
)
from mapdp_studio.core.prepare.split import SplitCell
from mapdp_studio.core.prepare.step import PrepareError, Step
from mapdp_studio.core.prepare.tables import Join, RenameColumns

FORMATS = ("", "%d.%m.%Y", "%m/%d/%y", "%Y", "%H:%M", "%Q", "%d%d", "mixed")
#: Columns of dates, and how they are written.
DATES = {"day": "%d.%m.%Y", "born": "%m/%d/%y", "seen": "", "iso": ""}
VALUES = ("no", "No", "x", "", " ", "10", 10, 0, 1, -1, 2.5, True, "yes", "None", "a'\"\\b")


def random_frame(random: np.random.Generator, n: int = 40) -> pd.DataFrame:
    """Numbers, words, dates, keys, written numbers, yes and no; each with holes."""
    days = pd.Timestamp("1950-02-27") + pd.to_timedelta(random.integers(0, 27000, n), "D")
    columns: dict[str, Any] = {
        "id": random.integers(0, n // 3, n),
        "size": random.normal(50, 20, n).round(2),
        "part one": random.integers(0, 9, n),
        "part 'two'": random.integers(0, 9, n),
        "box": np.where(random.random(n) < 0.4, 1.0, np.nan),
        "cross": np.where(random.random(n) < 0.4, "x", None),
        "word": random.choice(["No", "no", "yes", "Yes ", "maybe"], n),
        "pain": random.choice(["none", "mild", "severe"], n),
        "written": [f"{v:,.1f} €" if v > 5 else f"{v}(1)" for v in random.gamma(1, 99, n)],
        "day": days.strftime("%d.%m.%Y"),
        "born": days.strftime("%m/%d/%y"),
        "seen": days,
        "iso": days.strftime("%Y-%m-%d"),
        "is there": pd.array(random.random(n) < 0.5, dtype="boolean"),
        "pair": [f"{a}{'/' if a % 9 else '+'}{b}" for a, b in random.integers(9, 99, (n, 2))],
        "signs": random.choice(["cough", "cough; rash", "rash;x", ";"], n),
        "key": random.choice(["10", "11", "12", "13", "a"], n),
    }
    frame = pd.DataFrame(columns)
    for name in frame:
        if random.random() < 0.6:
            frame[name] = frame[name].mask(random.random(n) < 0.15)
    return frame


def other_frame() -> pd.DataFrame:
    """A second table, with a key of numbers and a column of a name that is taken."""
    return pd.DataFrame(
        {"no": [10.0, 11.0, 12.0, np.nan], "size": [1, 2, 3, 4], "kind": ["a", None, "c", "d"]}
    )


def random_step(random: np.random.Generator, frame: pd.DataFrame) -> Step | None:
    """One step of some kind with some columns, whether or not it suits them; None if none can be.

    Columns of one kind are chosen more often than chance would.
    """
    names = [str(name) for name in frame.columns]
    numeric = [n for n in names if pd.api.types.is_numeric_dtype(frame[n])] or names

    def one(among: list[str] = names) -> str:
        return str(random.choice(np.array(among, dtype=object)))

    def some(most: int = 3, among: list[str] = names) -> tuple[str, ...]:
        picked = random.permutation(np.array(among, dtype=object))[: random.integers(1, most + 1)]
        return tuple(map(str, picked))

    def value() -> Any:
        return VALUES[int(random.integers(len(VALUES)))]

    def cell() -> Any:
        cells = frame[one()].dropna().unique().tolist()
        found = cells[int(random.integers(len(cells)))] if cells else value()
        return found if isinstance(found, str | int | float | bool) else str(found)

    def summary() -> tuple[Any, ...]:
        how = one([*SUMMARIES])
        column = one(numeric) if random.random() < 0.7 else one()
        return (column, how, cell()) if how == SHARE else (column, how)

    def dates() -> tuple[str, str]:
        known = [name for name in DATES if name in names]
        if not known or random.random() < 0.3:
            return one(), one(list(FORMATS))
        name = one(known)
        return name, DATES[name]

    def parts() -> tuple[Any, ...]:
        how = one(["numbers", "answers"])
        return how, (("first", "second") if how == "numbers" else ("cough", "rash"))

    into = one([*names, "new", "newer", f"new {random.integers(9)}"])
    made = {
        FilterRows: lambda: FilterRows(one(), one(list(TESTS)), (cell(),), one(["keep", "drop"])),
        DropRepeated: lambda: DropRepeated(some()),
        FillBlanks: lambda: FillBlanks(some(), value()),
        NumberFromText: lambda: NumberFromText(some(2), one([".", ","])),
        SplitCell: lambda: SplitCell(
            one(["pair", "signs", "word"]),
            one(["/", "+", ";"]),
            *((one(["sum", "weeks and days"]),) if random.random() < 0.4 else parts()),
        ),
        MergeLevels: lambda: MergeLevels(some(2), ((cell(), value()), (cell(), cell()))),
        OrderLevels: lambda: OrderLevels(some(2), (cell(), cell(), cell())),
        CutRanges: lambda: CutRanges(one(numeric), (1, 4.5, 60), into),
        DatePart: lambda: DatePart(*dates(), one(list(PARTS)), into, 2026),
        TimeBetween: lambda: TimeBetween(
            *(*dates(), "", "", "2020-02-29", one(list(UNITS)), into, 2026)
            if random.random() < 0.5
            else (*dates(), *dates(), "", one(list(UNITS)), into, 2026)
        ),
        Combine: lambda: Combine(some(2, numeric), one(list(WAYS)), into),
        ShareOfTotal: lambda: ShareOfTotal(some(3, numeric)),
        DivideBy: lambda: DivideBy(some(2, numeric), one(numeric)),
        Logarithm: lambda: Logarithm(some(2, numeric), float(random.choice([0, 1, 30]))),
        OneRowPer: lambda: OneRowPer(
            *(one(), *(("", "") if random.random() < 0.5 else dates())),
            tuple(summary() for _ in range(random.integers(1, 4))),
            one(["", "rows"]),
            2026,
        ),
        Join: lambda: Join("o'ther.csv", one(), "no", ("kind", "size"), other=other_frame()),
        RenameColumns: lambda: RenameColumns(((one(), into),)),
    }
    assert {*made} == {*STEPS.values()}, "a step of the registry is not drawn here"
    kind = list(made)[int(random.integers(len(made)))]
    try:
        return made[kind]()
    except PrepareError:
        return None
