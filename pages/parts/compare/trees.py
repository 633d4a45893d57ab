"""Trees of the rows, cut by the number of groups."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from mapdp_studio.core.comparing.comparison import Task, matched
from mapdp_studio.core.comparing.panels import labels_panel
from mapdp_studio.core.comparing.projection import View
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.plots.trees import tree_figure
from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.profiling.trees import RowTree
from mapdp_studio.core.wording import counted
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.compare.answers import Answers
from mapdp_studio.pages.parts.shared.chart import chart
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_from_list, halves
from mapdp_studio.pages.parts.shared.theme import colours

_CONFIG = {"displayModeBar": False}


def trees(studio: Session, wanted: Mapping[str, Task], view: View, answers: Answers) -> None:
    """Choose a method that makes a tree, and draw the tree beside its groups where it is cut."""
    models = {name: studio.results.get(task) for name, task in wanted.items()}
    names = [name for name, model in models.items() if _has_tree(name, model)]
    if not names:
        st.info("There is no result yet.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_from_list(
            "Tree of",
            names,
            "tree_of",
            index=len(names) - 1,
            format_func=lambda name: METHODS[name].title,
            width=220,
        )
        if len(names) == 1:
            others = [method.glossary[0] for method in METHODS.values() if method.heights]
            st.caption(f"More trees: {', '.join(others)}, to be chosen under **Options**.")
    model, task = models[name], wanted[name]
    tree = _tree(studio, name, model, task)
    if tree is None:
        return
    if tree.n_leaves == 1:
        st.info("There is one group only: nothing to merge.", icon=":material/info:")
        return
    key = f"cut {hash(task)}"
    shown = answers.labels[METHODS[name].title]
    if key not in st.session_state:  # as in its panel
        cut = getattr(model, "cut_height_", None)
        n_groups = min(np.unique(shown).size, tree.n_leaves)
        st.session_state[key] = tree.height_for(n_groups) if cut is None else float(cut)
    height = tree.within_reach(st.session_state[key])
    labels = tree.labels(height)
    numbers = np.empty(labels.max() + 1, dtype=np.int64)
    numbers[labels] = matched(next(iter(answers.labels.values())), labels)
    left, right = halves()
    with left:
        _draw_tree(name, tree, labels, numbers, height)
        _controls(name, tree, key, height)
    with right:
        panel = labels_panel(view, METHODS[name].title, labels, numbers)
        figure = panels_figure(view, [panel], 1, **colours()).to_json()
        said = f"The rows in {counted(numbers.size, 'group')}."
        chart(figure, "tree-groups", said, _CONFIG)


def _has_tree(name: str, model: object) -> bool:
    """Whether there is a result, and it has a tree of all rows: one of weight 0 is in none."""
    if not isinstance(model, ClusterEstimator):
        return False
    if METHODS[name].heights is None:
        return name == JUDGE  # whose clusters a path merges on
    return len(model.linkage_) + 1 == model.labels_.size


def _tree(studio: Session, name: str, model: ClusterEstimator, task: Task) -> RowTree | None:
    if name != JUDGE:
        return studio.results.latest(
            "row tree", task, lambda: RowTree.of_rows(model.linkage_, *METHODS[name].heights)
        )
    path = get_result(
        studio,
        "merge path",
        (task, task),
        "Following the merges",
        lambda job: JudgedPartition.of(model, model.labels_).merge_path_,
    )
    return path and studio.results.latest("row tree", task, lambda: RowTree.of_path(path))


def _draw_tree(
    name: str, tree: RowTree, labels: np.ndarray, numbers: np.ndarray, height: float
) -> None:
    """The crown of the tree, its branches in the colours of their groups."""
    under = list(tree.rows_under.values())
    sizes = [f"{rows.size:,}" for rows in under]
    of_leaf = [int(numbers[labels[rows[0]]]) for rows in under]
    title = "rows of every branch"
    figure = tree_figure(tree, sizes, of_leaf, height, colours()["ink"], title).to_json()
    said = f"Tree of {METHODS[name].title}, cut into {counted(numbers.size, 'group')}."
    chart(figure, "tree", said, _CONFIG)


def _controls(name: str, tree: RowTree, key: str, height: float) -> None:
    """Where the tree is cut, by the number of groups; and a way to show it in the panel."""
    slider = f"groups {key}"
    st.session_state[slider] = tree.n_groups(height)
    st.slider(
        "Groups",
        1,
        tree.most_groups,
        key=slider,
        on_change=lambda: _cut(key, tree.height_for(st.session_state[slider])),
        help="Merges of one height are undone together.",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if any(option.name == "height" for option in METHODS[name].options):
            st.button(
                "Cut here in its panel",
                icon=":material/content_cut:",
                on_click=_tell,
                args=(name, height),
            )
        is_whole = tree.n_leaves == tree.most_groups
        folded = "" if is_whole else " Each branch at the foot stands for the rows it has merged."
        st.caption(f"What lies below the dashed line is one group each.{folded}")


def _cut(key: str, height: float) -> None:
    st.session_state[key] = height


@in_visit
def _tell(name: str, height: float) -> None:
    studio = session()
    studio.settings = studio.settings.telling(name, "height", float(f"{height:.6g}"))
