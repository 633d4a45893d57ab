"""Stability: do the groups come back with other rows, other starts, other settings and orders?"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.models.mapdp import MAPDP
from mapdp_studio.core.models.tolerance import count_clusters
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.how_many import Survivors
from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.statistics.resampling import protocol_of, seconds_expected, stability
from mapdp_studio.core.wording import counted
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.shared.chosen import Chosen, choose_result
from mapdp_studio.pages.parts.shared.compute import duration, get_result, job_state
from mapdp_studio.pages.parts.shared.how_many import fit_at_one, followed_path
from mapdp_studio.pages.parts.shared.kit import choose_one, draw_tabs, heading
from mapdp_studio.pages.parts.shared.stability import StabilityViews

# A hundred labels for each of more rows than this would fill the memory of a small computer.
MOST_ROWS_IN_FULL = 200_000
AS_SET, SURVIVING = "As the sliders stand", "Those that stay as the evidence counts less"
FIRST_LOOK, IN_FULL = "A first look: 20 of each", "In full: 100 of each"


def choose_protocol(studio: Session, chosen: Chosen) -> Job | None:
    """Choose how many fits, told about how long they take; the job that runs them, if there is."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        size = choose_one(
            "Resamples and restarts",
            [FIRST_LOOK, IN_FULL],
            "stability_size",
            disabled=len(studio.table.frame) > MOST_ROWS_IN_FULL,
        )
        is_full = size == IN_FULL and len(studio.table.frame) <= MOST_ROWS_IN_FULL
        effort = "full" if is_full else "preview"
        about = chosen.judge_task, effort
        job = studio.jobs.get("stability", about)
        if job is None or not (job.running or job.result):
            seconds = seconds_expected(chosen.judge, protocol_of(effort))
            st.button(
                # A finished model that was opened has no fit behind it whose time is known.
                f"Start: about {duration(seconds)}" if seconds else "Start",
                key="start_stability",
                type="primary",
                icon=":material/play_arrow:",
                on_click=_start,
                args=(studio, chosen, effort),
                help="It runs in the background: other pages can be used meanwhile.",
            )
    job_state(job, "Trying the groups", "Stopped. What was found up to then is below.")
    return job


@in_visit
def _start(studio: Session, chosen: Chosen, effort: str) -> None:
    studio.jobs.start(
        "stability",
        (chosen.judge_task, effort),
        lambda job: stability(chosen.judge, effort, callback=job, share=job.share),
        "checks",
    )


def titles_of(chosen: Chosen) -> list[str]:
    """Names of MAP-DP's groups as they were fitted."""
    as_fitted = chosen.algorithm == "MAPDP" and (chosen.groups.n_groups == chosen.judge.n_clusters_)
    if as_fitted:
        return list(chosen.groups.titles)
    return [f"Cluster {k + 1}" for k in range(chosen.judge.n_clusters_)]


def judged_with_tolerance(studio: Session, chosen: Chosen) -> Chosen | None:
    """The fit to be judged: as the sliders stand, or at the tolerance whose groups stay."""
    if chosen.judge_task != fit_at_one(studio):
        return chosen
    kind = choose_one("Groups to be judged", [AS_SET, SURVIVING], "stability_of")
    if kind == AS_SET:
        return chosen
    path = followed_path(studio, chosen.judge.columns_.encoded, chosen.judge.schema_)
    if path is None:
        return None
    found = Survivors.of(path, chosen.judge.labels_)
    if found.power is None:
        st.info(found.sentence, icon=":material/info:")
        return None
    return _fit_at(studio, chosen, found.power)


def _fit_at(studio: Session, chosen: Chosen, power: float) -> Chosen | None:
    """MAP-DP at that tolerance, in the place of what was chosen."""
    told = dict(chosen.judge_task.arguments) | {"likelihood_power": power}
    task = replace(chosen.judge_task, arguments=tuple(told.items()))
    encoded, schema = chosen.judge.columns_.encoded, chosen.judge.schema_

    def fit(job: Job) -> MAPDP:
        return MAPDP(**told).fit_encoded(encoded, job, schema=schema)

    model = get_result(studio, "surviving fit", task, "Searching with tolerance", fit)
    if model is None:
        return None
    n_counted = count_clusters(model.labels_, encoded.weights)
    said = f"MAP-DP at a tolerance for misfit of {power:.2g}: {counted(n_counted, 'group')}"
    n_small = model.n_clusters_ - n_counted
    st.caption(f"{said} and {n_small:,} too small to count." if n_small else f"{said}.")
    return Chosen(
        JUDGE,
        task,
        model,
        model,
        Naming().apply(model.labels_),
        JudgedPartition.of(model, model.labels_),
        task,
    )


def main(studio: Session, chosen: Chosen) -> None:
    """Everything below the choice of the result."""
    if chosen.algorithm != "MAPDP" or chosen.groups.n_groups != chosen.judge.n_clusters_:
        st.caption(
            ":material/info: Judged are the groups that MAP-DP found, before any were put "
            f"together: K = {chosen.judge.n_clusters_:,}."
        )
    chosen = judged_with_tolerance(studio, chosen)
    if chosen is None:
        return
    job = choose_protocol(studio, chosen)
    if job is not None and job.running:
        st.button(
            "Show what there is so far",
            key="show_partial",
            icon=":material/refresh:",
            type="tertiary",
            disabled=job.partial is None,
        )
    result = None if job is None else job.result or job.partial
    if result is None:
        st.info(
            "Groups that mean something come back when the rows are drawn anew, when the search "
            "starts elsewhere, and when the settings change a little. This repeats the whole "
            "search often enough to see.",
            icon=":material/verified:",
        )
        return
    views = StabilityViews(titles_of(chosen), result)
    draw_tabs("stability_tab", views.by_title)


studio = session()
row = heading("Stability", studio)
chosen = choose_result(studio, row)
if chosen is not None:
    main(studio, chosen)
