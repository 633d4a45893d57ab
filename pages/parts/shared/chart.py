"""What the pages do in the browser: a Plotly chart that stays, its player, the page's width.

Streamlit makes a new chart at every change, which costs half a second where there is no graphics
card: this one hands the new figure to ``Plotly.react``.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import plotly
import streamlit as st
from streamlit.components.v2 import component

#: Name of Plotly's script on the server, next to the pages: every version has its own.
PLOTLY = f"plotly-{plotly.__version__}.min.js"
_CHART, _PLAYER, _WIDTH = (
    Path(__file__).with_name(f"{name}.js").read_text(encoding="utf-8")
    for name in ("chart", "player", "width")
)
_chart = component("mapdp_studio_chart", js=_CHART.replace("PLOTLY", PLOTLY), isolate_styles=False)
_probe = component("mapdp_studio_page_width", js=_WIDTH)
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
    js=_PLAYER,
)


#: Plotly's settings of a figure without tools.
BARE = {"displayModeBar": False}


def saving(name: str, *more: str) -> dict[str, Any]:
    """Plotly's settings of a figure whose one tool saves it under a name; ``more`` adds tools."""
    return {
        "displaylogo": False,
        "modeBarButtons": [["toImage", *more]],
        "scrollZoom": False,
        "toImageButtonOptions": {"format": "png", "filename": name, "scale": 3},
    }


def chart(
    figure: str,
    key: str,
    alt: str,
    config: Mapping[str, Any],
    on_rows: Callable[[list[int]], None] | None = None,
    below: int | None = None,
) -> None:
    """Draw a figure, and in the same place whatever follows it under the same key.

    The figure is JSON with a height, as wide as its place; ``config`` is always the same under a
    key. ``on_rows`` is given the ``customdata`` of clicked points. It reaches down to ``below``
    pixels above the window's lower edge, if that is higher than its own height.
    """
    sent = {"config": config, "alt": alt, "below": below, "asks": on_rows is not None}
    data = f"{json.dumps(sent)[:-1]}, {figure[1:]}".encode()

    def pass_on() -> None:
        drawn = st.session_state.get(key)  # None where the chart has gone with its page
        if on_rows is not None and drawn is not None:
            on_rows(drawn["rows"])

    _chart(key=key, data=data, on_rows_change=pass_on)


def player(figure: str) -> None:
    """Draw the buttons of the chart in the container of that key, which has a slider and frames."""
    _player(key=f"play {figure}", data={"figure": figure}, width="content", height="content")


def page_width(steps: Iterable[int], assumed: int) -> int:
    """Largest of the steps from 0, in pixels, that the page is as wide as; at first as assumed."""
    before = st.session_state.get("page_width_step", assumed)
    current = max(step for step in steps if step <= before)
    data, default = {"steps": list(steps), "current": current}, {"step": current}
    asked = {"data": data, "default": default, "on_step_change": lambda: None}
    st.session_state["page_width_step"] = step = int(
        _probe(key="page_width", height=1, **asked).step
    )
    return step


def preload() -> None:
    """Have the browser fetch Plotly when it has nothing else to do, before there is a chart."""
    _chart(key="preloaded", data=b"", height=1)
