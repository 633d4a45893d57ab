"""Buttons and keys that move a chart through its steps in the browser: its slider has no keys."""

from __future__ import annotations

from pathlib import Path

from streamlit.components.v2 import component

_FILE = Path(__file__)
_player = component(
    "mapdp_studio_player",
    html="""<div role="toolbar" aria-label="Steps">
        <button name="first" aria-label="Rewind">|◀◀</button>
        <button name="back" aria-label="Step back">|◀</button>
        <button name="play" aria-label="Play">▶</button>
        <button name="next" aria-label="Step">▶|</button>
        <button name="last" aria-label="To the end">▶▶|</button>
        <select name="speed" aria-label="Speed">
            <option value="1600">slow</option><option value="800" selected>normal</option>
            <option value="300">fast</option></select></div>""",
    css=_FILE.with_suffix(".css").read_text(encoding="utf-8"),
    js=_FILE.with_suffix(".js").read_text(encoding="utf-8"),
)


def player(figure: str) -> None:
    """Draw the buttons of the chart in the container of that key, which has a slider and frames."""
    _player(key=f"play {figure}", data={"figure": figure}, width="content", height="content")
