"""Step: one algorithm's run in one figure, stepped through in the browser."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.comparing.comparison import FitError, Results
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.methods.steps import MOST_ROWS
from mapdp_studio.core.models.priors import EMPIRICAL_SCALE
from mapdp_studio.core.plots.steps import steps_figure
from mapdp_studio.core.teaching.steps import Walk, procedures, walk
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.figure_tools import STILL, save_buttons, step_buttons
from mapdp_studio.pages.parts.shared.lasting_chart import lasting_chart, load_plotly
from mapdp_studio.pages.parts.shared.theme import colours
from mapdp_studio.pages.parts.teach.controls import STOP, WALK
from mapdp_studio.pages.parts.teach.settings import Classroom
from mapdp_studio.pages.parts.teach.stage import Stage

FIGURE = "steps"
#: What a room has to know of a walk.
WALK_MARKS = (
    "The curve: how badly each step's clusters describe the rows (E, squared error). Marks on it: "
    "clusters that were born, died, split or merged. Crosses among the rows: centres."
)
#: Height by width that wide data are given on a projector, so that they fill most of its height.
LEAST_SHAPE = 0.9


def steps(
    room: Classroom, results: Results, stage: Stage, place: DeltaGenerator | None = None
) -> None:
    """Choose an algorithm and watch it work, in a place of its own if there is one."""
    known = procedures()
    with st.container(horizontal=True, vertical_alignment="center"):
        if stage.is_picture_first and st.session_state.get(STOP):
            name = st.session_state[WALK]  # a lesson's stop has chosen, and needs the room
        else:
            name = stage.choose(
                "Algorithm",
                list(known),
                WALK,
                format_func=lambda name: known[name].title,
                label_visibility="collapsed",
            )
        step_buttons(FIGURE)
    key = room.about, room.settings, name
    run = get_result(
        session(), "step", key, "Walking", lambda job: walked(room, results, name), results
    )
    if run is None:
        return
    load_plotly()
    with (place or st).container(key=FIGURE):
        lasting_chart(
            _figure(room, results, stage, name, run),
            "walk-chart",
            f"{run.title}, {len(run.steps)} steps: rows coloured by cluster, and the "
            f"objective ({run.measure}) after each step. It ends with K = "
            f"{run.steps[-1].n_clusters}.",
            STILL,
            share=stage.share(),
        )
    if not stage.is_folded:
        _below(room, name, run)


def _figure(room: Classroom, results: Results, stage: Stage, name: str, run: Walk) -> str:
    """The run as it is drawn there, for JSON."""
    view = run.view.no_lower(LEAST_SHAPE) if stage.is_picture_first else run.view
    looks = {
        "is_wide": stage.panels_in_a_row and not stage.is_picture_first,
        "letters": stage.letters,
        "plot_height": stage.walk_height,
        "has_axes": stage.has_axes(view),
        **colours(),
    }
    return results.latest(
        "walk's figure",
        (room.about, room.settings, name, view.y, *looks.values()),
        lambda: steps_figure(replace(run, view=view), **looks).to_json(),
    )


def _below(room: Classroom, name: str, run: Walk) -> None:
    """What there is to know of a run, and what can be taken home."""
    save_buttons(FIGURE, f"steps of {run.title} {room.key}")
    st.caption(
        f"{procedures()[name].watch_for} {run.note} A row keeps its colour as long as its cluster "
        "lives; at the end the colours are those of the true groups. Numbers count the clusters "
        "as they come. The buttons work with the "
        "keyboard, too: ← and → step. "
        f"{room.view.note}"
    )
    with st.expander("The steps as a table"):
        st.dataframe(_table(run), hide_index=True, alt="What every step did")


def walked(room: Classroom, results: Results, name: str, most_rows: int = MOST_ROWS) -> Walk:
    """One of ``procedures()``, step by step; all rows are one true group where none is known."""
    scale = _prior_scale(room, results)
    n_rows = len(room.encoded.values)
    classes = np.zeros(n_rows, dtype=np.int64) if room.truth is None else room.truth.classes
    return results.latest(
        "walk",
        (room.about, room.settings, name, scale, most_rows),
        lambda: walk(name, room.encoded, room.view, classes, room.settings, scale, most_rows),
    )


def _prior_scale(room: Classroom, results: Results) -> float:
    """The prior scale that MAP-DP chose for all the rows."""
    task = room.tasks[JUDGE]
    model = results.fit(task, room.frame, room.schema)
    return EMPIRICAL_SCALE if isinstance(model, FitError) else model.prior_scale_


def _table(run: Walk) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Step": range(len(run.steps)),
            "What": [step.kind for step in run.steps],
            "K": [step.n_clusters for step in run.steps],
            "Born": [step.born for step in run.steps],
            "Gone": [step.died for step in run.steps],
            run.measure: [round(step.objective, 2) for step in run.steps],
        }
    )
