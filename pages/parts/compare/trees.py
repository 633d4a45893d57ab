"""Trees of the rows, cut by the number of groups."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mapdp_studio.core.comparing.comparison import Task, Truth, matched
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
from mapdp_studio.pages.parts.shared.chart import chart
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_from_list, halves
from mapdp_studio.pages.parts.shared.theme import colours

#: The method that has no tree of its own, but whose clusters a path merges on.
_PATH = JUDGE
_CONFIG = {"displayModeBar": False}


def trees(studio: Session, wanted: dict[str, Task], view: View, truth: Truth | None) -> None:
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
            st.caption(f"More trees: {', '.join(others)}, to be chosen under **Panels**.")
    tree = _tree(studio, name, models[name], wanted[name])
    if tree is None:
        return
    if tree.n_leaves == 1:
        st.info("There is one group only: nothing to merge.", icon=":material/info:")
        return
    judge = models[JUDGE]
    reference = judge.labels_ if isinstance(judge, ClusterEstimator) else None
    reference = reference if truth is None else truth.classes
    _draw(studio, name, models[name], tree, wanted[name], view, reference)


def _has_tree(name: str, model: object) -> bool:
    """Whether there is a result, and it has a tree of all rows: one of weight 0 is in none."""
    if not isinstance(model, ClusterEstimator):
        return False
    if METHODS[name].heights is None:
        return name == _PATH
    return len(model.linkage_) + 1 == model.labels_.size


def _tree(studio: Session, name: str, model: ClusterEstimator, task: Task) -> RowTree | None:
    if name != _PATH:
        return studio.results.latest(
            "row tree", task, lambda: RowTree.of_rows(model.linkage_, *METHODS[name].heights)
        )

    def follow(job):
        return JudgedPartition.of(model, model.labels_).merge_path_

    path = get_result(studio, "merge path", (task, task), "Following the merges", follow)
    return path and studio.results.latest("row tree", task, lambda: RowTree.of_path(path))


def _draw(
    studio: Session,
    name: str,
    model: ClusterEstimator,
    tree: RowTree,
    task: Task,
    view: View,
    reference: np.ndarray | None,
) -> None:
    key = f"cut {hash(task)}"
    height = tree.within_reach(st.session_state.setdefault(key, _as_fitted(model, tree)))
    labels = tree.labels(height)
    named = np.empty(labels.max() + 1, dtype=np.int64)
    named[labels] = matched(reference, labels)
    under = list(tree.rows_under.values())
    of_leaf = [int(named[labels[rows[0]]]) for rows in under]
    left, right = halves()
    with left:
        chart(
            tree_figure(
                tree, [rows.size for rows in under], of_leaf, height, colours()["ink"]
            ).to_json(),
            "tree",
            f"Tree of {METHODS[name].title}, cut into {counted(named.size, 'group')}.",
            _CONFIG,
        )
        _controls(name, tree, key, height)
    with right:
        panel = labels_panel(view, f"{METHODS[name].title}, K = {named.size:,}", labels, named)
        chart(
            panels_figure(view, [panel], 1, **colours()).to_json(),
            "tree-groups",
            f"The rows in {counted(named.size, 'group')}.",
            _CONFIG,
        )


def _controls(name: str, tree: RowTree, key: str, height: float) -> None:
    """The same cut by the number of groups, and a way to show it in the method's panel."""
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


def _as_fitted(model: ClusterEstimator, tree: RowTree) -> float:
    """Where the method itself cut its tree."""
    cut = getattr(model, "cut_height_", None)
    return tree.height_for(min(model.n_clusters_, tree.n_leaves)) if cut is None else float(cut)


def _cut(key: str, height: float) -> None:
    st.session_state[key] = height


@in_visit
def _tell(name: str, height: float) -> None:
    studio = session()
    studio.settings = studio.settings.telling(name, "height", float(f"{height:.6g}"))
