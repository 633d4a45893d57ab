"""Strips of a scenario, measured as soon as they are looked at."""

from __future__ import annotations

import streamlit as st

from pages import Session
from pages.parts.compare.strips import draw_strip, strip_kinds
from pages.parts.teach.controls import LAMBDA, N_0, K
from pages.parts.teach.misfit import misfit
from pages.parts.teach.settings import Classroom


def strips(room: Classroom, studio: Session) -> None:
    """Measure and draw the strips of N_0, of lambda and of K."""
    true_k = len(room.truth.names)
    st.caption(
        f"Each point is a fit with everything else as the sliders say. The band marks the true "
        f"K = {true_k}, the dashed line the slider: click a point to move it there. Of two sliders "
        "on such scales the one with the wider plateau is easier to set."
    )
    sliders = N_0, LAMBDA, K
    for kind in strip_kinds(
        (room.encoded, room.schema),
        room.digest,
        room.settings,
        room.truth.classes,
        room.suggested,
        sliders,
    ):
        st.subheader(kind.title, anchor=False)
        draw_strip(studio, kind, true_k)
    misfit(studio)
