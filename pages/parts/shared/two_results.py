"""Two results of one table side by side: shared groups, E, and what was decided otherwise."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.comparing.snapshots import Snapshot, side_by_side
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages.parts.shared.chosen import Chosen
from mapdp_studio.pages.parts.shared.crossed import crossed
from mapdp_studio.pages.parts.shared.width import beside


def snapshot_of(chosen: Chosen, schema, settings) -> Snapshot:
    """The current result, to be set aside."""
    return Snapshot(
        chosen.title,
        chosen.groups,
        chosen.partition.objective_,
        schema,
        settings,
        chosen.judge.prior_scale_,
    )


def two_results(
    names: tuple[str, str], first: Snapshot, second: Snapshot, key: str, is_narrow: bool = False
) -> None:
    """Draw two results, the first one's groups down and the second one's across.

    Parameters
    ----------
    names : (str, str)
        What they are called.
    key : str
        Of the figure, one a page.
    is_narrow : bool
        Whether the place is a part of the page's width: the words then stand below the table.
    """
    result = side_by_side(first, second)
    table = result.contingency
    left, right = [st.container() for _ in range(2)] if is_narrow else beside([3, 2])
    with left:
        down, across = (names[0], first.groups.titles), (names[1], second.groups.titles)
        crossed(table, down, across, key, "side-by-side")
    with right:
        facts = {
            "ARI": (f"{table.ari:.2f}", "1: the same groups. 0: as by chance."),
            "AMI": (f"{table.ami:.2f}", "As ARI, for groups of unequal size."),
            "Rows apart": (f"{table.n_apart:,}", "Off the matched groups."),
        }
        with st.container(horizontal=True):
            for label, (value, meaning) in facts.items():
                st.metric(label, value, help=meaning, width="content")
        st.markdown(_objectives(first, second, result.difference))
        said = [escaped(change) for change in result.changes]
        st.markdown(
            "**In the second:** " + "; ".join(said) + "."
            if said
            else "Both were made in the same way."
        )


def _objectives(first: Snapshot, second: Snapshot, difference: float | None) -> str:
    both = f"E: {first.objective:,.1f} and {second.objective:,.1f} log units"
    if difference is None:
        return f"{both}, not comparable: the two models differ."
    if abs(difference) < 0.05:
        return f"E: {first.objective:,.1f} log units, the same for both."
    better = "higher, so worse" if difference > 0 else "lower, so better"
    return f"{both}; the second is {abs(difference):,.1f} log units {better}."
