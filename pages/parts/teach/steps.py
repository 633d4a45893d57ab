"""Step: one algorithm's run, or two under one clock, stepped through in the browser."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mapdp_studio.core.comparing.comparison import FitError, Results
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.models.priors import EMPIRICAL_SCALE
from mapdp_studio.core.plots.steps import steps_figure
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.teaching.steps import Walk, procedures, walk
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.chart import chart, player, saving
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_from_list
from mapdp_studio.pages.parts.shared.theme import colours
from mapdp_studio.pages.parts.teach.controls import ALONE, key_of, put, stand
from mapdp_studio.pages.parts.teach.room import Classroom, results_of
from mapdp_studio.pages.parts.teach.watch import fill_places

FIGURE = "steps"
#: The figure drawn last and its words, which stay until another has been walked.
_LAST = "steps_shown"
_FAINT = f"<style>.st-key-{FIGURE} .js-plotly-plot {{ opacity: 0.4; }}</style>"
KEYS = (
    "A row keeps its colour as long as its cluster lives; at the end the colours are those of the "
    "true groups. Keys: space plays and pauses, ← and → step, Home rewinds."
)


def steps(room: Classroom, width: int, letters: int, is_bare: bool) -> None:
    """Choose an algorithm, or two, and watch them work."""
    if not room.is_plane:
        st.info("This view needs two columns of numbers without holes: **Watch** does not.")
        return
    names, results, state = _chosen(room), results_of(room.key), st.session_state
    place, key = st.container(key=FIGURE), (room.about, room.settings, *names)

    def work(job: Job) -> list[Walk]:
        return [_walked(room, results, name) for name in names]

    walks = get_result(session(), "step", key, "Walking", work, results)
    if walks is not None:
        kwargs = {"is_wide": bool(width), "letters": letters, "ink": colours()["ink"]}
        figure = results.latest(
            "walk's figure", (*key, *kwargs.values()), lambda: _figure(room, walks, kwargs)
        )
        state[_LAST] = figure, _in_words(walks)
    if _LAST in state:
        with place:
            figure, text = state[_LAST]
            chart(figure, "walk-chart", text, saving("steps"), below=8 if width else None)
    if walks is None:
        place.html(_FAINT)
    elif not is_bare:
        said = [procedures()[names[0]].watch_for] if len(names) == 1 else []
        said += dict.fromkeys(run.note for run in walks if run.note)
        st.caption(" ".join([*said, KEYS]))


def _chosen(room: Classroom) -> list[str]:
    known = procedures()
    names = [name for name, one in known.items() if not (one.needs_truth and room.truth is None)]
    titles = {name: known[name].title for name in names}
    if stand("walk") not in names:
        put(walk=names[0])
    if stand("beside") not in (ALONE, *names):
        put(beside=ALONE)
    with st.container(horizontal=True, vertical_alignment="center"):
        kwargs = {"width": 250, "label_visibility": "collapsed"}
        choose_from_list(
            "Algorithm", names, key_of("walk"), format_func=titles.__getitem__, **kwargs
        )
        kwargs["format_func"] = lambda name: f"beside: {titles.get(name, ALONE)}"
        choose_from_list("Beside it, under one clock", [ALONE, *names], key_of("beside"), **kwargs)
        player(FIGURE)
    return [name for name in (stand("walk"), stand("beside")) if name != ALONE]


def _walked(room: Classroom, results: Results, name: str) -> Walk:
    """One of ``procedures()``, step by step; all rows are one true group where none is known."""
    model = results.fit(room.tasks[JUDGE], room.frame, room.schema)
    scale = EMPIRICAL_SCALE if isinstance(model, FitError) else model.prior_scale_
    one = np.zeros(len(room.frame), dtype=np.int64)
    classes = one if room.truth is None else room.truth.classes
    return results.latest(
        "walk",
        (room.about, room.settings, name, scale),
        lambda: walk(name, room.encoded, room.view, classes, room.settings, scale),
    )


def _figure(room: Classroom, walks: list[Walk], kwargs: dict) -> str:
    classes = None if room.truth is None else room.truth.classes
    figure = steps_figure(walks, classes, **kwargs)
    if room.view.has_one_unit:
        fill_places(figure, len(walks))
    return figure.to_json()


def _in_words(walks: list[Walk]) -> str:
    said = (
        f"{run.title}: after {len(run.steps)} steps K = {run.steps[-1].n_clusters}" for run in walks
    )
    return "; ".join(said)
