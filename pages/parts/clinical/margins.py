"""What each column by itself tells of its likelihood, said while changing it costs nothing."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.profiling.margins import Margin, as_frame, margins, sentence
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.compute import get_result


def show_margins(studio: Session) -> None:
    """One compact list, before anyone has seen groups, and the changes to make of it."""
    frame, schema = studio.table.frame, studio.schema
    found = get_result(
        studio,
        "clinical margins",
        (studio.table.digest, schema),
        "Looking at each column by itself",
        lambda job: tuple(margins(frame, schema)),
    )
    if found is None:
        return
    if not found:
        st.caption(f":material/check: {sentence([])}")
        return
    with st.expander(
        f"What each column by itself tells, before anyone has seen groups ({len(found):,})",
        icon=":material/bar_chart:",
    ):
        st.markdown(escaped(sentence(list(found))))
        st.dataframe(as_frame(list(found)), hide_index=True)
        st.caption(
            "Only histograms were looked at, no groups: whatever you change now is no choice that "
            "groups could have steered, and costs nothing. Where real groups could do it, too, the "
            "likelihood may be right as it is."
        )
        _changes(studio, [margin for margin in found if margin.change])


def _changes(studio: Session, found: list[Margin]) -> None:
    """Take some of what is to try."""
    if not found:
        return
    # A column that says the same as another is left out, whatever else is to try.
    by_label = {f"{margin.column}: {margin.remedy}": margin for margin in found}
    key = f"margins {studio.table.digest} {hash(studio.schema)}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect(
            "Change", list(by_label), key=key, placeholder="Nothing", filter_mode="contains"
        )
        if st.button("Change these", disabled=not chosen, icon=":material/check:"):
            studio.change(
                {by_label[label].column: dict(by_label[label].change) for label in chosen}
            )
            st.rerun()
