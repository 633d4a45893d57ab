"""How the form of a step asks for its fields, and what may stand in them: their annotations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..wording import counted, listed

#: Columns named in a sentence before the others are counted.
NAMED = 4


class PrepareError(ValueError):
    """A step that cannot be carried out on this table: one sentence."""


def named(names: tuple[str, ...]) -> str:
    """Columns in a sentence: 'a', 'b' and 3 more."""
    return listed(names, NAMED, "''")


@dataclass(frozen=True)
class Asked:
    """How a field is asked for."""

    label: str

    def check(self, value: Any) -> None:
        """Refuse a value of the right type that cannot stand there: a PrepareError."""


@dataclass(frozen=True)
class Column(Asked):
    """The name of a column of the table."""

    #: Of which kind it is: "number", "text", or "any".
    of: str = "any"
    #: What stands for "" in the form; "" where a column must be chosen.
    without: str = ""
    help: str | None = None


@dataclass(frozen=True)
class Columns(Asked):
    """Names of columns of the table."""

    of: str = "any"
    least: int = 1

    def check(self, value: tuple[str, ...]) -> None:
        """Refuse too few columns, or one that is named twice."""
        if len(value) < self.least:
            raise PrepareError(f"Choose {counted(self.least, 'column')} at least.")
        twice = [name for name, times in Counter(value).items() if times > 1]
        if twice:
            raise PrepareError(f"{named(tuple(twice))} is chosen twice: choose each column once.")


@dataclass(frozen=True)
class Choice(Asked):
    """One of a few values, by what the form says for each."""

    options: Mapping[Any, str]
    #: What one of them is called in an error.
    what: str = "way"

    def check(self, value: Any) -> None:
        """Refuse an option that there is not."""
        if value not in self.options:
            options = ", ".join(map(str, self.options))
            raise PrepareError(f"There is no {self.what} '{value}': choose {options}.")


class NewName(Asked):
    """The name of the column that the step makes."""


class Typed(Asked):
    """A value of a cell that is typed: a number where it reads as one, else a word."""


class Ends(Asked):
    """Rising numbers, typed one behind the other."""


class Names(Asked):
    """Pairs of the name of a column and the one that it gets."""


class Parts(Asked):
    """Words, typed one behind the other or chosen among those that are likely."""


class LevelsOf(Asked):
    """Levels of the field ``columns`` in the order in which they are chosen."""


class Test(Choice):
    """One of the tests of ``FilterRows`` that suit the cells of the field ``column``."""


class TestValues(Asked):
    """What the field ``test`` holds the cells of the field ``column`` against."""


@dataclass(frozen=True)
class DateForm(Asked):
    """How the dates of a column are written, as ``strptime`` takes it; "" for ISO and for dates."""

    #: The field that names the column.
    of: str = field(kw_only=True)


@dataclass(frozen=True)
class Day(Asked):
    """A day as 2020-01-31, asked for where another field names no column."""

    instead_of: str = field(kw_only=True)
