"""Other rows of a table: written as often as they count, some of them, those of a second table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .encode import complete, distinct_values, encode_column, row_weights
from .schema import Schema
from .spec import SchemaError

#: Rows that are written out at most.
MOST = 1_000_000


def copies(frame: pd.DataFrame, schema: Schema) -> np.ndarray:
    """Which row each written one is, shape (W,) with W the sum of the weights.

    Every row once where no column has the role "weight".

    Raises
    ------
    SchemaError
        A weight that is no whole number, or weights of more rows than can be written out.
    """
    for name in schema.names("weight"):
        weights = row_weights(frame[name], schema[name])
        parts = weights != np.floor(weights)
        if parts.any():
            row = int(np.argmax(parts))
            raise SchemaError(
                f"Column '{name}' counts row {row + 1:,} {weights[row]:g} times, and tests take "
                "in whole rows: round its weights, or give the column another role."
            )
        if weights.sum() > MOST:
            raise SchemaError(
                f"By the weights in column '{name}' the table has {weights.sum():,.0f} rows, and "
                f"tests take in up to {MOST:,}: give the column another role."
            )
        return np.repeat(np.arange(len(frame)), weights.astype(np.int64))
    return np.arange(len(frame))


def with_copies(frame: pd.DataFrame, schema: Schema) -> pd.DataFrame:
    """The table with every row as often as it counts; each then counts once.

    Raises
    ------
    SchemaError
        As of ``copies``.
    """
    names = schema.names("weight")
    if not names:
        return frame
    return frame.iloc[copies(frame, schema)].reset_index(drop=True).assign(**{names[0]: 1})


def subtable(frame: pd.DataFrame, schema: Schema, rows: np.ndarray) -> tuple[pd.DataFrame, Schema]:
    """Take rows, numbered from 0 on, out to be clustered again; they are numbered anew.

    The schema is the same, with the columns set aside that tell none of these rows apart. A
    SchemaError says that the rows are too few, or no column is left.
    """
    if len(rows) < 2:
        raise SchemaError("One row cannot be clustered: choose at least two.")
    part = frame.iloc[rows].reset_index(drop=True)
    for name in schema.names("cluster"):
        try:
            codes = encode_column(part[name], complete(part[name], schema[name]))
            varies = np.fmin.reduce(codes) < np.fmax.reduce(codes)
        except SchemaError:
            varies = False
        if not varies:
            schema = set_aside(schema, name, "The same in all rows of this part.")
    if not schema.names("cluster"):
        raise SchemaError("These rows are alike in every column: choose others.")
    return part, schema


def set_aside(schema: Schema, name: str, reason: str) -> Schema:
    """Ignore a column for a reason, and leave the rest of its block together."""
    return schema.with_column_apart(name).with_column(name, role="ignore", reason=reason)


@dataclass(frozen=True)
class Match:
    """How the columns of a table meet those that a model was fitted to."""

    #: Columns of the model that the table has.
    found: tuple[str, ...]
    #: Of these, those spelt otherwise in the table: its name -> the model's.
    renamed: dict[str, str]
    #: Columns of the model that the table lacks.
    absent: tuple[str, ...]
    #: Columns of the table that the model's own table did not have.
    unused: tuple[str, ...]
    #: Levels the model never met, by column; such cells count as missing.
    unknown: dict[str, tuple[str, ...]]


def match_columns(frame: pd.DataFrame, schema: Schema) -> Match:
    """Hold a table against a model's completed schema."""
    wanted = schema.names("cluster")
    others = {_spelling(name): name for name in frame.columns if name not in schema}
    renamed = {
        others[_spelling(name)]: name
        for name in wanted
        if name not in frame.columns and _spelling(name) in others
    }
    present = {*frame.columns, *renamed.values()}
    source = {name: name for name in wanted} | {name: own for own, name in renamed.items()}
    found = tuple(name for name in wanted if name in present)
    unknown = {}
    for name in found:
        levels = schema[name].levels
        if levels is None:
            continue
        known = {str(level) for level in levels}
        met = map(str, distinct_values(frame[source[name]], schema[name]))
        if new := tuple(value for value in met if value not in known):
            unknown[name] = new
    return Match(
        found,
        renamed,
        tuple(name for name in wanted if name not in present),
        tuple(str(c) for c in frame.columns if c not in schema and c not in renamed),
        unknown,
    )


def _spelling(name: str) -> str:
    """A column's name without capitals and signs."""
    plain = "".join(mark for mark in str(name).casefold() if mark.isalnum())
    return plain or str(name)


def aligned(frame: pd.DataFrame, match: Match) -> pd.DataFrame:
    """The table with the model's spelling of its columns, absent ones missing throughout."""
    frame = frame.rename(columns=match.renamed)
    empty = {name: np.full(len(frame), np.nan) for name in match.absent}
    return pd.concat([frame, pd.DataFrame(empty, index=frame.index)], axis=1)
