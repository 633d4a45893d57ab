"""Questions on Data: each shows the answer that holds, and a click takes another one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import ColumnSpec, Schema, infer_schema
from mapdp_studio.core.schema.questions import Answer, Question
from mapdp_studio.core.session.table import Table
from mapdp_studio.pages import Session
from tests.odd_tables import ODD_TABLES


def _questions() -> None:
    import streamlit as st

    from mapdp_studio.pages.parts.data.questions import questions

    questions(st.session_state["studio"])


def page_of(frame, schema=None) -> AppTest:
    studio = Session()
    studio.take(Table(frame, "t.csv", "digest"), schema or infer_schema(frame))
    at = AppTest.from_function(_questions)
    at.session_state["studio"] = studio
    return at.run()


@pytest.mark.parametrize("table", ODD_TABLES)
def test_every_question_has_a_choice_of_its_own_and_shows_what_holds(table):
    at = page_of(ODD_TABLES[table])
    assert not at.exception
    schema = at.session_state["studio"].schema
    assert len({choice.key for choice in at.pills}) == len(schema.questions)
    for question, choice in zip(schema.questions, at.pills, strict=True):
        if choice.value is not None:
            held = question.answers[choice.value]
            assert held.step is None
            assert held(schema) == schema


def asking() -> AppTest:
    frame = pd.DataFrame({name: np.arange(30.0) ** power for power, name in enumerate("abc", 1)})
    schema = Schema([ColumnSpec(name, "normal") for name in frame])
    answers = {n: (Answer("No", {}), Answer("Keep out", {n: {"role": "ignore"}})) for n in "ab"}
    asked = [Question("outcome", (n,), f"Is {n} known later?", of) for n, of in answers.items()]
    return page_of(frame, schema.asking(asked))


def test_an_answer_is_taken_by_one_click_and_the_box_stays_open():
    at = asking()
    assert [choice.value for choice in at.pills] == [0, 0]
    assert at.expander[0].label == "2 questions, answered as shown"
    at.pills[0].set_value(1).run()
    assert at.session_state["studio"].schema["a"].role == "ignore"
    assert at.expander[0].proto.expanded


def test_the_box_is_folded_when_all_is_as_shown():
    at = asking()
    at.button[0].click().run()
    assert not at.expander[0].proto.expanded
    assert at.session_state["studio"].schema["a"].role == "cluster"
