"""The script that gives the labels of a panel again, with the library alone."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.exports.script import from_demo, from_scenario
from mapdp_studio.core.exports.take_away import script_of
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.demo_datasets import TAUGHT
from mapdp_studio.pages.parts.shared.kit import choose_one, download
from mapdp_studio.pages.parts.teach.settings import Classroom


def scenario_script(room: Classroom, algorithm: str) -> str:
    """Python that draws the scenario and fits one method as its panel does."""
    said = f"{METHODS[algorithm].title} on {TAUGHT[room.key].title}"
    return script_of(
        from_scenario(room.key, **room.drawn) if room.drawn else from_demo(room.key),
        room.tasks[algorithm],
        room.schema,
        f"{said}, as MAP-DP Studio shows it",
    )


def script_button(room: Classroom) -> None:
    """Choose an algorithm, read its script, take it home."""
    with st.popover("Python script", icon=":material/code:"):
        algorithm = choose_one(
            "The labels of",
            list(room.methods),
            "script of",
            default=JUDGE,
            format_func=lambda name: METHODS[name].title,
        )
        text = scenario_script(room, algorithm)
        st.code(text, language="python", height=300)
        name = f"{algorithm.lower()}_{room.key.replace('.', '_')}.py"
        download("Download", text, name, "text/x-python")
