"""Conditions on rows, put together column by column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.session.filters import Condition, matching
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
    conditions = [
        condition for name in chosen if (condition := _condition(frame[name], digest)) is not None
    ]
    return met & matching(frame, conditions)


def _condition(column: pd.Series, digest: str) -> Condition | None:
    """A range or a list of values; None where it leaves all rows in."""
    name, key = column.name, f"condition-{digest}-{column.name}"
    present = column.dropna()
    numeric = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    values = present.unique()
    if numeric and len(values) > FEW:
        low, high = float(present.min()), float(present.max())
        if not np.isfinite([low, high]).all():
            st.caption(f"{escaped(name)} holds an infinite value, so it cannot be filtered by.")
            return None
        picked = st.slider(escaped(name), low, high, (low, high), key=key, persist_state="session")
        return Condition(name, *picked)
    ordered = sorted(values.tolist(), key=str)[:MOST_VALUES]
    picked = st.multiselect(
        escaped(name),
        ordered,
        format_func=str,
        key=key,
        persist_state="session",
        placeholder="Any value that is there",
    )
    return Condition(name, values=tuple(picked or values.tolist()))
