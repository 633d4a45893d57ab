"""Merge and name: the merge path as a tree, two groups put together by hand, names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from mapdp_studio.core.inference.merge_path import MergePath, merge_costs
from mapdp_studio.core.plots.trees import tree_figure
from mapdp_studio.core.profiling.trees import RowTree, is_cut
from mapdp_studio.core.wording import counted, escaped, percent
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.groups.how_many import path_of
from mapdp_studio.pages.parts.shared.chosen import Chosen, change_naming, naming_of
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.shared.picture import picture
from mapdp_studio.pages.parts.shared.theme import colours


def group_merges(studio: Session, chosen: Chosen) -> None:
    """Draw the merge path, then merging and naming by hand."""
    if chosen.model.n_clusters_ == 1:
        st.info("There is one group only: nothing to merge.", icon=":material/info:")
        _names(chosen)
        return
    path = path_of(studio, chosen)
    if path is None:
        return
    left, right = halves()
    with left:
        _path(chosen, path)
    with right:
        if chosen.groups.n_groups > 1:
            _by_hand(studio, chosen, float(path.objectives[-1]))
        _names(chosen)


def merge_button(chosen: Chosen, a: int, b: int, **looks: Any) -> None:
    """Draw the button that puts two groups together."""
    groups = chosen.groups
    merged = naming_of(chosen).merging(groups.parts[a], groups.parts[b])
    st.button(
        f"Merge {escaped(groups.titles[a])} with {escaped(groups.titles[b])}",
        icon=":material/merge:",
        on_click=change_naming,
        args=(chosen, merged),
        **looks,
    )


def _path(chosen: Chosen, path: MergePath) -> None:
    st.subheader("From fine to coarse", anchor=False)
    groups, fitted, naming = chosen.groups, chosen.model.n_clusters_, naming_of(chosen)
    as_fitted, tree = replace(naming, merged=()), RowTree.of_path(path)
    names = [
        as_fitted.title(node) if node < fitted else counted(rows.size, "row")
        for node, rows in tree.rows_under.items()
    ]
    of_leaf = [groups.colours[groups.labels[rows[0]]] for rows in tree.rows_under.values()]
    height = tree.height_for(groups.n_groups if is_cut(path, groups) else fitted)
    figure = tree_figure(tree, names, of_leaf, height, colours()["ink"])
    said = f"Tree of the merges of {fitted:,} clusters with the rise of E of each"
    picture(figure, "merge-path", said, "merge-path")
    change = chosen.partition.objective_ - path.objectives[0]
    st.caption(
        f"With {counted(groups.n_groups, 'group')} E is {change:+,.1f} beside the clusters as "
        "fitted. High joins part groups that differ much; thick, below the dashed line: merged now."
    )
    takes = {"Take all merges back": as_fitted} if len(groups.parts) < fitted else {}
    several = [k for k, parts in enumerate(groups.parts) if len(parts) > 1]
    for k in several if len(several) > 1 else ():
        label = f"Take {escaped(groups.titles[k])} apart"
        takes[label] = naming.taking_apart(groups.leaders[k])
    with st.container(horizontal=True):
        for label, other in takes.items():
            icon = ":material/undo:" if other is as_fitted else ":material/call_split:"
            st.button(label, icon=icon, on_click=change_naming, args=(chosen, other))


def _by_hand(studio: Session, chosen: Chosen, together: float) -> None:
    """Two groups, what merging them costs, and the button; ``together`` is E of one group."""
    st.subheader("Merge two by hand", anchor=False)
    groups, key = chosen.groups, hash(chosen.about)
    costs = studio.results.latest(
        "merge costs", chosen.about, lambda: merge_costs(chosen.partition.partition_)
    )
    order, title = range(groups.n_groups), groups.titles.__getitem__
    _, first, second = min((costs[a, b], a, b) for a in order for b in order if a < b)
    places = st.columns(2)
    a = places[0].selectbox("Merge", order, first, format_func=title, key=f"first-{key}")
    others = [k for k in order if k != a]
    place = others.index(second) if second in others else 0
    b = places[1].selectbox("with", others, place, format_func=title, key=f"second-{key}-{a}")
    cost, gained = costs[a, b], together - chosen.partition.objective_
    said = "The model would rather have them together." if cost <= 0 else ""
    if cost > 0 and gained > 0:
        said = f"That is {percent(cost / gained)} of what these groups lower E by."
    st.markdown(f"**Cost in E: {cost:+,.1f}.** {said} The cheapest pair comes first.")
    merge_button(chosen, a, b, key="merge")


def _names(chosen: Chosen) -> None:
    st.subheader("Names", anchor=False)
    naming, groups = naming_of(chosen), chosen.groups
    titles = zip(groups.leaders, groups.plain_titles, chosen.sizes.tolist(), strict=True)
    with st.form(f"names-{hash((chosen.about, groups.titles))}", border=False):
        with st.container(height=300 if groups.n_groups > 6 else "content", border=False):
            for leader, title, size in titles:
                name = st.text_input(
                    f"{title}, {size:,} rows",
                    naming.names.get(leader, ""),
                    placeholder=title,
                    max_chars=60,
                    key=f"name-{hash(chosen.about)}-{leader}",
                )
                naming = naming.renamed(leader, name)
        if st.form_submit_button("Use these names", icon=":material/label:"):
            change_naming(chosen, naming)
            st.rerun()
