"""A strip of a scenario, measured as soon as it is looked at."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.strips import draw_strip, strip_kinds
from mapdp_studio.pages.parts.shared.kit import choose_one
from mapdp_studio.pages.parts.teach.controls import LAMBDA, N_0, K
from mapdp_studio.pages.parts.teach.settings import Classroom

#: Slider that a strip is of, and what it is called.
STRIPS = {N_0: "N₀", LAMBDA: "λ", K: "K"}


def strips(room: Classroom, studio: Session) -> None:
    """Measure and draw the strip of one of the sliders."""
    true_k = len(room.truth.names)
    chosen = choose_one("Against", list(STRIPS), "strip", format_func=STRIPS.__getitem__)
    (kind,) = [
        kind
        for kind in strip_kinds(
            (room.encoded, room.schema),
            room.digest,
            room.settings,
            room.truth.classes,
            room.suggested,
            tuple(STRIPS),
        )
        if kind.slider == chosen
    ]
    st.subheader(kind.title, anchor=False)
    draw_strip(studio, kind, true_k)
    st.caption(
        f"Each point is a fit with everything else as the sliders say. The band marks the true "
        f"K = {true_k}, the dashed line the slider: click a point to move it there."
    )
