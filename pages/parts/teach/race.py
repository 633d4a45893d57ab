"""Race: two methods on the same rows under one clock, a prediction first."""

from __future__ import annotations

import hashlib
import json

import streamlit as st
from streamlit.components.v2 import component
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.comparing.comparison import Results
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.methods.kmeans import K_MEANS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.plots.race import race_sheet
from mapdp_studio.core.teaching.drawing import first_points, read_points, write_points
from mapdp_studio.core.teaching.race import Race
from mapdp_studio.core.teaching.steps import procedures
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_from_list
from mapdp_studio.pages.parts.teach.controls import DRAWN, LEFT, N_0, ON_DRAWING, RIGHT, SEED, K
from mapdp_studio.pages.parts.teach.draw import FEWEST, board_view, drawing
from mapdp_studio.pages.parts.teach.live.scripts import RACE, live_scripts, live_text
from mapdp_studio.pages.parts.teach.settings import Classroom
from mapdp_studio.pages.parts.teach.stage import Stage
from mapdp_studio.pages.parts.teach.steps import walked

FIGURE = "race"
#: Who runs until others are chosen.
RUNNERS = {LEFT: K_MEANS.name, RIGHT: JUDGE}
#: Races that are kept, where they are a visitor's own.
MOST = 4
_race = component(
    "mapdp_studio_race",
    html=live_text("race.html"),
    css=live_text("race.css"),
    js=live_scripts(RACE),
)


def race(
    room: Classroom, results: Results, stage: Stage, place: DeltaGenerator | None = None
) -> None:
    """Choose two runs and let them race, in a place of their own if there is one."""
    names = _runners(room, stage)
    about = room.about, room.settings, names

    def run() -> tuple[Race, str]:
        most = min(procedures()[name].most_rows for name in names)
        walks = [walked(room, results, name, most) for name in names]
        made = Race((walks[0], walks[1]), None if room.truth is None else room.truth.classes)
        return made, json.dumps(race_sheet(made))

    made = get_result(
        session(),
        "race",
        about,
        "Both run",
        lambda job: results.latest("race run", about, run, MOST if room.truth is None else None),
        results,
    )
    if made is None:
        return
    run_by, sheet = made
    name = hashlib.blake2b(sheet.encode(), digest_size=8).hexdigest()
    told = {"id": name, "isProjected": stage.is_folded}
    with place or st.container(), st.container(key=FIGURE):
        _race(
            key="race_picture",
            data=f'{json.dumps(told)[:-1]}, "sheet": {sheet}}}'.encode(),
            height="content",
        )
    if not stage.is_folded:
        told_of = dict.fromkeys([*(walk.note for walk in run_by.walks), room.view.note])
        notes = " ".join(filter(None, told_of))
        st.caption(
            "Predict, then start: space plays and pauses, ← and → step, Home "
            "rewinds. A step is a pass or a sweep of either method; who is done waits. The address "
            f"opens this race. {notes}"
        )


def race_on_drawing(results: Results, stage: Stage) -> None:
    """The race on what was drawn on the board, with the board's K and count."""
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
    told = key, {}, frame, schema, encoded, None, view, settings, suggested.penalty
    race(Classroom(*told), results, stage, st.container() if stage.is_picture_first else None)


def _runners(room: Classroom, stage: Stage) -> tuple[str, str]:
    """Two of what Step walks, and the switch to the drawing."""
    state, known = st.session_state, procedures()
    names = [name for name, one in known.items() if not (one.needs_truth and room.truth is None)]
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen = []
        for key, first in RUNNERS.items():
            state[key] = state[key] if state.get(key) in names else first
            chosen.append(
                choose_from_list(
                    key.capitalize(),
                    names,
                    key,
                    width=stage.list_width,
                    format_func=lambda name: known[name].title,
                    label_visibility="collapsed",
                )
            )
        st.toggle(
            "On the drawing",
            key=ON_DRAWING,
            persist_state="session",
            help="The points drawn on **Draw**, in the place of the data set.",
        )
    return chosen[0], chosen[1]
