"""A settings file of an earlier visit, taken over for the current table."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.exports.settings_file import Saved, SettingsFileError, load_settings
from mapdp_studio.core.prepare.step import PrepareError
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.compare.settings import nearest_settings, show_settings
from mapdp_studio.pages.parts.shared.loading import load_file


def reload_settings(studio: Session) -> None:
    """Take a settings file, and say what came of it."""
    with st.expander(
        "Take up the settings of an earlier visit", icon=":material/settings_backup_restore:"
    ):
        st.file_uploader(
            "A settings file from the Take away page; Undo leads back, but for the sliders",
            type=["json"],
            key="settings_file",
            on_change=_take,
        )
    about, said = st.session_state.get("settings_said", ("", []))
    for kind, text in said if about == studio.table.digest else ():
        getattr(st, kind)(escaped(text))


@in_visit
def _take() -> None:
    studio, file, said = session(), st.session_state["settings_file"], []
    if file is not None:
        try:
            saved = load_settings(file.getvalue())
            remarks = apply_settings(studio, saved)
            said = [("success", f"The settings saved with {saved.table} are in use now.")]
            said += [("warning", remark) for remark in remarks]
        except (SettingsFileError, PrepareError) as error:
            said = [("error", f"{error} Nothing was changed.")]
    st.session_state["settings_said"] = studio.table.digest, said


def apply_settings(studio: Session, saved: Saved) -> list[str]:
    """Decide everything about the current table as saved; remarks on what does not fit."""
    table = studio.table
    if saved.table == table.name and table.source and saved.options not in (None, table.options):
        load_file(table.name, table.source, saved.options)
    settings = nearest_settings(saved.settings)
    remarks = studio.work.take_up(saved, settings)
    show_settings(settings)
    return remarks
