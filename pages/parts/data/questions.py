"""What cannot be known from the cells: questions with the answers that hold, a click to change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from mapdp_studio.core import SchemaError
from mapdp_studio.core.schema.questions import Answer, Question
from mapdp_studio.core.wording import counted, cut, escaped
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.shared.loading import read_file_again

#: Letters of a question shown; columns in the help of one that counts them, and letters of each.
_LETTERS, _MOST_NAMED, _CUT = 160, 100, 30
#: Questions that stand there whole; more of them are scrolled, in so many pixels.
_WHOLE, _HEIGHT = 5, 440


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
                for one in readings:  # a column whose cells can be read in two ways
                    text, ways = one["text"], one["choices"]
                    read = [table.options.with_column(*way) for way in ways.values()]
                    takes = [partial(read_file_again, options) for options in read]
                    _choice(text, list(ways), None, f"open-{text}", takes)
                ask(studio, asked)
            fold = partial(st.session_state.update, {key: False})
            st.button("Keep all as shown", icon=":material/check:", on_click=fold)


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
    held = holds.index(True) if any(holds) else None
    takes = [partial(studio.answer, answer) for answer in answers]
    _choice(question.text, [answer.text for answer in answers], held, key, takes, more)


def _choice(
    text: str,
    answers: Sequence[str],
    held: int | None,
    key: str,
    takes: Sequence[Callable[[], None]],
    more: str = "",
) -> None:
    """One question with its answers, the one that holds chosen; another one is taken at once."""

    @in_visit
    def take() -> None:
        if (chosen := st.session_state[key]) is not None:
            takes[chosen]()

    st.pills(
        escaped(cut(text, _LETTERS)),
        range(len(answers)),
        default=held,
        required=held is not None,
        format_func=lambda place: escaped(answers[place]),
        key=key,
        help=escaped(more or (text if len(text) > _LETTERS else "")) or None,
        on_change=take,
    )


def _holds(studio: Session, answer: Answer) -> bool:
    try:
        return answer.step is None and answer(studio.schema) == studio.schema
    except SchemaError:
        return False
