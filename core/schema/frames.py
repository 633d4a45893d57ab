"""Tables of other libraries, and column names that are numbers, as a pandas frame with names."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import narwhals as nw
import pandas as pd
import pyarrow as pa


def as_frame(table: Any) -> pd.DataFrame:
    """A table as a pandas frame whose column names are text.

    Parameters
    ----------
    table : DataFrame of pandas or polars, Arrow table, or what else narwhals reads
        Names that are whole numbers become text: 0 is "0".

    Returns
    -------
    DataFrame
        The same object where nothing has to change.

    Raises
    ------
    TypeError
        No table.
    """
    if not isinstance(table, pd.DataFrame):
        table = nw.from_native(table, eager_only=True).to_pandas()
    if all(isinstance(name, str) for name in table.columns):
        return table
    names = [str(name) if _is_number(name) else name for name in table.columns]
    return table.set_axis(names, axis=1)


def backend_of(table: Any) -> str:
    """Name of the library that a table is of, such as "polars"; "" of pandas, and of no table."""
    if isinstance(table, pd.DataFrame) or not is_table(table):
        return ""
    return nw.get_native_namespace(table).__name__


def given_back(frame: pd.DataFrame, backend: str) -> Any:
    """A pandas frame as a table of that library, or as an Arrow table where it reads none."""
    if not backend:
        return frame
    table = pa.Table.from_pandas(frame, preserve_index=False)
    from_arrow = getattr(import_module(backend), "from_arrow", None)
    return table if from_arrow is None else from_arrow(table)


def is_table(X: Any) -> bool:
    """Whether something has named columns, rather than being an array."""
    if isinstance(X, pd.DataFrame):
        return True
    return nw.dependencies.is_into_dataframe(X)


def _is_number(name: Any) -> bool:
    return isinstance(name, int) or getattr(getattr(name, "dtype", None), "kind", "") in ("i", "u")
