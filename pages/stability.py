"""Stability: do the groups come back with other rows, other starts, other settings and orders?"""

from contextlib import suppress

import streamlit as st

from mapdp_studio.core.inference.merge_path import merge_path
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.models.mapdp import MAPDP
from mapdp_studio.core.profiling.how_many import MergedMAPDP
from mapdp_studio.core.profiling.trees import is_cut
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.statistics.resampling import GroupStability, stability
from mapdp_studio.pages import NotYet, Session, session
from mapdp_studio.pages.parts.groups.stability import StabilityViews
from mapdp_studio.pages.parts.shared.chosen import Chosen, choose_result
from mapdp_studio.pages.parts.shared.compute import job_state, so_far, wait_until_asked
from mapdp_studio.pages.parts.shared.kit import draw_tabs, heading

TRYING = "Trying the groups"
# A hundred labels for each of more rows than this would fill the memory of a small computer.
MOST_ROWS_IN_FULL = 200_000


def tried(visit: Session, chosen: Chosen, model: MAPDP) -> tuple[GroupStability | None, Job | None]:
    """What the fits gave so far, once they were asked for, and the job."""
    effort = "preview" if len(visit.table.frame) > MOST_ROWS_IN_FULL else "full"
    key = chosen.judge_task, model.n_clusters_, effort
    start = {"key": "start_stability", "icon": ":material/play_arrow:", "type": "primary"}
    text = "It runs in the background: other pages can be used meanwhile."
    wait_until_asked(key, "Start", help=text, **start)

    def work(job: Job) -> GroupStability:
        return stability(model, effort, callback=job, share=job.share)

    return so_far(visit, TRYING, key, work)


def judged(chosen: Chosen) -> MAPDP:
    """What is fitted again: with its clusters put together, where they are as the path merges."""
    n_groups, fitted = chosen.groups.n_groups, chosen.judge
    if chosen.algorithm != JUDGE or n_groups in (1, fitted.n_clusters_):
        return fitted
    path = merge_path(fitted.partition_)
    is_path = is_cut(path, chosen.groups)
    return MergedMAPDP.of(fitted, n_groups, path) if is_path else fitted


visit = session()
chosen = choose_result(visit, heading("Stability", visit))
model = visit.results.cached("judged by stability", chosen.key, lambda: judged(chosen))
titles, colours = chosen.groups.titles, chosen.groups.colours
if chosen.algorithm != JUDGE or model.n_clusters_ != len(titles):
    titles, colours = [f"Cluster {k + 1}" for k in range(model.n_clusters_)], None
    st.caption(
        ":material/info: Judged are the groups that MAP-DP found, before any were put together: "
        f"K = {len(titles):,}."
    )
result = job = None
with suppress(NotYet):
    result, job = tried(visit, chosen, model)
job_state(job, TRYING)
if result is None:
    st.info(
        "Groups that mean something come back when the rows are drawn anew, when the search starts "
        "elsewhere, and when the settings change a little. This repeats the whole search often "
        "enough to see.",
        icon=":material/verified:",
    )
else:
    draw_tabs("stability_tab", StabilityViews(titles, result, colours=colours).by_title)
