"""A Plotly chart that stays in the page while its data change.

Streamlit throws its own chart away and makes a new one at every change, which costs half a second
for the new WebGL contexts where there is no graphics card. This one hands the new figure to
``Plotly.react``: four charts of 24,000 points are redrawn in .15 s instead of 2 s.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from pages.parts.shared.scripts import script_beside

# Follows Plotly's own script, which has put itself into the window.
_LOADED = "export default () => { window.dispatchEvent(new Event('mapdp-plotly')); };"
_chart = component(
    "mapdp_studio_lasting_chart",
    html="<div role='figure'></div>",
    js=script_beside(__file__),
    isolate_styles=False,
)


@cache
def _loader() -> Callable[..., Any]:
    """Brings Plotly's script, which its Python package holds, into the page."""
    script = files("plotly").joinpath("package_data", "plotly.min.js").read_text(encoding="utf-8")
    return component("mapdp_studio_plotly", js=f"{script}\n{_LOADED}")


def load_plotly() -> None:
    """Bring Plotly's script into a page with lasting charts; call it once, before them.

    The browser is sent its five megabytes once: Streamlit knows an unchanged message again.
    """
    _loader()(key="plotly", height=1)


def lasting_chart(
    figure: str,
    key: str,
    alt: str,
    config: Mapping[str, Any],
    on_row: Callable[[int], None] | None = None,
    on_line: Callable[[float], None] | None = None,
    share: float | None = None,
) -> None:
    """Draw a figure, and in the same place whatever follows it under the same key.

    The figure, as JSON, has a height, and frames if it has steps; it is as wide as its place and
    has the page's colours and letters. ``alt`` says what it shows, ``config`` is Plotly's, and
    ``on_row`` is told the ``customdata`` of a point that was clicked, a whole number; ``on_line``, where on
    the y axis the figure's line, its first shape, was dragged to. With a ``share`` the figure is as
    high as that share of the window instead.
    """
    about = json.dumps({"config": config, "alt": alt, "asks": on_row is not None, "share": share})
    _chart(
        key=key,
        data=f"{about[:-1]}, {figure[1:]}".encode(),
        on_row_change=lambda: on_row and on_row(st.session_state[key].row),
        on_line_change=lambda: on_line and on_line(st.session_state[key].line),
    )
