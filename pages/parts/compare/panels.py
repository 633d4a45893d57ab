"""The panels of the comparison, drawn anew whenever a result is ready, and what they show."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.comparing.comparison import Task, Truth
from mapdp_studio.core.comparing.panels import FirstLook, Panel, method_panel, truth_panel
from mapdp_studio.core.comparing.projection import View
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.plots.template import DRAGS
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.answers import take_marks
from mapdp_studio.pages.parts.shared.chart import chart, page_width, saving
from mapdp_studio.pages.parts.shared.compute import Fits
from mapdp_studio.pages.parts.shared.controls import MOST
from mapdp_studio.pages.parts.shared.kit import choose_one, colours, follows

CHART, TRUTH = "panels-chart", "known groups"
#: Panels in a row, by the least width in pixels; and the height of each, of a single one more.
IN_A_ROW, HEIGHT, HEIGHT_ALONE = {0: 1, 800: 2, 1140: 3}, 300, 400
# A double click leads back from a zoom; the tools hide no heading.
TOOLS = saving("comparison", "resetScale2d")
# The sliders, next to the page's invisible parts, stay on top while panels are scrolled past.
_STYLE = """<style>
.stMainBlockContainer { padding-top: 3.75rem }
[data-testid="stLayoutWrapper"]:has(> .st-key-compare_head) {
    position: sticky; top: 3.75rem; z-index: 90; background: PAPER; margin-top: -2.75rem;
}
.st-key-compare_head h1 { font-size: 1.5rem; padding: 0; white-space: nowrap }
@media (max-width: 1200px) { .st-key-compare_head h1 { font-size: 1.125rem } }
.st-key-page_width { position: absolute; width: 100%; pointer-events: none }
</style>"""


def place_sliders() -> list[DeltaGenerator]:
    """Draw the title; places of three sliders beside it, and of the options."""
    st.html(_STYLE.replace("PAPER", colours()["paper"]))
    with st.container(key="compare_head"):
        title, *places, options = st.columns([1.2, 2, 2, 2, 1.3], vertical_alignment="center")
    title.title("Compare", anchor=False)
    return [*places, options.popover("Options")]


def choose_look(visit: Session, names: tuple[str, ...]) -> tuple[tuple[str, str] | None, str]:
    """Choose methods, columns on the axes (None for all in one plane), and what dragging does."""
    others = [name for name in visit.compared if name != JUDGE]

    def take(picked: list[str]) -> None:  # in the list's order, not that of the clicks
        visit.compared = (JUDGE, *(name for name in METHODS if name in picked))

    offered = [name for name in METHODS if name != JUDGE]
    if not visit.schema.names("group"):
        offered = [n for n in offered if n in others or not METHODS[n].shares_clusters]
    st.multiselect(
        f"Methods beside {METHODS[JUDGE].title}",
        offered,
        others,
        format_func=lambda name: METHODS[name].glossary[0],
        max_selections=MOST - 1,
        **follows("methods beside", others, take),
    )
    pair = st.multiselect(
        "Axes of all panels: two columns",
        names,
        key=f"axes-{visit.table.digest}",
        persist_state="session",
        max_selections=2,
        placeholder="All columns in one plane: its first two principal components",
    )
    drag = choose_one(
        "Dragging over a panel",
        list(DRAGS),
        "drag",
        format_func=DRAGS.get,
        default="select",
        help="A box or a lasso marks rows: they stand out in all panels. With “Click or zoom” a "
        "click marks one row, dragging zooms into all panels, and a double click leads back.",
    )
    return (tuple(pair) if len(pair) == 2 else None), drag


def draw_legend(visit: Session, n_used: int, truth: Truth | None, note: str) -> None:
    """Which table this is, so many of its columns clustered on, and what the marks mean."""
    table, weights = visit.table, visit.schema.names("weight")
    other = "MAP-DP's groups" if truth is None else f"“{escaped(truth.title)}”"
    weighed = "".join(f"weighed by “{escaped(name)}” (scaled to mean 1), " for name in weights)
    st.caption(
        f"**{escaped(table.name)}**: {len(table.frame):,} rows, {weighed}clustered on {n_used:,} "
        f"of {table.frame.shape[1]:,} columns. Numbers and colours name the same groups in every "
        "panel, and on the other pages. Ellipses hold 95 % of a cluster under its model; grey "
        f"rings are clusters too small or too many for a colour. NMI: agreement with {other}; 1 is "
        f"the same. {escaped(note)}"
    )


@dataclass(frozen=True)
class ComparedPanels:
    """One panel a method, and before them the known groups."""

    visit: Session
    tasks: dict[str, Task]
    view: View
    truth: Truth | None
    #: Stands for the view and the known groups.
    key: Hashable

    @property
    def names(self) -> list[str]:
        return [*([TRUTH] if self.truth is not None else []), *self.tasks]

    def draw(self, fitting: Fits | None, first: FirstLook | None, drag: str) -> None:
        """Draw of every panel a result, what a sample gave, the result before, or its frame."""
        results, style = self.visit.results, colours()
        n_columns = IN_A_ROW[page_width(IN_A_ROW, assumed=1140)]
        looked, shown = ([JUDGE], {}) if fitting is None else (fitting.looked, fitting.shown)
        keyed = [
            self._first(name, first) if name in looked and first else self._panel(name, shown)
            for name in self.names
        ]
        marked = self.visit.marked if self.visit.marked.size else None
        height = HEIGHT if n_columns > 1 else HEIGHT_ALONE
        marks = str(hash(self.visit.marked.tobytes()))
        axes = str(hash((self.key, *self.names, n_columns)))  # with others a zoom begins anew

        def drawn() -> tuple[str, str]:
            panels = [panel for _, panel in keyed]
            kwargs = {"selected": marked, **style}
            figure = panels_figure(self.view, panels, n_columns, height, **kwargs)
            figure.update_layout(dragmode=drag, uirevision=axes, selectionrevision=marks)
            alt = " ".join(f"{panel.title} ({panel.remark})." for panel in panels)
            return figure.to_json(), (
                f"{len(panels)} scatter plots of the same {len(self.view.rows):,} rows, "
                f"{self.view.x.title} across and {self.view.y.title or 'nothing'} up, coloured by "
                f"cluster. {alt}"
            )

        key = tuple(key for key, _ in keyed), axes, drag, marks, *style.values()
        figure, alt = results.cached("figure of panels", key, drawn)
        chart(figure, CHART, alt, TOOLS, take_marks)

    def _first(self, name: str, first: FirstLook) -> tuple[Hashable, Panel]:
        key = "first", self.key, self.tasks[name]
        work = partial(first.panel, name, self.view, self.tasks)
        panel = self.visit.results.cached(f"first panel {name}", key, work)
        panel = panel or Panel(METHODS[name].title, "does not run on this table")
        if name == JUDGE and self.visit.project.shows_fewer_first:  # that K is none to keep
            panel = replace(panel, title=METHODS[JUDGE].title)
        return key, panel

    def _panel(self, name: str, shown: dict[str, Task]) -> tuple[Hashable, Panel]:
        """A panel of all rows, of the settings or of what is shown until then; and its key."""
        tasks, project, results = self.tasks, self.visit.project, self.visit.results
        needed = {tasks[JUDGE], tasks.get(name, tasks[JUDGE])}
        if any(results.get(task) is None for task in needed):
            tasks = shown if JUDGE in shown else {}
        task, judge, groups, is_sought = tasks.get(name), tasks.get(JUDGE), None, False
        model = results.get(judge)
        if isinstance(model, ClusterEstimator):
            groups, is_sought = project.naming_of(judge), project.seeks_number(judge, model)
            groups = groups.apply(model.labels_)
        named = groups and (groups.parts, groups.titles, groups.colours)
        key = self.key, task, judge, self.tasks.get(name), named, is_sought

        def drawn() -> Panel:
            if name == TRUTH:
                return truth_panel(self.view, self.truth, groups)
            both = self.tasks, tasks
            panel = method_panel(name, self.view, results, *both, self.truth, groups)
            if name != JUDGE or not is_sought:
                return panel
            remark = f"{counted(model.n_clusters_, 'cluster')} fitted; groups to come"
            return replace(panel, title=METHODS[JUDGE].title, remark=remark)

        return key, results.cached(f"panel {name}", key, drawn)
