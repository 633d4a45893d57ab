"""Tables of other libraries, and column names that are numbers, as a pandas frame with names."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pandas as pd


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


def is_table(X: Any) -> bool:
    """Whether something has named columns, rather than being an array."""
    if isinstance(X, pd.DataFrame):
        return True
    return nw.dependencies.is_into_dataframe(X)


def _is_number(name: Any) -> bool:
    return isinstance(name, int) or getattr(getattr(name, "dtype", None), "kind", "") in ("i", "u")
