"""The step that takes the facts of a cell apart: 120/80, 38+2, "cough; fever"."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ..reading import several
from ..reading.numbers import COMMA, POINT, values_of
from .step import Asked, PrepareError, Step, check_new, examples, in_words, named

NUMBERS, SUM, WEEKS, ANSWERS = "numbers", "sum", "weeks and days", "answers"
HOW = {
    NUMBERS: "numbers, a column for each",
    SUM: "numbers, to be added",
    WEEKS: "weeks and days, to be read in weeks",
    ANSWERS: "answers, yes or no for each",
}
_SAYS = {
    NUMBERS: "",
    SUM: ", the sum of its numbers",
    WEEKS: ", its weeks and days in weeks",
    ANSWERS: ", yes or no in each",
}
_SIGNS = {sign: sign for sign in (*"/+±&;,|-:x*", "\u00d7", "\\", "\u3001")}
_SIGNS |= {" ": "a blank", "\n": "a line break", several.AMONG: "anything but digits"}
#: Weeks that a child is carried, at most.
_MOST_WEEKS = 45
_DAYS = 7
#: Cells that are looked at, and answers that are columns unless somebody says so.
_MOST_CELLS, MOST_ANSWERS = 2000, 60


def likely_split(cells: Sequence[str]) -> tuple[str, str] | None:
    """The sign between the facts in some distinct cells and a key of ``HOW``; None for others."""
    sign, parts = several.pairs_in(cells)
    if sign:
        most = np.nanmax(parts, axis=0)
        are_weeks = sign == "+" and _DAYS < most[0] <= _MOST_WEEKS and most[1] < _DAYS
        return sign, WEEKS if are_weeks else SUM if sign == "+" else NUMBERS
    answers = several.answers_sign(cells)
    return (answers, ANSWERS) if answers else None


def numbered(cells: Sequence[str]) -> tuple[str, ...]:
    """What the numbers in some distinct cells are called, two or three."""
    return ("first", "second", "third")[: max(several.pairs_in(cells)[1].shape[1], 2)]


def answers_in(cells: pd.Series, sign: str) -> tuple[str, ...]:
    """The answers in some cells: numbers in their order, words with the most frequent first."""
    text = Counter(answer for cell in cells.dropna() for answer in _answers_of(str(cell), sign))
    if all(map(str.isdecimal, text)):
        return tuple(sorted(text, key=int))
    return tuple(answer for answer, _ in text.most_common())


@dataclass(frozen=True)
class SplitCell(Step, key="split a cell", title="Split a cell"):
    """Make columns of the facts that stand in one cell; they take the place of the column."""

    column: Annotated[str, Asked("Column", "column", "text")]
    sign: Annotated[str, Asked("Between its parts stands", "choice", options=_SIGNS)]
    how: Annotated[str, Asked("The parts are", "choice", options=HOW)]
    #: What the columns of numbers are called behind the column's name, or the answers.
    parts: Annotated[tuple[str, ...], Asked("Columns are made for", "parts")] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.how in (SUM, WEEKS) and self.parts:
            raise PrepareError("One column is made of these parts: name none.")
        if self.how in (NUMBERS, ANSWERS) and not self.parts:
            raise PrepareError("Say for which parts columns are made.")
        if len({*self.parts}) < len(self.parts) or not all(map(str.strip, self.parts)):
            raise PrepareError("Each part needs a name of its own.")

    @classmethod
    def likely(cls, name: str, frame: pd.DataFrame, values: Mapping[str, Any]) -> Any:
        if values.get("column") is None:
            return super().likely(name, frame, values)
        cells = in_words(frame[values["column"]]).dropna()
        distinct = cells.drop_duplicates()[:_MOST_CELLS].tolist()
        sign, how = likely_split(distinct) or (";", ANSWERS)
        if name == "parts" and values["how"] == ANSWERS:
            return answers_in(cells, values["sign"])[:MOST_ANSWERS]
        if name == "parts":
            return numbered(distinct) if values["how"] == NUMBERS else ()
        return {"sign": sign, "how": how}.get(name)

    @property
    def writes(self) -> tuple[str, ...]:
        if self.how == ANSWERS:
            return tuple(f"{self.column}: {answer}" for answer in self.parts)
        parts = self.parts or ("weeks" if self.how == WEEKS else "sum",)
        return tuple(f"{self.column}, {part}" for part in parts)

    @property
    def _at(self) -> str:
        return _SIGNS[self.sign] if self.sign in ("\n", several.AMONG) else f"'{self.sign}'"

    @property
    def sentence(self) -> str:
        return f"Split '{self.column}' at {self._at} into {named(self.writes)}{_SAYS[self.how]}"

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        for name in self.writes:
            check_new(frame, name, (self.column,))
        cells = in_words(frame[self.column])
        made = self._answers(cells) if self.how == ANSWERS else self._numbers(cells)
        if made.isna().all(axis=None) and cells.notna().any():
            expected = f"{max(len(self.parts), 2)} numbers with {self._at} between them"
            expected = "one of these answers" if self.how == ANSWERS else expected
            raise PrepareError(
                f"No cell of '{self.column}' holds {expected} {examples(cells.dropna())}: choose "
                "another sign, or what the parts are."
            )
        place = frame.columns.get_loc(self.column)
        return pd.concat([frame.iloc[:, :place], made, frame.iloc[:, place + 1 :]], axis=1)

    def _answers(self, cells: pd.Series) -> pd.DataFrame:
        text = {cell: {*_answers_of(cell, self.sign)} for cell in cells.dropna().unique()}
        answered = cells.map(lambda cell: bool(text[cell] & {*self.parts}), na_action="ignore")
        made = {
            name: cells.map(
                lambda cell, a=a: "yes" if a in text[cell] else "no", na_action="ignore"
            )
            for name, a in zip(self.writes, self.parts, strict=True)
        }
        return pd.DataFrame(made).where(answered.eq(True))

    def _numbers(self, cells: pd.Series) -> pd.DataFrame:
        distinct = cells.dropna().unique().tolist()
        n = max(len(self.parts), 2)
        split = [several.parts_of(cell, self.sign) for cell in distinct]
        if self.how == WEEKS:
            split = [found if len(found) > 1 else [*found, "0"] for found in split]
        parts = [part for found in split for part in (found if len(found) == n else [""] * n)]
        read = [values_of(parts, way).reshape(-1, n) for way in (POINT, COMMA)]
        values = max(read, key=lambda table: np.isfinite(table).sum())
        values[np.isnan(values).any(axis=1)] = np.nan
        if self.how == WEEKS:
            is_day = (values[:, 1] >= 0) & (values[:, 1] < _DAYS)
            values = np.where(is_day, values[:, 0] + values[:, 1] / _DAYS, np.nan)[:, None]
        elif self.how == SUM:
            values = values.sum(axis=1, keepdims=True)
        made = pd.DataFrame(values, index=distinct, columns=list(self.writes), dtype="float64")
        return made.reindex(cells).reset_index(drop=True)

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """Answers that have no column."""
        if self.how != ANSWERS:
            return ""
        others = {*answers_in(in_words(frame[self.column]), self.sign)} - {*self.parts}
        return f"No column is made for {named(sorted(others))}." if others else ""


def _answers_of(cell: str, sign: str) -> list[str]:
    return [answer for answer in dict.fromkeys(several.answers_of(cell, sign)) if answer]
