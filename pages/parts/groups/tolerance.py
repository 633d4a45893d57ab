"""Which groups stay as the evidence counts less, and one click to look at them."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from mapdp_studio.core.comparing.comparison import clustered_part
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.profiling.survivors import Survivors
from mapdp_studio.core.wording import counted
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.compare.settings import show_settings
from mapdp_studio.pages.parts.shared.chosen import Chosen, change_naming, naming_of
from mapdp_studio.pages.parts.shared.how_many import fit_at_one, followed_path


def group_tolerance(studio: Session, chosen: Chosen, caution: str) -> None:
    """The sentence, with what is to be known beside it, and the choice."""
    if chosen.algorithm != JUDGE or is_tolerant(studio, chosen):
        return
    st.subheader(
        "Another question: which groups of the fit stay as the evidence counts less?", anchor=False
    )
    path = followed_path(studio, chosen.judge.columns_.encoded, chosen.judge.schema_)
    if path is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            _choice(chosen, Survivors.of(path, chosen.model.labels_), caution)


def is_tolerant(studio: Session, chosen: Chosen) -> bool:
    """Whether the groups were sought with tolerance for misfit."""
    return chosen.algorithm == JUDGE and chosen.task != fit_at_one(studio)


def _choice(chosen: Chosen, found: Survivors, caution: str) -> None:
    """What stays, and the button that leads there or back."""
    naming = naming_of(chosen)
    is_there = bool(found.merged) and {*naming.merged} == {*found.merged}
    beside = found.beside if is_there else ""
    st.markdown(f"{found.sentence} {beside} {caution}", width="content")
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


def tolerant_line(studio: Session, chosen: Chosen) -> None:
    """That the groups were sought with tolerance, and the way back."""
    power = studio.settings.likelihood_power
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"{counted(chosen.model.n_clusters_, 'group')} at a tolerance for misfit of "
            f"{power:g}, as set on Compare.",
            width="content",
        )
        st.button(
            "Let every deviation count",
            key="no tolerance",
            icon=":material/undo:",
            on_click=_intolerant,
            args=(studio,),
        )


@in_visit
def _intolerant(studio: Session) -> None:
    studio.settings = replace(studio.settings, likelihood_power=1.0)
    show_settings(studio.settings, (studio.table.digest, clustered_part(studio.schema)))
