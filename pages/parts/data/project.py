"""A project file: saved from any page, opened on the page on which it was saved."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from mapdp_studio.core import ModelFileError, TableError
from mapdp_studio.core.comparing.comparison import clustered_part
from mapdp_studio.core.exports.tables import file_stem
from mapdp_studio.core.session.finished import work_on_finished
from mapdp_studio.core.session.project_file import (
    ENDING,
    Project,
    ProjectFileError,
    load_project,
    save_project,
)
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.session.work import Work
from mapdp_studio.demo_datasets import DEMOS
from mapdp_studio.pages import Session, session
from mapdp_studio.pages.parts.compare.settings import nearest_settings, show_settings
from mapdp_studio.pages.parts.shared.kit import PAGE, download
from mapdp_studio.pages.parts.shared.loading import (
    example_digest,
    load_file,
    read_example,
    read_upload,
)

#: Where the app's frame finds the page to go on with.
PAGE_ASKED = "page_asked"


def save_button(studio: Session, key: str, with_table: bool = True) -> None:
    """Draw the button that saves the project, as it stands on this page."""
    download(
        "Save the project",
        partial(save_project, studio.work, {"page": st.session_state.get(PAGE, "")}, with_table),
        f"{file_stem(studio.table.name)}{ENDING}",
        "application/zip",
        key=key,
        icon=":material/save:",
        help="One file with the table, every decision, names, merges and snapshots. Open it on "
        f"Data, in another reader's app, or with `mapdp-studio file{ENDING}`.",
    )


def open_project(content: bytes) -> None:
    """Go on with a saved project, or note in one sentence why that cannot be."""
    studio = session()
    try:
        project = load_project(content)
        work = work_of(project, studio.table)
    except (ProjectFileError, TableError) as error:
        studio.failure = str(error)
        return
    go_on_with(work, project.screen.get("page"))


def work_of(project: Project, current: Table | None) -> Work:
    """What a project holds, with sliders that can show it, beside the table that is loaded."""
    settings = nearest_settings(project.saved.settings)
    project = replace(project, saved=replace(project.saved, settings=settings))
    return project.work(_known_table(project, current))


def open_once(path: str) -> None:
    """Open what the server was started with, once in every visit: a project, a table, a search."""
    state = st.session_state
    # Until the tab has said which one it is, an earlier visit may still be found.
    if "tab_key" not in state or state.get("tab_opened"):
        return
    studio = state.setdefault("studio", Session())
    with studio.lock, st.spinner("Opening the file"):
        if studio.table is None:
            _open(path)
            if studio.failure:
                state[PAGE_ASKED] = "data"
    state["tab_opened"] = True  # not before: a click meanwhile ends this run


def _open(path: str) -> None:
    try:
        if Path(path).is_dir():
            _open_finished(path)
        elif path.lower().endswith(ENDING):
            open_project(Path(path).read_bytes())
        else:
            load_file(Path(path).name, Path(path).read_bytes())
            st.session_state[PAGE_ASKED] = "data"
    except OSError as error:
        session().failure = f"'{path}' cannot be read ({error.strerror})."


def _open_finished(folder: str) -> None:
    """Go on with the sample of a large table, or note in one sentence why that cannot be."""
    studio = session()
    try:
        work = work_on_finished(folder)
    except ModelFileError as error:
        studio.failure = str(error)
        return
    go_on_with(work, "clusters")


def _known_table(project: Project, current: Table | None) -> Table | None:
    """The project's table where it is an example's, or was left out and is loaded."""
    saved = project.saved
    if project.table is None:
        return None if current is None else _as_saved(project, current)
    if project.example in DEMOS:
        example = project.example, project.n_read
        read = Table(read_example(*example)[0], saved.table, example_digest(*example))
        table = read.prepared(saved.recipe)
        if table.data_hash == project.data_hash:
            return table
    return None


def _as_saved(project: Project, current: Table) -> Table:
    saved = project.saved
    if current.source is not None and saved.options not in (None, current.options):
        frame = read_upload(current.name, current.source, saved.options)
        digest = f"project {project.data_hash}"
        current = replace(current, frame=frame, options=saved.options, digest=digest, before=None)
    return current.prepared(saved.recipe.with_tables(current.recipe.tables))


def go_on_with(work: Work, page: Any) -> None:
    """Take over what somebody did before, with the sliders as they were, on that page."""
    session().take_work(work)
    show_settings(work.settings, (work.table.digest, clustered_part(work.schema)))
    st.session_state["result_of"], st.session_state["example"] = work.algorithm, work.table.example
    st.session_state[PAGE_ASKED] = page
