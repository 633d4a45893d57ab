"""Steps that read the cells of a column otherwise."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from ..wording import counted, listed
from .cell_reading import in_words, word, words_code
from .step import (
    NAMED,
    CellStep,
    PrepareError,
    check_choice,
    examples,
    named,
    with_columns,
)

Value = str | int | float | bool
#: Words that deny: in a column of numbers 0 stands for them.
_NO = ("no", "No", "NO", "false", "False")


def _is_number(column: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


@dataclass(frozen=True)
class FillBlanks(CellStep):
    """Say what an empty cell means: no, 0, or a word.

    In a column of numbers "no" is 0, in one of text 0 is "0", so that 1 or blank becomes 1 or 0,
    and x or blank becomes x or no: two values, of which the second denies.
    """

    key: ClassVar[str] = "fill blanks"
    title: ClassVar[str] = "A blank means"

    value: Value = "no"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.value, str) and not self.value.strip():
            raise PrepareError("Say what a blank means: no, 0, or a word.")

    @property
    def sentence(self) -> str:
        return f"A blank in {named(self.columns)} means '{self.value}'"

    @property
    def _number(self) -> float | None:
        """What it is among numbers."""
        if self.value in _NO:
            return 0
        return None if isinstance(self.value, str | bool) else self.value

    def _filled(self, column: pd.Series) -> pd.Series:
        name = column.name
        if pd.api.types.is_bool_dtype(column):
            if self._number is None and self.value is not True:
                raise PrepareError(f"'{name}' holds yes and no: a blank can mean yes or no there.")
            return column.fillna(bool(self._number) or self.value is True)
        if _is_number(column):
            if self._number is None and column.isna().any():
                raise PrepareError(
                    f"'{name}' holds numbers: a blank can mean a number or no there, not "
                    f"'{self.value}'."
                )
            return column if self._number is None else column.fillna(self._number)
        is_ordered = isinstance(column.dtype, pd.CategoricalDtype)
        if is_ordered or pd.api.types.is_datetime64_any_dtype(column):
            raise PrepareError(
                f"'{name}' holds dates or ordered levels: fill its blanks before it is made so."
            )
        return column.fillna(word(self.value))

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        return with_columns(frame, {name: self._filled(frame[name]) for name in self.columns})

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """Columns without a blank."""
        full = tuple(name for name in self.columns if frame[name].notna().all())
        told = f"No cell of {named(full)} is blank." if full else ""
        as_zero = self.value in _NO and any(_is_number(frame[name]) for name in self.columns)
        return f"{told} Among numbers that is 0.".strip() if as_zero else told

    def as_pandas(self) -> tuple[str, ...]:
        number = self._number
        is_yes = bool(number) or self.value is True
        return (
            f"for name in {list(self.columns)!r}:",
            "    if pd.api.types.is_bool_dtype(frame[name]):",
            f"        frame[name] = frame[name].fillna({is_yes})",
            "    elif not pd.api.types.is_numeric_dtype(frame[name]):",
            f"        frame[name] = frame[name].fillna({word(self.value)!r})",
            *(
                ()
                if number is None
                else ("    else:", f"        frame[name] = frame[name].fillna({number!r})")
            ),
        )


#: Signs between thousands, as a pattern takes them.
THOUSANDS = {
    "": "",
    ",": ",",
    ".": r"\.",
    " ": "[ \u00a0\u202f\u2009]",
    "'": "['\u2019]",
}


@dataclass(frozen=True)
class NumberFromText(CellStep):
    """Keep the first number of each cell: 461.748(1), 30 %, 3 BHK, 12\u2020.

    A number alone in parentheses is negative, as in accounts. One with further signs among its
    digits, such as 1,234 where nothing stands between thousands, is not read rather than read
    wrongly.
    """

    key: ClassVar[str] = "number from text"
    title: ClassVar[str] = "Number from text"

    decimal: str = "."
    #: Between thousands: a key of ``THOUSANDS``.
    thousands: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.decimal, (".", ","), "decimal sign")
        check_choice(self.thousands, THOUSANDS, "sign between thousands")
        if self.decimal == self.thousands:
            raise PrepareError("The decimal sign and the one between thousands must differ.")

    @property
    def sentence(self) -> str:
        return f"Read the number in each cell of {named(self.columns)}"

    @property
    def _pattern(self) -> str:
        """Of a number: its sign, its whole part and its decimals, which nothing goes on."""
        grouped = rf"\d{{1,3}}(?:{THOUSANDS[self.thousands]}\d{{3}})+|" if self.thousands else ""
        point = re.escape(self.decimal)
        apart = "" if self.thousands == " " else r"|[ \u00a0\u202f]\d{3}(?!\d)"
        return (
            r"(?<!\d)(?<!\d[.,'\u2019 \u00a0\u202f])(?P<sign>(?<!\w)[-\u2212])?"
            rf"(?P<number>(?:{grouped}\d+)(?:{point}\d+)?|{point}\d+)(?P<power>[eE][-+]?\d+)?"
            rf"(?!\d|[.,'\u2019]\d{apart})"
        )

    @property
    def _other_signs(self) -> str:
        """Of a number, what is no digit and no decimal sign."""
        return rf"[^\d{self.decimal}]"

    def _read(self, cells: pd.Series) -> pd.Series:
        found = cells.str.extract(self._pattern)
        digits = found["number"].str.replace(self._other_signs, "", regex=True)
        digits = digits.str.replace(self.decimal, ".", regex=False) + found["power"].fillna("")
        numbers = pd.to_numeric(digits, errors="coerce").astype("float64")
        is_negative = found["sign"].notna() | cells.str.fullmatch(_IN_ACCOUNTS, na=False)
        return numbers.where(~is_negative, -numbers)

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        columns = {}
        for name in self.columns:
            cells = frame[name]
            if pd.api.types.is_datetime64_any_dtype(cells):
                raise PrepareError(
                    f"'{name}' holds dates: add the step 'Part of a date' for a number of them."
                )
            if not pd.api.types.is_numeric_dtype(cells):
                columns[name] = self._read(in_words(cells))
                if cells.notna().any() and columns[name].isna().all():
                    raise PrepareError(
                        f"No cell of '{name}' holds a number that can be read so "
                        f"{examples(cells.dropna())}: look at its decimal sign."
                    )
        return with_columns(frame, columns)

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """Cells that became empty."""
        lost = [frame[n][frame[n].notna() & changed[n].isna()].astype("str") for n in self.columns]
        cells = pd.concat(lost)
        if cells.empty:
            return ""
        cell = "1 cell holds" if len(cells) == 1 else f"{counted(len(cells), 'cell')} hold"
        return f"{cell} no number that can be read so, and became empty {examples(cells)}."

    def as_pandas(self) -> tuple[str, ...]:
        return (
            f"pattern = {self._pattern!r}",
            f"for name in {list(self.columns)!r}:",
            "    if not pd.api.types.is_numeric_dtype(frame[name]):",
            f"        cells = {words_code('frame[name]')}",
            "        found = cells.str.extract(pattern)",
            f"        digits = found['number'].str.replace({self._other_signs!r}, '', regex=True)",
            f"        digits = digits.str.replace({self.decimal!r}, '.', regex=False)",
            "        digits = digits + found['power'].fillna('')",
            "        numbers = pd.to_numeric(digits, errors='coerce').astype('float64')",
            f"        in_accounts = cells.str.fullmatch({_IN_ACCOUNTS!r}, na=False)",
            "        is_negative = found['sign'].notna() | in_accounts",
            "        frame[name] = numbers.where(~is_negative, -numbers)",
        )


#: A number alone in parentheses, with its currency or its percent sign.
_IN_ACCOUNTS = r"\(\s*[$\u20ac\u00a3\u00a5]?\s*[\d.,'\u2019 ]*\d\s*[$\u20ac\u00a3\u00a5%]?\s*\)"


@dataclass(frozen=True)
class MergeLevels(CellStep):
    """Write some values as others: two spellings as one, codes as words."""

    key: ClassVar[str] = "merge levels"
    title: ClassVar[str] = "Merge or rename levels"

    #: Pairs of a value so far and what it becomes; "" makes cells empty.
    pairs: tuple[tuple[Value, Value], ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.pairs:
            raise PrepareError("Say which value becomes which.")

    @property
    def _words(self) -> dict[str, str]:
        return {word(old): word(new) for old, new in self.pairs}

    @property
    def sentence(self) -> str:
        olds: dict[str, list[str]] = {}
        for old, new in self._words.items():
            olds.setdefault(new, []).append(old)
        told = [
            f"{named(tuple(of))} became {named((new,)) if new else 'empty'}"
            for new, of in olds.items()
        ]
        return f"In {named(self.columns)}, {listed(told, NAMED)}"

    @property
    def _are_numbers(self) -> bool:
        """Whether a column of numbers is one still."""
        return not any(isinstance(new, bool) or _as_number(new) is None for _, new in self.pairs)

    def _merged(self, column: pd.Series) -> pd.Series:
        pairs, cells = self._words, in_words(column)
        merged = cells.map(lambda cell: pairs.get(cell, cell), na_action="ignore")
        cells = merged.astype(cells.dtype)
        cells = cells.where(cells != "")
        return pd.to_numeric(cells) if self._are_numbers and _is_number(column) else cells

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        return with_columns(frame, {name: self._merged(frame[name]) for name in self.columns})

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """Values that are in no column."""
        there: set[str] = set()
        for name in self.columns:
            there |= {*in_words(frame[name].drop_duplicates()).dropna()}
        absent = tuple(old for old in self._words if old not in there)
        return f"No cell is {named(absent)}." if absent else ""

    def as_pandas(self) -> tuple[str, ...]:
        lines = (
            f"pairs = {self._words!r}",
            f"for name in {list(self.columns)!r}:",
            f"    cells = {words_code('frame[name]')}",
            "    merged = cells.map(lambda cell: pairs.get(cell, cell), na_action='ignore')",
            "    cells = merged.astype(cells.dtype)",
            "    cells = cells.where(cells != '')",
        )
        if not self._are_numbers:
            return (*lines, "    frame[name] = cells")
        return (
            *lines,
            "    is_number = pd.api.types.is_numeric_dtype(frame[name])",
            "    is_number &= not pd.api.types.is_bool_dtype(frame[name])",
            "    frame[name] = pd.to_numeric(cells) if is_number else cells",
        )


def _as_number(value: Value) -> float | None:
    """A value as a number, NaN for an empty one, None where it is a word."""
    try:
        return float(value) if value != "" else np.nan
    except ValueError:
        return None


@dataclass(frozen=True)
class OrderLevels(CellStep):
    """Say in which order the levels of a column stand, from the lowest to the highest."""

    key: ClassVar[str] = "order levels"
    title: ClassVar[str] = "Order levels"

    levels: tuple[Value, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.levels) < 2 or len({*self._words}) < len(self.levels) or "" in self._words:
            raise PrepareError("An order needs two levels at least, each named once.")

    @property
    def _words(self) -> list[str]:
        return [word(level) for level in self.levels]

    @property
    def sentence(self) -> str:
        return f"Put the levels of {named(self.columns)} in order: {' < '.join(self._words)}"

    def _ordered(self, column: pd.Series) -> pd.Categorical:
        cells = in_words(column)
        if not cells.isin(self._words).any():
            raise PrepareError(
                f"No cell of '{column.name}' is one of these levels {examples(cells.dropna())}: "
                "choose among its own."
            )
        return pd.Categorical(
            cells.where(cells.isin(self._words)), categories=self._words, ordered=True
        )

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        return with_columns(frame, {name: self._ordered(frame[name]) for name in self.columns})

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """Cells whose level is not among those that were ordered."""
        lost = [frame[n][frame[n].notna() & changed[n].isna()].astype("str") for n in self.columns]
        cells = pd.concat(lost)
        if cells.empty:
            return ""
        return (
            f"{counted(len(cells), 'cell')} of levels that are not in the order became empty "
            f"{examples(cells)}."
        )

    def as_pandas(self) -> tuple[str, ...]:
        return (
            f"levels = {self._words!r}",
            f"for name in {list(self.columns)!r}:",
            f"    cells = {words_code('frame[name]')}",
            "    cells = cells.where(cells.isin(levels))",
            "    frame[name] = pd.Categorical(cells, categories=levels, ordered=True)",
        )
