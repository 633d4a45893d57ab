"""Columns that the model does not describe, and one click to the likelihood that would."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.profiling.misfit import Misfit, misfits
from core.wording import escaped
from pages import Session
from pages.parts.shared.background import in_background
from pages.parts.shared.chosen import Chosen
from pages.parts.shared.two_results import snapshot_of, two_results

MOST_SHOWN = 3
_CHANGED = "changed_for_misfit"


def group_misfit(studio: Session, chosen: Chosen) -> None:
    """Say which columns do not fit, the worst first; after a change, both results."""
    _before_and_after(studio, chosen)
    schema, frame = chosen.judge.schema_, studio.table.frame
    found = in_background(
        studio,
        "misfit",
        chosen.about,
        "Holding the columns against the model",
        lambda job: misfits(chosen.partition.partition_, schema, frame),
    )
    for misfit in (found or ())[:MOST_SHOWN]:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning(misfit.text, icon=":material/troubleshoot:")
            if misfit.change is not None:
                st.button(
                    f"Take {escaped(misfit.column)} {misfit.remedy}",
                    key=f"misfit {misfit.column}",
                    icon=":material/auto_fix_high:",
                    on_click=partial(_change, studio, chosen, misfit),
                )
    more = len(found or ()) - MOST_SHOWN
    if more > 0:
        st.caption(f"{more:,} more columns are described less well than they could be.")


def _change(studio: Session, chosen: Chosen, misfit: Misfit) -> None:
    """Take the change over, and keep the result before it."""
    name = f"Before {misfit.column} {misfit.remedy}"
    reason = f"{misfit.text} {studio.schema[misfit.column].reason}"
    kept = snapshot_of(chosen, studio.schema, studio.settings)
    studio.change({misfit.column: {**misfit.change, "reason": reason}})
    if not studio.refused:
        studio.snapshots[name] = kept
        st.session_state[_CHANGED] = (studio.table.digest, name)


def _before_and_after(studio: Session, chosen: Chosen) -> None:
    digest, name = st.session_state.get(_CHANGED, ("", ""))
    before = studio.snapshots.get(name)
    if digest != studio.table.digest or before is None or before.schema == studio.schema:
        return
    now = snapshot_of(chosen, studio.schema, studio.settings)
    with st.expander("Before and after the change", expanded=True, icon=":material/compare:"):
        two_results(("Before", "Now"), before, now, "misfit-contingency")
        if st.button("Close", key="close misfit", icon=":material/close:"):
            del st.session_state[_CHANGED]
            st.rerun()
