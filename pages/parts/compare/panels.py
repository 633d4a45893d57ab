"""The panels of the comparison: each one sent to the chart as soon as its result is ready."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import streamlit as st

from mapdp_studio.core.comparing.comparison import Results, Task, Truth
from mapdp_studio.core.comparing.first_look import FirstLook
from mapdp_studio.core.comparing.panels import Panel, method_panel, truth_panel
from mapdp_studio.core.comparing.projection import View
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.plots.panels import HEIGHT, kind_of, panel_part, panels_frame
from mapdp_studio.core.plots.template import FAINT
from mapdp_studio.pages.parts.compare.marking import take_marks
from mapdp_studio.pages.parts.shared.chart import panel_in_json, panels_chart, saving, send_panel
from mapdp_studio.pages.parts.shared.compute import Fits
from mapdp_studio.pages.parts.shared.theme import colours

CHART, TRUTH = "panels-chart", "known groups"
#: How the names begin of what the panels come in: invisible, and taking no room.
PARTS = "panel_part_"
#: Height of a panel where they stand in several rows, in pixels: all are on the first screen.
LOW = 140
# A panel wants so many pixels, in one of two rows some more, as further methods have long names;
# the labels of the axis on the left add to them.
PANEL_WIDTH, IN_TWO_ROWS, LABELS = 190, 250, 64
# A double click leads back from a zoom; the tools hide no heading.
TOOLS = saving("comparison", "resetScale2d")


def panels_per_row(n_panels: int) -> dict[int, int]:
    """By the least width in pixels: all in a row where they fit, else in two rows, else three."""
    half = -(-n_panels // 2)
    fitting = {n * PANEL_WIDTH + LABELS: n for n in (2, 3) if n <= half}
    fitting |= {half * IN_TWO_ROWS + LABELS: half, n_panels * PANEL_WIDTH + LABELS: n_panels}
    return {0: 1} | {least: fitting[least] for least in sorted(fitting)}


class ComparedPanels:
    """One panel a method, and one of the known groups.

    ``table`` is where its results are kept, and how many rows it has; ``about`` stands for the
    view: a zoom is kept under the same one.
    """

    def __init__(
        self,
        table: tuple[Results, int],
        wanted: dict[str, Task],
        view: View,
        truth: Truth | None,
        about: Hashable,
    ) -> None:
        self.results, n_rows = table
        self.wanted, self.view, self.truth, self.looks = wanted, view, truth, colours()
        self.names = [*wanted, *([TRUTH] if truth is not None else [])]
        #: What was sent in this run of the page.
        self._sent: set[str] = set()
        self.about = str(hash((about, tuple(self.names), *self.looks.values())))
        #: Methods that do not take so many rows: their panels show a sample.
        self.sampled = [name for name in wanted if METHODS[name].is_beyond(n_rows)]

    def open(self, marked: np.ndarray, drag: str, is_lit: bool) -> None:
        """Draw the chart, whose panels come by ``send``."""
        rows = (marked + 1).tolist() or None
        panels_chart(
            self.results.latest("frames of panels", self.about, self._layouts),
            [(name, self._version(name, self.wanted)) for name in self.names],
            CHART,
            take_marks,
            about=self.about,
            alt=f"{len(self.names)} scatter plots of the same {len(self.view.rows):,} rows, "
            f"{self.view.x.title} across and {self.view.y.title or 'nothing'} up, coloured by "
            "cluster.",
            config=TOOLS,
            drag=drag,
            faint=FAINT,
            lit=is_lit,
            marked=rows,
            marking=str(hash((is_lit, tuple(rows or ())))),
        )

    def _layouts(self) -> dict[int, dict[str, Any]]:
        """What no slider changes: the axes, and the titles of panels that are still to come."""
        titles = ["Known" if name == TRUTH else METHODS[name].title for name in self.names]
        layouts = {}
        for least, n_columns in panels_per_row(len(titles)).items():
            height = HEIGHT if n_columns == len(titles) else LOW
            frame = panels_frame(self.view, titles, n_columns, height, self.looks["ink"])
            layouts[least] = json.loads(frame.to_json())["layout"]
        return layouts

    def send(self, fits: Fits, first: FirstLook | None) -> None:
        """Send every panel that there is and was not sent: a result, what a sample gave, or before.

        The sample is there if the table is long, or a method takes no more.
        """
        for name in self.names:
            if name not in self.sampled and self._is_ready(name):
                self._send(name, self.wanted)
            elif name in self.sampled or name in fits.looked:
                self.send_first(name, first)
            elif name in fits.shown and not fits.running:
                self._send(name, fits.shown)

    def send_first(self, name: str, first: FirstLook) -> None:
        """Send what came of a sample until all rows are fitted."""
        if name in self.sampled:
            first.fit(name, self.wanted, lambda progress: None)
        version = self._version(name, self.wanted)
        part = self.results.latest(
            f"first part {name}",
            (self.about, version),
            lambda: self._first_part(first, name, version),
        )
        if part is not None:
            self._hand_over(f"first {name}", part)

    def _first_part(self, first: FirstLook, name: str, version: str) -> bytes | None:
        panel = first.panel(name, self.view, self.wanted)
        if panel is None:
            return None
        return self._in_json(name, panel, first.view(self.view), version, first=True)

    def _is_ready(self, name: str) -> bool:
        needed = [name] if self.truth is not None else [name, JUDGE]
        fits = [self.wanted[one] for one in needed if one != TRUTH]
        return all(self.results.get(task) is not None for task in fits)

    def _version(self, name: str, tasks: Mapping[str, Task]) -> str:
        """Stands for the result, and for what gives it its colours."""
        return str(hash((name, tasks.get(name), self.truth is None and tasks.get(JUDGE))))

    def _send(self, name: str, tasks: Mapping[str, Task]) -> None:
        version = self._version(name, tasks)
        part = self.results.latest(
            f"part {name}", (self.about, version), lambda: self._part(name, tasks, version)
        )
        self._hand_over(name, part)

    def _hand_over(self, name: str, part: bytes) -> None:
        if name not in self._sent:
            self._sent.add(name)
            with st.container(key=PARTS + name):
                send_panel(CHART, name, part)

    def _part(self, name: str, tasks: Mapping[str, Task], version: str) -> bytes:
        if name == TRUTH:
            panel = truth_panel(self.view, self.truth)
        else:
            panel = method_panel(name, self.view, self.results, self.wanted, tasks, self.truth)
        return self._in_json(name, panel, self.view, version)

    def _in_json(
        self, name: str, panel: Panel, view: View, version: str, first: bool = False
    ) -> bytes:
        place, kind = self.names.index(name), kind_of(self.view)
        traces, heading = panel_part(view, panel, place, kind, **self.looks)
        return panel_in_json(
            traces,
            name=name,
            about=self.about,
            version=version,
            heading=heading,
            alt=f"{panel.title} ({panel.remark}).",
            apart=None if panel.apart is None else (view.rows[panel.apart] + 1).tolist(),
            first=first,
        )
