"""Buttons that work a Plotly figure in the browser, without the server: save it, step through it.

A figure's own slider and tools cannot be reached with the keyboard; these buttons can.
"""

from __future__ import annotations

from streamlit.components.v2 import component

from mapdp_studio.pages.parts.shared.scripts import script_beside

#: A figure that only shows: no zoom, no box; its one tool is pressed by ``save_buttons``.
STILL = {"displaylogo": False, "modeBarButtons": [["toImage"]], "scrollZoom": False}

_STYLE = script_beside(__file__, "figure_tools.css")
_save = component(
    "mapdp_studio_save_figure",
    html="""<div role="group" aria-label="Save the picture">
        <button value="png">Save PNG</button><button value="svg">Save SVG</button></div>""",
    css=_STYLE,
    js=script_beside(__file__, "save_figure.js"),
)
_step = component(
    "mapdp_studio_step_figure",
    html="""<div role="group" aria-label="Steps">
        <button name="first">First</button>
        <button name="back">Step back</button>
        <button name="play">Play</button>
        <button name="next">Step</button>
        <button name="last">Last</button>
        <label>Speed <select name="speed">
            <option value="1600">slow</option><option value="800" selected>normal</option>
            <option value="300">fast</option></select></label></div>""",
    css=_STYLE,
    js=script_beside(__file__, "step_figure.js"),
)


def save_buttons(figure: str, name: str) -> None:
    """Buttons that save the figure in the container of that key as PNG or SVG, so named."""
    _save(key=f"save {figure}", data={"figure": figure, "name": name}, height="content")


def step_buttons(figure: str) -> None:
    """Buttons that move a figure through its frames: step, step back, play, pause, speed.

    The container of that key holds it, a lasting chart with a slider.
    """
    _step(key=f"step {figure}", data={"figure": figure}, height="content")
