"""What a class answers, counted in the server's memory without names.

Challenges of the board that visitors have solved, and questions that they answer on their phones.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from html import escape
from urllib.parse import urljoin, urlsplit

import streamlit as st

from core.session.class_questions import ClassQuestions, Question

#: In their order on the board; a browser that says another name is not heard.
CHALLENGES = (
    *("circles", "bad-start", "rescue", "too-many", "one-point"),
    *("no-outlier", "widths", "near", "beat", "no-em"),
)
#: Of the visit in the session, drawn by lot; and the code that a lecturer's page has given out.
VISIT, CODE = "class_visit", "class_code"
#: What begins an address of a phone: ``/?vote=CODE``.
VOTE = "vote"
#: Names of this computer that no phone can call it by.
_OWN_NAMES = ("localhost", "127.0.0.1", "::1")
_LOOKS = """<style>
.asked { display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: baseline; line-height: 1.3; }
.asked .code { font-size: 1.9rem; font-weight: 700; letter-spacing: 0.2em; line-height: 1.1; }
.bars { display: flex; flex-wrap: wrap; gap: 0.2rem 1.5rem; font-size: 0.85em; line-height: 1.3; }
.bars div { flex: 1 1 11rem; }
.bars i { display: block; height: 0.8em; border-radius: 3px; background: #0f6b75; min-width: 2px;
    transition: width 0.6s ease; }
</style>"""


@st.cache_resource
def class_questions() -> ClassQuestions:
    """Those of the whole server, since its start."""
    return ClassQuestions(CHALLENGES)


def note_solved(names: list[str]) -> None:
    """Count this visit's solved challenges."""
    visit = st.session_state.setdefault(VISIT, secrets.token_hex(8))
    for name in CHALLENGES:
        if name in names:
            class_questions().answer(name, visit, 0)


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
    with st.container(key="class_counts", horizontal=True, vertical_alignment="center"):
        for name in CHALLENGES:
            solved = len(class_questions().standing(name).answers)
            st.badge(f"{name}: {solved}", color="green" if solved else "gray")
        st.button("Count afresh", on_click=class_questions().clear_standing)


def ask_the_class(text: str, choices: Sequence[str], is_revealed: bool) -> bool:
    """A button that asks the phones of a class; then its code and the answers while they come.

    A page has one code: the next question is asked under it, and the phones follow. Answers can be
    changed until the right one is revealed. Returns whether the class has been asked this.
    """
    code = st.session_state.get(CODE, "")
    question = class_questions().find(code)
    is_asked = question is not None and (question.text, question.choices) == (text, tuple(choices))
    if not is_asked or not (question.is_open or is_revealed):
        if not is_revealed:
            st.button(
                "Ask the class",
                icon=":material/smartphone:",
                on_click=_ask,
                args=(text, choices),
                help="Phones answer on a page of this server, under a code. No names are kept, and "
                "the answers are gone after three hours.",
            )
        return False
    if is_revealed:
        class_questions().close(code)
        _show(code, question)
    else:
        _growing(code)
    return True


def _ask(text: str, choices: Sequence[str]) -> None:
    state = st.session_state
    state[CODE] = class_questions().ask(text, choices, state.get(CODE, ""))


@st.fragment(run_every=1.0)
def _growing(code: str) -> None:
    question = class_questions().find(code)
    if question is not None:
        _show(code, question)


def _show(code: str, question: Question) -> None:
    """The address for phones, its code, and a bar of each answer."""
    counts = question.counts
    bars = "".join(
        f"<div>{escape(choice)}: <b>{count}</b>"
        f'<i style="width: {100 * count / max(sum(counts), 1):.0f}%"></i></div>'
        for choice, count in zip(question.choices, counts, strict=True)
    )
    way = f"{_server()}?{VOTE}={code}"
    called = "Answer on your phone" if question.is_open else "The class has answered"
    st.html(
        f'{_LOOKS}<div class="asked" role="status"><span>{called}</span>'
        f'<span class="code">{code}</span><span>{escape(way)}</span></div>'
        f'<div class="bars">{bars}</div>'
    )
    if urlsplit(way).hostname in _OWN_NAMES:
        st.caption(
            ":material/wifi_off: Phones cannot reach this address",
            help="Start with `--server.address 0.0.0.0 --server.allowedHosts NAME`, and open this "
            "page under the name that the network calls this computer by.",
        )


def _server() -> str:
    """Address of the start page."""
    return urljoin(st.context.url or "/", ".")
