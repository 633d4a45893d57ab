"""Which groups stay as the evidence counts less, and one click to look at them."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.comparing.comparison import clustered_part
from core.methods import JUDGE
from core.profiling.survivors import Survivors
from core.wording import counted
from pages import Session
from pages.parts.compare.settings import show_settings
from pages.parts.shared.chosen import Chosen, change_naming, naming_of
from pages.parts.shared.tolerance import fit_at_one, followed_path

# Room for the progress, or for two lines and their button; the button below them on a narrow page.
HEIGHT, NARROW, WIDE = 72, 128, 1000


def group_tolerance(studio: Session, chosen: Chosen) -> None:
    """The sentence and the choice, in a line of its own height from the beginning."""
    if chosen.algorithm != JUDGE:
        return
    is_wide = st.session_state["page_width_told"] >= WIDE
    height = HEIGHT if is_wide else NARROW
    line = st.container(height=height, border=False, vertical_alignment="center")
    with line, st.container(horizontal=True, vertical_alignment="center"):
        if chosen.task != fit_at_one(studio):
            _tolerant(studio, chosen)
            return
        path = followed_path(studio, chosen.judge.columns_.encoded, chosen.judge.schema_)
        if path is not None:
            _choice(chosen, Survivors.of(path, chosen.model.labels_))


def _choice(chosen: Chosen, found: Survivors) -> None:
    """What stays, and the button that leads there or back."""
    naming = naming_of(chosen)
    is_there = bool(found.merged) and {*naming.merged} == {*found.merged}
    st.markdown(f"{found.sentence} {found.beside if is_there else ''}", width="content")
    if found.n_surviving is None:
        st.caption("**Merge and name** shows which of them lie closest.", width="content")
    elif not found.merged and found.beside:
        st.caption(found.beside, width="content")
    elif found.merged:
        st.button(
            f"Back to all {found.n_fitted:,}" if is_there else f"Look at {found.n_surviving:,}",
            key="look at survivors",
            icon=":material/undo:" if is_there else ":material/filter_center_focus:",
            help="The groups as they were fitted." if is_there else found.remark,
            on_click=change_naming,
            args=(chosen, replace(naming, merged=() if is_there else found.merged)),
        )


def _tolerant(studio: Session, chosen: Chosen) -> None:
    """The groups were already sought with tolerance."""
    power = studio.settings.likelihood_power
    st.markdown(
        f"{counted(chosen.model.n_clusters_, 'group')} at a tolerance for misfit of {power:g}, as "
        "set on Compare.",
        width="content",
    )
    st.button(
        "Let every deviation count",
        key="no tolerance",
        icon=":material/undo:",
        on_click=_intolerant,
        args=(studio,),
    )


def _intolerant(studio: Session) -> None:
    studio.settings = replace(studio.settings, likelihood_power=1.0)
    show_settings(studio.settings, (studio.table.digest, clustered_part(studio.schema)))
