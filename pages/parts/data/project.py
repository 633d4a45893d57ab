"""A project, saved from any page and opened on that page; and settings, taken up by a table."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from mapdp_studio.core import TableError
from mapdp_studio.core.exports import settings_file
from mapdp_studio.core.exports.tables import file_stem
from mapdp_studio.core.prepare.step import PrepareError
from mapdp_studio.core.session import project_file
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.session.work import Work
from mapdp_studio.demo_datasets import DEMOS
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.compare.settings import keep_penalty, nearest_settings
from mapdp_studio.pages.parts.shared import loading
from mapdp_studio.pages.parts.shared.kit import PAGE, download

#: Where the app's frame finds the page to go on with.
PAGE_ASKED = "page_asked"


def save_button(studio: Session, key: str, with_table: bool = True) -> None:
    """Draw the button that saves the project, as it stands on this page."""
    screen = {"page": st.session_state.get(PAGE, "")}
    download(
        "Save the project",
        partial(project_file.save_project, studio.work, screen, with_table),
        f"{file_stem(studio.table.name)}{project_file.ENDING}",
        "application/zip",
        key=key,
        icon=":material/save:",
        help="One file with the table, every decision, names, merges and snapshots. Open it on "
        f"Data, in another reader's app, or with `mapdp-studio file{project_file.ENDING}`.",
    )


def open_project(content: bytes) -> None:
    """Go on with a saved project, or note in one sentence why that cannot be."""
    studio = session()
    try:
        project = project_file.load_project(content)
        # Between two positions of a slider the nearer one is shown.
        settings = nearest_settings(project.saved.settings)
        project = replace(project, saved=replace(project.saved, settings=settings))
        work = project.work(_known_table(project, studio.table))
    except (project_file.ProjectFileError, TableError) as error:
        studio.failure = str(error)
    else:
        _go_on_with(work, project.screen.get("page"))


def is_settings(content: bytes) -> bool:
    """Whether a file holds settings by its first letters; it may still be damaged."""
    return settings_file.FILE.first_lines["format"].encode() in content[:99]


@in_visit
def open_settings(content: bytes) -> None:
    """Decide about the table as saved, and say what came of it."""
    studio = session()
    try:
        saved = settings_file.load_settings(content)
        if studio.table is None:
            raise settings_file.SettingsFileError(
                f"These are settings: load '{saved.table}' first, then them."
            )
        remarks = apply_settings(studio, saved)
    except (settings_file.SettingsFileError, PrepareError) as error:
        studio.failure = str(error)
    else:
        studio.failure = ""
        studio.notices = [f"The settings saved with {saved.table} are in use now.", *remarks]


def apply_settings(studio: Session, saved: settings_file.Saved) -> list[str]:
    """Decide everything about the table as saved; remarks on what does not fit."""
    table = studio.table
    if saved.table == table.name and table.source and saved.options not in (None, table.options):
        loading.load_file(table.name, table.source, saved.options)
    keep_penalty()
    return studio.work.take_up(saved, nearest_settings(saved.settings))


def open_once(path: str) -> None:
    """Open what the server was started with, once in every visit: a project or a table."""
    state = st.session_state
    # Until the tab has said which one it is, an earlier visit may still be found.
    if "tab_key" not in state or state.get("tab_opened"):
        return
    studio = state.setdefault("studio", Session())
    with studio.lock, st.spinner("Opening the file"):
        if studio.table is None:
            _open(studio, Path(path))
            if studio.failure:
                state[PAGE_ASKED] = "data"
    state["tab_opened"] = True  # not before: a click meanwhile ends this run


def _open(studio: Session, path: Path) -> None:
    try:
        if path.suffix.lower() == project_file.ENDING:
            open_project(path.read_bytes())
        else:
            loading.load_file(path.name, path.read_bytes())
            st.session_state[PAGE_ASKED] = "data"
    except OSError as error:
        studio.failure = f"'{path}' cannot be read ({error.strerror})."


def _known_table(project: project_file.Project, current: Table | None) -> Table | None:
    """The project's table where it is an example's, or was left out and is loaded."""
    saved, own = project.saved, current
    if project.table is not None:
        if project.example not in DEMOS:
            return None
        example = project.example, project.n_read
        own = Table(
            loading.read_example(*example)[0], saved.table, loading.example_digest(*example)
        )
        own = own.prepared(saved.recipe)
        return own if own.data_hash == project.data_hash else None
    if own is None:
        return None
    if own.source is not None and saved.options not in (None, own.options):
        frame, digest = loading.read_upload(own.name, own.source, saved.options), project.data_hash
        read = {"frame": frame, "options": saved.options, "before": None}
        own = replace(own, digest=f"project {digest}", **read)
    return own.prepared(saved.recipe.with_tables(own.recipe.tables))


def _go_on_with(work: Work, page: Any) -> None:
    session().take_work(work)
    keep_penalty()
    st.session_state["example"], st.session_state[PAGE_ASKED] = work.table.example, page
