"""K against N_0 and against lambda for the current table, measured on request."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import streamlit as st

from core.comparing.comparison import Truth, clustered_part
from core.comparing.strips import CONCENTRATION, PENALTY, Strip, penalties, setting_strip
from core.methods.dpmeans import DP_MEANS
from core.methods.mapdp import MAP_DP
from core.methods.settings import Settings
from core.plots.strips import strip_figure
from core.session.jobs import Job
from core.wording import in_digits
from pages import Session
from pages.parts.compare.settings import CONCENTRATIONS
from pages.parts.shared.background import in_background
from pages.parts.shared.picture import picture
from pages.parts.shared.width import beside


def table_strips(
    studio: Session,
    truth: Truth | None,
    suggested: float,
    seconds: tuple[float | None, float | None],
) -> None:
    """Draw both strips, each behind a button that says how long it will take.

    Parameters
    ----------
    truth : Truth, optional
    suggested : float
        Lambda that the strip of penalties is centred on.
    seconds : (float or None, float or None)
        That one fit of MAP-DP and one of DP-means took.
    """
    st.caption(
        "Each point is a fit to this table with everything else as the sliders stand; the dashed "
        "line is the slider. Where K stays the same over a wide range, the setting matters little."
    )
    data = studio.table.frame, studio.schema
    settings = replace(studio.settings, concentration=1.0, penalty=1.0, n_clusters=1)
    settings = replace(settings, penalty_hint=1)
    classes = None if truth is None else truth.classes
    about = studio.table.digest, clustered_part(studio.schema), settings, truth and truth.title
    values = penalties(suggested)
    left, right = beside([1, 1])
    with left:

        def vary_concentration(job: Job) -> Strip:
            told = settings, CONCENTRATIONS, classes
            return setting_strip(MAP_DP, CONCENTRATION, *data, *told, job, job.share)

        st.subheader("MAP-DP: K against N₀", anchor=False)
        n = len(CONCENTRATIONS)
        if _asked("n0", about, n, seconds[0]):
            strip = in_background(studio, "table N₀", about, "Fits of MAP-DP", vary_concentration)
            _draw(strip, "n0", studio.settings, studio.settings.concentration, truth, n)
    with right:

        def vary_penalty(job: Job) -> Strip:
            told = settings, values, classes
            return setting_strip(DP_MEANS, PENALTY, *data, *told, job, job.share)

        st.subheader("DP-means: K against λ", anchor=False)
        about = about, suggested
        if _asked("lambda", about, len(values), seconds[1]):
            strip = in_background(studio, "table λ", about, "Fits of DP-means", vary_penalty)
            penalty = studio.settings.penalty or suggested
            _draw(strip, "lambda", studio.settings, penalty, truth, len(values))


def _asked(name: str, about: Hashable, n: int, seconds: float | None) -> bool:
    """Whether the visitor has asked for this strip; the button tells about how long it takes."""
    asked = st.session_state.setdefault("strips_asked", set())
    if (name, about) in asked:
        return True
    long = "" if seconds is None else f", about {_duration(n * seconds)}"
    if st.button(f"Measure: {n:,} fits{long}", key=f"measure-{name}", icon=":material/show_chart:"):
        asked.add((name, about))
        st.rerun()
    return False


def _duration(seconds: float) -> str:
    return f"{max(seconds, 1.0):,.0f} s" if seconds < 90 else f"{seconds / 60:,.0f} min"


def _draw(
    strip: Strip | None,
    name: str,
    settings: Settings,
    current: float,
    truth: Truth | None,
    n_values: int,
) -> None:
    if strip is None:
        return
    true_k = None if truth is None else len(truth.names)
    picture(
        strip_figure(strip, current, true_k, n_values),
        f"strip-{name}",
        f"Number of clusters against {name}",
        f"strip-{name}",
    )
    low, high = strip.n_clusters.min(), strip.n_clusters.max()
    st.caption(
        f"K runs from {low:,} to {high:,} while the setting runs from "
        f"{in_digits(strip.values[0])} to {in_digits(strip.values[-1])}."
        + (" The band is the number of known groups." if truth is not None else "")
    )
