"""What is to be believed: how many groups there are, and which answer to take."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.comparing.comparison import UNKNOWN, Task, which_to_take
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.session.work import CHANCE
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.how_many import has_first_number


def has_groups(studio: Session, wanted: Mapping[str, Task], place: DeltaGenerator) -> None:
    """Seek the number of groups that all pages show; the panels are drawn anew once it is known."""
    task = wanted[JUDGE]
    model = studio.results.get(task)
    if isinstance(model, ClusterEstimator) and studio.work.seeks_number(task, model):
        with place:
            is_known = has_first_number(studio, task, model)
        if is_known:
            st.rerun()


def which_answer(studio: Session, wanted: Mapping[str, Task], is_running: bool) -> str:
    """Which answer to take, beside what Clusters says of chance; none where that makes as many."""
    results, task = studio.results, wanted[JUDGE]
    found = results.known(CHANCE, task)
    if found is not None and found.is_chance:
        return f"**Take none of them for real.** {found.sentence}"
    model = results.get(task)
    is_fitted = isinstance(model, ClusterEstimator)
    groups = studio.work.naming_of(task).apply(model.labels_) if is_fitted else None
    on_chance = UNKNOWN if found is None or not found.draws else found.headline
    said = which_to_take(results, wanted, on_chance, groups)
    waits = "Which answer to take is said when all are there."
    return said or (waits if is_running else "One answer alone: nothing to compare.")
