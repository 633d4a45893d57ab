"""Marked rows: chosen in any panel, seen in all of them, listed, and clustered again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.shared.part_of_table import cluster_again

MOST_ROWS, MOST_COLUMNS = 500, 40


@in_visit
def take_marks(rows: list[int]) -> None:
    """Keep the rows that were chosen in a figure, which count from 1, instead of any before."""
    session().marked = np.unique(np.array(rows, dtype=np.int64)) - 1


def mark_button(label: str, rows: np.ndarray, icon: str = ":material/lasso_select:") -> None:
    """Draw a button that marks these rows."""
    st.button(label, icon=icon, type="tertiary", on_click=take_marks, args=((rows + 1).tolist(),))


def marked_rows(studio: Session, labels: Mapping[str, np.ndarray]) -> None:
    """List the marked rows with their group under every method; labels by the method's title."""
    rows = studio.marked
    if not rows.size:
        st.info(
            "Drag over points in any panel to mark rows: they stand out in all panels and are "
            "listed here.",
            icon=":material/lasso_select:",
        )
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        n = len(studio.table.frame)
        st.markdown(f"**Marked: {rows.size:,} of {n:,} rows**", width="content")
        mark_button("Clear", rows[:0], ":material/close:")
        cluster_again(studio, rows, "marked rows", "Cluster these rows again", "again-marked")
    listed = rows[:MOST_ROWS]
    # The columns clustered on alone: ids stay on the server.
    values = studio.table.frame.iloc[listed][list(studio.schema.names("cluster")[:MOST_COLUMNS])]
    groups = {title: one[listed] + 1 for title, one in labels.items()}
    shown, alt = with_values({"Row": listed + 1} | groups, values), "The marked rows"
    st.dataframe(shown, hide_index=True, placeholder="\u2013", alt=alt)


def with_values(found: Mapping[str, Any], values: pd.DataFrame) -> pd.DataFrame:
    """What was found of some rows, and their own values: a column may be called as one of ours."""
    called = {name: f"{name} (column)" for name in values if name in found}
    return pd.concat([pd.DataFrame(found, values.index), values.rename(columns=called)], axis=1)
