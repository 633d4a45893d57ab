"""The groups on a map, where the table says where its rows are."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.comparing.map_view import map_view
from core.comparing.panels import groups_panel
from core.plots.panels import panels_figure
from core.wording import escaped
from pages import Session
from pages.parts.shared.chosen import Chosen
from pages.parts.shared.picture import picture
from pages.parts.shared.theme import colours

_HEIGHT = 560


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
        panels_figure(view, [panel], 1, _HEIGHT, **colours()),
        "map",
        "Rows by place, in the colour of their group",
        "groups-map",
    )
    names = [axis.title for axis in (view.y, view.x)]
    used = [name for name in names if name in encoded.columns]
    role = "took part in the grouping" if used else "took no part in the grouping"
    said = f"{escaped(names[0])} and {escaped(names[1])} {role}. {escaped(view.note)}"
    st.caption(said.strip())
