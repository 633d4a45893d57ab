"""Tables of other libraries, and column names that are numbers, as a pandas frame with names."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa


def as_frame(table: Any) -> pd.DataFrame:
    """A table as a pandas frame whose column names are text."""
    if not isinstance(table, pd.DataFrame):
        if not is_table(table):
            raise TypeError(f"A {type(table).__name__} is no table: give one with named columns.")
        table = pa.table(table).to_pandas()
    if all(isinstance(name, str) for name in table.columns):
        return table
    whole = (int, np.integer)
    names = [str(name) if isinstance(name, whole) else name for name in table.columns]
    return table.set_axis(names, axis=1)


def backend_of(table: Any) -> str:
    """Name of the library that a table is of, such as "polars"; "" of pandas, and of no table."""
    is_of_pandas = isinstance(table, pd.DataFrame) or not is_table(table)
    return "" if is_of_pandas else type(table).__module__.partition(".")[0]


def given_back(frame: pd.DataFrame, backend: str) -> Any:
    """A pandas frame as a table of that library, or as an Arrow table where it reads none."""
    if not backend:
        return frame
    table = pa.Table.from_pandas(frame, preserve_index=False)
    from_arrow = getattr(import_module(backend), "from_arrow", None)
    return table if from_arrow is None else from_arrow(table)


def is_table(X: Any) -> bool:
    """Whether something has named columns, rather than being an array."""
    return isinstance(X, pd.DataFrame) or hasattr(X, "__arrow_c_stream__")
