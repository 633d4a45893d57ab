"""Where the table comes from: an example or a file; over a locked study it is asked first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.reading.redcap import is_export
from mapdp_studio.core.session.project_file import ENDING, is_project
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.demo_datasets import DEMOS
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.data import project
from mapdp_studio.pages.parts.data.reading import read_refused, reading_options
from mapdp_studio.pages.parts.shared import kit
from mapdp_studio.pages.parts.shared.loading import DICTIONARY, load_example, load_file

FILE_TYPES = [
    *("csv", "tsv", "txt", "parquet", "feather", "json", "jsonl", "ndjson", "xlsx", "xls", "ods"),
    *("xlsm", "xlsb", "gz", "zip"),
    *("sav", "dta", "sas7bdat", "xpt", ENDING[1:]),
]
#: Of a table that waits for the answer: what it is called, and what takes it.
_WAITING = "waiting_table"


def choose_table(studio: Session) -> None:
    """Take a file or an example; beside a table the choice is folded under its name."""
    if studio.table is None:
        _choice_of_table()
    else:
        title = f"**{escaped(studio.table.name)}** \u00b7 {_facts(studio)}"
        box = st.expander(title, icon=":material/upload_file:", key="source", on_change="rerun")
        with box:
            _choice_of_table()
            if studio.table.source and box.open:
                reading_options(studio)
        if studio.table.source and is_export(studio.table.as_read):
            _say_dictionary(studio.table.as_read)
        ask_about_lock(studio)
    if studio.failure:
        kept = " The table below is still the one before." if studio.table else ""
        st.error(escaped(studio.failure) + kept, icon=":material/error:")
        read_refused()


def _facts(studio: Session) -> str:
    frame, schema, n_steps = studio.table.frame, studio.schema, len(studio.table.recipe.steps)
    facts = [counted(len(frame), "row"), counted(frame.shape[1], "column")]
    facts += [f"Clustered on {len(schema.names('cluster')):,}"]
    facts += [f"known groups: {escaped(schema.label_column)}"] * bool(schema.label_column)
    return " \u00b7 ".join(facts + [counted(n_steps, "step")] * bool(n_steps))


def _say_dictionary(frame: pd.DataFrame) -> None:
    """Beside an export of REDCap: whether it was read with the project's data dictionary."""
    said = (
        "An export of REDCap: give its data dictionary (CSV), too, where the table came from, for "
        "words of codes, ticks, identifiers and what was asked only of some."
    )
    if "columns" in frame.attrs:
        name = st.session_state.get(DICTIONARY, ("",))[0]
        said = f"Read with the REDCap dictionary {escaped(name)}."
    st.caption(f":material/menu_book: {said}")


def _choice_of_table() -> None:
    hidden = {"label_visibility": "collapsed"}
    label, places = "Where the table comes from", ["My file", "Examples"]
    if kit.choose_one(label, places, "place", **hidden) == "Examples":
        key = kit.choose_from_list(
            "Example",
            list(DEMOS),
            "example",
            index=None,
            format_func=lambda key: DEMOS[key].title,
            on_change=_take_example,
            placeholder="Choose an example",
            **hidden,
        )
        if key:
            st.caption(DEMOS[key].text)
    else:
        st.file_uploader(
            "CSV, Excel, SPSS, Stata, SAS, Parquet, Feather, JSON, or a saved project or settings; "
            "it stays on this computer",
            type=FILE_TYPES,
            key="upload",
            on_change=_take_file,
        )


def _take_example() -> None:
    if key := st.session_state["example"]:
        take_or_ask(DEMOS[key].title, partial(_anew, load_example, key))


def _take_file() -> None:
    file = st.session_state["upload"]
    if file is not None and project.is_settings(file.getvalue()):
        project.open_settings(file.getvalue())
    elif file is not None:
        take_or_ask(file.name, partial(_open, file.name, file.getvalue()))


def _open(name: str, content: bytes) -> None:
    if name.endswith(ENDING) or is_project(content):
        project.open_project(content)
        return
    st.session_state["example"] = None
    _anew(load_file, name, content)


def _anew(load: Callable[..., object], *what: object) -> None:
    """Load another table than there is: the sliders stand as at first, not as for the last one."""
    studio = session()
    before = studio.table
    load(*what)
    if before is not None and studio.table is not before:
        studio.settings = Settings()


# ---- another table over a locked study: lock, groups and the log would go with it


@in_visit
def take_or_ask(title: str, take: Callable[[], None]) -> None:
    """Take another table; where the roles are locked, keep it until the visitor has answered."""
    if session().study.lock is None:
        take()
    else:
        st.session_state[_WAITING] = title, take


def waits() -> bool:
    """Whether a table waits for the answer."""
    return _WAITING in st.session_state


def ask_about_lock(studio: Session) -> None:
    """Ask what becomes of the locked study, if another table waits."""
    if not waits():
        return
    title, _ = st.session_state[_WAITING]
    with st.container(border=True):
        st.warning(
            f"The roles of **{escaped(studio.table.name)}** are locked. Another table takes its "
            "place, and with it go the lock, the groups and the log of what was looked at.",
            icon=":material/lock:",
        )
        with st.container(horizontal=True):
            forget = st.session_state.pop
            st.button(
                "Keep the locked study", type="primary", on_click=forget, args=(_WAITING, None)
            )
            project.save_button(studio, "save_locked_study")
            st.button(f"Go on with {escaped(title)}", on_click=_go_on)


@in_visit
def _go_on() -> None:
    _, take = st.session_state.pop(_WAITING)
    take()
