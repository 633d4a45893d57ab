"""Every question on Data has buttons of its own, whatever the table."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.session.table import Table
from mapdp_studio.pages import Session
from tests.odd_tables import ODD_TABLES


def _questions() -> None:
    import streamlit as st

    from mapdp_studio.pages.parts.data.questions import questions

    questions(st.session_state["studio"])


@pytest.mark.parametrize("table", ODD_TABLES)
def test_no_two_buttons_share_a_key(table):
    studio = Session()
    studio.take(Table(ODD_TABLES[table], table, table), infer_schema(ODD_TABLES[table]))
    at = AppTest.from_function(_questions)
    at.session_state["studio"] = studio
    at.run()
    assert not at.exception
    coloured = {b.key for b in at.button if b.proto.type == "primary"}
    primary = [q for q in studio.schema.questions if q.primary is not None]
    assert len(coloured) == len(primary)
    assert not any(q.primary.discards for q in primary)
    asked = [(q.text, answer.text) for q in studio.schema.questions for answer in q.answers]
    assert len({button.key for button in at.button}) == len(asked)
    assert len(set(asked)) == len(asked)
