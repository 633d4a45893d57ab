"""One change of a table: what it needs, what it does, and the line of pandas that does the same.

A step is a frozen dataclass of plain values. It never changes the frame that it is given, and the
same step on the same frame gives the same frame, so a list of steps is the record of what was done.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

import pandas as pd

from ..wording import counted, listed

#: Columns named in a sentence before the others are counted.
NAMED = 4
#: Groups need two rows at least.
_FEWEST_ROWS = 2


class PrepareError(ValueError):
    """A step that cannot be carried out on this table: one sentence."""


class Step(ABC):
    """A change of a table. Its fields are text, numbers, yes or no, None, and tuples of those."""

    #: What stands for it in files.
    key: ClassVar[str]
    #: Its entry in the list of all steps.
    title: ClassVar[str]

    @property
    @abstractmethod
    def needs(self) -> tuple[str, ...]:
        """Columns that must be there."""

    @property
    def writes(self) -> tuple[str, ...]:
        """Columns whose cells are new: what the file said about those holds no longer."""
        return ()

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
            changed = self._carry_out(frame)
        except PrepareError:
            raise
        except (TypeError, ValueError, ArithmeticError, LookupError) as error:
            told = " ".join(str(error).split())[:120]
            raise PrepareError(f"This cannot be done with these cells ({told}).") from None
        if len(changed) < _FEWEST_ROWS:
            raise PrepareError(
                f"{counted(len(changed), 'row')} would be left: groups need at least two rows."
            )
        changed.attrs = frame.attrs | self._told(frame.attrs, changed)
        return changed

    def _told(self, attrs: Mapping[str, Any], changed: pd.DataFrame) -> dict[str, Any]:
        """What the file said about columns that are as they were."""
        kept = {*changed.columns} - {*self.writes}
        return {"columns": {n: said for n, said in attrs.get("columns", {}).items() if n in kept}}

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """What a visitor should know of how it went, beside the counts: one sentence, or none."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"step": self.key} | {
            field.name: getattr(self, field.name) for field in fields(self)
        }

    @classmethod
    def of_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from ``to_dict`` or JSON; a PrepareError or TypeError says that it cannot be."""
        return cls(**{name: _frozen(value) for name, value in data.items() if name != "step"})


def _frozen(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise PrepareError("A step of this file holds something that is no text and no number.")


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


def numbers(frame: pd.DataFrame, name: str) -> pd.Series:
    """A column of numbers, holes as NaN; of others a PrepareError says how to make it one."""
    column = frame[name]
    if pd.api.types.is_bool_dtype(column) or not pd.api.types.is_numeric_dtype(column):
        raise PrepareError(
            f"'{name}' holds text, not numbers: add the step 'Number from text' before this one."
        )
    return column


def named(names: tuple[str, ...]) -> str:
    """Columns in a sentence: 'a', 'b' and 3 more."""
    return listed(names, NAMED, "''")
