"""How to get the chosen result again: the script, the settings, the link."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core import ReadOptions
from mapdp_studio.core.exports.script import Origin, from_demo, from_file, from_scenario, prepared
from mapdp_studio.core.exports.settings_file import save_settings
from mapdp_studio.core.exports.take_away import file_stem, permalink, script_of
from mapdp_studio.core.prepare.tables import Join
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.wording import escaped
from mapdp_studio.demo_datasets import GENERATED
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.shared.chosen import Chosen, naming_of
from mapdp_studio.pages.parts.shared.kit import download
from mapdp_studio.pages.parts.shared.loading import example_in_address


@in_visit
def again(studio: Session, chosen: Chosen) -> None:
    """Draw the ways back to this result."""
    with st.container(border=True):
        st.subheader("To get it again", anchor=False)
        _script(studio, chosen)
        _settings(studio)
        _link(studio)


def _script(studio: Session, chosen: Chosen) -> None:
    text = script_text(studio, chosen)
    stem = file_stem(studio.table.name)
    with st.container(horizontal=True):
        name = f"{stem}-{chosen.algorithm.lower()}.py"
        download("Python script", text, name, "text/x-python")
        with st.popover("Read it", icon=":material/code:", type="tertiary"):
            st.code(text, language="python", height=420)
    joined = [e.step.other_name for e in studio.table.done.entries if isinstance(e.step, Join)]
    files = [] if studio.table.example else [_file(studio.table)]
    read = " and ".join(escaped(name) for name in (*files, *joined))
    beside = f"reads {read}" if read else "needs no file"
    st.caption(f"Gives the same labels with the library alone, `mapdp_studio.core`; it {beside}.")


def script_text(studio: Session, chosen: Chosen) -> str:
    """The script of the chosen result."""
    return script_of(
        _origin(studio.table),
        chosen.task,
        studio.schema,
        f"{chosen.title} on {studio.table.name}, as MAP-DP Studio shows it",
        naming_of(chosen).merged,
    )


def _settings(studio: Session) -> None:
    name = f"{file_stem(studio.table.name)}-settings.json"
    download("Settings", save_settings(studio.work.saved()), name, "application/json")
    st.caption(
        "How the file is read, the role and likelihood of every column, the sliders, names and "
        "merges of groups. The Data page takes it up again, with the same table or one like it."
    )


def _link(studio: Session) -> None:
    example = example_in_address(studio.table)
    st.markdown("**Link**")
    st.code(
        permalink(st.context.url, studio.settings, example, studio.compared),
        language=None,
        wrap_lines=True,
    )
    st.caption(
        "Opens the Compare page with these sliders"
        + (
            " and this example, prepared as it is here."
            if example
            else "; the table has to be loaded first, nothing of it is in the link."
        )
        + " What you changed about the columns is in the settings file."
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
