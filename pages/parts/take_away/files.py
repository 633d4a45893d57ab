"""The chosen result as files: the labelled table, the report, the model with its rules."""

from __future__ import annotations

from functools import partial

import streamlit as st

from mapdp_studio.core import save_model
from mapdp_studio.core.exports.analysis_report import Analysis, analysis_report
from mapdp_studio.core.exports.script import rules_in_python
from mapdp_studio.core.exports.tables import as_csv, file_stem, labelled, summary_table, writers
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.profiling.judged import row_assignments
from mapdp_studio.core.session.work import CHANCE, HOW_MANY
from mapdp_studio.core.wording import escaped, percent
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.shared.chosen import Chosen, DescribedGroups
from mapdp_studio.pages.parts.shared.compute import be_patient, get_result, job_state
from mapdp_studio.pages.parts.shared.kit import download
from mapdp_studio.pages.parts.take_away.again import card, script_text


def table(studio: Session, chosen: Chosen) -> None:
    """The table with the group of every row, and a summary of the groups."""
    frame, groups, stem = studio.table.frame, chosen.groups, file_stem(studio.table.name)
    rows = "Rows and cells after the steps of Prepare"
    with card(
        "Table",
        "Every row with its group.",
        f"{rows if studio.table.recipe.steps else 'Every row in its place, as it was written'}, "
        "with two columns more: “cluster”, the group's name, and its number from 0 on. In the "
        "CSV, text that a spreadsheet would take for a formula is guarded by an apostrophe. "
        "**Summary**: every column in every group, with the number of rows it rests on.",
    ):
        made = studio.results.latest("writers", studio.table.digest, lambda: writers(frame))
        place = st.container(horizontal=True, width="content")
        with st.popover("Options", icon=":material/tune:", type="tertiary"):
            without, is_sure = _options(studio)
        stand = None
        if is_sure:
            stand = get_result(
                studio,
                "standings",
                chosen.about,
                "Looking at every row",
                partial(row_assignments, chosen.partition),
            )
        with place:
            for label, (ending, write) in made.items() if stand or not is_sure else ():
                mime = "text/csv" if ending == "csv" else None
                download(
                    label,
                    lambda write=write: write(labelled(frame, groups, without, stand)),
                    f"{stem}-groups.{ending}",
                    mime,
                    key=f"{label} file",
                )
        about = chosen.partition.columns_.encoded, groups.labels, groups.titles
        download(
            "Summary (CSV)",
            lambda: as_csv(summary_table(*about)),
            f"{stem}-summary.csv",
            "text/csv",
            key="summary file",
        )


def _options(studio: Session) -> tuple[tuple[str, ...], bool]:
    """Columns to leave out, of a locked study always those that identify; and how sure rows are."""
    ids, is_out = studio.schema.names("id"), studio.study.lock is not None
    named = ", ".join(map(escaped, ids))
    if ids and is_out:
        st.caption(f"Without what identifies rows, since a study is locked: {named}.")
    elif ids:
        is_out = st.toggle(
            "Leave out what identifies rows",
            key="without_ids",
            persist_state="session",
            help=f"Columns with the role “id”: {named}.",
        )
    is_sure = st.toggle(
        "Add how sure each row is",
        key="with_standings",
        persist_state="session",
        help="The probability of its group, the second choice, and the log density under "
        "MAP-DP's model: low for atypical rows.",
    )
    return ids if is_out else (), is_sure


def report(studio: Session, chosen: Chosen) -> None:
    """One page of HTML with the figures."""
    about = chosen.about, chosen.groups.titles, studio.schema, studio.settings
    with card(
        "Report",
        "One HTML file, to read and to print.",
        "It opens without a network: the groups, the figures, the columns, "
        " the settings and the script.",
    ):
        job = studio.jobs.get("report", about)
        if job is not None:
            be_patient(job)
        job_state(job, "Writing the report")
        if job is not None and job.result is not None:
            name = f"{file_stem(studio.table.name)}-report.html"
            download("HTML", job.result, name, "text/html", key="report file")
        elif job is None or not job.running:
            st.button(
                "Write the report",
                key="write_report",
                icon=":material/article:",
                on_click=_write,
                args=(studio, chosen, about),
            )


@in_visit
def _write(studio: Session, chosen: Chosen, about: tuple) -> None:
    analysis = Analysis(
        studio.table.name,
        studio.table.frame,
        studio.schema,
        studio.settings,
        chosen.algorithm,
        chosen.model,
        chosen.groups,
        chosen.partition,
        script_text(studio, chosen),
        studio.results.known(HOW_MANY, chosen.task),
        studio.results.known(CHANCE, chosen.task),
    )
    studio.jobs.start("report", about, lambda job: analysis_report(analysis))


def model(studio: Session, chosen: Chosen, described: DescribedGroups | None) -> None:
    """The model, to score new rows with, and the rules that do so in a line each."""
    as_fitted = chosen.groups.n_groups == chosen.model.n_clusters_
    own = as_fitted and METHODS[chosen.algorithm].is_saved
    stem, rules = file_stem(studio.table.name), described and described.rules
    with card(
        "Model",
        "To give new rows a group.",
        "Readable text that loads back to the same predictions, on New rows or with `load_model` "
        "in Python. It holds sums over each group's rows, and no row."
        + ("" if own else " These groups are described by MAP-DP's model, and saved so.")
        + " **Rules**: a Python function of short conditions.",
    ):
        download(
            "JSON",
            lambda: save_model(chosen.model if own else chosen.partition),
            f"{stem}-model.json",
            "application/json",
            key="model file",
        )
        if rules is None or not rules.found.whole.rules:
            return
        prepared = bool(studio.table.recipe.steps)
        text = rules_in_python(rules, chosen.groups.titles, studio.table.name, prepared)
        agreement = percent(rules.found.agreement).replace(" ", "\u00a0")
        with st.popover("Rules", icon=":material/code:", type="tertiary"):
            st.caption(
                f"Of rows that they were not made from, {agreement} are given their own group "
                "(cross-validated)."
            )
            download("Python", text, f"{stem}-rules.py", "text/x-python", key="Python rules")
            st.code(text, height=420)
