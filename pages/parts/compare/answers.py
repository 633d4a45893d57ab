"""What the methods' answers are, which to take, and how they differ: one thing at a time."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from mapdp_studio.core.comparing.comparison import (
    UNKNOWN,
    FitError,
    Task,
    Truth,
    matched,
    scoreboard,
    which_to_take,
)
from mapdp_studio.core.comparing.panels import labels_panel, matching
from mapdp_studio.core.comparing.projection import View
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.partitions.consensus import consensus_labels
from mapdp_studio.core.partitions.naming import Groups
from mapdp_studio.core.partitions.scores import Contingency, ari
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.plots.trees import tree_figure
from mapdp_studio.core.profiling.trees import RowTree
from mapdp_studio.core.session.project import CHANCE
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.shared import kit
from mapdp_studio.pages.parts.shared.chart import BARE, chart
from mapdp_studio.pages.parts.shared.chosen import followed_merges
from mapdp_studio.pages.parts.shared.compute import get_result

_TITLE = METHODS[JUDGE].title
#: Of the marked rows that are listed.
MOST_ROWS, MOST_COLUMNS = 500, 40


@dataclass(frozen=True)
class Answers:
    """The partitions in the panels, numbered as there, by the method's title."""

    labels: dict[str, np.ndarray]
    #: Of the groups of a partition that have names.
    names: dict[str, tuple[str, ...]]
    #: What they depend on.
    key: tuple
    #: MAP-DP's, which give the others their colours.
    groups: Groups | None = None

    @classmethod
    def of(cls, visit: Session, tasks: Mapping[str, Task]) -> Self:
        """Those that there are; MAP-DP's are the groups that the other pages show."""
        models = {name: visit.results.get(task) for name, task in tasks.items()}
        models = {n: model for n, model in models.items() if isinstance(model, ClusterEstimator)}
        labels = {METHODS[name].title: model.labels_ for name, model in models.items()}
        names, key, groups = {}, tuple(tasks[name] for name in models), None
        if JUDGE in models:
            groups = visit.project.naming_of(tasks[JUDGE]).apply(models[JUDGE].labels_)
            labels[_TITLE], names[_TITLE] = groups.labels, groups.titles
            key = (*key, groups.parts, groups.titles)
        found = cls(labels, names, key, groups)
        return replace(found, labels={n: matched(found.reference, o) for n, o in labels.items()})

    @property
    def reference(self) -> np.ndarray | None:
        return self.labels.get(_TITLE, next(iter(self.labels.values()), None))

    def names_of(self, title: str) -> tuple[str, ...]:
        """Of the groups of a partition, by label."""
        numbers = range(int(self.labels[title].max()) + 1)
        return self.names.get(title) or tuple(f"{k + 1}" for k in numbers)

    def with_truth(self, truth: Truth | None) -> Self:
        """With the known groups among them."""
        if truth is None:
            return self
        title = f"Known: {truth.title}"
        labels = self.labels | {title: truth.classes}
        return replace(self, labels=labels, names=self.names | {title: truth.names})


def partition_figure(
    view: View, title: str, labels: np.ndarray, answers: Answers
) -> tuple[np.ndarray, go.Figure]:
    """Colour of each group, as in the panels above, and the rows in those colours."""
    colours, numbers = matching(labels, answers.reference, answers.groups)
    panel = labels_panel(view, title, labels, colours, numbers)
    return colours, panels_figure(view, [panel], 1, **kit.colours())


def which_answer(visit: Session, tasks: Mapping[str, Task], is_running: bool) -> str:
    """Which answer to take, beside what Clusters says of chance; none where that makes as many."""
    results, task = visit.results, tasks[JUDGE]
    by_chance, model = results.peek(CHANCE, task), results.get(task)
    if by_chance is not None and by_chance.is_chance:
        return f"**Take none of them for real.** {by_chance.sentence}"
    if is_running:  # a method still to come may turn it round
        return "Which answer to take is said when all are there."
    is_fitted = isinstance(model, ClusterEstimator)
    groups = visit.project.naming_of(task).apply(model.labels_) if is_fitted else None
    on_chance = UNKNOWN if by_chance is None or not by_chance.draws else by_chance.headline
    text = which_to_take(results, tasks, on_chance, groups)
    return text or "One answer alone: nothing to compare."


def scores(
    visit: Session, tasks: Mapping[str, Task], truth: Truth | None, answers: Answers
) -> None:
    """The methods under one yardstick, and what each ran on."""
    title = None if truth is None else truth.title
    draw_scores(scoreboard(visit.results, tasks, truth), visit.settings.concentration, title)
    model = visit.results.get(tasks[JUDGE])
    if _TITLE in answers.labels and len(answers.names[_TITLE]) < model.n_clusters_:
        st.caption(f"{_TITLE}'s line is of its clusters as fitted, not of the groups put together.")
    texts = []
    for name, task in tasks.items():
        method, model = METHODS[name], visit.results.get(task)
        if model is not None:
            text = model.reason if isinstance(model, FitError) else method.explanation(model)
            texts.append(f"**{method.title}.** {escaped(text)}")
    if truth is not None:
        unknown = int((truth.classes < 0).sum())
        more = f" {counted(unknown, 'row')} without." * bool(unknown)
        texts.append(f"**Known groups.** For scores only; no part of any clustering.{more}")
    grid = st.grid(max(len(texts), 1), min_column_width=180)
    for text in texts:
        grid.caption(text)


def two_methods(answers: Answers) -> None:
    """Choose two partitions and draw the table of one against the other."""
    titles = list(answers.labels)
    if len(titles) < 2:
        st.info("Two results are needed for this.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        down = st.selectbox("Down", titles, 0, key="pair_down", width=220)
        others = [title for title in titles if title != down]
        place = min(1, len(others) - 1)
        across = st.selectbox("Across", others, place, key=f"pair_across_{down}", width=220)
    first, second = answers.labels[down], answers.labels[across]
    in_both = (first >= 0) & (second >= 0)
    table = Contingency.of(first[in_both], second[in_both])
    kit.crossed(table, *((title, answers.names_of(title)) for title in (down, across)))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            f"**{table.n_apart:,} of {int(in_both.sum()):,} rows** lie off the matched pairs of "
            f"groups. ARI {table.ari:.2f}, AMI {table.ami:.2f}: 1 the same groups, about 0 by "
            "chance. Colour: share of the group on the left."
        )
        if table.n_apart:
            mark_button("Mark these rows", np.flatnonzero(in_both)[table.apart])


def consensus(visit: Session, view: View, answers: Answers) -> None:
    """The partition that the methods disagree with least, and how near each is to it."""
    labels = answers.labels
    if len(labels) < 2:
        st.info("A consensus needs at least two results.")
        return
    name = "Looking for what the methods agree on"
    partitions = [*labels.values()]
    agreed = get_result(visit, name, answers.key, lambda job: consensus_labels(partitions))
    left, right = kit.halves()
    with left:
        colours, figure = partition_figure(view, "Consensus", agreed, answers)
        text = f"The rows in the view above, coloured by {colours.size} groups of the consensus"
        kit.picture(figure, "consensus", text)
    with right:
        st.markdown("**How near each method is to the consensus**")
        near = [f"{ari(agreed, one):.2f}" for one in partitions]
        k = [f"{np.unique(one).size:,}" for one in partitions]
        table = {"Method": list(labels), "K": k, "ARI with the consensus": near}
        st.table(table, border="horizontal", hide_index=True)
        st.caption("Two rows are together where most methods have them together.")


@in_visit
def take_marks(rows: list[int]) -> None:
    """Keep the rows that were chosen in a figure, which count from 1, instead of any before."""
    session().marked = np.unique(np.array(rows, dtype=np.int64)) - 1


def mark_button(label: str, rows: np.ndarray, icon: str = ":material/lasso_select:") -> None:
    st.button(label, icon=icon, type="tertiary", on_click=take_marks, args=((rows + 1).tolist(),))


def marked_rows(visit: Session, labels: Mapping[str, np.ndarray]) -> None:
    """List the marked rows with their group under every method; labels by the method's title."""
    rows = visit.marked
    if not rows.size:
        st.info(
            "Drag over points in any panel to mark rows: they stand out in all panels and are "
            "listed here.",
            icon=":material/lasso_select:",
        )
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        n = len(visit.table.frame)
        st.markdown(f"**Marked: {rows.size:,} of {n:,} rows**", width="content")
        mark_button("Clear", rows[:0], ":material/close:")
    listed = rows[:MOST_ROWS]
    # The columns clustered on alone: ids stay on the server.
    values = visit.table.frame.iloc[listed][list(visit.schema.names("cluster")[:MOST_COLUMNS])]
    groups = {title: one[listed] + 1 for title, one in labels.items()}
    kit.listing(with_values({"Row": listed + 1} | groups, values), "The marked rows")


def with_values(columns: Mapping[str, Any], values: pd.DataFrame) -> pd.DataFrame:
    """What was found of some rows, and their own values: a column may be called as one of ours."""
    called = {name: f"{name} (column)" for name in values if name in columns}
    return pd.concat([pd.DataFrame(columns, values.index), values.rename(columns=called)], axis=1)


def draw_scores(scores: pd.DataFrame, concentration: float, truth_title: str | None) -> None:
    """Draw what ``scoreboard`` gives and say what its numbers are, in a line."""
    names = {"E": "E (log units)", "above": "Above lowest", "sweeps": "Sweeps", "seconds": "Time"}
    shown = scores.rename_axis("Algorithm").rename(columns=names)
    forms = dict.fromkeys(shown, "{:.2f}") | {
        "K": "{:,.0f}",
        "E (log units)": "{:,.1f}",
        "Above lowest": lambda above: "lowest" if above < 0.05 else f"{above:+,.1f}",
        "Sweeps": "{:,.0f}",
        "Time": lambda t: f"{1000 * t:.0f} ms" if t < 1 else f"{t:,.1f} s",
    }
    # Numbers stay numbers, so that the table sets them to the right.
    rows = shown.style.format(forms, na_rep="\u2013")  # a hyphen is the bullet of a list
    agreement = f" **NMI, AMI, ARI**: agreement with “{escaped(truth_title or '')}”, 1 is perfect."
    st.table(rows, border="horizontal", alt="Scores of the five algorithms")
    st.caption(
        "**E**: exact cost under MAP-DP's model and prior "
        f"(N₀ = {concentration:g}), lower is better; 2.3 log units are a factor of ten."
        f"{agreement * (truth_title is not None)} **Sweeps**: of the run that gave the labels."
    )


def trees(visit: Session, tasks: Mapping[str, Task], view: View, answers: Answers) -> None:
    """Choose a method that makes a tree, and draw the tree beside its groups where it is cut."""
    models = {name: visit.results.get(task) for name, task in tasks.items()}
    names = [name for name, model in models.items() if _has_tree(name, model)]
    if not names:
        st.info("There is no result yet.")
        return
    titles = {name: METHODS[name].title for name in names}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kwargs = {"index": len(names) - 1, "format_func": titles.get, "width": 220}
        name = kit.choose_from_list("Tree of", names, "tree_of", **kwargs)
        others = ", ".join(method.glossary[0] for method in METHODS.values() if method.heights)
        st.caption(f"Trees of {others}: where they are chosen under **Options**.")
    model, task, title = models[name], tasks[name], titles[name]
    tree = _tree(visit, name, model, task)
    if tree.n_leaves == 1:
        st.info("There is one group only: nothing to merge.", icon=":material/info:")
        return
    key = f"groups of tree {hash(task)}"
    if key not in st.session_state:  # as in its panel
        shown = int(answers.labels[title].max()) + 1
        cut = getattr(model, "cut_height_", None)
        n_groups = min(shown, tree.n_leaves) if cut is None else tree.n_groups(float(cut))
        st.session_state[key] = min(n_groups, tree.most_groups)
    left, right = kit.halves()
    with left:
        place = st.container()
        tip = "Merges of one height are undone together."
        n_groups = st.slider("Groups", 1, tree.most_groups, key=key, help=tip)
        height = tree.height_for(n_groups)
        labels = tree.labels(height)
        colours, figure = partition_figure(view, title, labels, answers)
        of_leaf = [int(colours[labels[rows[0]]]) for rows in tree.rows_under]
        sizes, ink = [f"{rows.size:,}" for rows in tree.rows_under], kit.colours()["ink"]
        drawn = tree_figure(tree, sizes, of_leaf, height, ink).to_json()
        n_groups = counted(colours.size, "group")
        with place:
            chart(drawn, "tree", f"Tree of {title}, cut into {n_groups}.", BARE)
    with right:
        chart(figure.to_json(), "tree-groups", f"The rows in {n_groups}.", BARE)


def _has_tree(name: str, model: object) -> bool:
    """Whether there is a result, and it has a tree of all rows: one of weight 0 is in none."""
    if not isinstance(model, ClusterEstimator):
        return False
    if METHODS[name].heights is None:
        return name == JUDGE  # whose clusters a path merges on
    return len(model.linkage_) + 1 == model.labels_.size


def _tree(visit: Session, name: str, model: ClusterEstimator, task: Task) -> RowTree:
    if name != JUDGE:
        return visit.results.cached(
            "row tree", task, lambda: RowTree.of_rows(model.linkage_, *METHODS[name].heights)
        )
    path = followed_merges(visit, (task, task), model, model.labels_)
    return visit.results.cached("row tree", task, lambda: RowTree.of_path(path))
