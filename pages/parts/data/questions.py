"""What cannot be known from the cells: questions with the answers that hold, a click to change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from mapdp_studio.core import SchemaError
from mapdp_studio.core.schema.questions import Answer, Question
from mapdp_studio.core.wording import counted, cut, escaped
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.shared.loading import read_file_again

#: Letters of a question shown; columns in the help of one that counts them, and letters of each.
_LETTERS, _MOST_NAMED, _CUT = 160, 100, 30
#: Questions that stand there whole; more of them are scrolled, in so many pixels.
_WHOLE, _HEIGHT = 5, 440
_ICONS = {
    "label": ":material/label:",
    "outcome": ":material/flag:",
    "treatment": ":material/medication:",
    "weight": ":material/balance:",
    "repeat": ":material/content_copy:",
    "background": ":material/person:",
    "cells": ":material/call_split:",
    "missing": ":material/grid_off:",
    "identifier": ":material/tag:",
    "headers": ":material/title:",
    "order": ":material/sort:",
}


def questions(studio: Session) -> None:
    """All that is asked about the table, in a box that is folded once it is as it should be."""
    table, asked = studio.table, studio.schema.questions
    readings = [one for one in table.as_read.attrs.get("open", []) if one["choices"]]
    readings = readings if table.source else []
    if n := len(readings) + len(asked):
        key = f"questions-{table.digest.partition('#')[0]}"  # steps leave it as it is
        title = f"{counted(n, 'question')}, answered as shown"
        with st.expander(title, key=key, expanded=True, on_change="rerun"):
            with st.container(height=_HEIGHT if n > _WHOLE else "content", border=False):
                for reading in readings:
                    _reading(reading)
                ask(studio, asked)
            st.button("Keep all as shown", icon=":material/check:", on_click=_fold, args=(key,))


def _fold(key: str) -> None:
    st.session_state[key] = False


def _reading(about: Mapping[str, Any]) -> None:
    """A column whose cells can be read in two ways, with a choice of the other one."""
    ways, key = about["choices"], f"open-{about['text']}"
    _choice(about["text"], ":material/help:", list(ways), None, key, _read_column, ways)


@in_visit
def _read_column(key: str, ways: Mapping[str, tuple[str, str, str]]) -> None:
    if (chosen := st.session_state[key]) is not None:
        way = [*ways.values()][chosen]
        read_file_again(session().table.options.with_column(*way))


def ask(studio: Session, asked: Sequence[Question]) -> None:
    """Draw open questions, the most consequential first; nothing waits for an answer."""
    with st.container(gap="small", key="questions"):
        for question in asked:
            _question(studio, question)


def _question(studio: Session, question: Question) -> None:
    key = f"{studio.table.digest}-{studio.renewals}-{question.about}-{question.text}"
    named = all(cut(name, _CUT) in question.text for name in question.columns)
    more = "" if named else ", ".join(question.columns[:_MOST_NAMED])
    about, answers = (studio.schema, question), question.answers
    holds = studio.results.latest(
        "answers that hold", about, lambda: [_holds(studio, answer) for answer in answers], 50
    )
    texts, held = [answer.text for answer in answers], holds.index(True) if any(holds) else None
    _choice(question.text, _ICONS[question.about], texts, held, key, _answer, answers, more)


@in_visit
def _answer(key: str, answers: Sequence[Answer]) -> None:
    if (chosen := st.session_state[key]) is not None:
        session().answer(answers[chosen])


def _choice(
    text: str,
    icon: str,
    answers: Sequence[str],
    held: int | None,
    key: str,
    take: Callable[..., None],
    of: Any,
    more: str = "",
) -> None:
    st.pills(
        f"{icon} {escaped(cut(text, _LETTERS))}",
        range(len(answers)),
        default=held,
        required=held is not None,
        format_func=lambda place: escaped(answers[place]),
        key=key,
        help=escaped(more or (text if len(text) > _LETTERS else "")) or None,
        on_change=take,
        args=(key, of),
    )


def _holds(studio: Session, answer: Answer) -> bool:
    try:
        return answer.step is None and answer(studio.schema) == studio.schema
    except SchemaError:
        return False
