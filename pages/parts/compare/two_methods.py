"""Two methods against each other: where they agree, and the rows on which they part."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from mapdp_studio.core.partitions.scores import Contingency
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.marking import mark_rows
from mapdp_studio.pages.parts.shared.picture import crossed


def two_methods(
    studio: Session,
    labels: Mapping[str, np.ndarray],
    names: Mapping[str, tuple[str, ...]],
) -> None:
    """Choose two partitions and draw the table of one against the other.

    Both mappings go by title; a label is -1 where a row has no group, and groups without names go
    by number.
    """
    titles = list(labels)
    if len(titles) < 2:
        st.info("Two results are needed for this.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = st.selectbox("Down", titles, 0, key="pair_down", width=220)
        others = [title for title in titles if title != first]
        second = st.selectbox(
            "Across", others, min(1, len(others) - 1), key=f"pair_across_{first}", width=220
        )
    both = (labels[first] >= 0) & (labels[second] >= 0)
    table = Contingency.of(labels[first][both], labels[second][both])
    down, across = ((name, names.get(name) or _numbers(labels[name])) for name in (first, second))
    crossed(table, down, across, "contingency", "two-methods")
    n = int(both.sum())
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"**{table.n_apart:,} of {n:,} rows** lie off the matched pairs of groups. ARI "
            f"{table.ari:.2f}, AMI {table.ami:.2f}: 1 the same groups, about 0 by chance. Colour: "
            "share of the group on the left.",
        )
        if table.n_apart:
            st.button(
                "Mark these rows",
                icon=":material/lasso_select:",
                type="tertiary",
                on_click=mark_rows,
                args=(np.flatnonzero(both)[table.apart],),
            )


def _numbers(labels: np.ndarray) -> tuple[str, ...]:
    return tuple(f"{k + 1}" for k in range(int(labels.max()) + 1))
