"""How many groups: the first line of the page and its slider; merges and names by hand."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.inference.merge_path import MergePath, merge_costs
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.profiling.how_many import DRAWS, EXPLAINED, FIRM, GroupNumber
from mapdp_studio.core.profiling.trees import groups_at, is_cut
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.session.project import CHANCE, HOW_MANY
from mapdp_studio.core.statistics.chance import Chance, chance
from mapdp_studio.core.statistics.nulls import GroupSearch
from mapdp_studio.core.wording import counted, escaped, percent
from mapdp_studio.pages import NotYet, Session
from mapdp_studio.pages.parts.compare.strips import fit_at_one
from mapdp_studio.pages.parts.shared import compute
from mapdp_studio.pages.parts.shared.chosen import (
    FOLLOWING,
    Chosen,
    change_naming,
    followed_merges,
    naming_of,
    seek_number,
)
from mapdp_studio.pages.parts.shared.kit import follows, halves, listing

MEASURE = "Draw rows anew and compare with chance"


def group_number(visit: Session, chosen: Chosen) -> None:
    """Say how many groups there are and how sure that is; the slider takes fewer or more."""
    is_tolerant = chosen.algorithm == JUDGE and chosen.task != fit_at_one(visit)
    if is_tolerant:
        st.markdown(
            f"{counted(chosen.model.n_clusters_, 'group')} at a tolerance for misfit of "
            f"{visit.settings.likelihood_power:g}, as set on Compare."
        )
    if chosen.model.n_clusters_ == 1:
        return

    both = chosen.task, chosen.judge_task
    path = path_of(visit, chosen)
    path = path or followed_merges(visit, both, chosen.judge, chosen.model.labels_)

    def try_chance(job: Job) -> Chance:
        return chance(GroupSearch.of(chosen.judge), callback=job, share=job.share)

    measured, by_chance, job = _how_many(visit, chosen), None, None
    if measured is not None:
        by_chance, job = compute.so_far(visit, CHANCE, chosen.task, try_chance)
        if naming_of(chosen).apply(chosen.model.labels_).n_groups != chosen.groups.n_groups:
            st.rerun()  # what is measured now shows fewer groups first
    line, why, slider = st.columns([8, 1, 4], vertical_alignment="center")
    if job is not None and job.running:
        with line:  # what chance makes may turn a number round: it is not shown before
            st.markdown((by_chance or Chance(measured.path.objectives)).headline)
            compute.run_again_when(lambda: not job.running)
    else:
        line.markdown(_headline(chosen, path, measured, by_chance))
        if measured is not None or (chosen.algorithm == JUDGE and not is_tolerant):
            with why.popover("Why", type="tertiary"):
                _why(visit, chosen, path, measured, by_chance)

    def coarsen(n_groups: int) -> None:
        change_naming(chosen, replace(naming_of(chosen), merged=groups_at(path, n_groups)))

    n_groups = chosen.groups.n_groups
    slider.slider(
        "From coarse to fine: number of groups",
        1,
        path.objectives.size,
        n_groups,
        help="Down: the two groups whose merging costs least are put together, again and again. "
        "All the way up: as fitted. Merges by hand are replaced.",
        # Merges by hand move the slider, too.
        **follows(f"coarsen-{hash(both)}", n_groups, coarsen),
    )


def path_of(visit: Session, chosen: Chosen) -> MergePath | None:
    """The merges of the chosen fit down to one group; None until ``group_number`` knows them."""
    measured = _how_many(visit, chosen)
    if measured is not None:
        return measured.path
    return visit.results.peek(FOLLOWING, (chosen.task, chosen.judge_task))


def _how_many(visit: Session, chosen: Chosen) -> GroupNumber | None:
    return visit.results.peek(HOW_MANY, chosen.task) if chosen.algorithm == JUDGE else None


def _headline(
    chosen: Chosen, path: MergePath, measured: GroupNumber | None, by_chance: Chance | None
) -> str:
    """How many groups, whether chance makes as many, and whether they come back: one line."""
    n_groups, n_fitted = chosen.groups.n_groups, path.objectives.size
    clauses = ["**One group**" if n_groups == 1 else f"**{counted(n_groups, 'group')}**"]
    if n_groups != n_fitted:
        clauses[0] += f" ({n_fitted:,} clusters as fitted)"
    if not is_cut(path, chosen.groups):
        return f"{clauses[0]}, put together by hand"
    if measured is None:
        return clauses[0] + "; not compared with chance" * (chosen.algorithm == JUDGE)
    if by_chance is None or not by_chance.is_settled:
        clauses.append("whether chance makes as many was not found out")
    elif by_chance.is_chance:
        clauses.append("no more groups than chance makes")
    elif n_groups > 1:
        is_line = bool(measured.gradient(chosen.judge.columns_.encoded, n_groups, by_chance))
        cloud = "one gradient cut into classes" if is_line else "maybe parts of one cloud"
        clauses.append(cloud if by_chance.is_cloud else "more than chance makes")
    if measured.is_known(n_groups):
        overlap = measured.redraws.overlap[:, n_groups - 2]
        n_back = int((np.where(np.isnan(overlap), np.inf, overlap) >= FIRM).all(axis=1).sum())
        clauses.append(f"come back in {n_back} of {DRAWS} random halves of the rows")
    return "; ".join(clauses)


def _why(
    visit: Session,
    chosen: Chosen,
    path: MergePath,
    measured: GroupNumber | None,
    by_chance: Chance | None,
) -> None:
    if measured is None:  # of an example, whose groups are shown as fitted: measured when asked for
        with suppress(NotYet):
            compute.wait_until_asked((chosen.task, MEASURE), MEASURE, icon=":material/casino:")
            measured = compute.get_result(visit, HOW_MANY, chosen.task, seek_number(chosen.judge))
    n_groups = chosen.groups.n_groups
    if measured is not None and is_cut(path, chosen.groups):
        encoded = chosen.judge.columns_.encoded
        st.markdown(f"{measured.text(n_groups)} {measured.gradient(encoded, n_groups, by_chance)}")
    if by_chance is not None:
        st.markdown(f"{by_chance.sentence} {by_chance.caution if n_groups > 1 else ''}")
    lines = (measured or GroupNumber(path, None)).as_frame(by_chance)
    shares = 100 * lines[["kept", "chance"]].apply(pd.to_numeric)
    number = st.column_config.NumberColumn
    called = {  # all of it in a popover
        "groups": number("Groups", width=65),
        "sizes": st.column_config.TextColumn("Sizes", width=130),
        "kept": number("Kept", format="%.0f %%", width=60),
        "comes back": number("Comes back", format="%.2f", width=90),
        "same as next": number("Same as next", format="%.2f", width=105),
        "chance": number("Chance", format="%.0f %%", width=65),
    }
    alt = "For each number of groups: sizes, share of E kept, whether they come back, and chance"
    listing(lines.assign(**shares), alt, column_config=called)
    st.caption(EXPLAINED)


def group_merges(visit: Session, chosen: Chosen) -> None:
    """Merge two groups by hand, and name them."""
    path = path_of(visit, chosen)
    left, right = halves()
    with left:
        if chosen.groups.n_groups == 1:
            st.info("There is one group only: nothing to merge.", icon=":material/info:")
        elif path is not None:
            _by_hand(visit, chosen, float(path.objectives[-1]))
        st.caption("The tree of all merges stands on **Compare**, under *Tree*.")
    with right:
        _names(chosen)


def _by_hand(visit: Session, chosen: Chosen, together: float) -> None:
    """Two groups, what merging them costs, and the button; ``together`` is E of one group."""
    st.subheader("Merge two by hand", anchor=False)
    groups, key = chosen.groups, hash(chosen.key)
    work = partial(merge_costs, chosen.partition.partition_)
    costs = visit.results.cached("merge costs", chosen.key, work)
    order, title = range(groups.n_groups), groups.titles.__getitem__
    _, first, second = min((costs[a, b], a, b) for a in order for b in order if a < b)
    places = st.columns(2)
    a = places[0].selectbox("Merge", order, first, format_func=title, key=f"first-{key}")
    others = [k for k in order if k != a]
    place = others.index(second) if second in others else 0
    b = places[1].selectbox("with", others, place, format_func=title, key=f"second-{key}-{a}")
    cost, gained = costs[a, b], together - chosen.partition.objective_
    text = "The model would rather have them together." if cost <= 0 else ""
    if cost > 0 and gained > 0:
        text = f"That is {escaped(percent(cost / gained))} of what these groups lower E by."
    st.markdown(f"**Cost in E: {cost:+,.1f}.** {text} The cheapest pair comes first.")
    merged = naming_of(chosen).merging(groups.parts[a], groups.parts[b])
    label = f"Merge {escaped(title(a))} with {escaped(title(b))}"
    merge = {"key": "merge", "icon": ":material/merge:", "on_click": change_naming}
    st.button(label, args=(chosen, merged), **merge)


def _names(chosen: Chosen) -> None:
    st.subheader("Names", anchor=False)
    naming, groups = naming_of(chosen), chosen.groups
    titles = zip(groups.leaders, groups.plain_titles, groups.sizes.tolist(), strict=True)
    with st.form(f"names-{hash((chosen.key, groups.titles))}", border=False):
        with st.container(height=300 if groups.n_groups > 6 else "content", border=False):
            for leader, title, size in titles:
                kwargs = {"placeholder": title, "max_chars": 60}
                kwargs["key"], given = (
                    f"name-{hash(chosen.key)}-{leader}",
                    naming.names.get(leader, ""),
                )
                name = st.text_input(f"{title}, {size:,} rows", given, **kwargs)
                naming = naming.renamed(leader, name)
        if st.form_submit_button("Use these names", icon=":material/label:"):
            change_naming(chosen, naming)
            st.rerun()
