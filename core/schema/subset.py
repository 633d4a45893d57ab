"""Some rows of a table as a table of their own."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .encode import complete, encode_column
from .schema import Schema, SchemaError


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
