"""How a file was read: what can be read in two ways, where its table begins, and its encoding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from mapdp_studio.core import TableError, read_table
from mapdp_studio.core.reading.encodings import ENCODINGS
from mapdp_studio.core.reading.options import ReadOptions
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.wording import counted, escaped, listed
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.loading import REFUSED, load_file, read_file_again

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "blanks"}
DECIMALS = {"": "as each column shows", ".": "point", ",": "comma"}
_PREVIEW_ROWS, _PREVIEW_LINES = 10, 300


def reading_options(studio: Session) -> None:
    """Change how the file is read, see its first rows so, and read it again."""
    table = studio.table
    options = _options(studio, f"read-{table.digest}")
    can_be_read = _preview(table, options)
    st.button(
        "Read again",
        icon=":material/refresh:",
        on_click=read_file_again,
        args=(options,),
        disabled=not can_be_read or options == table.options,
    )
    _missing_tokens(table.as_read)


def _options(studio: Session, key: str) -> ReadOptions | None:
    """The options that the controls show; None, with a sentence, where they do not go together."""
    now = studio.table.options
    chosen: dict[str, Any] = {}
    if now.kind == "delimited":
        with st.container(horizontal=True):
            chosen["delimiter"] = _choice("Delimiter", now.delimiter, DELIMITERS, key)
            chosen["decimal"] = _choice("Decimal sign", now.decimal or "", DECIMALS, key) or None
            encodings = dict.fromkeys(ENCODINGS)
            chosen["encoding"] = _choice("Encoding", now.encoding, encodings, key)
    if now.kind in ("delimited", "xlsx"):
        with st.container(horizontal=True):
            names = st.number_input(
                "Names in line (0: none)", 0, None, now.names_line, key=f"{key}-names"
            )
            data = st.number_input("Values from line", 1, None, now.data_line, key=f"{key}-data")
            chosen |= {"names_line": names, "data_line": data}
    if now.kind == "xlsx":
        sheet = st.text_input("Sheet (empty: the first)", now.sheet, key=f"{key}-sheet")
        chosen["sheet"] = sheet or None
        if chosen["sheet"] != now.sheet:
            chosen |= {"names_line": None, "data_line": None}
    chosen["na_tokens"] = st.multiselect(
        "Cells that mean “missing”",
        now.na_tokens,
        now.na_tokens,
        key=f"{key}-na",
        format_func=lambda token: token or "(empty)",
        accept_new_options=True,
    )
    try:
        return replace(now, **chosen)
    except TableError as error:
        st.warning(escaped(error), icon=":material/warning:")
        return None


def _choice(label: str, now: Any, names: Mapping[Any, str | None], key: str) -> Any:
    values = list({now: None} | dict(names)) if now not in names else list(names)
    return st.selectbox(
        label,
        values,
        index=values.index(now),
        format_func=lambda value: names.get(value) or str(value),
        key=f"{key}-{label}",
    )


def _preview(table: Table, options: ReadOptions | None) -> bool:
    if options is None:
        return False
    try:
        is_read_so = options == table.options
        frame = table.as_read.head(_PREVIEW_ROWS) if is_read_so else _first_rows(table, options)
    except TableError as error:
        st.warning(escaped(error), icon=":material/warning:")
        return False
    st.caption(f"The first {counted(len(frame), 'row')} as read so:")
    st.dataframe(frame, hide_index=True, placeholder="\u2013", alt="The first rows as read")
    return True


def _first_rows(table: Table, options: ReadOptions) -> pd.DataFrame:
    content = table.source
    if options.kind == "delimited" and not options.encoding.startswith("utf-16"):
        lines = max(options.data_line or 1, options.names_line or 1) + _PREVIEW_LINES
        content = b"\n".join(content.split(b"\n", lines)[:lines])
    return read_table(content, options=options, name=table.name).head(_PREVIEW_ROWS)


def _missing_tokens(frame: pd.DataFrame) -> None:
    if found := frame.attrs.get("missing"):
        said = (
            f"{name} ({', '.join(f'“{token}” {n:,}' for token, n in tokens.items())})"
            for name, tokens in found.items()
        )
        st.caption(f"Words that count as missing, with their cells: {escaped(listed(said, 30))}.")


def read_refused() -> None:
    """Read a refused file of text in another encoding or with another delimiter."""
    name, content = st.session_state.get(REFUSED, ("", b""))
    if not content:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        encoding = st.selectbox("Encoding", ENCODINGS, key="refused-encoding")
        delimiter = st.selectbox(
            "Delimiter", list(DELIMITERS), format_func=DELIMITERS.get, key="refused-delimiter"
        )
        st.button(
            "Read it so",
            icon=":material/refresh:",
            on_click=load_file,
            args=(name, content, ReadOptions(encoding=encoding, delimiter=delimiter)),
        )
