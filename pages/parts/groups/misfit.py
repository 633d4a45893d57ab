"""Columns that the model does not describe, and one click to the likelihood that would."""

from __future__ import annotations

import streamlit as st

from core.profiling.misfit import misfits
from core.wording import escaped
from pages import Session
from pages.parts.shared.background import in_background
from pages.parts.shared.chosen import Chosen
from pages.parts.shared.two_results import snapshot_of
from pages.parts.shared.what_if import ask, what_if_result

MOST_SHOWN = 3
_PLACE = "misfit"


def group_misfit(studio: Session, chosen: Chosen) -> None:
    """Say which columns do not fit, the worst first, and what would become of the groups."""
    what_if_result(studio, _PLACE, before=snapshot_of(chosen, studio.schema, studio.settings))
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
                reason = f"{misfit.text} {studio.schema[misfit.column].reason}"
                st.button(
                    f"What if: {escaped(misfit.column)} {misfit.remedy}",
                    key=f"misfit {misfit.column}",
                    icon=":material/auto_fix_high:",
                    on_click=ask,
                    args=(misfit.column, misfit.change, reason, _PLACE),
                )
    more = len(found or ()) - MOST_SHOWN
    if more > 0:
        st.caption(f"{more:,} more columns are described less well than they could be.")
