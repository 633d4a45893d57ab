"""Where the table comes from: an example, a file, a project; settings that a table takes up."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from mapdp_studio.core.exports import settings_file
from mapdp_studio.core.exports.tables import file_stem
from mapdp_studio.core.reading.redcap import is_export
from mapdp_studio.core.session.project_file import ENDING, is_project, load_project, save_project
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.demo_datasets import DEMOS
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.data.reading import read_refused, reading_options
from mapdp_studio.pages.parts.shared import kit, loading

FILE_TYPES = [
    *("csv", "tsv", "txt", "parquet", "feather", "json", "jsonl", "ndjson", "xlsx", "xls", "ods"),
    *("xlsm", "xlsb", "gz", "zip"),
    *("sav", "dta", "sas7bdat", "xpt", ENDING[1:]),
]


def choose_table(visit: Session) -> None:
    """Take a file or an example; beside a table the choice is folded under its name."""
    if visit.table is None:
        _choice_of_table()
    else:
        title = f"**{escaped(visit.table.name)}** \u00b7 {_facts(visit)}"
        box = st.expander(title, icon=":material/upload_file:", key="source", on_change="rerun")
        with box:
            _choice_of_table()
            if visit.table.source and box.open:
                reading_options(visit)
        frame = visit.table.as_read
        if visit.table.source and is_export(frame) and "columns" not in frame.attrs:
            st.caption(
                ":material/menu_book: An export of REDCap: give its data dictionary (CSV), too, "
                "where the table came from, for words of codes, ticks, identifiers and what was "
                "asked only of some."
            )
    if visit.failure:
        hint = " The table below is still the one before." if visit.table else ""
        st.error(escaped(visit.failure) + hint, icon=":material/error:")
        read_refused()


def _facts(visit: Session) -> str:
    frame, schema, n_steps = visit.table.frame, visit.schema, len(visit.table.recipe.steps)
    facts = [counted(len(frame), "row"), counted(frame.shape[1], "column")]
    facts += [f"Clustered on {len(schema.names('cluster')):,}"]
    facts += [f"known groups: {escaped(schema.label_column)}"] * bool(schema.label_column)
    return " \u00b7 ".join(facts + [counted(n_steps, "step")] * bool(n_steps))


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
        take_table(loading.load_example, key)


def _take_file() -> None:
    file = st.session_state["upload"]
    if file is not None and is_settings(file.getvalue()):
        open_settings(file.getvalue())
    elif file is not None:
        take_table(_open, file.name, file.getvalue())


@in_visit
def take_table(load: Callable[..., None], *what: object) -> None:
    """Load another table, or say that with this one the lock and the log of a study would go."""
    visit = session()
    if visit.study.lock is None:
        load(*what)
    else:
        visit.failure = (
            f"The roles of '{visit.table.name}' are locked, and with another table the lock and "
            "the log of what was looked at would go: save the project, and unlock them on Clinical "
            "first."
        )


def _open(name: str, content: bytes) -> None:
    if name.endswith(ENDING) or is_project(content):
        open_project(content)
        return
    st.session_state["example"] = None
    loading.load_file(name, content)


def save_button(visit: Session, key: str) -> None:
    """Draw the button that saves the project."""
    kit.download(
        "Save the project",
        partial(save_project, visit.project),
        f"{file_stem(visit.table.name)}{ENDING}",
        key=key,
        icon=":material/save:",
        help="One file with the table, every decision, names, merges and snapshots. Open it on "
        f"Data, in another reader's app, or with `mapdp-studio file{ENDING}`.",
    )


def open_project(content: bytes) -> None:
    """Go on with a saved project, or note in one sentence why that cannot be."""
    with loading.noting_failure() as visit:
        visit.take_project(load_project(content))
        st.session_state["example"] = visit.table.example


def is_settings(content: bytes) -> bool:
    """Whether a file holds settings by its first letters; it may still be damaged."""
    return settings_file.FILE.first_lines["format"].encode() in content[:99]


@in_visit
def open_settings(content: bytes) -> None:
    """Decide about the table as saved, and say what came of it."""
    with loading.noting_failure() as visit:
        saved, table = settings_file.load_settings(content), visit.table
        if table is None:
            raise settings_file.SettingsFileError(
                f"These are settings: load '{saved.table}' first, then them."
            )
        is_read_otherwise = saved.options not in (None, table.options)
        if saved.table == table.name and table.source and is_read_otherwise:
            loading.read_file_again(saved.options)
            if visit.failure:
                return
        remarks = visit.project.take_up(saved)
        visit.notices = [f"The settings saved with {saved.table} are in use now.", *remarks]


def open_once(path: str) -> bool:
    """Open what the server was started with, once in every visit; whether it was done now."""
    state = st.session_state
    # Until the tab has reported its key, an earlier visit may still be found.
    if "tab_key" not in state or state.get("tab_opened"):
        return False
    visit = state.setdefault("visit", Session())
    with visit.lock, st.spinner("Opening the file"):
        if visit.table is None:
            try:
                _open(Path(path).name, Path(path).read_bytes())
            except OSError as error:
                visit.failure = f"'{path}' cannot be read ({error.strerror})."
    state["tab_opened"] = True  # not before: a click meanwhile ends this run
    return True
