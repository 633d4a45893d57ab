"""Other rows of a table: written as often as they count, some of them, those of a second table."""

import re
import warnings
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from ..reading.numbers import POINT, by_one_convention, read_numeral
from ..wording import listed
from .cells import is_textual, key_of, read_words, special_outcomes
from .encode import distinct_values, does_not_suit, row_weights
from .encoded import Encoded
from .schema import Schema
from .spec import ColumnSpec, SchemaError

#: Rows that are written out, at most.
MOST = 1_000_000
#: What becomes of cells of a second table that are not those of the model's.
HAS_UNKNOWN = "has values the model never met, treated as missing"
HAS_LIMITS = "has limits: below one, half of it is taken, above one the limit itself"


def copies(frame: pd.DataFrame, schema: Schema) -> np.ndarray:
    """Which row each written one is, shape (W,) with W the sum of the weights."""
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
    """The table with every row as often as it counts; each then counts once."""
    names = schema.names("weight")
    if not names:
        return frame
    return frame.iloc[copies(frame, schema)].reset_index(drop=True).assign(**{names[0]: 1})


@dataclass(frozen=True)
class Match:
    """How the columns of a table meet those that a model was fitted to."""

    found: tuple[str, ...]
    #: Of these, those spelt otherwise in the table: its name -> the model's.
    renamed: dict[str, str]
    absent: tuple[str, ...]
    unused: tuple[str, ...]
    #: Levels the model never met, words among numbers and numbers that its likelihood cannot take,
    #: by column; such cells count as missing.
    unknown: dict[str, tuple[str, ...]]
    #: Limits among plain numbers, by column: "<1" is taken as half of it, ">90" as 90.
    limits: dict[str, tuple[str, ...]] = field(default_factory=dict)
    #: Columns whose cells are written otherwise than the model's, as those are.
    read: dict[str, pd.Series] = field(default_factory=dict, compare=False)


def match_columns(frame: pd.DataFrame, schema: Schema) -> Match:
    """Hold a table against a model's completed schema."""
    expected = schema.names("cluster")
    others = {_spelling(name): name for name in frame.columns if name not in schema}
    renamed = {
        others[_spelling(name)]: name
        for name in expected
        if name not in frame.columns and _spelling(name) in others
    }
    present = {*frame.columns, *renamed.values()}
    source = {name: name for name in expected} | {name: own for own, name in renamed.items()}
    found = tuple(name for name in expected if name in present)
    unknown, limits, read = {}, {}, {}
    for name in found:
        spec, cells = schema[name], frame[source[name]]
        if spec.levels is not None:
            levels = {str(level) for level in spec.levels}
            if not levels.issuperset(map(str, distinct_values(cells, spec))):
                cells = _as_levels(cells, spec)
                met = map(str, distinct_values(cells, spec))
                unknown[name] = tuple(value for value in met if value not in levels)
                is_new = cells.map(key_of, na_action="ignore").isin(unknown[name])
                read[name] = cells.mask(is_new)
        else:
            if is_textual(cells.dtype):
                read[name], limits[name], unknown[name] = _as_numbers(cells, spec)
                cells = read[name]
            wrong = does_not_suit(cells, spec)
            if wrong.any():
                read[name] = cells.mask(wrong)
                odd = (f"{value:g}" for value in cells[wrong].unique())
                unknown[name] = (*unknown.get(name, ()), *odd)
    return Match(
        found,
        renamed,
        tuple(name for name in expected if name not in present),
        tuple(str(c) for c in frame.columns if c not in schema and c not in renamed),
        {name: words for name, words in unknown.items() if words},
        {name: words for name, words in limits.items() if words},
        {source[name]: cells for name, cells in read.items()},
    )


def encode_new_rows(schema: Schema, frame: pd.DataFrame) -> Encoded:
    """Rows of another table as numbers; limits and words among those are named in a warning."""
    match = match_columns(frame, schema)
    cells = ((HAS_LIMITS, match.limits), (HAS_UNKNOWN, match.unknown))
    for name in match.limits | match.unknown:
        has = (f"{has} ({listed(of[name], 5)})" for has, of in cells if name in of)
        warnings.warn(f"Column '{name}' of the new rows {'; it '.join(has)}.", stacklevel=4)
    return schema.encode(frame.assign(**match.read), allow_new_levels=True)


def _as_numbers(
    cells: pd.Series, spec: ColumnSpec
) -> tuple[pd.Series, tuple[str, ...], tuple[str, ...]]:
    """Cells of text as numbers or outcomes of the model, limits among those, words that are none.

    A limit that lies within one of the model's, such as "<0.5" within "<1", is that outcome.
    """
    taken = {key_of(code) for code, _ in spec.taken_as}
    words = cells[special_outcomes(cells, spec) == 0].unique()
    words = [word for word in words if key_of(word) not in taken]
    values = dict(zip(words, read_words(words, spec.reading), strict=True))
    by_most = by_one_convention([*map(str, words)])
    convention = by_most.convention if by_most else POINT
    numerals = {w: read_numeral(w, convention) for w, v in values.items() if isinstance(v, str)}
    ends = ((code, read_numeral(str(code), convention)) for code in spec.special_codes)
    ends = [(code, _side(code), end.value) for code, end in ends if end and end.limit]
    limits = []
    for word, found in numerals.items():
        values[word] = found.value if found else np.nan
        if found and found.limit:
            side, value = _side(word), found.value
            within = (c for c, its, end in ends if its == side and side * value >= side * end)
            values[word] = next(within, value / 2 if side < 0 else value)
            limits += [word] * (values[word] not in spec.special_codes)
    read = cells.map(lambda cell: values.get(cell, cell), na_action="ignore")
    return read, tuple(limits), tuple(word for word, found in numerals.items() if not found)


def _side(limit: str) -> int:
    """-1 of a limit that a value is below, "<1", and 1 of one that it is above."""
    return -1 if {*limit} & {*"<\u2264"} else 1


def _as_levels(cells: pd.Series, spec: ColumnSpec) -> pd.Series:
    """Cells with the model's spelling of its levels, where theirs differs in capitals only."""
    spelled = {key_of(level).casefold(): level for level in spec.levels or ()}
    if len(spelled) < len(spec.levels or ()):
        return cells
    return cells.map(lambda cell: spelled.get(key_of(cell).casefold(), cell), na_action="ignore")


def _spelling(name: str) -> str:
    """A column's name without capitals, signs and what stands in brackets, such as a unit."""
    bare = re.sub(r"[(\[].*?[)\]]", "", str(name))
    plain = "".join(mark for mark in bare.casefold() if mark.isalnum())
    return plain or str(name)


def aligned(frame: pd.DataFrame, match: Match) -> pd.DataFrame:
    """The table with the model's spelling of its columns, absent ones missing throughout."""
    frame = frame.assign(**match.read).rename(columns=match.renamed)
    empty = {name: np.full(len(frame), np.nan) for name in match.absent}
    return pd.concat([frame, pd.DataFrame(empty, index=frame.index)], axis=1)
