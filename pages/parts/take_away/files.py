"""The chosen result as files: the labelled table, the summary, the model, the report."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial

import pandas as pd
import streamlit as st

from mapdp_studio.core import save_model
from mapdp_studio.core.exports.analysis_report import Analysis, analysis_report
from mapdp_studio.core.exports.paper_tables import CAPTION, FORMATS, group_table
from mapdp_studio.core.exports.tables import as_csv, summary_table, writers
from mapdp_studio.core.exports.take_away import file_stem, labelled
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.partitions.naming import Groups
from mapdp_studio.core.profiling.judged import row_assignments
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.session.work import CHANCE, HOW_MANY
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.data.project import save_button
from mapdp_studio.pages.parts.shared.chosen import Chosen
from mapdp_studio.pages.parts.shared.compute import be_patient, get_result, job_state
from mapdp_studio.pages.parts.shared.kit import download
from mapdp_studio.pages.parts.take_away.again import script_text


def table_files(studio: Session, chosen: Chosen) -> None:
    """The table with the group of every row."""
    with st.container(border=True):
        st.subheader("The table with its groups", anchor=False)
        without = _left_out(studio)
        stand = None
        if st.toggle(
            "Add how sure each row is",
            key="with_standings",
            persist_state="session",
            help="The probability of its group, the second choice, and the log density under "
            "MAP-DP's model: low for atypical rows.",
        ):
            stand = get_result(
                studio,
                "standings",
                chosen.about,
                "Looking at every row",
                partial(row_assignments, chosen.partition),
            )
            if stand is None:
                return
        make = partial(labelled, studio.table.frame, chosen.groups, without, stand)
        stem = f"{file_stem(studio.table.name)}-groups"
        with st.container(horizontal=True):
            for label, (ending, write) in _writers(studio).items():
                mime = "text/csv" if ending == "csv" else None
                content = partial(_written, write, make)
                download(label, content, f"{stem}.{ending}", mime, key=f"{label} file")
        st.caption(
            f"{_as_it_is(studio)}, with two columns more: “cluster”, "
            "the group's name, and its number from 0 on. In the CSV, text that a spreadsheet would "
            "take for a formula is guarded by an apostrophe; numbers are left alone."
        )


def _left_out(studio: Session) -> tuple[str, ...]:
    """Columns that identify rows, where they are to be left out; of a locked study always."""
    ids = studio.schema.names("id")
    named = ", ".join(map(escaped, ids))
    if ids and studio.study.lock is not None:
        st.caption(f"Without what identifies rows, since a study is locked: {named}.")
        return ids
    leave_out = ids and st.toggle(
        "Leave out what identifies rows",
        key="without_ids",
        persist_state="session",
        help=f"Columns with the role “id”: {named}.",
    )
    return ids if leave_out else ()


def _as_it_is(studio: Session) -> str:
    """What the rows and cells of the file are."""
    if studio.table.recipe.steps:
        return "The rows and cells after the steps of Prepare"
    return "Every row in its place, cells as they were written"


def _writers(studio: Session) -> dict:
    table = studio.table
    return studio.results.latest("writers", table.digest, lambda: writers(table.frame))


def _written(write: Callable[[pd.DataFrame], bytes], make: Callable[[], pd.DataFrame]) -> bytes:
    return write(make())


def project_file(studio: Session) -> None:
    """Everything, to go on with elsewhere."""
    with st.container(border=True):
        st.subheader("The project", anchor=False)
        is_whole = st.toggle(
            "With the table",
            True,
            key="project_with_table",
            help="Without it the file holds no cell, and opens beside the same table only. Names "
            "of columns and levels are in it in any case.",
        )
        save_button(studio, "save_project", is_whole)
        st.caption(
            "One file to hand on: the table as it was read, the steps of Prepare, columns, "
            "sliders, names, merges, snapshots and the lock of a study. It is opened on Data, and "
            "leads to the page on which it was saved; “My data”, on top of every page, saves it, "
            "too."
        )


def summary_file(studio: Session, chosen: Chosen) -> None:
    """Every column in every group."""
    encoded, groups = chosen.partition.columns_.encoded, chosen.groups
    with st.container(border=True):
        st.subheader("A summary of the groups", anchor=False)
        stem = file_stem(studio.table.name)
        with st.container(horizontal=True):
            download(
                "CSV",
                lambda: as_csv(summary_table(encoded, groups.labels, groups.titles)),
                f"{stem}-summary.csv",
                "text/csv",
                key="summary file",
            )
            for label, kind in FORMATS.items():
                download(
                    label,
                    partial(_for_papers, kind.write, encoded, groups),
                    f"{stem}-groups.{kind.ending}",
                    kind.mime,
                    key=f"{label} summary",
                )
        st.caption(
            "The CSV holds mean, deviation, median and quartiles of amounts and shares of levels, "
            "each with the number of rows it rests on. The others are one table as papers print "
            "it, a column a group."
        )


def _for_papers(write: Callable, encoded: Encoded, groups: Groups) -> bytes:
    return write({CAPTION: group_table(encoded, groups.labels, groups.titles)})


def model_file(studio: Session, chosen: Chosen) -> None:
    """The model, to score new rows with."""
    as_fitted = chosen.groups.n_groups == chosen.model.n_clusters_
    own = as_fitted and METHODS[chosen.algorithm].is_saved
    model = chosen.model if own else chosen.partition
    with st.container(border=True):
        st.subheader("The fitted model", anchor=False)
        download(
            "JSON",
            lambda: save_model(model),
            f"{file_stem(studio.table.name)}-model.json",
            "application/json",
            key="model file",
        )
        st.caption(
            "Readable text that loads back to the same predictions, on the New rows page or with "
            "load_model in Python. It holds sums over each group's rows, and no row."
            + ("" if own else " These groups are described by MAP-DP's model, and saved so.")
        )


def report_file(studio: Session, chosen: Chosen) -> None:
    """One page of HTML with the figures."""
    about = chosen.about, chosen.groups.titles, studio.schema, studio.settings
    with st.container(border=True):
        st.subheader("A report", anchor=False)
        job = studio.jobs.get("report", about)
        if job is not None:
            be_patient(job)
        job_state(job, "Writing the report")
        if job is not None and job.result is not None:
            download(
                "HTML",
                job.result,
                f"{file_stem(studio.table.name)}-report.html",
                "text/html",
                key="report file",
            )
        elif job is None or not job.running:
            st.button(
                "Write the report",
                key="write_report",
                icon=":material/article:",
                on_click=_write,
                args=(studio, chosen, about),
            )
        st.caption(
            "One file that opens without a network and prints: the groups, the figures (each to "
            "be saved as SVG or PNG), the columns, the settings and the script."
        )


@in_visit
def _write(studio: Session, chosen: Chosen, about: tuple) -> None:
    analysis = Analysis(
        studio.table.name,
        studio.table.frame,
        studio.schema,
        studio.settings,
        chosen.algorithm,
        chosen.title,
        chosen.model,
        chosen.groups,
        chosen.partition,
        script_text(studio, chosen),
        date.today().isoformat(),
        studio.results.known(HOW_MANY, chosen.task),
        studio.results.known(CHANCE, chosen.task),
    )

    studio.jobs.start("report", about, partial(analysis_report, analysis))
