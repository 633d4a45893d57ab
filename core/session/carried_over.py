"""Decisions about the columns of a table, carried over to the same file read otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from ..schema.encode import complete, encode_column
from ..schema.guess import made_of
from ..schema.questions import Question
from ..schema.schema import ColumnSpec, Schema, SchemaError
from ..wording import counted, listed

_MOST_NAMES = 5


def decisions(spec: ColumnSpec) -> dict[str, Any]:
    """Everything that is decided about a column, as for ``Schema.with_column``."""
    return {f.name: getattr(spec, f.name) for f in fields(spec) if f.name != "name"}


def carried_over(
    schema: Schema, suggested: Schema, fresh: Schema, frame: pd.DataFrame
) -> tuple[Schema, CarriedOver]:
    """Put decisions about columns, by name, over a new guess of a table that is read otherwise.

    Told are the schema as decided and as guessed before, the new guess, and the frame as it is now.
    """
    decided = [name for name in schema if schema[name] != suggested[name]]
    gone = [name for name in schema if name not in fresh]
    new = [name for name in fresh if name not in schema]
    result, kept, refused = fresh, [], []
    for name in decided:
        if name in gone:
            continue
        try:
            changed = result.with_column(name, **decisions(schema[name]))
            if schema[name].role == "cluster":
                encode_column(frame[name], complete(frame[name], changed[name]))
        except SchemaError:
            refused.append(name)
            continue
        result = changed
        kept.append(name)
    for block in schema.blocks.values():
        try:
            result = result.with_block(block.name, block.columns, block.family)
        except SchemaError:
            refused.append(block.name)
    made = made_of(frame)
    for name in (name for name in new if len(made.get(name, ())) == 1):
        role = _inherited(schema, suggested, made[name][0])
        if role is not None and fresh[name].role == "cluster":
            reason = f"Made of '{made[name][0]}', which is kept out. {fresh[name].reason}"
            result = result.with_column(name, role=role, reason=reason)
    result = result.asking(_still_open(schema, suggested, fresh, kept, refused, made))
    return result, CarriedOver(tuple(kept), tuple(refused), tuple(gone), tuple(new))


#: What somebody kept out stays out in whatever is made of it; a class and an outcome alike.
_INHERITED = {"validator": "validator", "control": "control", "label": "validator"}


def _inherited(schema: Schema, suggested: Schema, source: str) -> str | None:
    """The role of what is made of one column, where that was decided to be kept out."""
    if source not in schema or schema[source].role == suggested[source].role:
        return None
    return _INHERITED.get(schema[source].role)


def _still_open(
    schema: Schema,
    suggested: Schema,
    fresh: Schema,
    kept: Sequence[str],
    refused: Sequence[str],
    made: Mapping[str, Sequence[str]],
) -> Iterator[Question]:
    """Questions of a new guess that no decision answers.

    Decided is what stands otherwise than guessed, or was asked before and is not any more.
    """
    asked, left = (
        {(q.about, name) for q in s.questions for name in q.columns} for s in (suggested, schema)
    )
    said = {n: set_otherwise(decisions(suggested[n]), decisions(schema[n])) for n in kept}
    for question in fresh.questions:
        is_lost = not {*question.columns}.isdisjoint(refused)
        alone = {n: made[n][0] for n in question.columns if len(made.get(n, ())) == 1}
        of = {(question.about, alone.get(n, n)) for n in question.columns}
        is_answered = of <= asked - left or any(
            question.is_settled_by(name, said[name]) for name in kept
        )
        if is_lost or not is_answered:
            yield question


def set_otherwise(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Of all ``decisions`` about a column those that are not as they were."""
    return {name: value for name, value in after.items() if value != before[name]}


@dataclass(frozen=True)
class CarriedOver:
    """Columns by what became of the decisions about them."""

    kept: tuple[str, ...]
    #: What was decided is not possible any more.
    refused: tuple[str, ...]
    gone: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def lost(self) -> list[str]:
        """What was decided in vain, a sentence or none."""
        if not self.refused:
            return []
        names = listed(self.refused, _MOST_NAMES)
        return [f"Not possible any more, and suggested anew: {names}."]

    @property
    def sentences(self) -> list[str]:
        """All of it, a sentence each."""
        told = {"Not in the table any more": self.gone, "New in the table": self.new}
        return [
            *([f"As you decided before: {counted(len(self.kept), 'column')}."] * bool(self.kept)),
            *self.lost,
            *(f"{what}: {listed(names, _MOST_NAMES)}." for what, names in told.items() if names),
        ]
