"""How many groups: a sentence and a slider above the cards, and what speaks for each number."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from mapdp_studio.core.comparing.comparison import Task, clustered_part
from mapdp_studio.core.inference.merge_path import MergePath
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.profiling.how_many import EXPLAINED, GroupNumber, how_many
from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.profiling.trees import groups_at, is_cut
from mapdp_studio.core.session.work import HOW_MANY
from mapdp_studio.core.statistics.chance import Chance
from mapdp_studio.core.wording import counted
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.compare.settings import show_settings
from mapdp_studio.pages.parts.shared.chosen import Chosen, change_naming, naming_of
from mapdp_studio.pages.parts.shared.compute import (
    get_result,
    is_asked_for,
    job_state,
    run_again_when,
)
from mapdp_studio.pages.parts.shared.how_many import chance_so_far, fit_at_one

#: Width of the slider, in pixels, and of a page that has room for it beside the sentence.
SLIDER = 240
PATH = "merge path"
MEASURE = "Draw rows anew and compare with chance"


def group_number(studio: Session, chosen: Chosen) -> None:
    """Say how many groups there are and how sure that is; the slider takes fewer or more."""
    if _is_tolerant(studio, chosen):
        _tolerant_line(studio, chosen)
    if chosen.model.n_clusters_ == 1:
        return
    path = _followed(studio, chosen)
    if path is None:
        return
    known = _how_many(studio, chosen)
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container():
            if known is None:
                st.markdown(_said(chosen, path, known))
            else:
                _with_chance(studio, chosen, known)
        _slider(chosen, path)


def number_view(studio: Session, chosen: Chosen) -> None:
    """The table of numbers, and what chance makes."""
    if chosen.model.n_clusters_ == 1:
        st.info("There is one group only.", icon=":material/info:")
        return
    path = path_of(studio, chosen)
    if path is None:
        return
    known = _how_many(studio, chosen)
    if known is None and chosen.algorithm == JUDGE and not _is_tolerant(studio, chosen):
        known = _measured(studio, chosen)
    found, job = None, None
    if known is not None:
        found, job = chance_so_far(studio, chosen.task, chosen.judge)
    st.subheader("How many groups?", anchor=False)
    _table((known or GroupNumber(path, None)).as_frame(found))
    st.caption(EXPLAINED)
    if found is not None and _how_many(studio, chosen) is None:
        st.markdown(found.sentence)
    if job is not None:
        job_state(job, "Tables without groups", has_more=lambda: job.partial is not found)


def path_of(studio: Session, chosen: Chosen) -> MergePath | None:
    """The merges of the chosen fit down to one group; None until ``group_number`` knows them."""
    known = _how_many(studio, chosen)
    if known is not None:
        return known.path
    return studio.results.known(PATH, _fits(chosen))


def _followed(studio: Session, chosen: Chosen) -> MergePath | None:
    """The merges; None while they are followed, as is shown here and nowhere else on the page."""
    return path_of(studio, chosen) or get_result(
        studio,
        PATH,
        _fits(chosen),
        "Following the merges",
        lambda job: JudgedPartition.of(chosen.judge, chosen.model.labels_).merge_path_,
    )


def _fits(chosen: Chosen) -> tuple[Task, Task]:
    """What the merges depend on: the fit, and the one by whose E they are judged."""
    return chosen.task, chosen.judge_task


def _how_many(studio: Session, chosen: Chosen) -> GroupNumber | None:
    if chosen.algorithm != JUDGE:
        return None
    return studio.results.known(HOW_MANY, chosen.task)


def _said(chosen: Chosen, path: MergePath, known: GroupNumber | None) -> str:
    """The first sentence."""
    n_groups = chosen.groups.n_groups
    if is_cut(path, chosen.groups):
        return (known or GroupNumber(path, None)).said(n_groups)
    fitted = path.objectives.size
    return f"**{counted(n_groups, 'group')}**, put together by hand from the {fitted:,} of the fit."


def _with_chance(studio: Session, chosen: Chosen, known: GroupNumber) -> None:
    """The first sentence and what chance makes; neither claims anything before that is known."""
    found, job = chance_so_far(studio, chosen.task, chosen.judge)
    if naming_of(chosen).apply(chosen.model.labels_).n_groups != chosen.groups.n_groups:
        st.rerun()  # what is known now shows fewer groups first
    if job is not None and job.running:
        st.markdown((found or Chance(known.path.objectives)).headline)
        run_again_when(lambda: not job.running)
        return
    st.markdown(_said(chosen, known.path, known))
    if found is None or not found.is_settled:
        st.caption("Whether chance makes as many was not found out.")
    elif found.is_chance or chosen.groups.n_groups > 1:
        said = _gradient(studio, chosen, known, found) or found.headline
        caution = found.caution if chosen.groups.n_groups > 1 else ""
        st.caption(f"{said} {caution}", help=found.sentence)


def _gradient(studio: Session, chosen: Chosen, known: GroupNumber, found: Chance) -> str:
    """Whether the groups are one gradient; nothing is said of groups put together by hand."""
    if not is_cut(known.path, chosen.groups):
        return ""
    encoded = chosen.judge.columns_.encoded
    return studio.results.latest(
        "gradient",
        (chosen.about, found.is_cloud),
        lambda: known.gradient(encoded, chosen.groups.n_groups, found),
    )


def _slider(chosen: Chosen, path: MergePath) -> None:
    """Every number of groups on the merge path."""
    key = f"coarsen-{hash(_fits(chosen))}"
    # Merges by hand move the slider, too.
    st.session_state[key] = chosen.groups.n_groups
    st.slider(
        "Number of groups",
        1,
        path.objectives.size,
        key=key,
        on_change=_coarsen,
        args=(chosen, path, key),
        width=SLIDER,
        help="Down: the two groups whose merging costs least are put together, again and again. "
        "All the way up: as fitted. Merges by hand are replaced.",
    )


@in_visit
def _coarsen(chosen: Chosen, path: MergePath, key: str) -> None:
    merged = groups_at(path, st.session_state[key])
    change_naming(chosen, replace(naming_of(chosen), merged=merged))


def _measured(studio: Session, chosen: Chosen) -> GroupNumber | None:
    """Of an example, whose groups are shown as fitted: measured when asked for."""
    if not is_asked_for((chosen.task, MEASURE), MEASURE, icon=":material/casino:"):
        return None
    model = chosen.judge
    return get_result(
        studio,
        HOW_MANY,
        chosen.task,
        "Rows are drawn anew",
        lambda job: how_many(model, callback=job),
    )


def _table(lines: pd.DataFrame) -> None:
    shares = lines[["kept", "chance"]].apply(pd.to_numeric) * 100
    st.dataframe(
        lines.assign(**shares),
        hide_index=True,
        placeholder="\u2013",
        column_config={
            "groups": st.column_config.NumberColumn("Groups", width=70),
            "sizes": st.column_config.TextColumn("Sizes"),
            "kept": st.column_config.NumberColumn("Kept", format="%.0f %%"),
            "comes back": st.column_config.NumberColumn("Comes back", format="%.2f"),
            "same as next": st.column_config.NumberColumn("Same as next", format="%.2f"),
            "chance": st.column_config.NumberColumn("Chance", format="%.0f %%"),
        },
        alt="For each number of groups: sizes, share of E kept, whether they come back, and chance",
    )


def _is_tolerant(studio: Session, chosen: Chosen) -> bool:
    """Whether the groups were sought with tolerance for misfit."""
    return chosen.algorithm == JUDGE and chosen.task != fit_at_one(studio)


def _tolerant_line(studio: Session, chosen: Chosen) -> None:
    """That the groups were sought with tolerance, and the way back."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"{counted(chosen.model.n_clusters_, 'group')} at a tolerance for misfit of "
            f"{studio.settings.likelihood_power:g}, as set on Compare.",
            width="content",
        )
        st.button(
            "Let every deviation count",
            key="no tolerance",
            icon=":material/undo:",
            on_click=_intolerant,
            args=(studio,),
        )


@in_visit
def _intolerant(studio: Session) -> None:
    studio.settings = replace(studio.settings, likelihood_power=1.0)
    show_settings(studio.settings, (studio.table.digest, clustered_part(studio.schema)))
