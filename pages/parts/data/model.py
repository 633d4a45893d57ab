"""What the table chose of its own model, in one line with its way back."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.schema.chosen import in_words
from mapdp_studio.core.session.work import LOCKED
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.shared.compute import job_state
from mapdp_studio.pages.parts.shared.engine import engine
from mapdp_studio.pages.parts.shared.model_choice import (
    LABEL,
    begin_choice,
    choice_under_way,
    forget_choice,
)

ASK, NOW = "Let the table choose its model", "Choose now"
_HELP = (
    "Likelihoods, logarithms and which measurements vary together, chosen with the groups: those "
    "under which table and groups are most probable together (E). What you set yourself stays. "
    "Takes several times as long as one clustering."
)


def model_choice(studio: Session, before: str, label: str) -> None:
    """Draw what the table chose, how far that is, or what holds before it with a button."""
    job, has_chosen = choice_under_way(studio), bool(studio.schema.priors)
    if job is not None:
        job_state(job, LABEL, "Stopped: likelihoods and blocks are as suggested.")
        if job.running:
            return
    is_locked, said = studio.study.lock is not None, escaped(in_words(studio.schema.chosen))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="model"):
        if has_chosen or before:
            text = said if has_chosen else before
            st.markdown(f":material/tune: {text}", width="content", help=_HELP)
        if not has_chosen:
            st.button(
                label,
                key="choose_model",
                type="tertiary" if before else "secondary",
                on_click=begin_choice,
                args=(studio,),
                disabled=not (studio.work.can_choose and engine().ready),
                help=LOCKED if is_locked else _HELP,
            )
        if has_chosen or label == NOW:
            st.button(
                "As suggested",
                key="keep_suggested",
                type="tertiary",
                icon=":material/undo:",
                on_click=_keep_suggested,
                args=(studio,),
                disabled=is_locked,
                help="Back to likelihoods from each column alone, without joint blocks and with "
                "default priors. What you set by hand stays.",
            )


def before_choice(studio: Session) -> tuple[str, str]:
    """What holds of a table that has not chosen, and what the button to choose is called."""
    if studio.work.is_undecided:
        return "Before the first clustering, the table chooses its model.", NOW
    if studio.table.example is not None:
        return "Examples keep the model that lessons and papers have.", ASK
    return "", ASK


@in_visit
def _keep_suggested(studio: Session) -> None:
    forget_choice(studio)
    studio.keep_suggested()
