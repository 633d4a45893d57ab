"""The panels of the comparison: each one sent to the chart as soon as its result is ready."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.comparing.comparison import Task, Truth
from mapdp_studio.core.comparing.panels import FirstLook, Panel, method_panel, truth_panel
from mapdp_studio.core.comparing.projection import View
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.partitions.naming import Groups
from mapdp_studio.core.plots.panels import kind_of, panel_part, panels_frame
from mapdp_studio.core.plots.template import FAINT
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.answers import take_marks
from mapdp_studio.pages.parts.shared.chart import panel_in_json, panels_chart, saving, send_panel
from mapdp_studio.pages.parts.shared.compute import Fits
from mapdp_studio.pages.parts.shared.theme import colours

CHART, TRUTH = "panels-chart", "known groups"
#: How the names begin of what the panels come in: invisible, and taking no room.
PARTS = "panel_part_"
#: Panels in a row, by the least width in pixels; and the height of each, of a single one more.
IN_A_ROW, HEIGHT, HEIGHT_ALONE = {0: 1, 820: 2, 1140: 3}, 300, 400
# A double click leads back from a zoom; the tools hide no heading.
TOOLS = saving("comparison", "resetScale2d")
# The sliders stay on top while panels that do not fit the window are scrolled past them.
_STYLE = """<style>
.stMainBlockContainer { padding-top: 3.75rem }
[data-testid="stLayoutWrapper"]:has(> .st-key-compare_head) {
    position: sticky; top: 3.75rem; z-index: 90; background: PAPER; margin-top: UP;
}
.st-key-compare_head h1 { font-size: 1.5rem; padding: 0; white-space: nowrap }
@media (max-width: 1200px) { .st-key-compare_head h1 { font-size: 1.125rem } }
[data-testid="stLayoutWrapper"]:has(> [class*='st-key-PARTS']) {
    position: absolute; height: 0; overflow: hidden
}
</style>"""


def place_sliders(is_part: bool) -> list[DeltaGenerator]:
    """Draw the title; places of three sliders beside it, and of the options."""
    # Up beside the page's invisible parts, unless the way back of a part stands there.
    told = {"PAPER": colours()["paper"], "PARTS": PARTS, "UP": "0" if is_part else "-2.75rem"}
    style = _STYLE
    for word, value in told.items():
        style = style.replace(word, value)
    st.html(style)
    with st.container(key="compare_head"):
        title, *places, options = st.columns([1.2, 2, 2, 2, 1.3], vertical_alignment="center")
    title.title("Compare", anchor=False)
    return [*places, options.popover("Options")]


def draw_legend(studio: Session, n_used: int, note: str) -> None:
    """Which table this is, so many of its columns clustered on, and what the marks mean."""
    table, weights = studio.table, studio.schema.names("weight")
    weighed = "".join(f"weighed by “{escaped(name)}” (scaled to mean 1), " for name in weights)
    st.caption(
        f"**{escaped(table.name)}**: {len(table.frame):,} rows, {weighed}clustered on {n_used:,} "
        f"of {table.frame.shape[1]:,} columns. Numbers and colours name the same groups in every "
        "panel, and on the other pages. Ellipses hold 95 % of a cluster under its model; grey "
        "rings are clusters too small or too many for a colour. NMI: agreement with the known "
        f"groups, or else with MAP-DP's; 1 is the same. {escaped(note)}"
    )


class ComparedPanels:
    """One panel a method, and before them the known groups; ``about`` stands for the view."""

    def __init__(
        self,
        studio: Session,
        wanted: dict[str, Task],
        view: View,
        truth: Truth | None,
        about: Hashable,
    ) -> None:
        self.studio, self.results, self.wanted = studio, studio.results, wanted
        self.view, self.truth, self.looks = view, truth, colours()
        self.names = [*([TRUTH] if truth is not None else []), *wanted]
        #: What was sent in this run of the page.
        self._sent: set[str] = set()
        self.about = str(hash((about, tuple(self.names), *self.looks.values())))
        #: Methods that do not take so many rows: their panels show a sample.
        n_rows = len(studio.table.frame)
        self.sampled = [name for name in wanted if METHODS[name].is_beyond(n_rows)]

    def open(self, drag: str, is_lit: bool) -> None:
        """Draw the chart, whose panels come by ``send``."""
        rows = (self.studio.marked + 1).tolist() or None
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
        for least, n_columns in IN_A_ROW.items():
            height = HEIGHT if n_columns > 1 else HEIGHT_ALONE
            frame = panels_frame(self.view, titles, n_columns, height, self.looks["ink"])
            layouts[least] = json.loads(frame.to_json())["layout"]
        return layouts

    def send(self, fits: Fits, first: FirstLook | None) -> None:
        """Send every panel that was not sent: a result, what a sample gave, or the one before."""
        for name in self.names:
            needed = {self.wanted[JUDGE], self.wanted.get(name, self.wanted[JUDGE])}
            is_ready = all(self.results.get(task) is not None for task in needed)
            if name not in self.sampled and is_ready:
                self._send(name, self.wanted)
            elif name in self.sampled or name in fits.looked:
                self.send_first(name, first)
            elif name in fits.shown and not fits.running:
                self._send(name, fits.shown)

    def send_first(self, name: str, first: FirstLook) -> None:
        """Send what came of a sample until all rows are fitted."""
        if name in self.sampled:
            first.fit(self.wanted[name])
        version = self._version(name, self.wanted)

        def part() -> bytes | None:
            panel = first.panel(name, self.view, self.wanted)
            if panel is None:
                return None
            if name == JUDGE and self.studio.work.shows_fewer_first:  # that K is none to keep
                panel = replace(panel, title=METHODS[JUDGE].title)
            return self._in_json(name, panel, first.view(self.view), version, first=True)

        about = self.about, version
        self._hand_over(f"first {name}", self.results.latest(f"first part {name}", about, part))

    def _groups(self, tasks: Mapping[str, Task]) -> tuple[Groups | None, bool]:
        """MAP-DP's groups as the other pages show them, and whether their number is sought."""
        task, work = tasks.get(JUDGE), self.studio.work
        model = self.results.get(task)
        if not isinstance(model, ClusterEstimator):
            return None, False
        return work.naming_of(task).apply(model.labels_), work.seeks_number(task, model)

    def _version(self, name: str, tasks: Mapping[str, Task]) -> str:
        """Stands for the settings of a result, and of the one that gives it its colours."""
        return str(hash((name, tasks.get(name), tasks.get(JUDGE))))

    def _send(self, name: str, tasks: Mapping[str, Task]) -> None:
        version, (groups, is_sought) = self._version(name, tasks), self._groups(tasks)
        named = groups and (groups.parts, groups.titles, groups.colours)
        state = str(hash((named, is_sought)))  # by which all panels are named and coloured

        def part() -> bytes:
            panel = self._panel(name, tasks, groups, is_sought)
            return self._in_json(name, panel, self.view, version, state=state)

        about = self.about, version, state
        self._hand_over(name, self.results.latest(f"part {name}", about, part))

    def _hand_over(self, name: str, part: bytes | None) -> None:
        if part is not None and name not in self._sent:
            self._sent.add(name)
            with st.container(key=PARTS + name):
                send_panel(CHART, name, part)

    def _panel(
        self, name: str, tasks: Mapping[str, Task], groups: Groups | None, is_sought: bool
    ) -> Panel:
        if name == TRUTH:
            return truth_panel(self.view, self.truth, groups)
        shown = self.wanted, tasks
        panel = method_panel(name, self.view, self.results, *shown, self.truth, groups)
        if name != JUDGE or not is_sought:
            return panel
        fitted = counted(self.results.get(tasks[JUDGE]).n_clusters_, "cluster")
        return replace(panel, title=METHODS[JUDGE].title, remark=f"{fitted} fitted; groups to come")

    def _in_json(
        self, name: str, panel: Panel, view: View, version: str, **kwargs: object
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
            **kwargs,
        )
