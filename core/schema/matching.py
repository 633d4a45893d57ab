"""Does a second table fit a fitted model? Columns by name, levels by spelling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .encode import distinct_values
from .schema import Schema


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
