"""Merge and name: the merge path as a tree, two groups put together by hand, names."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from mapdp_studio.core.inference.merge_path import MergePath, merge_costs
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.plots.trees import dendrogram_figure
from mapdp_studio.core.profiling.trees import Dendrogram, is_cut
from mapdp_studio.core.wording import counted, escaped, percent
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.groups.how_many import path_of
from mapdp_studio.pages.parts.shared.chosen import Chosen, change_naming, naming_of
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.shared.picture import picture


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


def _path(chosen: Chosen, path: MergePath) -> None:
    """The tree of the merges."""
    st.subheader("From fine to coarse", anchor=False)
    fitted, now = chosen.model.n_clusters_, chosen.groups.n_groups
    naming = naming_of(chosen)
    group_of = {k: g for g, parts in enumerate(chosen.groups.parts) for k in parts}
    picture(
        dendrogram_figure(
            Dendrogram.of_path(path),
            [replace(naming, merged=()).title(k) for k in range(fitted)],
            [chosen.groups.colours[group_of[k]] for k in range(fitted)],
            now if is_cut(path, chosen.groups) else fitted,
        ),
        "merge-path",
        f"Tree of the merges of {fitted:,} clusters with the rise of E of each",
        "merge-path",
    )
    change = chosen.partition.objective_ - path.objectives[0]
    st.caption(
        f"E is {path.objectives[0]:,.1f} as fitted and {chosen.partition.objective_:,.1f} "
        f"with {counted(now, 'group')} ({change:+,.1f}). High joins part groups that differ much. "
        "Thick: merged now. Clusters are those of the fit, in the colours of their groups."
    )
    _take_back(chosen, naming)


def _take_back(chosen: Chosen, naming: Naming) -> None:
    """A button for each merged group, and one for all."""
    groups = chosen.groups
    merged = [k for k, parts in enumerate(groups.parts) if len(parts) > 1]
    if not merged:
        return
    with st.container(horizontal=True):
        st.button(
            "Take all merges back",
            icon=":material/undo:",
            on_click=change_naming,
            args=(chosen, replace(naming, merged=())),
        )
        for k in merged if len(merged) > 1 else ():
            st.button(
                f"Take {escaped(groups.titles[k])} apart",
                key=f"apart-{groups.leaders[k]}",
                icon=":material/call_split:",
                on_click=change_naming,
                args=(chosen, naming.taking_apart(groups.leaders[k])),
            )


def _by_hand(studio: Session, chosen: Chosen, together: float) -> None:
    """Two groups, what merging them costs, and the button; ``together`` is E of one group."""
    st.subheader("Merge two by hand", anchor=False)
    costs = studio.results.latest(
        "merge costs", chosen.about, lambda: merge_costs(chosen.partition.partition_)
    )
    groups = chosen.groups
    order = range(groups.n_groups)
    pairs = [(costs[a, b], a, b) for a in order for b in order if a < b]
    cost, first, second = min(pairs)
    places = st.columns(2)
    a = places[0].selectbox(
        "Merge",
        order,
        first,
        format_func=groups.titles.__getitem__,
        key=f"first-{hash(chosen.about)}",
    )
    others = [k for k in order if k != a]
    b = places[1].selectbox(
        "with",
        others,
        others.index(second) if second in others else 0,
        format_func=groups.titles.__getitem__,
        key=f"second-{hash(chosen.about)}-{a}",
    )
    cost = costs[a, b]
    with st.container(horizontal=True, vertical_alignment="center"):
        st.metric("Cost in E", f"{cost:+,.1f}", width="content")
        st.caption(_in_words(cost, together - chosen.partition.objective_))
    st.button(
        f"Merge {escaped(groups.titles[a])} with {escaped(groups.titles[b])}",
        icon=":material/merge:",
        key="merge",
        on_click=change_naming,
        args=(chosen, naming_of(chosen).merging(groups.parts[a], groups.parts[b])),
    )
    st.caption(
        f"The cheapest pair is {escaped(groups.titles[first])} with "
        f"{escaped(groups.titles[second])}: {min(pairs)[0]:+,.1f}."
    )


def _in_words(cost: float, gained: float) -> str:
    """What a rise of E means, beside what all groups lower it by."""
    if cost <= 0:
        return "The model would rather have them together."
    if gained <= 0:
        return "Merged, E rises by so many log units."
    return f"That is {percent(cost / gained)} of what these groups lower E by."


def _names(chosen: Chosen) -> None:
    """A name for each group, used on all pages and in everything that is taken away."""
    st.subheader("Names", anchor=False)
    naming, groups = naming_of(chosen), chosen.groups
    with st.form(f"names-{hash((chosen.about, groups.titles))}", border=False):
        with st.container(height=300 if groups.n_groups > 6 else "content", border=False):
            names = [
                st.text_input(
                    f"{title}, {size:,} rows",
                    naming.names.get(leader, ""),
                    placeholder=title,
                    max_chars=60,
                    key=f"name-{hash(chosen.about)}-{leader}",
                )
                for leader, title, size in zip(
                    groups.leaders, groups.plain_titles, chosen.sizes.tolist(), strict=True
                )
            ]
        if st.form_submit_button("Use these names", icon=":material/label:"):
            change_naming(chosen, _renamed(naming, groups.leaders, names))
            st.rerun()


def _renamed(naming: Naming, leaders: tuple[int, ...], names: list[str]) -> Naming:
    for leader, name in zip(leaders, names, strict=True):
        naming = naming.renamed(leader, name)
    return naming
