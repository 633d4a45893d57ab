"""A figure as the analyst's pages show it: still, with words for those who do not see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from mapdp_studio.core.partitions.scores import Contingency
from mapdp_studio.core.plots.heat_maps import contingency_figure
from mapdp_studio.pages.parts.shared.chart import saving
from mapdp_studio.pages.parts.shared.theme import colours, inked


def picture(figure: go.Figure, key: str, alt: str, name: str) -> None:
    """Draw a figure that can be saved under a name; ``alt`` says what it shows."""
    with st.container(key=key):
        st.plotly_chart(inked(figure), key=f"chart-{key}", config=saving(name), alt=alt)


def listing(data: Any, alt: str, place: Any = st, **kwargs: Any) -> Any:
    """Draw a table without its index, a dash for what is missing; ``alt`` says what it shows."""
    return place.dataframe(data, hide_index=True, placeholder="\u2013", alt=alt, **kwargs)


def crossed(
    table: Contingency,
    down: tuple[str, Sequence[str]],
    across: tuple[str, Sequence[str]],
    key: str,
    name: str,
) -> None:
    """Draw two partitions, each a title and its groups' names, against each other."""
    picture(
        contingency_figure(table, down, across, colours()["paper"]),
        key,
        f"Rows by their group under {down[0]}, down, and {across[0]}, across",
        name,
    )
