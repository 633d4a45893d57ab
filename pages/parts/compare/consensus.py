"""Consensus: the partition that the methods shown disagree with least."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from mapdp_studio.core.comparing.comparison import matched
from mapdp_studio.core.comparing.panels import groups_panel
from mapdp_studio.core.comparing.projection import View
from mapdp_studio.core.partitions.agreement import Agreement, agreement
from mapdp_studio.core.partitions.naming import Groups
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.marking import mark_rows
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.shared.picture import picture
from mapdp_studio.pages.parts.shared.theme import colours


def _as_groups(result: Agreement, reference: np.ndarray) -> Groups:
    """The consensus in the colours of the panels above."""
    colours = np.empty(int(result.labels.max()) + 1, dtype=np.int64)
    colours[result.labels] = matched(reference, result.labels)
    titles = tuple(f"cluster {colour + 1}" for colour in colours.tolist())
    parts = tuple((k,) for k in range(colours.size))
    return Groups(result.labels, titles, tuple(colours.tolist()), parts)


def consensus(studio: Session, view: View, labels: Mapping[str, np.ndarray], about: object) -> None:
    """Draw the consensus of labels, by the method's title, and who stands behind it.

    The view is that of the panels above; ``about`` is what the labels depend on.
    """
    result = get_result(
        studio,
        "consensus",
        about,
        "Looking for what the methods agree on",
        lambda job: agreement(list(labels.values())),
    )
    if result is None:
        return
    first = next(iter(labels.values()))
    k = int(result.labels.max()) + 1
    left, right = halves()
    with left:
        panel = groups_panel(view, "Consensus", _as_groups(result, first))
        picture(
            panels_figure(view, [panel], 1, 320, **colours()),
            "consensus",
            f"The rows in the view above, coloured by {k} groups of the consensus",
            "consensus",
        )
    with right:
        st.markdown("**How near each method is to the consensus**")
        st.table(
            {
                "Method": list(labels),
                "K": [f"{np.unique(one).size:,}" for one in labels.values()],
                "ARI with the consensus": [
                    f"{ari(result.labels, one):.2f}" for one in labels.values()
                ],
            },
            border="horizontal",
            hide_index=True,
        )
        counts = np.bincount(result.support, minlength=result.n_methods + 1)
        all_of_them, few = int(counts[-1]), np.flatnonzero(2 * result.support <= result.n_methods)
        st.caption(
            f"Two rows are together where most methods have them together. All "
            f"{result.n_methods} methods stand behind the place of {all_of_them:,} rows of "
            f"{result.labels.size:,}; for {few.size:,} rows at most half of them do."
        )
        if few.size:
            st.button(
                f"Mark the {few.size:,} rows without a majority",
                icon=":material/lasso_select:",
                type="tertiary",
                on_click=mark_rows,
                args=(few,),
            )
