"""Trees of the rows, cut by the number of groups."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from mapdp_studio.core.comparing.comparison import Task
from mapdp_studio.core.comparing.projection import View
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.plots.trees import tree_figure
from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.profiling.trees import RowTree
from mapdp_studio.core.wording import counted
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.compare.answers import Answers, partition_figure
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
    titles = {name: METHODS[name].title for name in names}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        looks = {"index": len(names) - 1, "format_func": titles.get, "width": 220}
        name = choose_from_list("Tree of", names, "tree_of", **looks)
        others = ", ".join(method.glossary[0] for method in METHODS.values() if method.heights)
        st.caption(f"Trees of {others}: where they are chosen under **Options**.")
    model, task, title = models[name], wanted[name], titles[name]
    tree = _tree(studio, name, model, task)
    if tree is None:
        return
    if tree.n_leaves == 1:
        st.info("There is one group only: nothing to merge.", icon=":material/info:")
        return
    key = f"groups of tree {hash(task)}"
    if key not in st.session_state:  # as in its panel
        shown = int(answers.labels[title].max()) + 1
        cut = getattr(model, "cut_height_", None)
        n_groups = min(shown, tree.n_leaves) if cut is None else tree.n_groups(float(cut))
        st.session_state[key] = min(n_groups, tree.most_groups)
    left, right = halves()
    with left:
        place = st.container()
        tip = "Merges of one height are undone together."
        n_groups = st.slider("Groups", 1, tree.most_groups, key=key, help=tip)
        height = tree.height_for(n_groups)
        labels = tree.labels(height)
        numbers, figure = partition_figure(view, title, labels, answers)
        under = list(tree.rows_under.values())
        of_leaf = [int(numbers[labels[rows[0]]]) for rows in under]
        sizes, ink = [f"{rows.size:,}" for rows in under], colours()["ink"]
        drawn = tree_figure(tree, sizes, of_leaf, height, ink, "rows of every branch").to_json()
        n_groups = counted(numbers.size, "group")
        with place:
            chart(drawn, "tree", f"Tree of {title}, cut into {n_groups}.", _CONFIG)
        if any(option.name == "height" for option in METHODS[name].options):
            button = {"icon": ":material/content_cut:", "args": (name, height), "on_click": _tell}
            st.button("Cut here in its panel", **button)
    with right:
        chart(figure.to_json(), "tree-groups", f"The rows in {n_groups}.", _CONFIG)


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


@in_visit
def _tell(name: str, height: float) -> None:
    studio = session()
    studio.settings = studio.settings.telling(name, "height", float(f"{height:.6g}"))
