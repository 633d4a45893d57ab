"""How a file was read, and what cannot be known from its cells: questions, each a click."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from mapdp_studio.core import SchemaError, TableError, read_table
from mapdp_studio.core.reading.encodings import ENCODINGS
from mapdp_studio.core.reading.options import ReadOptions
from mapdp_studio.core.schema.questions import Answer, Question
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.wording import counted, cut, escaped, listed
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.kit import listing, takes
from mapdp_studio.pages.parts.shared.loading import REFUSED, load_file, read_file_again

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "blanks"}
DECIMALS = {"": "as each column shows", ".": "point", ",": "comma"}
_PREVIEW_ROWS, _PREVIEW_LINES = 10, 300
#: Letters of a question shown; columns in the help of one that counts them, and letters of each.
_LETTERS, _MOST_NAMED, _CUT = 160, 100, 30
#: Questions that stand there whole; more of them are scrolled, in so many pixels.
_WHOLE, _HEIGHT = 5, 440


def reading_options(visit: Session) -> None:
    """Change how the file is read, see its first rows so, and read it again."""
    table, options = visit.table, None
    try:
        options = _options(table.options, f"read-{table.digest}")
        is_read_so = options == table.options
        frame = table.as_read.head(_PREVIEW_ROWS) if is_read_so else _first_rows(table, options)
        listing(frame, "The first rows as read")
    except TableError as error:
        st.warning(escaped(error), icon=":material/warning:")
        options = None
    st.button(
        "Read again",
        icon=":material/refresh:",
        on_click=read_file_again,
        args=(options,),
        disabled=options in (None, table.options),
    )
    if tokens_of := table.as_read.attrs.get("missing"):
        counts = (
            f"{name} ({', '.join(f'“{token}” {n:,}' for token, n in tokens.items())})"
            for name, tokens in tokens_of.items()
        )
        st.caption(f"Words that count as missing, with their cells: {escaped(listed(counts, 30))}.")


def _options(now: ReadOptions, key: str) -> ReadOptions:
    """The options that the controls show; a TableError where they do not go together."""
    chosen: dict[str, Any] = {}
    if now.kind == "delimited":
        with st.container(horizontal=True):
            chosen["delimiter"] = _choice("Delimiter", now.delimiter, DELIMITERS, key)
            chosen["decimal"] = _choice("Decimal sign", now.decimal or "", DECIMALS, key) or None
            encodings = dict.fromkeys(ENCODINGS)
            chosen["encoding"] = _choice("Encoding", now.encoding, encodings, key)
    if now.kind in ("delimited", "xlsx"):
        with st.container(horizontal=True):
            for name, label, least in (
                ("names_line", "Names in line (0: none)", 0),
                ("data_line", "Values from line", 1),
            ):
                line = getattr(now, name)
                chosen[name] = st.number_input(label, least, None, line, key=f"{key}-{name}")
    if now.kind == "xlsx":
        sheet = st.text_input("Sheet (empty: the first)", now.sheet, key=f"{key}-sheet") or None
        chosen["sheet"] = sheet
        if sheet != now.sheet:
            chosen |= {"names_line": None, "data_line": None}
    chosen["na_tokens"] = st.multiselect(
        "Cells that mean “missing”",
        now.na_tokens,
        now.na_tokens,
        key=f"{key}-na",
        format_func=lambda token: token or "(empty)",
        accept_new_options=True,
    )
    return replace(now, **chosen)


def _choice(label: str, now: Any, names: Mapping[Any, str | None], key: str) -> Any:
    values = list(dict.fromkeys([*names, now]))
    return st.selectbox(
        label,
        values,
        index=values.index(now),
        format_func=lambda value: names.get(value) or str(value),
        key=f"{key}-{label}",
    )


def _first_rows(table: Table, options: ReadOptions) -> pd.DataFrame:
    content = table.source
    if options.kind == "delimited" and not options.encoding.startswith(("utf-16", "utf-32")):
        lines = max(options.data_line or 1, options.names_line or 1) + _PREVIEW_LINES
        content = b"\n".join(content.split(b"\n", lines)[:lines])
    return read_table(content, options=options, name=table.name).head(_PREVIEW_ROWS)


def read_refused() -> None:
    """Read a refused file of text in another encoding or with another delimiter."""
    name, content = st.session_state.get(REFUSED, ("", b""))
    if content:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            encoding = _choice("Encoding", "utf-8", dict.fromkeys(ENCODINGS), "refused")
            delimiter = _choice("Delimiter", ",", DELIMITERS, "refused")
            args = name, content, ReadOptions(encoding=encoding, delimiter=delimiter)
            st.button("Read it so", icon=":material/refresh:", on_click=load_file, args=args)


def questions(visit: Session) -> None:
    """All that is asked about the table, in a box that is folded once it is as it should be."""
    table, asked = visit.table, visit.schema.questions
    readings = [one for one in table.as_read.attrs.get("open", []) if one["choices"]]
    readings = readings if table.source else []
    if n := len(readings) + len(asked):
        key = f"questions-{table.digest.partition('#')[0]}"  # steps leave it as it is
        # How a column is read, its own text says.
        n_open = sum(_held(visit, one) is None for one in asked)
        title = f"{counted(n, 'question')}, {f'{n_open:,} open' if n_open else 'answered as shown'}"
        with st.expander(title, key=key, expanded=True, on_change="rerun"):
            with st.container(height=_HEIGHT if n > _WHOLE else "content", border=False):
                for one in readings:  # a column whose cells can be read in two ways
                    text, choices = one["text"], one["choices"]
                    read = [table.options.with_column(*way) for way in choices.values()]
                    acts = [partial(read_file_again, options) for options in read]
                    _one_question(text, list(choices), None, f"open-{text}", acts)
                ask(visit, asked)
            fold = partial(st.session_state.update, {key: False})
            st.button("Keep all as shown", icon=":material/check:", on_click=fold)


def ask(visit: Session, asked: Sequence[Question]) -> None:
    """Draw open questions, the most consequential first; nothing waits for an answer."""
    with st.container(gap="small", key="questions"):
        for one in asked:
            key = f"{visit.table.digest}-{visit.renewals}-{one.about}-{one.text}"
            named = all(cut(name, _CUT) in one.text for name in one.columns)
            more = "" if named else ", ".join(one.columns[:_MOST_NAMED])
            acts = [partial(visit.answer, answer) for answer in one.answers]
            texts = [answer.text for answer in one.answers]
            _one_question(one.text, texts, _held(visit, one), key, acts, more)


def _held(visit: Session, question: Question) -> int | None:
    """Which answer holds as the columns stand, if one does."""
    key, answers = (visit.schema, question), question.answers
    holds = visit.results.cached(
        "answers that hold", key, lambda: [_holds(visit, answer) for answer in answers], 50
    )
    return holds.index(True) if any(holds) else None


def _one_question(
    text: str,
    answers: Sequence[str],
    held: int | None,
    key: str,
    acts: Sequence[Callable[[], None]],
    more: str = "",
) -> None:
    """One question with its answers, the one that holds chosen; another one is taken at once."""
    st.pills(
        escaped(cut(text, _LETTERS)),
        range(len(answers)),
        default=held,
        required=held is not None,
        format_func=lambda place: escaped(answers[place]),
        help=escaped(more or (text if len(text) > _LETTERS else "")) or None,
        **takes(key, lambda place: place is not None and acts[place]()),
    )


def _holds(visit: Session, answer: Answer) -> bool:
    try:
        return answer.step is None and answer(visit.schema) == visit.schema
    except SchemaError:
        return False
