"""Vote: on a phone, the question that a lecturer asks the class, and its answers as large buttons.

It is no page of the navigation: ``/?vote=CODE`` leads here.
"""

from __future__ import annotations

import re
import secrets

import streamlit as st

from core.wording import escaped
from pages.parts.teach.class_results import VOTE, class_questions

#: By which a phone is known when it loads the page again.
VOTER = "voter"
#: Seconds between two looks at whether something else is asked.
BETWEEN_LOOKS = 4.0
_LOOKS = """<style>
[data-testid="stHeader"], [data-testid="stToolbar"] { display: none; }
[data-testid="stMainBlockContainer"] { padding: 1.5rem 1rem; max-width: 34rem; }
[data-testid="stMainBlockContainer"] .stButton button { min-height: 4.5rem; }
[data-testid="stMainBlockContainer"] .stButton button p { font-size: 1.25rem; white-space: normal; }
</style>"""


def voter() -> str:
    """This phone, by a word drawn by lot that its address keeps."""
    known = st.query_params.get(VOTER, "")
    if not re.fullmatch("[0-9a-f]{16}", known):
        known = st.query_params[VOTER] = secrets.token_hex(8)
    return known


@st.fragment(run_every=BETWEEN_LOOKS)
def vote(code: str, visitor: str) -> None:
    """The question that stands under a code."""
    question = class_questions().find(code)
    if question is None:
        st.info("Nothing is asked under this code now. Look at the code on the screen.")
        return
    st.markdown(f"### {escaped(question.text)}")
    mine = question.answers.get(visitor)
    for place, choice in enumerate(question.choices):
        st.button(
            escaped(choice),
            key=f"choice {place}",
            type="primary" if place == mine else "secondary",
            width="stretch",
            disabled=not question.is_open,
            on_click=class_questions().answer,
            args=(code, visitor, place),
        )
    if not question.is_open:
        st.markdown("The answers are in: look at the screen. The next question will stand here.")
    elif mine is not None:
        st.markdown("Taken. You can change it until the answer is shown.")


st.html(_LOOKS)
vote(st.query_params.get(VOTE, "")[:20], voter())
