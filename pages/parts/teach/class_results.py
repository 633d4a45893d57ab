"""How many of a class have solved each challenge: counted in the server's memory, without names."""

from __future__ import annotations

import secrets
from collections import defaultdict

import streamlit as st

#: In their order on the board; a browser that says another name is not heard.
CHALLENGES = (
    *("circles", "bad-start", "rescue", "too-many", "one-point"),
    *("no-outlier", "widths", "near", "beat", "no-em"),
)
#: Of the visit in the session, drawn by lot.
VISIT = "class_visit"


@st.cache_resource
def solved_by() -> defaultdict[str, set[str]]:
    """Which visits have solved a challenge, since the server's start or the last fresh start."""
    return defaultdict(set)


def note_solved(names: list[str]) -> None:
    """Count this visit's solved challenges."""
    visit = st.session_state.setdefault(VISIT, secrets.token_hex(8))
    for name in CHALLENGES:
        if name in names:
            solved_by()[name].add(visit)


def class_results() -> None:
    """On a lecturer's page: a switch, and the counts while it is on."""
    shown = st.toggle(
        "What the class has solved",
        key="class_results",
        persist_state="session",
        help="How many visitors of this server have solved each challenge. No names are kept, and "
        "the counts end with the server.",
    )
    if shown:
        _counts()


@st.fragment(run_every=3.0)
def _counts() -> None:
    solved = solved_by()
    with st.container(key="class_counts", horizontal=True, vertical_alignment="center"):
        for name in CHALLENGES:
            st.badge(f"{name}: {len(solved[name])}", color="green" if solved[name] else "gray")
        st.button("Count afresh", on_click=solved.clear)
