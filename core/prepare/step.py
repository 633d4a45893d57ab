"""A change of a table, a frozen dataclass of plain values; it never changes its frame."""

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from itertools import chain
from typing import Annotated, Any, ClassVar, Self, get_args, get_origin

import numpy as np
import pandas as pd

from ..plain import from_fields, from_plain, hints, saved_fields
from ..wording import RefusedError, counted, listed

Value = str | int | float | bool
#: Columns named, and cells shown, in a sentence before the others are counted.
NAMED, _EXAMPLES = 4, 3
#: Groups need two rows at least.
_FEWEST_ROWS = 2
#: A whole number that a column with holes turned into a decimal one.
_WHOLE = r"^(-?\d+)\.0$"


class PrepareError(RefusedError):
    """A step that cannot be carried out on this table: one sentence."""


@dataclass(frozen=True)
class Asked:
    """How the form of a step asks for a field, and what may stand in it."""

    label: str
    #: What is asked for: by which method of the fields on Prepare.
    kind: str = "number"
    #: Of columns: "number", "text" or "any". Of how dates are written: the field of their column.
    of: str = "any"
    #: Of one value among a few: what the form says for each.
    options: Mapping[Any, str] | None = None
    #: Of columns: how many at least.
    least: int = 1
    #: What stands for "" in the form, where no column need be chosen.
    without: str = ""
    #: Of a new name, what it is at first, made of the values of the fields before it.
    first: str = ""

    def check(self, value: Any) -> None:
        """Refuse a value of the right type that cannot stand there."""
        if self.options is not None and value not in self.options:
            options = ", ".join(map(str, self.options))
            raise PrepareError(f"'{value}' is none of {options}: choose one of these.")
        if self.kind != "columns":
            return
        if len(value) < self.least:
            raise PrepareError(f"Choose {counted(self.least, 'column')} at least.")
        if twice := repeated(value):
            raise PrepareError(f"{named(twice)} is chosen twice: choose each column once.")


#: All kinds of steps by what stands for them in files.
_KINDS: dict[str, type["Step"]] = {}


class Step(ABC):
    """A change of a table; its ``repr`` is the Python that makes it."""

    #: What stands for it in files, and its entry in the list of all steps.
    key: ClassVar[str]
    title: ClassVar[str]
    #: Whether it computes with cells, so that codes of missing ones would be taken for numbers.
    computes: ClassVar[bool]

    def __init_subclass__(cls, key: str = "", title: str = "", computes: bool = False) -> None:
        cls.key, cls.title, cls.computes = key, title, computes
        if key:
            _KINDS[key] = cls

    def __post_init__(self) -> None:
        """Refuse what the annotations rule out: a step may come from any file."""
        for name, (_, hint) in hints(type(self)).items():
            try:
                object.__setattr__(self, name, from_plain(hint, getattr(self, name)))
            except ValueError:
                text = name.replace("_", " ")
                raise PrepareError(
                    f"'{text}' of the step '{self.title}' is of the wrong kind."
                ) from None
        for name, asked in self.asked().items():
            asked.check(getattr(self, name))

    @classmethod
    def asked(cls) -> dict[str, Asked]:
        """How each field is asked for, of those that somebody may choose."""
        annotated = ((name, hint) for name, (_, hint) in hints(cls).items())
        return {n: get_args(hint)[1] for n, hint in annotated if get_origin(hint) is Annotated}

    @classmethod
    def likely(cls, name: str, frame: pd.DataFrame, values: Mapping[str, Any]) -> Any:
        """What a form begins with in a field, with the values of those before it."""
        asked = cls.asked().get(name)
        if asked is not None and asked.first:
            return asked.first.format(**values)
        (found,) = (field for field in fields(cls) if field.name == name)  # type: ignore[arg-type]
        return None if found.default is MISSING else found.default

    @property
    def needs(self) -> tuple[str, ...]:
        """Columns that must be there."""
        names: list[str] = []
        for name, asked in self.asked().items():
            value = getattr(self, name)
            names += [value] if asked.kind == "column" else value if asked.kind == "columns" else []
        return tuple(dict.fromkeys(filter(None, names)))

    @property
    def writes(self) -> tuple[str, ...]:
        """Columns whose cells are new: what the file said about those holds no longer."""
        return tuple(
            getattr(self, name) for name, asked in self.asked().items() if asked.kind == "new name"
        )

    @property
    def renames(self) -> Mapping[str, str]:
        """New names of columns that stay what they are."""
        return {}

    def sources(self, name: str) -> tuple[str, ...] | None:
        """Columns that a new one is computed from; None where its cells come as they are."""
        return self.needs

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What was done, as a report says it, without a full stop."""

    @property
    def arguments(self) -> list[str]:
        """Python of the arguments that make the step."""
        options = fields(self)  # type: ignore[arg-type]
        return [f"{field.name}={getattr(self, field.name)!r}" for field in options if field.repr]

    @abstractmethod
    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The changed table; ``frame`` has all that the step ``needs``."""

    def apply(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The changed table, its rows numbered from 0 on; a PrepareError where that cannot be."""
        absent = [name for name in self.needs if name not in frame.columns]
        if absent:
            raise PrepareError(f"There is no column {named(absent)}.")
        try:
            with np.errstate(all="ignore"):  # what is no number is empty, and counted
                changed = self._carry_out(pd.DataFrame(frame))
        except PrepareError:
            raise
        except (TypeError, ValueError, ArithmeticError, LookupError) as error:
            text = " ".join(str(error).split())[:120]
            raise PrepareError(f"This cannot be done with these cells ({text}).") from None
        if len(changed) < _FEWEST_ROWS:
            raise PrepareError(
                f"{counted(len(changed), 'row')} would be left: groups need at least two rows."
            )
        now = {name: self.renames.get(name, name) for name in frame}
        columns = {now.get(n, n): fact for n, fact in frame.attrs.get("columns", {}).items()}
        columns = {n: fact for n, fact in columns.items() if n in changed and n not in self.writes}
        changed.attrs = frame.attrs | {"columns": columns, "made": self._made(frame, changed, now)}
        return changed

    def _made(
        self, frame: pd.DataFrame, changed: pd.DataFrame, now: Mapping[str, str]
    ) -> dict[str, tuple[str, ...]]:
        """Columns that steps have computed so far, each with those that it is computed from."""
        before = frame.attrs.get("made", {})
        made = {now.get(n, n): tuple(now.get(o, o) for o in of) for n, of in before.items()}
        made = {name: of for name, of in made.items() if name in changed}
        for name in (name for name in changed if name not in now.values()):
            of = self.sources(name)
            if of is not None:  # of one that is gone, those that it was computed from itself
                first = [(n,) if n in changed else before.get(n, (n,)) for n in of]
                made[name] = tuple(dict.fromkeys(chain.from_iterable(first)))
        return made

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """What a visitor should know of how it went: one sentence, or none."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"step": self.key} | saved_fields(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild any step from ``to_dict`` or JSON; a PrepareError says that it cannot be."""
        key = str(data.get("step"))
        if key not in _KINDS:
            advice = "this was saved by a newer version of MAP-DP Studio"
            raise PrepareError(f"There is no step '{key}' here: {advice}.")
        try:
            return from_fields(_KINDS[key], {n: one for n, one in data.items() if n != "step"})
        except PrepareError:
            raise
        except ValueError as error:
            raise PrepareError(f"A step '{_KINDS[key].title}' cannot be so: {error}.") from None


class CellStep(Step):
    """A step that writes new cells into the columns of its field ``columns``."""

    #: What the columns' names end with afterwards.
    suffix: ClassVar[str] = ""
    columns: tuple[str, ...]

    @property
    def new_names(self) -> dict[str, str]:
        """What each column is called afterwards."""
        return {name: f"{name}{self.suffix}" for name in self.columns}

    @property
    def writes(self) -> tuple[str, ...]:
        return tuple(self.new_names.values())

    def sources(self, name: str) -> tuple[str, ...] | None:
        return tuple(old for old, new in self.new_names.items() if new == name)

    @abstractmethod
    def _cells(self, frame: pd.DataFrame, name: str) -> Any:
        """New cells of a column, shape (N,)."""

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        for old, new in self.new_names.items():
            check_new(frame, new, (old,))
        cells = {name: self._cells(frame, name) for name in self.columns}
        return frame.assign(**cells).rename(columns=self.new_names)


class ColumnStep(Step):
    """A step that makes one column, called as its field ``into`` says."""

    into: str

    @abstractmethod
    def _cells(self, frame: pd.DataFrame) -> Any:
        """Cells of the column, shape (N,)."""

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        check_new(frame, self.into, self.needs)
        return frame.assign(**{self.into: self._cells(frame)})


def repeated(names: Any) -> list[str]:
    """Names that stand there more than once."""
    return [name for name, times in Counter(names).items() if times > 1]


def named(names: Any) -> str:
    """Columns in a sentence: 'a', 'b' and 3 more."""
    return listed(tuple(names), NAMED, "''")


def check_new(frame: pd.DataFrame, name: str, replaced: tuple[str, ...] = ()) -> None:
    """Refuse the name of a new column that is empty or taken."""
    if not name.strip():
        raise PrepareError("The new column needs a name.")
    if name in frame.columns and name not in replaced:
        raise PrepareError(f"There is a column '{name}' already: choose another name.")


def is_number(column: pd.Series) -> bool:
    """Whether the cells are numbers, not yes and no."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def is_day(column: pd.Series) -> bool:
    """Whether the cells are days and times."""
    return pd.api.types.is_datetime64_any_dtype(column)


def numbers(frame: pd.DataFrame, name: str) -> pd.Series:
    """A column of numbers as float64; of others a PrepareError says how to make it one."""
    column = frame[name]
    if pd.api.types.is_bool_dtype(column):
        raise PrepareError(f"'{name}' holds yes and no, not numbers: choose another column.")
    if not is_number(column):
        what, step = ("dates", "Part of a date") if is_day(column) else ("text", "Number from text")
        raise PrepareError(f"'{name}' holds {what}, not numbers: add the step '{step}' before it.")
    return column.astype("float64")


def word(value: object) -> str:
    """A value as ``in_words`` has it: 10, 10.0 and "10" are one."""
    return re.sub(_WHOLE, r"\1", str(value))


def in_words(column: pd.Series) -> pd.Series:
    """Cells as text, as the file writes them; empty ones stay so."""
    cells = column.astype("str").where(column.notna())
    return cells.str.replace(_WHOLE, r"\1", regex=True)


def examples(cells: pd.Series) -> str:
    """The first different cells, as a sentence shows them: ('a', 'b', 'c' and 2 more)."""
    words = [repr(word)[:40] for word in dict.fromkeys(map(str, cells.drop_duplicates()))]
    return f"({listed(words, _EXAMPLES)})"
