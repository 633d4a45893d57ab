"""A Plotly chart that stays in the page while what it shows changes, whole or panel by panel.

Streamlit makes a new chart at every change, which costs half a second where there is no graphics
card: this one hands the new figure to ``Plotly.react``.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import plotly
import streamlit as st
from streamlit.components.v2 import component

#: Name of Plotly's script on the server, beside the pages: every version has its own.
PLOTLY = f"plotly-{plotly.__version__}.min.js"
_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
_chart = component("mapdp_studio_chart", js=_SCRIPT.replace("PLOTLY", PLOTLY), isolate_styles=False)


def saving(name: str, *more: str) -> dict[str, Any]:
    """Plotly's settings of a figure whose one tool saves it under a name; ``more`` tools beside."""
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
    sent = {"key": key, "config": config, "alt": alt, "below": below, "asks": on_rows is not None}
    _draw(key, f"{json.dumps(sent)[:-1]}, {figure[1:]}", on_rows)


def preload() -> None:
    """Have the browser fetch Plotly when it has nothing else to do, before there is a chart."""
    _chart(key="preloaded", data=b"", height=1)


def panels_chart(
    layouts: Mapping[int, Mapping[str, Any]],
    panels: Sequence[tuple[str, str]],
    key: str,
    on_rows: Callable[[list[int]], None],
    **kwargs: Any,
) -> None:
    """Draw the axes of panels that come by themselves: call it once a run, before ``send_panel``.

    ``layouts`` are a figure's by the least width in pixels that they are for, ``panels`` the name
    of each and the version that belongs to the settings: one of before stays and turns faint.
    ``on_rows`` is given the rows, counted from 1, that were dragged over or clicked. Of the rest
    ``about`` stands for the axes, whose zoom is kept, ``marking`` for the rows that are ``marked``
    or ``lit``.
    """
    headings = next(iter(layouts.values()))["annotations"]
    sent = {
        "key": key,
        "below": None,
        "asks": True,
        "layouts": sorted(layouts.items()),
        "panels": [
            {"name": name, "version": version, "heading": heading}
            for (name, version), heading in zip(panels, headings, strict=True)
        ],
    }
    _draw(key, json.dumps(sent | kwargs), on_rows)


def panel_in_json(traces: Sequence[Mapping[str, Any]], **kwargs: Any) -> bytes:
    """One panel as it is sent: a first line says what it is, for a browser that knows it."""
    return f"{json.dumps(kwargs)}\n{json.dumps(traces, default=_packed)}".encode()


def send_panel(key: str, name: str, part: bytes) -> None:
    """Hand a panel, from ``panel_in_json``, to the chart of that key."""
    _chart(key=f"{key} {name}", data=json.dumps({"chart": key}).encode() + b"\n" + part, height=1)


def _draw(key: str, sent: str, on_rows: Callable[[list[int]], None] | None) -> None:
    _chart(key=key, data=sent.encode(), on_rows_change=when_told(key, on_rows))


def when_told(key: str, on_rows: Callable[[list[int]], object] | None) -> Callable[[], None]:
    """Hand the rows that a chart tells of to ``on_rows``; the chart may have gone with its page."""

    def pass_on() -> None:
        there = st.session_state.get(key)
        if on_rows is not None and there is not None:
            on_rows(there["rows"])

    return pass_on


def _packed(values: np.ndarray) -> dict[str, str] | list:
    """An array as plotly.js reads it."""
    if values.dtype.kind not in "fiu" or values.dtype in (np.int64, np.uint64):
        return values.tolist()
    kind = f"{values.dtype.kind}{values.dtype.itemsize}"
    return {"dtype": kind, "bdata": b64encode(np.ascontiguousarray(values)).decode()}
