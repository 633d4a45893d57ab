"""The script that gives the labels of a panel again, with the library alone."""

from __future__ import annotations

import streamlit as st

from core.comparing.comparison import ALGORITHMS
from core.exports.script import from_scenario, script
from demo_datasets import SCENARIOS
from pages.parts.teach.settings import Classroom


def script_of(room: Classroom, algorithm: str) -> str:
    """Python that draws the scenario and fits one algorithm as its panel does."""
    wanted = room.tasks
    task = wanted[algorithm]
    return script(
        from_scenario(room.key, **room.drawn),
        algorithm,
        dict(task.arguments),
        schema=room.schema,
        prior_from=dict(task.prior_of.arguments) if task.prior_of else None,
        title=f"{ALGORITHMS[algorithm]} on {SCENARIOS[room.key].title}, as MAP-DP Studio shows it",
    )


def script_button(room: Classroom) -> None:
    """Choose an algorithm, read its script, take it home."""
    with st.popover("Python script", icon=":material/code:"):
        algorithm = st.segmented_control(
            "The labels of",
            list(ALGORITHMS),
            default="MAPDP",
            required=True,
            format_func=ALGORITHMS.get,
            key="script of",
            persist_state="session",
        )
        text = script_of(room, algorithm)
        st.code(text, language="python", height=300)
        st.download_button(
            "Download",
            text,
            f"{algorithm.lower()}_{room.key.replace('.', '_')}.py",
            "text/x-python",
            icon=":material/download:",
            on_click="ignore",
        )
