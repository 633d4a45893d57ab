"""Which methods stand side by side: the five, or others in their places."""

from __future__ import annotations

import streamlit as st

from core.methods import JUDGE, METHODS
from core.methods.further import FURTHER
from pages import Session, session

#: Panels at most, MAP-DP's among them.
MOST = 8
_KEY = "methods beside"


def choose_methods(studio: Session) -> None:
    """Draw the choice; what it says is the session's own."""
    st.session_state[_KEY] = [name for name in studio.compared if name != JUDGE]
    chosen = st.multiselect(
        f"Methods beside {METHODS[JUDGE].title}",
        [name for name in _offered(studio) if name != JUDGE],
        format_func=lambda name: METHODS[name].glossary[0],
        max_selections=MOST - 1,
        key=_KEY,
        on_change=_take,
        help=f"Up to {MOST} panels. {METHODS[JUDGE].title} stays: its model is the yardstick.",
    )
    n_rows = len(studio.table.frame)
    for name in chosen:
        if name in FURTHER:
            st.caption(_said(name, n_rows))
    if chosen != [name for name in METHODS if name != JUDGE]:
        st.button("The five again", icon=":material/restart_alt:", on_click=_take_the_five)


def _offered(studio: Session) -> list[str]:
    """All methods; those of several data sets where a column names those, or one is shown."""
    has_data_sets = bool(studio.schema.names("group"))
    return [
        name
        for name in (*METHODS, *FURTHER)
        if has_data_sets or not METHODS[name].shares_clusters or name in studio.compared
    ]


def _said(name: str, n_rows: int) -> str:
    """What a method does, what of the sliders it reads, and its limit."""
    method = METHODS[name]
    said = f"**{method.glossary[0]}.** {method.glossary[1]}"
    read = [_SLIDERS[setting] for setting in method.reads if setting in _SLIDERS]
    if read:
        said += f" It reads {' and '.join(dict.fromkeys(read))}."
    if method.is_beyond(n_rows):
        said += (
            f" It takes up to {method.most_rows:,} rows: of this table's {n_rows:,} it shows what"
            " it makes of a sample."
        )
    return said


#: What a slider is called, by its setting.
_SLIDERS = {
    "concentration": "N\u2080",
    "penalty": "\u03bb",
    "penalty_hint": "\u03bb",
    "n_clusters": "K",
}


def _take() -> None:
    """The order is that of the list, whatever the order of the clicks."""
    wanted = st.session_state[_KEY]
    session().compared = (JUDGE, *(name for name in (*METHODS, *FURTHER) if name in wanted))


def _take_the_five() -> None:
    session().compared = tuple(METHODS)
