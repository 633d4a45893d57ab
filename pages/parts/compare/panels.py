"""The panels of the comparison: each one sent to the chart as soon as its result is ready."""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import Any

import numpy as np
import streamlit as st

from mapdp_studio.core.comparing.comparison import Truth
from mapdp_studio.core.comparing.first_look import FirstLook
from mapdp_studio.core.comparing.panels import Panel, method_panel, truth_panel
from mapdp_studio.core.comparing.projection import View
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.models.estimator import Callback
from mapdp_studio.core.plots.marks import FAINT
from mapdp_studio.core.plots.panels import HEIGHT, kind_of, panel_part, panels_frame
from mapdp_studio.pages.parts.compare.marking import take_marks
from mapdp_studio.pages.parts.shared.chart import panel_in_json, panels_chart, saving, send_panel
from mapdp_studio.pages.parts.shared.runs import Runs
from mapdp_studio.pages.parts.shared.theme import colours

CHART, TRUTH = "panels-chart", "known groups"
#: What the panels come in: invisible, and taking no room however many there are.
PARTS = "panel_parts"
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
    fitting = {n * PANEL_WIDTH + LABELS: n for n in (2, 3) if n < n_panels}
    fitting |= {half * IN_TWO_ROWS + LABELS: half, n_panels * PANEL_WIDTH + LABELS: n_panels}
    return {0: 1} | {least: fitting[least] for least in sorted(fitting)}


class ComparedPanels:
    """One panel a method, and one of the known groups.

    ``about`` stands for the view: a zoom is kept under the same one.
    """

    def __init__(self, runs: Runs, view: View, truth: Truth | None, about: Hashable) -> None:
        self.runs, self.view, self.truth, self.looks = runs, view, truth, colours()
        self.names = [*runs.wanted, *([TRUTH] if truth is not None else [])]
        self.about = str(hash((about, tuple(self.names), *self.looks.values())))
        self.sent: set[str] = set()
        #: Methods that do not take so many rows: their panels show a sample.
        self.sampled = [name for name in runs.wanted if METHODS[name].is_beyond(len(runs.frame))]

    def open(self, marked: np.ndarray, drag: str, is_lit: bool) -> None:
        """Draw the chart, and leave room below it for what the panels come in."""
        rows = (marked + 1).tolist() or None
        panels_chart(
            self.runs.results.latest("frames of panels", self.about, self._layouts),
            [(name, self._version(name, self.runs.wanted)) for name in self.names],
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
        self.place = st.container(key=PARTS, gap=None)

    def _layouts(self) -> dict[int, dict[str, Any]]:
        """What no slider changes: the axes, and the titles of panels that are still to come."""
        titles = ["Known" if name == TRUTH else METHODS[name].title for name in self.names]
        layouts = {}
        for least, n_columns in panels_per_row(len(titles)).items():
            height = HEIGHT if n_columns == len(titles) else LOW
            frame = panels_frame(self.view, titles, n_columns, height, self.looks["ink"])
            layouts[least] = json.loads(frame.to_json())["layout"]
        return layouts

    def send(self, method: str = "") -> None:
        """Send every panel whose result is there."""
        for name in self.names:
            if name not in (*self.sent, *self.sampled) and self._is_ready(name):
                self._send(name)

    def look_first(self, first: FirstLook, name: str, callback: Callback) -> None:
        """Fit a method to a sample, and send what came of it until all rows are fitted."""
        first.fit(name, self.runs.wanted, callback)
        version = self._version(name, self.runs.wanted)
        part = self.runs.results.latest(
            f"first part {name}",
            (self.about, version),
            lambda: self._first_part(first, name, version),
        )
        if part is not None:
            with self.place:
                send_panel(CHART, f"first {name}", part)

    def _first_part(self, first: FirstLook, name: str, version: str) -> bytes | None:
        panel = first.panel(name, self.view, self.runs.wanted)
        if panel is None:
            return None
        return self._in_json(name, panel, first.view(self.view), version, first=True)

    def send_rest(self, first: FirstLook | None) -> None:
        """Send the former results of what was stopped, and a sample's where all rows are too many.

        The sample is there if a method needs it.
        """
        for name in self.names:
            if name in self.sampled:
                self.look_first(first, name, lambda progress: None)
            elif name not in self.sent and name in self.runs.shown:
                self._send(name)

    def _is_ready(self, name: str) -> bool:
        needed = [name] if self.truth is not None else [name, JUDGE]
        fits = [self.runs.wanted[one] for one in needed if one != TRUTH]
        return all(self.runs.results.get(task) is not None for task in fits)

    def _version(self, name: str, tasks: dict) -> str:
        """Stands for the result, and for what gives it its colours."""
        return str(hash((name, tasks.get(name), self.truth is None and tasks.get(JUDGE))))

    def _send(self, name: str) -> None:
        self.sent.add(name)
        version = self._version(name, self.runs.shown)
        part = self.runs.results.latest(
            f"part {name}", (self.about, version), lambda: self._part(name, version)
        )
        with self.place:
            send_panel(CHART, name, part)

    def _part(self, name: str, version: str) -> bytes:
        runs = self.runs
        if name == TRUTH:
            panel = truth_panel(self.view, self.truth)
        else:
            panel = method_panel(name, self.view, runs.results, runs.wanted, runs.shown, self.truth)
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
