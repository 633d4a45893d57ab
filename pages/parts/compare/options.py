"""What stands behind Compare's Options: which methods, what each is told, axes and marking."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.methods.record import Option
from mapdp_studio.core.plots.template import DRAGS
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.compare.settings import MOST
from mapdp_studio.pages.parts.shared.kit import choose_one

_KEY = "methods beside"
#: What a slider is called, by its setting.
_SLIDERS = {"concentration": "N₀", "penalty": "λ", "penalty_hint": "λ", "n_clusters": "K"}


def choose_look(studio: Session, names: tuple[str, ...]) -> tuple[tuple[str, str] | None, str]:
    """Columns on the axes, or None for all in one plane; and what dragging over panels does."""
    _choose_methods(studio)
    st.toggle(
        "Light up disagreement",
        key="light",
        persist_state="session",
        help="In every panel the rows stand out that it places otherwise than the known groups do; "
        "without known groups, otherwise than MAP-DP.",
    )
    pair = st.multiselect(
        "Axes of all panels: two columns",
        names,
        key=f"axes-{studio.table.digest}",
        persist_state="session",
        max_selections=2,
        placeholder="All columns in one plane: its first two principal components",
    )
    drag = choose_one(
        "Dragging over a panel",
        list(DRAGS),
        "drag",
        format_func=DRAGS.get,
        default="select",
        help="A box or a lasso marks rows: they stand out in all panels. With “Click or zoom” a "
        "click marks one row, dragging zooms into all panels, and a double click leads back.",
    )
    return (tuple(pair) if len(pair) == 2 else None), drag


def _choose_methods(studio: Session) -> None:
    """Which methods stand beside MAP-DP; what the page says of them is the session's own."""
    st.session_state[_KEY] = [name for name in studio.compared if name != JUDGE]
    has_data_sets = bool(studio.schema.names("group"))
    offered = [
        name
        for name in METHODS
        if name != JUDGE
        and (has_data_sets or not METHODS[name].shares_clusters or name in studio.compared)
    ]
    chosen = st.multiselect(
        f"Methods beside {METHODS[JUDGE].title}",
        offered,
        format_func=lambda name: METHODS[name].glossary[0],
        max_selections=MOST - 1,
        key=_KEY,
        on_change=_take,
    )
    for name in chosen:
        if name not in METHODS.first:
            st.caption(_about(name, len(studio.table.frame)))
            for option in METHODS[name].options:
                _choose_option(studio, name, option)


def _about(name: str, n_rows: int) -> str:
    """What a method does, which sliders it reads, and its limit."""
    method = METHODS[name]
    said = f"**{method.glossary[0]}.** {method.glossary[1]}"
    read = dict.fromkeys(_SLIDERS[setting] for setting in method.reads if setting in _SLIDERS)
    said += f" It reads {' and '.join(read)}." * bool(read)
    if method.is_beyond(n_rows):
        said += (
            f" It takes up to {method.most_rows:,} rows: of this table's {n_rows:,} it shows what"
            " it makes of a sample."
        )
    return said


def _choose_option(studio: Session, name: str, option: Option) -> None:
    """A control of what one method alone is told."""
    key = f"own {name}.{option.name}"
    st.session_state[key] = studio.settings.own_of(name).get(option.name, option.default)
    told = {"key": key, "help": option.help, "on_change": _tell, "args": (name, option)}
    if not option.choices:
        st.number_input(option.label, 0.0, placeholder="K decides", format="%g", **told)
    elif isinstance(option.choices[0], str):
        st.selectbox(option.label, option.choices, filter_mode=None, **told)
    else:
        choices = [*((None,) * (option.default is None)), *option.choices]
        st.select_slider(option.label, choices, format_func=_in_words, **told)


def _in_words(value: float | None) -> str:
    return "by its rule" if value is None else f"{value:g}"


@in_visit
def _tell(name: str, option: Option) -> None:
    """Take a control over into the settings; what is as always goes without saying."""
    studio, value = session(), st.session_state[f"own {name}.{option.name}"]
    told = None if value == option.default else value
    studio.settings = studio.settings.telling(name, option.name, told)


@in_visit
def _take() -> None:
    """The order is that of the list, whatever the order of the clicks."""
    wanted = st.session_state[_KEY]
    session().compared = (JUDGE, *(name for name in METHODS if name in wanted))
