"""Step: one algorithm's run, or two under one clock, stepped through in the browser."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.comparing.comparison import FitError, Results
from mapdp_studio.core.comparing.projection import View
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.methods.steps import MOST_ROWS
from mapdp_studio.core.models.priors import EMPIRICAL_SCALE
from mapdp_studio.core.plots.race import race_figure
from mapdp_studio.core.plots.steps import HEIGHT, steps_figure
from mapdp_studio.core.teaching.drawing import first_points, read_points, write_points
from mapdp_studio.core.teaching.race import Race
from mapdp_studio.core.teaching.steps import Walk, procedures, walk
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.chart import chart, saving
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_from_list
from mapdp_studio.pages.parts.shared.player import player
from mapdp_studio.pages.parts.shared.theme import colours
from mapdp_studio.pages.parts.teach.controls import (
    ALONE,
    BESIDE,
    DRAWN,
    N_0,
    ON_DRAWING,
    SEED,
    STOP,
    WALK,
    K,
    choose_switch,
)
from mapdp_studio.pages.parts.teach.draw import FEWEST, board_view, drawing
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
#: The figure drawn last and its words, which stay until another has been walked.
SHOWN = "steps_shown"
_FAINT = f"<style>.st-key-{FIGURE} .js-plotly-plot {{ opacity: 0.4; }}</style>"


def steps(
    room: Classroom, results: Results, stage: Stage, place: DeltaGenerator | None = None
) -> None:
    """Choose an algorithm, or two, and watch them work, in a place of their own if there is one."""
    name, beside = _chosen(room, stage)
    names = [name] if beside is None else [name, beside]
    most = min(MOST_ROWS, *(procedures()[one].most_rows for one in names))
    figure_place = (place or st).container(key=FIGURE)  # the progress stands below it
    walks = get_result(
        session(),
        "step",
        (room.about, room.settings, *names),
        "Walking",
        lambda job: [walked(room, results, one, most) for one in names],
        results,
    )
    if walks is not None:
        race = None
        if beside is not None:
            race = Race((walks[0], walks[1]), None if room.truth is None else room.truth.classes)
        figure = _figure(room, results, stage, names, race or walks[0])
        st.session_state[SHOWN] = figure, " ".join(_in_words(run) for run in walks)
    if SHOWN in st.session_state:
        with figure_place:
            figure, said = st.session_state[SHOWN]
            chart(figure, "walk-chart", said, saving("steps"), share=stage.share())
    if walks is None:
        figure_place.html(_FAINT)
        return
    if not stage.is_folded:
        _below(room, names, walks)


def steps_on_drawing(results: Results, stage: Stage) -> None:
    """The same on what was drawn on the board, with the board's K and count."""
    state = st.session_state
    text, n_clusters = state.get(DRAWN), state.get(K) or 3
    places = first_points() if text is None else read_points(text)
    if len(places) < max(FEWEST, n_clusters):
        st.info("Draw some points on **Draw** first.", icon=":material/draw:")
        st.toggle("On the drawing", key=ON_DRAWING, persist_state="session")
        return
    frame, schema, encoded, suggested = drawing(results, places, n_clusters)
    settings = Settings(
        concentration=state.get(N_0) or Settings().concentration,
        penalty=suggested.penalty,
        penalty_hint=n_clusters,
        n_clusters=n_clusters,
        bic=False,
        seed=state.get(SEED) or 0,
    )
    view, key = board_view(encoded, places), f"drawn {write_points(places)}"
    room = Classroom(key, {}, frame, schema, encoded, None, view, settings, suggested.penalty)
    steps(room, results, stage, st.container() if stage.is_picture_first else None)


def _chosen(room: Classroom, stage: Stage) -> tuple[str, str | None]:
    """The algorithm, and the one beside it if there is one; with them the buttons."""
    state, known = st.session_state, procedures()
    names = [name for name, one in known.items() if not (one.needs_truth and room.truth is None)]
    if state.get(WALK) not in names:
        state.pop(WALK, None)
    if state.get(BESIDE) not in names:
        state[BESIDE] = ALONE
    with st.container(horizontal=True, vertical_alignment="center"):
        if stage.is_picture_first and state.get(STOP):
            player(FIGURE)
            return state[WALK], None  # a lesson's stop has chosen, and needs the room
        name = choose_from_list(
            "Algorithm",
            names,
            WALK,
            width=stage.list_width,
            format_func=lambda name: known[name].title,
            label_visibility="collapsed",
        )
        beside = choose_from_list(
            "Beside it, under one clock",
            [ALONE, *names],
            BESIDE,
            width=stage.list_width,
            format_func=lambda name: name if name == ALONE else f"beside: {known[name].title}",
            label_visibility="collapsed",
        )
        player(FIGURE)
        text = "The points drawn on **Draw**, in the place of the data set."
        choose_switch(st, ON_DRAWING, "On the drawing", text)
    return name, None if beside == ALONE else beside


def _figure(
    room: Classroom, results: Results, stage: Stage, names: list[str], run: Walk | Race
) -> str:
    """The run or runs as they are drawn there, for JSON."""
    view = room.view.no_lower(LEAST_SHAPE) if stage.is_picture_first else room.view
    kwargs = {
        "is_wide": stage.panels_in_a_row and not stage.is_picture_first,
        "letters": stage.letters,
        "plot_height": stage.walk_height if isinstance(run, Walk) else HEIGHT,
        "has_axes": stage.has_axes(view),
        "ink": colours()["ink"],
    }

    def drawn() -> go.Figure:
        if isinstance(run, Walk):
            return steps_figure(_within(run, view), **kwargs)
        left, right = (_within(one, view) for one in run.walks)
        return race_figure(Race((left, right), run.classes), **kwargs)

    return results.latest(
        "walk's figure",
        (room.about, room.settings, *names, view.y, *kwargs.values()),
        lambda: drawn().to_json(),
    )


def _within(run: Walk, view: View) -> Walk:
    """A run on other axes."""
    return replace(run, view=replace(run.view, x=view.x, y=view.y))


def _in_words(run: Walk) -> str:
    return (
        f"{run.title}, {len(run.steps)} steps: rows coloured by cluster, and the objective "
        f"({run.measure}) after each step. It ends with K = {run.steps[-1].n_clusters}."
    )


def _below(room: Classroom, names: list[str], walks: list[Walk]) -> None:
    """What there is to know of a run or two, and every step in a table."""
    if len(walks) == 1:
        said = [procedures()[names[0]].watch_for]
    else:
        said = ["Predict, then play. A step is a pass or a sweep of either; who is done waits."]
    said += [*dict.fromkeys(run.note for run in walks)]
    said.append(
        "A row keeps its colour as long as its cluster lives; at the end the colours are those of "
        "the true groups. Numbers count the clusters as they come. Keys: space plays and pauses, "
        "← and → step, Home rewinds."
    )
    st.caption(" ".join(filter(None, [*said, room.view.note])))
    for run in walks:
        with st.expander(f"The steps of {run.title} as a table"):
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
