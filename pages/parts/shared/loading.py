"""A table is loaded: from a file, or one of the examples."""

from __future__ import annotations

import hashlib

import pandas as pd
import streamlit as st

from core import Schema, SchemaError, TableError, infer_schema, read_table
from core.reading.tables import ReadOptions, sniff
from core.session.work import Table
from demo_datasets import DEMOS, load_demo
from pages import session


def load_file(name: str, content: bytes, options: ReadOptions | None = None) -> None:
    """Read a file into the session, or note in one sentence why it cannot be read."""
    found = _read(name, content, options)
    if found is not None:
        session().take(*found)


def read_file_again(options: ReadOptions) -> None:
    """Read the current file with other options; what was decided about its columns stays."""
    studio = session()
    found = _read(studio.table.name, studio.table.source, options)
    if found is not None:
        studio.failure = ""
        studio.read_again(*found)


def _read(name: str, content: bytes, options: ReadOptions | None) -> tuple[Table, Schema] | None:
    studio = session()
    try:
        with st.spinner("Reading the table"):
            options = options or sniff(content, name=name)
            frame = read_table(content, options=options, name=name)
        if len(frame) < 2:
            raise TableError(f"'{name}' holds one row: groups need at least two rows.")
        with st.spinner("Looking at its columns"):
            schema = infer_schema(frame)
    except (TableError, SchemaError) as error:
        studio.failure = str(error)
        return None
    digest = hashlib.sha256(content)
    digest.update(repr(options).encode())
    return Table(frame, name, digest.hexdigest(), content, options), schema


def load_example(key: str) -> None:
    """Make one of ``DEMOS`` the current table."""
    frame, schema = _example(key)
    session().take(Table(frame, DEMOS[key].title, f"example {key}"), schema)


@st.cache_resource(show_spinner="Preparing the example", max_entries=len(DEMOS))
def _example(key: str) -> tuple[pd.DataFrame, Schema]:
    frame, schema, _ = load_demo(key)
    return frame, schema
