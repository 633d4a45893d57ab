"""A table is loaded: from a file, or one of the examples."""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from mapdp_studio.core import Schema, TableError, infer_schema, read_table
from mapdp_studio.core.reading.redcap import is_dictionary, read_dictionary, with_dictionary
from mapdp_studio.core.reading.tables import ReadOptions
from mapdp_studio.core.session.table import Table, example_digest
from mapdp_studio.core.wording import RefusedError
from mapdp_studio.demo_datasets import DEMOS, load_demo
from mapdp_studio.pages import Session, in_visit, session

#: Under which a session keeps the fields of a REDCap dictionary, and name and bytes of a file of
#: text that could not be read.
DICTIONARY, REFUSED = "redcap dictionary", "refused file"
# Reading takes several times what its table does in the end, so no two files are read at once.
_reading = threading.Lock()


@in_visit
def load_file(name: str, content: bytes, options: ReadOptions | None = None) -> None:
    """Read a file into the session, or note in one sentence why it cannot be read."""
    is_text = options is not None or b"\0" not in content[:4096]
    st.session_state[REFUSED] = (name, content) if is_text else ("", b"")
    with noting_failure() as visit:
        table = _read(name, content, options)
        st.session_state[REFUSED] = "", b""
        if is_dictionary(table.frame):
            _take_dictionary(visit, table)
            return
        table = _with_dictionary(table)
        with st.spinner("Looking at its columns"):
            schema = infer_schema(table.frame)
        visit.take(table, schema)
        visit.asks_table = True


@in_visit
def read_file_again(options: ReadOptions) -> None:
    """Read the current file with other options; what was decided about its columns stays."""
    with noting_failure() as visit:
        table = _with_dictionary(_read(visit.table.name, visit.table.source, options))
        with st.spinner("Looking at its columns"):
            visit.read_again(table)


def _take_dictionary(visit: Session, dictionary: Table) -> None:
    """Read the table that is there with a REDCap dictionary, or keep it for the one to come."""
    fields, table = read_dictionary(dictionary.frame), visit.table
    st.session_state[DICTIONARY] = fields
    if table is None or table.source is None:
        raise TableError(
            f"'{dictionary.name}' is the data dictionary of a REDCap project ({len(fields):,} "
            "fields), no table of patients: now load the export that belongs to it."
        )
    visit.read_again(_with_dictionary(_read(table.name, table.source, table.options), True))


def _with_dictionary(table: Table, must: bool = False) -> Table:
    """An export with the dictionary that was loaded, which it must fit, or may."""
    fields = st.session_state.get(DICTIONARY, ())
    try:
        frame = with_dictionary(table.frame, fields) if fields else table.frame
    except TableError:  # of another project
        if must:
            raise
        return table
    digest = hashlib.sha256(f"{table.digest} {fields}".encode()).hexdigest()
    return replace(table, frame=frame, digest=digest) if fields else table


@contextmanager
def noting_failure() -> Iterator[Session]:
    """The visit; the sentence on what cannot be read, or taken up, is kept there for the page."""
    visit = session()
    visit.failure = ""
    try:
        yield visit
    except RefusedError as error:
        visit.failure = str(error)


def _read(name: str, content: bytes, options: ReadOptions | None) -> Table:
    with st.spinner("Reading the table"):
        return Table.of_file(read_upload(name, content, options), name, content)


def read_upload(name: str, content: bytes, options: ReadOptions | None = None) -> pd.DataFrame:
    """Read a visitor's file when no other one is read; a TableError says that it is no table."""
    with _reading:
        return read_table(content, options=options, name=name)


def read_once(visit: Session, file: Any) -> pd.DataFrame:
    """What was given to an uploader, read at the first run after that."""
    work = partial(read_upload, file.name, file.getvalue())
    with st.spinner("Reading the file"):
        return visit.results.cached("read rows", file.file_id, work)


@in_visit
def load_example(key: str) -> None:
    """Make one of ``DEMOS`` the current table."""
    frame, schema = read_example(key)
    session().take(Table(frame, DEMOS[key].title, example_digest(key, len(frame))), schema)


@st.cache_resource(show_spinner="Preparing the example", max_entries=len(DEMOS))
def read_example(key: str) -> tuple[pd.DataFrame, Schema]:
    frame, schema, _ = load_demo(key)
    return frame, schema
