"""Stability: do the groups come back with other rows, other starts, other settings and orders?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.models.mapdp import MAPDP
from mapdp_studio.core.models.tolerance import count_clusters
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.plots.clinical import counts_figure, jaccard_figure, objectives_figure
from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.profiling.survivors import Survivors
from mapdp_studio.core.public.group_stability import protocol_of, stability
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.statistics.bootstraps import ASSESSABLE, BANDS_SENTENCE
from mapdp_studio.core.statistics.resampling import ORDERS, Stability, seconds_expected
from mapdp_studio.core.wording import counted
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.shared.chosen import Chosen, choose_result
from mapdp_studio.pages.parts.shared.compute import duration, get_result, job_state
from mapdp_studio.pages.parts.shared.how_many import fit_at_one, followed_path
from mapdp_studio.pages.parts.shared.kit import choose_one, draw_tabs, halves, heading
from mapdp_studio.pages.parts.shared.picture import picture

# A hundred labels for each of more rows than this would fill the memory of a small computer.
MOST_ROWS_IN_FULL = 200_000
MOST_LISTED = 500
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


def groups_view(chosen: Chosen, result: Stability) -> None:
    """Jaccard similarity of every group with its best match in each resample."""
    draws = result.bootstraps
    if not draws:
        st.info("The resamples come after the orders.", icon=":material/hourglass_top:")
        return
    titles = titles_of(chosen)
    left, right = halves()
    with left:
        picture(
            jaccard_figure(titles, draws.mean_jaccard, draws.jaccard),
            "stability-jaccard",
            "Overlap of every group with its best match in each resample",
            "jaccard",
        )
    with right:
        st.dataframe(
            pd.DataFrame(
                {
                    "Group": titles,
                    "Rows": np.bincount(draws.reference),
                    "Jaccard": draws.mean_jaccard,
                    "In words": draws.bands,
                }
            ),
            hide_index=True,
            placeholder="\u2013",
            column_config={"Jaccard": st.column_config.NumberColumn(format="%.2f")},
            alt="Mean Jaccard similarity of every group",
        )
        if draws.held_out is not None:
            st.markdown(draws.held_out.sentence.replace("patient", "row"))
    st.caption(
        f"{len(draws.draws):,} times, rows were drawn anew (about 63 % of them each time) and the "
        "whole search repeated from nothing. 1: exactly the same rows; "
        f"{BANDS_SENTENCE}. Groups of fewer than {ASSESSABLE} rows cannot be assessed."
    )


def starts_view(chosen: Chosen, result: Stability) -> None:
    """E of every restart, and how many answers are about as good."""
    restarts = result.restarts
    if not restarts:
        st.info("The other starts come after the resamples.", icon=":material/hourglass_top:")
        return
    left, right = halves()
    with left:
        picture(
            objectives_figure(restarts.objectives),
            "stability-restarts",
            "E of every restart above the best",
            "restarts",
        )
    right.markdown(restarts.sentence)
    if restarts.improved_by:
        right.warning(
            f"E of a restart is {restarts.improved_by:,.1f} below that of the groups shown: raise "
            "**Restarts** on the Compare page.",
            icon=":material/trending_down:",
        )


def settings_view(chosen: Chosen, result: Stability) -> None:
    """K under resampling, and under other settings of the prior."""
    left, right = halves()
    draws = result.bootstraps
    if draws:
        with left:
            st.markdown("**Groups found when the rows are drawn anew**")
            picture(
                counts_figure(draws.n_clusters, chosen.judge.n_clusters_, "groups"),
                "stability-k",
                "How often each number of groups was found",
                "number-of-groups",
            )
    with right:
        st.markdown("**Groups found under other settings**")
        if not result.settings:
            st.caption("These come last.")
            return
        st.dataframe(
            result.settings_frame.replace({"setting": {"N_0": "N\u2080"}}),
            hide_index=True,
            column_config={
                "setting": "Setting",
                "value": st.column_config.NumberColumn("Value", format="%.3g"),
                "n_clusters": "K",
                "ari": st.column_config.NumberColumn("ARI with these groups", format="%.2f"),
                "is_own": "In use",
            },
            alt="Number of groups and agreement under every setting",
        )


def rows_view(chosen: Chosen, result: Stability) -> None:
    """How often every row came out in its own group; the least settled first."""
    titles = [*titles_of(chosen), "none of them"]
    rows = result.rows()
    least = rows[["other rows", "other starts", "other orders"]].mean(axis=1)
    order = np.argsort(least.to_numpy(), kind="stable")[:MOST_LISTED]
    shown = rows.iloc[order]
    config = {
        name: st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1)
        for name in ("Other rows", "Other starts", "Other orders")
    }
    st.dataframe(
        pd.DataFrame(
            {
                "Row": order + 1,
                "Group": [titles[k] for k in chosen.judge.labels_[order]],
                "Other rows": shown["other rows"].to_numpy(),
                "Other starts": shown["other starts"].to_numpy(),
                "Other orders": shown["other orders"].to_numpy(),
                "Else": [titles[k] for k in shown["second"]],
            }
        ),
        hide_index=True,
        height=420,
        placeholder="\u2013",
        column_config=config,
        alt="How often every row came out in its own group",
    )
    st.caption(
        f"How often a row came out in its own group, the least settled first (the first "
        f"{len(shown):,} of {len(rows):,} rows). Other rows: resamples that hold the row. Other "
        "starts: restarts of the search, which visit the rows in other orders, too. Other "
        f"orders: {ORDERS} runs of the published algorithm, single moves only, where the order "
        f"matters most; they found {_range(result.orders.n_clusters)}."
    )


def _range(n_clusters: np.ndarray) -> str:
    """K of several runs."""
    low, high = n_clusters.min(), n_clusters.max()
    return f"K = {low:,}" if low == high else f"K = {low:,} to {high:,}"


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
    views = {
        "Groups": groups_view,
        "Starts": starts_view,
        "How many": settings_view,
        "Rows": rows_view,
    }
    draw_tabs("stability_tab", views, chosen, result.summary)


studio = session()
row = heading("Stability", studio)
chosen = choose_result(studio, row)
if chosen is not None:
    main(studio, chosen)
