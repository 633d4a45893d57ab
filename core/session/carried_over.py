"""Decisions about the columns of a table, carried over to the same file read otherwise."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

import pandas as pd

from ..schema.encode import complete, encode_column
from ..schema.guess import made_of
from ..schema.questions import Question
from ..schema.schema import ColumnSpec, Schema, SchemaError

#: What became of a decision, as the pages say it before the columns' names.
KEPT, REFUSED = "As you decided before", "Not possible any more, and suggested anew"
GONE, NEW = "Not in the table any more", "New in the table"
#: What somebody kept out stays out in whatever is made of it; a class and an outcome alike.
_INHERITED = {"validator": "validator", "control": "control", "label": "validator"}


def decisions(spec: ColumnSpec) -> dict[str, Any]:
    """Everything that is decided about a column, as for ``Schema.with_column``."""
    return {f.name: getattr(spec, f.name) for f in fields(spec) if f.name != "name"}


def set_otherwise(before: ColumnSpec, after: Mapping[str, Any]) -> dict[str, Any]:
    """Of all ``decisions`` about a column those that are not as they were."""
    return {name: value for name, value in after.items() if value != getattr(before, name)}


def check_column(schema: Schema, name: str, frame: pd.DataFrame) -> None:
    """Raise a SchemaError where a column does not fit the family that it is clustered by."""
    if schema[name].role == "cluster":
        encode_column(frame[name], complete(frame[name], schema[name]))


def carried_over(
    schema: Schema, suggested: Schema, fresh: Schema, frame: pd.DataFrame
) -> tuple[Schema, dict[str, list[str]]]:
    """Put decisions about columns, by name, over a new guess of a table that is read otherwise.

    Given are the schema as decided and as guessed before, the new guess, and the frame as it is
    now. Also returns names, of columns and blocks, by what became of them.
    """
    result, carried, refused = fresh, [], []
    new = [name for name in fresh if name not in schema]
    for name in (name for name in schema if name in fresh and schema[name] != suggested[name]):
        try:
            changed = result.with_column(name, **decisions(schema[name]))
            check_column(changed, name, frame)
        except SchemaError:
            refused.append(name)
            continue
        result = changed
        carried.append(name)
    for block in schema.blocks.values():
        try:
            result = result.with_block(block.name, block.columns, block.family)
        except SchemaError:
            refused.append(block.name)
    #: By column the one it is made of, where that is one.
    source_of = {name: of[0] for name, of in made_of(frame).items() if len(of) == 1}
    for name in (n for n in new if source_of.get(n) in schema and fresh[n].role == "cluster"):
        source = source_of[name]
        role = _INHERITED.get(schema[source].role)
        if role and schema[source].role != suggested[source].role:
            reason = f"Made of '{source}', which is kept out. {fresh[name].reason}"
            result = result.with_column(name, role=role, reason=reason)
    result = result.asking(_still_open(schema, suggested, fresh, carried, refused, source_of))
    gone = [name for name in schema if name not in fresh]
    return result, {KEPT: carried, REFUSED: refused, GONE: gone, NEW: new}


def _still_open(
    schema: Schema,
    suggested: Schema,
    fresh: Schema,
    carried: Sequence[str],
    refused: Sequence[str],
    source_of: Mapping[str, str],
) -> Iterator[Question]:
    """Questions of a new guess that nothing set, and no answer given before, settles."""
    asked, left = (
        {(q.about, name) for q in s.questions for name in q.columns} for s in (suggested, schema)
    )
    decided = {n: set_otherwise(suggested[n], decisions(schema[n])) for n in carried}
    for question in fresh.questions:
        of = {(question.about, source_of.get(name, name)) for name in question.columns}
        is_answered = of <= asked - left or any(
            question.is_settled_by(name, decided[name]) for name in carried
        )
        if not is_answered or {*question.columns} & {*refused}:
            yield question
