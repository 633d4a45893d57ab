"""What leads back to a result: the project, and the script with settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from mapdp_studio.core import ReadOptions
from mapdp_studio.core.exports.script import (
    Origin,
    from_demo,
    from_file,
    from_scenario,
    prepared,
    script_of,
)
from mapdp_studio.core.exports.settings_file import save_settings
from mapdp_studio.core.exports.tables import file_stem
from mapdp_studio.core.prepare.tables import Join
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.wording import escaped
from mapdp_studio.demo_datasets import GENERATED
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.data.project import save_button
from mapdp_studio.pages.parts.shared.chosen import Chosen, naming_of
from mapdp_studio.pages.parts.shared.kit import download


@contextmanager
def card(title: str, line: str, details: str) -> Iterator[None]:
    """A box that says in one line what its buttons save; the rest stands behind "?"."""
    with st.container(border=True, height="stretch"):
        st.markdown(f"**{title}.** {line}", help=details)
        with st.container(horizontal=True, vertical_alignment="center"):
            yield


def project(studio: Session) -> None:
    """Everything, to go on with elsewhere."""
    with card(
        "Project",
        "Everything in one file, to go on with elsewhere.",
        "The table as it was read, the steps of Prepare, columns, sliders, names, merges, "
        "snapshots and the lock of a study. It is opened on Data, and leads to the page on which "
        "it was saved; “My data”, on top of every page, saves it, too.",
    ):
        is_whole = st.toggle(
            "With the table",
            True,
            key="project_with_table",
            help="Without it the file holds no cell, and opens beside the same table only. Names "
            "of columns and levels are in it in any case.",
        )
        save_button(studio, "save_project", is_whole)


def script(studio: Session, chosen: Chosen) -> None:
    """Python that gives the same labels, and the settings."""
    text, stem = script_text(studio, chosen), file_stem(studio.table.name)
    joined = [e.step.other_name for e in studio.table.done.entries if isinstance(e.step, Join)]
    files = [] if studio.table.example else [_file(studio.table)]
    read = " and ".join(escaped(name) for name in (*files, *joined))
    with card(
        "Script",
        f"Gives the same labels; it {f'reads {read}' if read else 'needs no file'}.",
        "Python with the library alone, `mapdp_studio.core`. **Settings**: how the file is read, "
        "the role and likelihood of every column, the sliders, names and merges of groups; Data "
        "takes them up again.",
    ):
        name = f"{stem}-{chosen.algorithm.lower()}.py"
        download("Python script", text, name, "text/x-python")
        with st.popover("Read it", icon=":material/code:", type="tertiary"):
            st.code(text, language="python", height=420)
        settings = save_settings(studio.work.saved())
        download("Settings", settings, f"{stem}-settings.json", "application/json")


def script_text(studio: Session, chosen: Chosen) -> str:
    """The script of the chosen result."""
    return script_of(
        _origin(studio.table),
        chosen.task,
        studio.schema,
        f"{chosen.title} on {studio.table.name}, as MAP-DP Studio shows it",
        naming_of(chosen).merged,
    )


def _origin(table: Table) -> Origin:
    example = table.example
    if example in GENERATED:
        return prepared(from_scenario(example, n=len(table.as_read)), table.recipe)
    if example is not None:
        return prepared(from_demo(example), table.recipe)
    if table.options is not None:
        return prepared(from_file(_file(table), table.options), table.recipe)
    # A part of a table is in no file but the one that this page offers.
    return from_file(_file(table), ReadOptions(kind="parquet"))


def _file(table: Table) -> str:
    return table.name if table.options else f"{file_stem(table.name)}-groups.parquet"
