"""Random tables as people have them, and random steps that prepare them."""

from typing import Any

import numpy as np
import pandas as pd

from mapdp_studio.core.prepare import STEPS, Join, MergeLevels, OneRowPer
from mapdp_studio.core.prepare.rows import SHARE, SUMMARIES
from mapdp_studio.core.prepare.step import Asked, PrepareError, Step

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


class Draw:
    """Values for the fields of a step on a table, by how the step asks for them."""

    def __init__(self, random: np.random.Generator, frame: pd.DataFrame) -> None:
        self.random, self.frame, self.names = random, frame, [str(name) for name in frame]

    def one(self, among: Any) -> Any:
        return [*among][int(self.random.integers(len(among)))]

    def names_of(self, of: str) -> list[str]:
        """Columns of one kind, which are chosen more often than chance would."""
        is_number = pd.api.types.is_numeric_dtype
        right = {"any": lambda _: True, "number": is_number, "text": lambda c: not is_number(c)}
        suit = [name for name in self.names if right.get(of, right["any"])(self.frame[name])]
        return suit if suit and self.random.random() < 0.9 else self.names

    def cell(self, name: str | None = None) -> Any:
        cells = self.frame[name or self.one(self.names)].dropna().unique().tolist()
        found = self.one(cells or VALUES)
        return found if isinstance(found, str | int | float | bool) else str(found)

    def field(self, asked: Asked, values: dict[str, Any], is_date: bool) -> Any:
        """A value that may stand in a field, whether or not it suits the table."""
        dates = [name for name in DATES if name in self.names] or self.names
        some = self.random.permutation(np.array(self.names_of(asked.of), dtype=object))
        return {
            "column": lambda: "" if asked.without else self.one(dates if is_date else [*some]),
            "columns": lambda: tuple(map(str, some[: self.random.integers(asked.least, 4)])),
            "choice": lambda: self.one(asked.options),
            "test": lambda: self.one(asked.options),
            "test values": lambda: (self.cell(),),
            "new name": lambda: self.one([*self.names, "new", "newer"]),
            "number": lambda: self.one([0.0, 1.0, 30.0]),
            "typed": lambda: self.one(VALUES),
            "ends": lambda: (1.0, 4.5, 60.0),
            "names": lambda: ((self.one(self.names), self.one([*self.names, "new"])),),
            "parts": lambda: self.one([(), ("first", "second"), ("cough", "rash")]),
            "levels": lambda: tuple(self.cell(values["columns"][0]) for _ in range(3)),
            "dates": lambda: DATES.get(values.get(asked.of, ""), self.one(FORMATS)),
            "day": lambda: "" if values.get(asked.of) else "2020-02-29",
        }[asked.kind]()

    def rest(self, kind: type[Step]) -> dict[str, Any]:
        """Fields that have forms of their own."""
        hows = [self.one(SUMMARIES) for _ in range(3)]
        kept = ((self.one(self.names_of("number")), h, *[self.cell()][h != SHARE :]) for h in hows)
        return {
            MergeLevels: lambda: {"pairs": ((self.cell(), self.one(VALUES)),)},
            OneRowPer: lambda: {"summaries": tuple(kept), "rows": self.one(["", "rows"])},
            Join: lambda: {
                **{"other_name": "o'ther.csv", "other_key": "no", "columns": ("kind", "size")},
                "own_key": self.one(["key", "key", self.names[0]]),
                "other": other_frame(),
            },
        }.get(kind, dict)()


def random_step(random: np.random.Generator, frame: pd.DataFrame) -> Step | None:
    """One step of some kind, of likely and of drawn values; None if none can be."""
    draw = Draw(random, frame)
    kind, values = draw.one(STEPS.values()), {}
    dated = {asked.of for asked in kind.asked().values() if asked.kind == "dates"}
    try:
        for name, asked in kind.asked().items():
            likely = kind.likely(name, frame, values) if random.random() < 0.5 else None
            values[name] = likely or draw.field(asked, values, name in dated)
        return kind(**values | draw.rest(kind))
    except PrepareError:
        return None
