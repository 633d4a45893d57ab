"""The panels of Compare as one chart that stays in the page, each panel replaced by itself.

The chart knows the axes and which result every panel waits for; a panel is sent when its result is
ready, and never again while nothing about it has changed. Until then the one before it stays, and
turns faint if that takes long.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from streamlit.components.v2 import component

from mapdp_studio.pages.parts.shared.scripts import script_beside
from mapdp_studio.pages.parts.shared.told import when_told

_SCRIPT = script_beside(__file__)
_chart = component(
    "mapdp_studio_panels",
    html="<div role='figure'></div>",
    js=_SCRIPT,
    isolate_styles=False,
)
_panel = component("mapdp_studio_panel", js=_SCRIPT)


def panel_chart(
    layout: Mapping[str, Any],
    panels: Sequence[tuple[str, str]],
    key: str,
    on_rows: Callable[[list[int]], None],
    **about: Any,
) -> None:
    """Draw the chart; called once a run, before its panels.

    Parameters
    ----------
    layout : mapping
        A figure's, in plain values: of as many empty panels, each with its heading, as stand there
        before their first results.
    panels : sequence of (str, str)
        Name of each, and the version that belongs to the settings.
    on_rows : callable
        Told of the rows, counted from 1, that were dragged over or clicked.
    about : mapping
        ``about`` stands for the axes: zoom is kept under the same. ``alt``, ``config``, ``drag``,
        ``faint``; ``marked``, rows that stand out in all panels, or ``lit``, so that each panel's
        own do, counted from 1; ``marking`` stands for both.
    """
    headings = layout["annotations"]
    axes = {name: value for name, value in layout.items() if name != "annotations"}
    named = [
        {"name": name, "version": version, "heading": heading}
        for (name, version), heading in zip(panels, headings, strict=True)
    ]
    _chart(
        key=key,
        data=json.dumps({"layout": axes, "panels": named, **about}).encode(),
        on_rows_change=when_told(key, "rows", on_rows),
    )


def part_in_json(traces: Sequence[Mapping[str, Any]], **known: Any) -> bytes:
    """One panel as it is sent: its name, version, heading and the like in a line of their own.

    The browser reads no further where it has that version. Plotly's own way through a figure would
    check every trace, at three times the cost.
    """
    return f"{json.dumps(known)}\n{json.dumps(traces, default=_packed)}".encode()


def _packed(values: np.ndarray) -> dict[str, str] | list:
    """An array as plotly.js reads it."""
    if values.dtype.kind not in "fiu" or values.dtype in (np.int64, np.uint64):
        return values.tolist()
    kind = f"{values.dtype.kind}{values.dtype.itemsize}"
    return {"dtype": kind, "bdata": b64encode(np.ascontiguousarray(values)).decode()}


def send_panel(name: str, part: bytes) -> None:
    """Hand a panel to the chart."""
    _panel(key=f"panel {name}", data=part, height=1)
