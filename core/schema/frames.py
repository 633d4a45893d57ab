"""Tables of other libraries, and column names that are numbers, as a pandas frame with names."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa


def as_frame(table: Any) -> pd.DataFrame:
    """A table as a pandas frame whose column names are text."""
    if not isinstance(table, pd.DataFrame):
        if not is_table(table):
            raise TypeError(
                f"A {type(table).__name__} is no table: give one with named columns, as read_table"
                " makes of a file."
            )
        table = pa.table(table).to_pandas()
    if all(isinstance(name, str) for name in table.columns):
        return table
    whole = (int, np.integer)
    names = [str(name) if isinstance(name, whole) else name for name in table.columns]
    return table.set_axis(names, axis=1)


def is_table(X: Any) -> bool:
    """Whether something has named columns, rather than being an array."""
    return isinstance(X, pd.DataFrame) or hasattr(X, "__arrow_c_stream__")
