"""Which methods stand side by side, the five or others in their places, and what each is told."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.exports.take_away import methods_in_address
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.methods.record import Option
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.shared.kit import say_in_address

#: Panels at most, MAP-DP's among them.
MOST = 8
_KEY = "methods beside"
#: What the page itself said of its methods in the address, last.
_SAID = "methods_in_address"


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
        if name not in METHODS.first:
            st.caption(_said(name, n_rows))
            _own_options(studio, name)
    if chosen != [name for name in METHODS.first if name != JUDGE]:
        st.button("The five again", icon=":material/restart_alt:", on_click=_take_the_five)


def _own_options(studio: Session, name: str) -> None:
    """What one method alone is told, a control each."""
    options = METHODS[name].options
    for option, place in zip(options, st.columns(len(options)) if options else (), strict=True):
        key = f"own {name}.{option.name}"
        stands = studio.settings.own_of(name).get(option.name, option.default)
        st.session_state[key] = stands
        told = {"key": key, "help": option.help, "on_change": _tell, "args": (name, option)}
        if not option.choices:
            place.number_input(option.label, 0.0, placeholder="K decides", format="%g", **told)
        elif isinstance(option.choices[0], str):
            place.selectbox(option.label, option.choices, filter_mode=None, **told)
        else:
            by_itself = () if option.default is not None else (None,)
            place.select_slider(
                option.label, [*by_itself, *option.choices], format_func=_in_words, **told
            )


def _in_words(value: float | None) -> str:
    return "by its rule" if value is None else f"{value:g}"


@in_visit
def _tell(name: str, option: Option) -> None:
    """Take a control over into the settings; what is as always goes without saying."""
    studio, value = session(), st.session_state[f"own {name}.{option.name}"]
    told = None if value == option.default else value
    studio.settings = studio.settings.telling(name, option.name, told)


def take_asked_methods(studio: Session) -> None:
    """Show the methods that the address asks for, told what it says, once."""
    asked = _of_methods(st.query_params.to_dict())
    if asked == st.session_state.get(_SAID, {}):
        return
    st.session_state[_SAID] = asked
    names = asked.get("methods", "").split(",")
    known = [name for name in METHODS if name in names and name != JUDGE]
    if known:
        studio.compared = (JUDGE, *known[: MOST - 1])
    for told, text in asked.items():
        name, _, option = told.partition(".")
        try:
            value = METHODS[name].option(option).read(text)
        except ValueError:
            continue
        studio.settings = studio.settings.telling(name, option, value)


def say_methods(studio: Session) -> None:
    """Say in the address which methods stand side by side, and what single ones are told."""
    said = methods_in_address(studio.settings, studio.compared)
    for name in _of_methods(st.query_params.to_dict()) | said:
        say_in_address(name, said.get(name))
    st.session_state[_SAID] = said


def _of_methods(asked: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in asked.items() if name == "methods" or "." in name}


def _offered(studio: Session) -> list[str]:
    """All methods; those of several data sets where a column names those, or one is shown."""
    has_data_sets = bool(studio.schema.names("group"))
    return [
        name
        for name in METHODS
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


@in_visit
def _take() -> None:
    """The order is that of the list, whatever the order of the clicks."""
    wanted = st.session_state[_KEY]
    session().compared = (JUDGE, *(name for name in METHODS if name in wanted))


@in_visit
def _take_the_five() -> None:
    session().compared = tuple(METHODS.first)
