"""What cannot be known from the cells, asked in one line each with a button for every answer."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mapdp_studio.core.schema.questions import Question
from mapdp_studio.core.wording import cut, escaped
from mapdp_studio.pages import Session, in_visit

MOST_AT_ONCE = 3
#: Columns named in the help of a question that only counts them, and letters looked for of each.
_MOST_NAMED, _CUT = 100, 30
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
    """Draw the open questions, the most consequential first; nothing waits for an answer."""
    ask(studio, studio.schema.questions)


def ask(studio: Session, asked: Sequence[Question]) -> None:
    """Draw some of the open questions: a few whole, the others behind one line.

    A single one is not put behind a line as high as itself.
    """
    n_first = MOST_AT_ONCE if len(asked) > MOST_AT_ONCE + 1 else len(asked)
    with st.container(gap="small", key="questions"):
        for question in asked[:n_first]:
            _line(studio, question)
        if asked[n_first:]:
            # Kept open while they are answered one by one: another label, such as one that counts
            # them, would be another box to the browser, and that is shut.
            label = "More questions about the columns"
            with st.expander(label, key="more_questions", on_change="rerun"):
                for question in asked[n_first:]:
                    _line(studio, question)


def _line(studio: Session, question: Question) -> None:
    key = f"{studio.table.digest}-{question.about}-{'-'.join(question.columns)}-{question.text}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        named = all(cut(name, _CUT) in question.text for name in question.columns)
        st.markdown(
            f"{_ICONS[question.about]} {escaped(question.text)}",
            width="content",
            help=None if named else escaped(", ".join(question.columns[:_MOST_NAMED])),
        )
        for place, answer in enumerate(question.answers):
            st.button(
                escaped(answer.text),
                key=f"answer-{place}-{key}",
                type="primary" if answer is question.primary else "secondary",
                on_click=in_visit(studio.answer),
                args=(answer,),
            )
