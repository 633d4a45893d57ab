"""A weighted table with every row written as often as it counts.

A weight w is w rows that are alike. Moments can be summed by weights, whole or not; ranks,
rearrangements and exact counts need the rows themselves, and so whole weights.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from .encode import row_weights
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
