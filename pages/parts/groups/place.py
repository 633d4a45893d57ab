"""The groups on a map, where the table says where its rows are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from core.comparing.map_view import map_view
from core.comparing.panels import groups_panel
from core.plots.panels import panels_figure
from core.plots.template import short
from core.wording import escaped, listed
from pages import Session
from pages.parts.shared.chosen import Chosen
from pages.parts.shared.picture import picture
from pages.parts.shared.theme import colours

_HEIGHT = 460
# Right of the map, whose margin makes room for it.
_KEY = {
    "itemsizing": "constant",
    "orientation": "v",
    "x": 1.01,
    "xanchor": "left",
    "y": 0.9,
    "yanchor": "top",
}
#: Of a group's name in the key, or of the first names where many share the grey.
_LETTERS = 40


def group_map(studio: Session, chosen: Chosen) -> None:
    """Draw every row where it is, in the colour of its group."""
    encoded = chosen.partition.columns_.encoded
    view = studio.results.latest(
        "map", studio.table.digest, lambda: map_view(studio.table.frame, encoded.units)
    )
    if view is None:
        return
    title = "Where the rows are"
    # A number at the middle of a group would say where it is; groups of a city are everywhere.
    panel = replace(groups_panel(view, title, chosen.groups), badges=())
    picture(
        _with_key(panels_figure(view, [panel], 1, _HEIGHT, **colours()), chosen),
        "map",
        "Rows by place, in the colour of their group",
        "groups-map",
    )
    names = [axis.title for axis in (view.y, view.x)]
    used = [name for name in names if name in encoded.columns]
    role = "took part in the grouping" if used else "took no part in the grouping"
    said = f"{escaped(names[0])} and {escaped(names[1])} {role}. {escaped(view.note)}"
    st.caption(f"{said.strip()} Double-click a group in the key to see it alone.")


def _with_key(figure: go.Figure, chosen: Chosen) -> go.Figure:
    """With the groups' names beside it, of which a click hides one."""
    groups = chosen.groups
    for trace in figure.select_traces(lambda trace: trace.customdata is not None):
        of_trace = np.unique(groups.labels[np.asarray(trace.customdata) - 1])
        titles = listed((groups.titles[k] for k in of_trace), 3)
        trace.update(name=short(titles, _LETTERS), showlegend=True)
    return figure.update_layout(showlegend=True, legend=_KEY)
