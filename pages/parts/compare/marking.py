"""Marked rows: chosen in any panel, seen in all of them, listed, and clustered again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.plots.template import DRAGS
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.shared.kit import choose_one
from mapdp_studio.pages.parts.shared.part_of_table import cluster_again

MOST_ROWS, MOST_COLUMNS = 500, 40


def drag_mode() -> str:
    """What the mouse does over the figure: one of ``DRAGS``."""
    return choose_one(
        "Mark rows by",
        list(DRAGS),
        "drag",
        format_func=DRAGS.get,
        default="select",
        label_visibility="collapsed",
        help="Drag a box or a lasso over points of any panel: they stand out in all panels. With "
        "“Click or zoom” a click marks one row, dragging zooms into all panels, and a double click "
        "leads back.",
    )


@in_visit
def take_marks(rows: list[int]) -> None:
    """Keep the rows that were chosen in a figure, which count from 1."""
    session().marked = np.unique(np.array(rows, dtype=np.int64)) - 1


@in_visit
def mark_rows(rows: np.ndarray) -> None:
    """Mark these rows instead of any before."""
    session().marked = np.sort(rows)


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
        st.button(
            "Clear",
            icon=":material/close:",
            type="tertiary",
            on_click=mark_rows,
            args=(rows[:0],),
        )
        cluster_again(studio, rows, "marked rows", "Cluster these rows again", "again-marked")
    st.dataframe(
        _table(studio, labels, rows[:MOST_ROWS]),
        hide_index=True,
        placeholder="\u2013",
        alt="The marked rows",
    )
    if rows.size > MOST_ROWS:
        st.caption(f"The first {MOST_ROWS:,} are listed.")


def _table(studio: Session, labels: Mapping[str, np.ndarray], rows: np.ndarray) -> pd.DataFrame:
    """Groups, then the columns clustered on; ids stay on the server."""
    table: dict[str, Any] = {"Row": rows + 1}
    table |= {title: groups[rows] + 1 for title, groups in labels.items()}
    values = studio.table.frame.iloc[rows]
    for name in studio.schema.names("cluster")[:MOST_COLUMNS]:
        table[name if name not in table else f"{name} (column)"] = values[name].to_numpy()
    return pd.DataFrame(table)
