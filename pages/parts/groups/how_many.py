"""How many groups: the first line of the page, why that many, and a slider for fewer or more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.inference.merge_path import MergePath
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.profiling.how_many import DRAWS, EXPLAINED, FIRM, GroupNumber, how_many
from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.profiling.trees import groups_at, is_cut
from mapdp_studio.core.session.work import HOW_MANY
from mapdp_studio.core.statistics.chance import Chance
from mapdp_studio.core.wording import counted
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.shared.chosen import Chosen, change_naming, naming_of
from mapdp_studio.pages.parts.shared.compute import get_result, is_asked_for, run_again_when
from mapdp_studio.pages.parts.shared.how_many import chance_so_far, fit_at_one

PATH = "merge path"
MEASURE = "Draw rows anew and compare with chance"


def group_number(studio: Session, chosen: Chosen) -> None:
    """Say how many groups there are and how sure that is; the slider takes fewer or more."""
    is_tolerant = chosen.algorithm == JUDGE and chosen.task != fit_at_one(studio)
    if is_tolerant:
        st.markdown(
            f"{counted(chosen.model.n_clusters_, 'group')} at a tolerance for misfit of "
            f"{studio.settings.likelihood_power:g}, as set on Compare."
        )
    if chosen.model.n_clusters_ == 1:
        return
    path = path_of(studio, chosen) or get_result(
        studio,
        PATH,
        (chosen.task, chosen.judge_task),
        "Following the merges",
        lambda job: JudgedPartition.of(chosen.judge, chosen.model.labels_).merge_path_,
    )
    if path is None:
        return
    known, found, job = _how_many(studio, chosen), None, None
    if known is not None:
        found, job = chance_so_far(studio, chosen.task, chosen.judge)
        if naming_of(chosen).apply(chosen.model.labels_).n_groups != chosen.groups.n_groups:
            st.rerun()  # what is known now shows fewer groups first
    line, why, slider = st.columns([8, 1, 4], vertical_alignment="center")
    if job is not None and job.running:
        with line:  # what chance makes may turn a number round: it is not said before
            st.markdown((found or Chance(known.path.objectives)).headline)
            run_again_when(lambda: not job.running)
    else:
        line.markdown(_headline(chosen, path, known, found))
        if known is not None or (chosen.algorithm == JUDGE and not is_tolerant):
            with why.popover("Why", type="tertiary"):
                _why(studio, chosen, path, known, found)
    key = f"coarsen-{hash((chosen.task, chosen.judge_task))}"
    # Merges by hand move the slider, too.
    st.session_state[key] = chosen.groups.n_groups
    slider.slider(
        "From coarse to fine: number of groups",
        1,
        path.objectives.size,
        key=key,
        on_change=_coarsen,
        args=(chosen, path, key),
        help="Down: the two groups whose merging costs least are put together, again and again. "
        "All the way up: as fitted. Merges by hand are replaced.",
    )


@in_visit
def _coarsen(chosen: Chosen, path: MergePath, key: str) -> None:
    merged = groups_at(path, st.session_state[key])
    change_naming(chosen, replace(naming_of(chosen), merged=merged))


def path_of(studio: Session, chosen: Chosen) -> MergePath | None:
    """The merges of the chosen fit down to one group; None until ``group_number`` knows them."""
    known = _how_many(studio, chosen)
    if known is not None:
        return known.path
    return studio.results.known(PATH, (chosen.task, chosen.judge_task))


def _how_many(studio: Session, chosen: Chosen) -> GroupNumber | None:
    return studio.results.known(HOW_MANY, chosen.task) if chosen.algorithm == JUDGE else None


def _headline(
    chosen: Chosen, path: MergePath, known: GroupNumber | None, found: Chance | None
) -> str:
    """How many groups, whether chance makes as many, and whether they come back: one line."""
    n_groups, n_fitted = chosen.groups.n_groups, path.objectives.size
    said = ["**One group**" if n_groups == 1 else f"**{counted(n_groups, 'group')}**"]
    if n_groups != n_fitted:
        said[0] += f" ({n_fitted:,} clusters as fitted)"
    if not is_cut(path, chosen.groups):
        return f"{said[0]}, put together by hand"
    if known is None:
        return said[0]
    if found is None or not found.is_settled:
        said.append("whether chance makes as many was not found out")
    elif found.is_chance:
        said.append("no more groups than chance makes")
    elif n_groups > 1:
        is_line = bool(known.gradient(chosen.judge.columns_.encoded, n_groups, found))
        cloud = "one gradient cut into classes" if is_line else "maybe parts of one cloud"
        said.append(cloud if found.is_cloud else "more than chance makes")
    if known.is_known(n_groups):
        overlap = known.redraws.overlap[:, n_groups - 2]
        n_back = int((np.where(np.isnan(overlap), np.inf, overlap) >= FIRM).all(axis=1).sum())
        said.append(f"come back in {n_back} of {DRAWS} random halves of the rows")
    return "; ".join(said)


def _why(
    studio: Session,
    chosen: Chosen,
    path: MergePath,
    known: GroupNumber | None,
    found: Chance | None,
) -> None:
    if known is None and is_asked_for((chosen.task, MEASURE), MEASURE, icon=":material/casino:"):
        # Of an example, whose groups are shown as fitted: measured when asked for.
        known = get_result(
            studio,
            HOW_MANY,
            chosen.task,
            "Rows are drawn anew",
            lambda job: how_many(chosen.judge, callback=job),
        )
    n_groups = chosen.groups.n_groups
    if known is not None and is_cut(path, chosen.groups):
        encoded = chosen.judge.columns_.encoded
        st.markdown(f"{known.said(n_groups)} {known.gradient(encoded, n_groups, found)}")
    if found is not None:
        st.markdown(f"{found.sentence} {found.caution if n_groups > 1 else ''}")
    lines = (known or GroupNumber(path, None)).as_frame(found)
    shares = 100 * lines[["kept", "chance"]].apply(pd.to_numeric)
    number = st.column_config.NumberColumn
    st.dataframe(
        lines.assign(**shares),
        hide_index=True,
        placeholder="\u2013",
        column_config={
            "groups": number("Groups", width=70),
            "sizes": "Sizes",
            "kept": number("Kept", format="%.0f %%"),
            "comes back": number("Comes back", format="%.2f"),
            "same as next": number("Same as next", format="%.2f"),
            "chance": number("Chance", format="%.0f %%"),
        },
        alt="For each number of groups: sizes, share of E kept, whether they come back, and chance",
    )
    st.caption(EXPLAINED)
