"""Conditions on rows, put together column by column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.prepare.rows import TESTS
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session

#: Numbers with more distinct values than this get a range, others a list.
FEW = 12
MOST_VALUES = 1000


def row_filter(studio: Session) -> np.ndarray:
    """Draw the conditions; whether each row meets them all, shape (N,)."""
    frame, digest = studio.table.frame, studio.table.digest
    names = [name for name in frame.columns if name not in studio.schema.names("id")]
    met = np.ones(len(frame), dtype=bool)
    if studio.marked.size and st.toggle(
        f"Only the {studio.marked.size:,} rows marked on Compare", key=f"marked-{digest}"
    ):
        met[:] = False
        met[studio.marked] = True
    chosen = st.multiselect(
        "Filter by",
        names,
        key=f"filter-{digest}",
        persist_state="session",
        placeholder="Columns that rows must meet a condition in",
    )
    for name in chosen:
        met &= _meets(frame[name], digest)
    return met


def _meets(column: pd.Series, digest: str) -> np.ndarray:
    """Ask for a range or for values; which rows are so, shape (N,): a missing cell never is."""
    name, key = column.name, f"condition-{digest}-{column.name}"
    present = column.dropna()
    numeric = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    values = present.unique()
    if numeric and len(values) > FEW:
        low, high = float(present.min()), float(present.max())
        if not np.isfinite([low, high]).all():
            st.caption(f"{escaped(name)} holds an infinite value, so it cannot be filtered by.")
            return np.ones(len(column), dtype=bool)
        picked = st.slider(escaped(name), low, high, (low, high), key=key, persist_state="session")
        return TESTS["between"].meets(column, picked).fillna(False).to_numpy(dtype=bool)
    ordered = sorted(values.tolist(), key=str)[:MOST_VALUES]
    picked = st.multiselect(
        escaped(name),
        ordered,
        format_func=str,
        key=key,
        persist_state="session",
        placeholder="Any value that is there",
    )
    return (
        TESTS["is"].meets(column, picked).to_numpy(dtype=bool)
        if picked
        else column.notna().to_numpy()
    )
