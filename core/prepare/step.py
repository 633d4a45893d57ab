"""One change of a table: what it needs, what it does, and the line of pandas that does the same.

A step is a frozen dataclass of plain values. It never changes the frame that it is given, and the
same step on the same frame gives the same frame, so a list of steps is the record of what was done.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from itertools import chain
from types import UnionType
from typing import Any, ClassVar, Self, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd

from ..wording import counted, listed

#: Columns named in a sentence before the others are counted.
NAMED = 4
#: Groups need two rows at least.
_FEWEST_ROWS = 2
#: Beyond it a number of a file is none that anybody meant.
_LARGEST = 1e300
#: Cells that are shown as examples.
EXAMPLES = 3


class PrepareError(ValueError):
    """A step that cannot be carried out on this table: one sentence."""


class Step(ABC):
    """A change of a table. Its fields are text, numbers, yes or no, None, and tuples of those.

    A field that is not compared is no part of what is saved: a second table, for which a
    fingerprint stands.
    """

    #: What stands for it in files.
    key: ClassVar[str]
    #: Its entry in the list of all steps.
    title: ClassVar[str]

    def __post_init__(self) -> None:
        """Refuse values of other types: they may come from any file."""
        hints = _hints(type(self))
        for field in fields(self):
            if field.compare and not _fits(getattr(self, field.name), hints[field.name]):
                told = field.name.replace("_", " ")
                raise PrepareError(f"'{told}' of the step '{self.title}' is of the wrong kind.")

    @property
    @abstractmethod
    def needs(self) -> tuple[str, ...]:
        """Columns that must be there."""

    @property
    def writes(self) -> tuple[str, ...]:
        """Columns whose cells are new: what the file said about those holds no longer."""
        return ()

    def sources(self, name: str) -> tuple[str, ...] | None:
        """Columns that a new one is computed from; None where its cells come as they are."""
        return self.needs

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What was done, as a report says it, without a full stop."""

    @property
    def imports(self) -> tuple[str, ...]:
        """Names of ``mapdp_studio.core`` that the lines of ``as_pandas`` need beside pandas."""
        return ()

    @abstractmethod
    def as_pandas(self) -> tuple[str, ...]:
        """Lines of Python that do the same to ``frame``, with ``pd`` and ``np``."""

    @abstractmethod
    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The changed table; ``frame`` has all that the step ``needs``."""

    def apply(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Carry the step out.

        Parameters
        ----------
        frame : DataFrame, shape (N, M)
            Rows numbered from 0 on. Stays as it is.

        Returns
        -------
        DataFrame
            Rows numbered from 0 on.

        Raises
        ------
        PrepareError
        """
        absent = [name for name in self.needs if name not in frame.columns]
        if absent:
            raise PrepareError(f"There is no column {named(tuple(absent))}.")
        try:
            with np.errstate(all="ignore"):  # what is no number is empty, and counted
                changed = self._carry_out(pd.DataFrame(frame))
        except PrepareError:
            raise
        except (TypeError, ValueError, ArithmeticError, LookupError) as error:
            told = " ".join(str(error).split())[:120]
            raise PrepareError(f"This cannot be done with these cells ({told}).") from None
        if len(changed) < _FEWEST_ROWS:
            raise PrepareError(
                f"{counted(len(changed), 'row')} would be left: groups need at least two rows."
            )
        made = self._made(frame, changed)
        changed.attrs = frame.attrs | self._told(frame.attrs, changed) | {"made": made}
        return changed

    def _made(self, frame: pd.DataFrame, changed: pd.DataFrame) -> dict[str, tuple[str, ...]]:
        """Columns that steps have computed so far, each with those that it is computed from.

        Of one that is gone, those that it was computed from itself.
        """
        before = frame.attrs.get("made", {})
        made = {name: of for name, of in before.items() if name in changed}
        for name in (name for name in changed if name not in frame):
            of = self.sources(name)
            if of is not None:
                first = [(n,) if n in changed else before.get(n, (n,)) for n in of]
                made[name] = tuple(dict.fromkeys(chain.from_iterable(first)))
        return made

    def _told(self, attrs: Mapping[str, Any], changed: pd.DataFrame) -> dict[str, Any]:
        """What the file said about columns that are as they were."""
        kept = {*changed.columns} - {*self.writes}
        return {"columns": {n: said for n, said in attrs.get("columns", {}).items() if n in kept}}

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """What a visitor should know of how it went, beside the counts: one sentence, or none."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"step": self.key} | {name: getattr(self, name) for name in self._saved()}

    @classmethod
    def of_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from ``to_dict`` or JSON; a PrepareError or TypeError says that it cannot be."""
        unknown = {*data} - {"step", *cls._saved()}
        if unknown:
            raise PrepareError(f"The step '{cls.title}' of this file says more than is known here.")
        return cls(**{name: _frozen(value) for name, value in data.items() if name != "step"})

    @classmethod
    def _saved(cls) -> tuple[str, ...]:
        return tuple(field.name for field in fields(cls) if field.compare)  # type: ignore[arg-type]

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Second tables that the step has, by their fingerprints."""
        return {}

    def with_tables(self, tables: Mapping[str, pd.DataFrame]) -> Step:
        """The step with the second table that it needs, of some by their fingerprints."""
        return self


@dataclass(frozen=True)
class CellStep(Step):
    """A step that writes new cells into some columns."""

    #: Of so many columns at least.
    fewest: ClassVar[int] = 1
    #: What the columns' names end with afterwards.
    suffix: ClassVar[str] = ""

    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_columns(self.columns, self.fewest)

    @property
    def needs(self) -> tuple[str, ...]:
        return self.columns

    @property
    def writes(self) -> tuple[str, ...]:
        return tuple(f"{name}{self.suffix}" for name in self.columns)

    @property
    def new_names(self) -> dict[str, str]:
        """What each column is called afterwards."""
        return dict(zip(self.columns, self.writes, strict=True))

    def sources(self, name: str) -> tuple[str, ...] | None:
        return tuple(old for old, new in self.new_names.items() if new == name)

    def with_new(self, frame: pd.DataFrame, cells: Mapping[str, Any]) -> pd.DataFrame:
        """The table with new cells in the columns, under their new names."""
        for old, new in self.new_names.items():
            check_new(frame, new, (old,))
        return with_columns(frame, cells).rename(columns=self.new_names)


def _frozen(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise PrepareError("A step of this file holds something that is no text and no number.")


@cache
def _hints(step: type[Step]) -> dict[str, Any]:
    return get_type_hints(step)


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the type that a field is said to have."""
    of = get_args(hint)
    if get_origin(hint) is tuple:
        if not isinstance(value, tuple):
            return False
        each = of[:1] * len(value) if of[-1] is Ellipsis else of
        return len(value) == len(each) and all(map(_fits, value, each))
    if isinstance(hint, UnionType):
        return any(_fits(value, one) for one in of)
    if hint in (int, float):
        is_number = isinstance(value, int | hint) and not isinstance(value, bool)
        return is_number and abs(value) < _LARGEST and math.isfinite(value)
    return isinstance(value, hint)


def check_columns(columns: tuple[str, ...], least: int = 1) -> None:
    """Refuse too few columns, or one that is named twice."""
    if len(columns) < least:
        raise PrepareError(f"Choose {counted(least, 'column')} at least.")
    twice = [name for name, times in Counter(columns).items() if times > 1]
    if twice:
        raise PrepareError(f"{named(tuple(twice))} is chosen twice: choose each column once.")


def check_choice(value: object, known: Mapping[str, object] | tuple[str, ...], what: str) -> None:
    """Refuse an option that there is not."""
    if value not in known:
        raise PrepareError(f"There is no {what} '{value}': choose {', '.join(known)}.")


def check_new(frame: pd.DataFrame, name: str, replaced: tuple[str, ...] = ()) -> None:
    """Refuse the name of a new column that is empty or taken."""
    if not name.strip():
        raise PrepareError("The new column needs a name.")
    if name in frame.columns and name not in replaced:
        raise PrepareError(f"There is a column '{name}' already: choose another name.")


def with_columns(frame: pd.DataFrame, columns: Mapping[str, Any]) -> pd.DataFrame:
    """The table with some columns new or changed; the one given stays as it is."""
    changed = frame.copy(deep=False)
    for name, cells in columns.items():
        changed[name] = cells
    return changed


def numbers(frame: pd.DataFrame, name: str) -> pd.Series:
    """A column of numbers, holes as NaN; of others a PrepareError says how to make it one."""
    column = frame[name]
    if pd.api.types.is_bool_dtype(column):
        raise PrepareError(f"'{name}' holds yes and no, not numbers: choose another column.")
    if pd.api.types.is_datetime64_any_dtype(column):
        raise PrepareError(
            f"'{name}' holds dates, not numbers: add the step 'Part of a date' before this one."
        )
    if not pd.api.types.is_numeric_dtype(column):
        raise PrepareError(
            f"'{name}' holds text, not numbers: add the step 'Number from text' before this one."
        )
    return column


def named(names: tuple[str, ...]) -> str:
    """Columns in a sentence: 'a', 'b' and 3 more."""
    return listed(names, NAMED, "''")


def examples(cells: pd.Series) -> str:
    """The first different cells, as a sentence shows them: ('a', 'b', 'c' and 2 more)."""
    words = [repr(word)[:40] for word in dict.fromkeys(map(str, cells.drop_duplicates()))]
    return f"({listed(words, EXAMPLES)})"
