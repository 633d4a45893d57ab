"""Section 1: the groups at a glance."""

from __future__ import annotations

import streamlit as st

from core.subgroups import Subgroups
from pages import Session

from .clinical_work import groups_of


def groups(studio: Session) -> None:
    """Sizes, the light with its reasons, and patients who belong to no group worth a name."""
    found = groups_of(studio, unfinished=True)
    if found is None:
        return
    studio.study.note_groups()
    _sizes(found)


def _sizes(found: Subgroups) -> None:
    n = found.labels.size
    places = st.columns(4)
    places[0].metric("Patients", f"{n:,}")
    places[1].metric("Groups", f"{len(found.profiled):,}")
    places[2].metric("Atypical patients", f"{found.atypical_rows.size:,}")
    reached = int((found.objectives < found.objectives.min() + 0.01).sum())
    places[3].metric("Searches that agree", f"{reached:,} of {found.objectives.size:,}")
    st.dataframe(found.as_frame(), hide_index=True)
