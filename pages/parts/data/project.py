"""A project file: saved from any page, opened on the screen on which it was saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from mapdp_studio.core import ModelFileError, TableError
from mapdp_studio.core.comparing.comparison import clustered_part
from mapdp_studio.core.exports.take_away import file_stem
from mapdp_studio.core.plots.template import DRAGS
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
from mapdp_studio.pages.parts.compare.settings import AXES, nearest_settings, show_settings
from mapdp_studio.pages.parts.shared.kit import PAGE, download
from mapdp_studio.pages.parts.shared.loading import (
    example_digest,
    load_file,
    read_example,
    read_upload,
)

#: Where the app's frame finds the page to go on with.
PAGE_ASKED = "page_asked"
# Controls whose place belongs to the screen, beside those that are settings: by what they may be.
_SWITCHES = ("light", "per_row", "without_ids", "with_standings")
_CHOICES = {"axes": AXES, "drag": tuple(DRAGS)}
_TABS = ("data_tab", "compare_tab", "clusters_tab", "stability_tab")
_COLUMNS = ("Across", "Up", "profiled")  # their keys end with the table's digest


def save_button(studio: Session, key: str, with_table: bool = True) -> None:
    """Draw the button that saves the project, as it stands on this page."""
    download(
        "Save the project",
        partial(save_project, studio.work, screen_of(studio.table.digest), with_table),
        f"{file_stem(studio.table.name)}{ENDING}",
        "application/zip",
        key=key,
        icon=":material/save:",
        help="One file with the table, every decision, names, merges and snapshots. Open it on "
        f"Data, in another reader's app, or with `mapdp-studio file{ENDING}`: the screen is this "
        "one.",
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
    studio.take_work(work)
    stand_like(project.screen, work)


def work_of(project: Project, current: Table | None) -> Work:
    """What a project holds, with sliders that can show it; ``current`` is the table that is loaded.

    Raises
    ------
    ProjectFileError, TableError
        The project was saved without its table, and the current one is another.
    """
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
    """Open a file or a folder of the server's computer."""
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
    studio.take_work(work)
    stand_like({"page": "clusters"}, work)


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
    """The current table, read and prepared as the project says."""
    saved = project.saved
    if current.source is not None and saved.options not in (None, current.options):
        frame = read_upload(current.name, current.source, saved.options)
        digest = f"project {project.data_hash}"
        current = replace(current, frame=frame, options=saved.options, digest=digest, before=None)
    return current.prepared(saved.recipe.with_tables(current.recipe.tables))


def screen_of(digest: str) -> dict[str, Any]:
    """Where the app stands, in plain values."""
    state = st.session_state
    plain = {key: state[key] for key in (*_SWITCHES, *_CHOICES, *_TABS) if key in state}
    columns = {key: state[f"{key}-{digest}"] for key in _COLUMNS if f"{key}-{digest}" in state}
    return {"page": state.get(PAGE, ""), "controls": plain, "columns": columns}


def stand_like(screen: Mapping[str, Any], work: Work) -> None:
    """Let every control stand as it did, as far as it can."""
    state, digest = st.session_state, work.table.digest
    show_settings(work.settings, (digest, clustered_part(work.schema)))
    state["result_of"], state["example"] = work.algorithm, work.table.example
    controls, columns = (screen.get(part, {}) for part in ("controls", "columns"))
    if isinstance(controls, Mapping):
        for key in (*_SWITCHES, *_CHOICES, *_TABS):
            value = controls.get(key)
            fits = isinstance(value, bool) if key in _SWITCHES else isinstance(value, str)
            if fits and value in _CHOICES.get(key, (value,)):
                state[key] = value
    if isinstance(columns, Mapping):
        for key in _COLUMNS:
            name = columns.get(key)
            if isinstance(name, str) and name in work.schema:
                state[f"{key}-{digest}"] = name
    state[PAGE_ASKED] = screen.get("page")
