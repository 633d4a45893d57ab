"""Buttons and keys that move a chart through its steps in the browser: its slider has no keys."""

from __future__ import annotations

from pathlib import Path

from streamlit.components.v2 import component

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
    css="""div { display: flex; gap: 0.3rem; align-items: center; flex-wrap: wrap; }
        button, select {
            font: inherit; font-size: 0.875rem; color: var(--st-text-color); cursor: pointer;
            padding: 0.3rem 0.7rem; border: 1px solid var(--st-border-color);
            border-radius: var(--st-base-radius); background: var(--st-background-color);
        }""",
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)


def player(figure: str) -> None:
    """Draw the buttons of the chart in the container of that key, which has a slider and frames."""
    _player(key=f"play {figure}", data={"figure": figure}, width="content", height="content")
