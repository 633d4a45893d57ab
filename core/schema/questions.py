"""Questions about a table that its cells cannot answer, each with the answers to choose from."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import pandas as pd

from ..plain import saved_as
from ..prepare.split import SplitCell
from ..prepare.step import Step
from ..wording import counted, cut
from .facts import Facts
from .spec import BY_HAND, ColumnSpec, SchemaError

#: By what a question is about, the most consequential first: fields that settle it when set.
_SETTLED_BY: Mapping[str, frozenset[str]] = {
    "label": frozenset({"role"}),
    "outcome": frozenset({"role"}),
    "treatment": frozenset({"role"}),
    "weight": frozenset({"role"}),
    "repeat": frozenset({"role"}),
    "background": frozenset({"role"}),  # asked in older files
    "cells": frozenset({"role", "family"}),
    "missing": frozenset({"missing_codes", "special", "special_codes", "taken_as"}),
    "identifier": frozenset({"role"}),
    "headers": frozenset(),  # asked in older files
    "order": frozenset({"levels", "reading", "family"}),
}
ABOUT = tuple(_SETTLED_BY)
SHOWN = 3  # columns or values named in a question before the others are counted
_LONGEST = 60  # letters of a name, which may be a whole question
KEPT_OUT = "[It is|They are] left aside unless you say otherwise."


@dataclass(frozen=True)
class Answer:
    """One answer: called with a schema, it returns the schema that follows from it."""

    text: str
    changes: Mapping[str, Mapping[str, Any]] = field(hash=False)
    about: str = field(metadata=saved_as(None), default="")
    columns: tuple[str, ...] = field(metadata=saved_as(None), default=())
    #: What the table needs first.
    step: Step | None = field(hash=False, default=None)

    def __call__(self, schema: Any) -> Any:
        """Return the ``Schema`` with the answer carried out and the question settled."""
        for name, changes in self.changes.items():
            fields = {k: v for k, v in changes.items() if k != "role" or v != schema[name].role}
            if self.about == "order":  # no likelihood is chosen against it
                fields["reason"] = f"{BY_HAND} {fields['reason']}"
            schema = schema.with_column(name, **fields)
        return schema.settled(self.about, self.columns)


@dataclass(frozen=True)
class Question:
    """What a person is asked about some columns."""

    about: str
    columns: tuple[str, ...]
    text: str
    answers: tuple[Answer, ...]

    def __post_init__(self) -> None:
        if self.about not in ABOUT:
            raise SchemaError(f"'{self.about}' is nothing to ask about; choose one of {ABOUT}.")
        answers = (replace(a, about=self.about, columns=self.columns) for a in self.answers)
        object.__setattr__(self, "answers", tuple(answers))

    def is_settled_by(self, name: str, changes: Mapping[str, Any]) -> bool:
        """Whether setting those fields of a column by hand answers it."""
        return name in self.columns and not _SETTLED_BY[self.about].isdisjoint(changes)

    def renamed(self, names: Mapping[str, str]) -> Self:
        """The same question about columns that have other names now."""
        answers = []
        for answer in self.answers:
            changes = {names.get(name, name): change for name, change in answer.changes.items()}
            step = answer.step
            if isinstance(step, SplitCell):
                step = replace(step, column=names.get(step.column, step.column))
            answers.append(replace(answer, changes=changes, step=step))
        columns = tuple(names.get(name, name) for name in self.columns)
        return replace(self, columns=columns, answers=tuple(answers))


@dataclass
class Look:
    """A table as the rules about several columns see it."""

    frame: pd.DataFrame
    facts: Mapping[str, Facts]
    specs: dict[str, ColumnSpec]
    metadata: Mapping[str, Mapping[str, Any]]
    #: Columns that steps computed, each with those that it was computed from.
    made: Mapping[str, Sequence[str]]
    label: str | None = None
    #: Columns whose part is asked about already; no other question is.
    asked: set[str] = field(default_factory=set)

    @property
    def open(self) -> list[str]:
        """Columns to cluster on whose part nobody is asked about."""
        return [n for n, s in self.specs.items() if s.role == "cluster" and n not in self.asked]

    def with_role(self, role: str, names: Iterable[str], why: str) -> dict[str, dict[str, str]]:
        """Changes that give columns a role, with why before the reason that each had."""
        return {n: {"role": role, "reason": f"{why} {self.specs[n].reason}"} for n in names}

    def keep_out(self, names: Iterable[str], why: str, role: str = "ignore") -> Answer:
        """Keep columns out unless somebody says otherwise, and the answer that agrees."""
        for name, changes in self.with_role(role, names, why).items():
            self.specs[name] = self.specs[name].changed(**changes)
        return Answer("Leave aside", {})

    def open_specs(self) -> dict[str, ColumnSpec]:
        """The same with what they are."""
        return {name: self.specs[name] for name in self.open}


def quoted(name: str) -> str:
    """A column's name in quotation marks, a long one cut."""
    return f"\u201c{cut(name, _LONGEST)}\u201d"


def named(names: Sequence[str]) -> str:
    """Some columns by name, the others counted; one alone is named rather than counted."""
    shown = [quoted(name) for name in names[: SHOWN if len(names) > SHOWN + 1 else SHOWN + 1]]
    more = len(names) - len(shown)
    return f"{', '.join(shown)} and {counted(more, 'other column')}" if more else joined(shown)


def worded(text: str, names: Sequence[str], **values: Any) -> str:
    """A text about {names} and other {values}, with the first of [one|several] for one column."""
    forms = re.sub(r"\[([^|\]]*)\|([^\]]*)\]", lambda pair: pair[1 + (len(names) > 1)], text)
    return forms.format(names=named(names), **values)


def joined(words: Iterable[str]) -> str:
    """Words behind one another: "a, b and c"."""
    *some, last = words
    return f"{', '.join(some)} and {last}" if some else last
