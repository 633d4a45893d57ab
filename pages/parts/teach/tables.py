"""Tables: what the papers printed beside what this library measures, under stated settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from core.plots.reproductions import figure_two_figure
from core.reproductions import kj12, r16
from core.session.jobs import Job
from core.wording import in_digits
from demo_datasets import load_scenario
from pages import Session
from pages.parts.shared.figure_tools import STILL
from pages.parts.shared.job_line import job_state
from pages.parts.shared.kit import choose_one, download
from pages.parts.shared.theme import inked
from pages.parts.teach.controls import EFFORT, EXPERIMENT, PAPER, QUICK, SEED


@dataclass(frozen=True)
class Experiment:
    """One paper's experiment."""

    title: str
    #: What "Quick" and "The paper's own" mean, in a sentence each.
    settings: dict[str, str]
    #: Given the job, the choice of settings and the first seed.
    work: Callable[[Job, str, int], Any]
    #: Draws what came of it, given whether the page is wide.
    draw: Callable[[Any, bool], None]
    #: Everything as one table, for the file.
    table: Callable[[Any], pd.DataFrame]


def tables(studio: Session, is_wide: bool) -> None:
    """Choose an experiment and its settings, measure, and draw."""
    with st.container(horizontal=True):
        key = choose_one("Experiment", list(EXPERIMENTS), EXPERIMENT)
        effort = choose_one(
            "Settings",
            [QUICK, PAPER],
            EFFORT,
            help="Quick is what a class can wait for. The paper's own settings take minutes; you "
            "can go on with other pages meanwhile.",
        )
        seed = st.number_input(
            "Seed",
            0,
            999_999,
            0,
            key=SEED,
            persist_state="session",
            width=140,
        )
    experiment = EXPERIMENTS[key]
    st.markdown(f"**{experiment.title}.** {effort}: {experiment.settings[effort]} Seed {seed:,}.")
    name, about = f"{key}, {effort}", (seed,)
    job = studio.jobs.get(name, about)

    def start() -> Job:
        return studio.jobs.start(name, about, lambda job: experiment.work(job, effort, int(seed)))

    if job is None and effort == QUICK:
        job = start()
    label = "Measure again" if job else "Measure with the paper's settings"
    idle = job is None or not job.running
    if idle and st.button(label, icon=":material/replay:", type="primary"):
        start()
        st.rerun()
    if job is not None:
        _show(experiment, job, f"{key}, {effort}, seed {seed}", is_wide)
    st.caption(
        "Five more experiments of KJ12, R14 and M12 are measured in the documentation, under “The "
        "papers' tables”, each with the command that repeats it."
    )


def _show(experiment: Experiment, job: Job, name: str, is_wide: bool) -> None:
    shown = job.partial
    rest = "nothing was finished" if shown is None else "the tables hold what was finished"
    stopped = f"Stopped before the end: {rest}."
    job_state(job, name, stopped, lambda: job.partial is not shown)
    result = shown if job.result is None else job.result
    if result is None:
        return
    experiment.draw(result, is_wide)
    content = experiment.table(result).to_csv(index=False)
    download("All numbers as CSV", content, f"{name}.csv", "text/csv")


# ---- R16


def _r16(job: Job, effort: str, seed: int) -> pd.DataFrame:
    chosen = r16.LIVE if effort == QUICK else r16.Effort()
    return r16.scenario_runs(load_scenario, (seed,), effort=chosen, callback=job, share=job.share)


def _draw_r16(runs: pd.DataFrame, is_wide: bool) -> None:
    for measure, title, form in (
        ("nmi", "Table 1: NMI with the truth", "{:.2f}"),
        ("n_clusters", "The number of clusters found", "{:.0f}"),
        ("iterations", "Table 2: iterations", "{:.0f}"),
    ):
        st.subheader(title, anchor=False)
        table = r16.beside_published(runs, measure)
        if measure == "n_clusters":
            table = table[table["algorithm"].isin([*r16.CLUSTERS, r16.GIBBS])]
        if measure == "iterations":  # merges, splits and new starts are no sweeps
            table = table[table["algorithm"] != r16.MAPDP_SEARCH]
        st.caption("Ours, and in brackets the paper's where it prints one.")
        st.table(_crossed(table, form), border="horizontal", alt=title)
        for sentence in r16.differences(table, measure):
            st.caption(f":material/info: {sentence}")


def _crossed(table: pd.DataFrame, form: str) -> pd.DataFrame:
    """Algorithms down, sections across; ours, and the paper's in brackets."""
    cells = [
        form.format(ours) + ("" if pd.isna(published) else f" ({form.format(published)})")
        for ours, published in zip(table["ours"], table["published"], strict=True)
    ]
    crossed = table.assign(cell=cells).pivot(index="algorithm", columns="section", values="cell")
    crossed = crossed.loc[table["algorithm"].unique()].fillna("")
    return crossed.rename_axis(index="Algorithm", columns=None)


def _table_r16(runs: pd.DataFrame) -> pd.DataFrame:
    parts = [
        r16.beside_published(runs, measure).assign(measure=measure) for measure in r16.PUBLISHED
    ]
    return pd.concat(parts).assign(seeds=" ".join(map(str, runs["seed"].unique())))


# ---- KJ12


def _kj12(job: Job, effort: str, seed: int) -> kj12.FigureTwo:
    sizes = (20, 300) if effort == QUICK else (100, 5000)
    return kj12.figure_two(*sizes, seed=seed, callback=job)


def _draw_kj12(result: kj12.FigureTwo, is_wide: bool) -> None:
    low, high = result.plateau()
    st.plotly_chart(
        inked(figure_two_figure(result, is_wide)),
        config=STILL,
        alt=f"KJ12 Figure 2: DP-means finds three clusters for λ from {low:.3g} to {high:.3g}; "
        "its NMI by pass; the NMI of two Gibbs chains by sweep.",
    )
    st.caption(
        "With the rows in the order they were drawn, DP-means finds three clusters for λ from "
        f"{low:.3g} to {high:.3g}, a factor of {high / low:.2f}. Farthest-first suggests "
        f"{result.penalty:.3g} (dashed); the runs below take that, each with the rows in an order "
        "of its own."
    )
    summary = result.summary()
    shown = summary.assign(**{name: summary[name].map(in_digits) for name in ("ours", "published")})
    st.table(shown.set_index("measure"), border="horizontal", alt="KJ12 section 6.2 in numbers")
    st.caption(
        ":material/info: The paper prints neither its means nor its number of rows, and gave the "
        "variance a prior where ours is known: with the variance known, Gibbs settles far sooner "
        "than its 3,000 sweeps."
    )


EXPERIMENTS = {
    "R16": Experiment(
        "R16 section 5: the six scenarios",
        {
            QUICK: f"fewer restarts and sweeps than the paper. {r16.describe_effort(r16.LIVE)}",
            PAPER: r16.describe_effort(r16.Effort()),
        },
        _r16,
        _draw_r16,
        _table_r16,
    ),
    "KJ12": Experiment(
        "KJ12 Figure 2: DP-means and Gibbs on three Gaussians",
        {
            QUICK: "20 runs of DP-means and 300 Gibbs sweeps, fewer than the paper's.",
            PAPER: "100 runs of DP-means and 5,000 Gibbs sweeps.",
        },
        _kj12,
        _draw_kj12,
        lambda result: result.summary(),
    ),
}
