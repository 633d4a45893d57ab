"""Where the table comes from: an example or a file, and how the file was read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.reading.redcap import is_export
from mapdp_studio.core.session.project_file import ENDING, is_project
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.demo_datasets import DEMOS
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.compare.settings import show_settings
from mapdp_studio.pages.parts.data.locked_study import ask_about_lock, take_or_ask
from mapdp_studio.pages.parts.data.project import open_project
from mapdp_studio.pages.parts.data.reading import read_refused, reading_options
from mapdp_studio.pages.parts.shared.loading import (
    DICTIONARY,
    load_dictionary,
    load_example,
    load_file,
)

FILE_TYPES = [
    *("csv", "tsv", "txt", "parquet", "feather", "json", "jsonl", "ndjson", "xlsx", "xls", "ods"),
    *("xlsm", "xlsb", "gz", "zip"),
    *("sav", "dta", "sas7bdat", "xpt", ENDING[1:]),
]


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
        _place_for_dictionary(studio)
        ask_about_lock(studio)
    if studio.failure:
        kept = " The table below is still the one before." if studio.table else ""
        st.error(escaped(studio.failure) + kept, icon=":material/error:")
        read_refused()


def _facts(studio: Session) -> str:
    frame, schema = studio.table.frame, studio.schema
    facts = [
        counted(len(frame), "row"),
        counted(frame.shape[1], "column"),
        f"Clustered on {len(schema.names('cluster')):,}",
    ]
    if schema.label_column:
        facts.append(f"known groups: {escaped(schema.label_column)}")
    if done := len(studio.table.recipe.steps):
        facts.append(counted(done, "step"))
    return " \u00b7 ".join(facts)


def _place_for_dictionary(studio: Session) -> None:
    """Beside an export of REDCap, where to drop the project's data dictionary."""
    frame = studio.table.as_read
    if not is_export(frame) or studio.table.source is None:
        return
    if "columns" in frame.attrs:
        name = st.session_state.get(DICTIONARY, ("",))[0]
        st.caption(f":material/menu_book: Read with the REDCap dictionary {escaped(name)}.")
        return
    with st.expander(
        "This looks like an export of REDCap: add its data dictionary", icon=":material/menu_book:"
    ):
        st.file_uploader(
            "The project's data dictionary (CSV): words for codes, ticks, what was asked only of "
            "some, identifiers and calculated fields",
            type=["csv", "xlsx"],
            key="dictionary",
            on_change=_take_dictionary_file,
        )


@in_visit
def _take_dictionary_file() -> None:
    if (file := st.session_state["dictionary"]) is not None:
        load_dictionary(file.name, file.getvalue())


def _choice_of_table() -> None:
    place = st.segmented_control(
        "Where the table comes from",
        ["My file", "Examples"],
        key="place",
        default="My file",
        required=True,
        persist_state="session",
        label_visibility="collapsed",
    )
    if place == "Examples":
        key = st.selectbox(
            "Example",
            list(DEMOS),
            format_func=lambda key: DEMOS[key].title,
            index=None,
            key="example",
            persist_state="session",
            on_change=_take_example,
            placeholder="Choose an example",
            label_visibility="collapsed",
        )
        if key:
            st.caption(DEMOS[key].text)
    else:
        st.file_uploader(
            "CSV, Excel, SPSS, Stata, SAS, Parquet, Feather, JSON, or a saved project; it stays on "
            "this computer",
            type=FILE_TYPES,
            key="upload",
            on_change=_take_file,
        )


def _take_example() -> None:
    if key := st.session_state["example"]:
        take_or_ask(DEMOS[key].title, partial(_anew, load_example, key))


def _take_file() -> None:
    if (file := st.session_state["upload"]) is not None:
        take_or_ask(file.name, partial(_open, file.name, file.getvalue()))


def _open(name: str, content: bytes) -> None:
    if name.endswith(ENDING) or is_project(content):
        open_project(content)
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
        show_settings(studio.settings)
