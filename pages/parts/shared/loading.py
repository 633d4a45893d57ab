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
        return
    digest = hashlib.sha256(content)
    digest.update(repr(options).encode())
    studio.take(Table(frame, name, digest.hexdigest(), content, options), schema)


def load_example(key: str) -> None:
    """Make one of ``DEMOS`` the current table."""
    frame, schema = _example(key)
    session().take(Table(frame, DEMOS[key].title, f"example {key}"), schema)


@st.cache_resource(show_spinner="Preparing the example", max_entries=len(DEMOS))
def _example(key: str) -> tuple[pd.DataFrame, Schema]:
    frame, schema, _ = load_demo(key)
    return frame, schema
