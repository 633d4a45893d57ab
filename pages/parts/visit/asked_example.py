"""The example that an address asks for, and what becomes of it beside a visitor's own table."""

from __future__ import annotations

import json
from functools import partial

import streamlit as st

from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.wording import escaped
from mapdp_studio.demo_datasets import DEMOS, GENERATED, START_ROWS
from mapdp_studio.demo_datasets.catalogue import EXAMPLES
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.settings import one_of, position
from mapdp_studio.pages.parts.data.source import ask_about_lock, take_or_ask
from mapdp_studio.pages.parts.shared.kit import say_in_address
from mapdp_studio.pages.parts.shared.loading import example_digest, example_in_address, load_example
from mapdp_studio.pages.parts.teach.room import ROWS

NAMES = ("scenario", "rows", "example", "steps")
#: What this page itself said of its table, last.
SAID = "example_in_address"


def asked_example() -> tuple[str, int] | None:
    """Key and rows of the example that the address asks for."""
    asked = st.query_params
    titles = {key: scenario.title for key, scenario in EXAMPLES.items()}
    try:
        key = one_of(DEMOS, titles)(asked.get("scenario", asked.get("example", "")))
    except ValueError:
        return None
    try:
        return key, int(partial(position, ROWS)(asked.get("rows", "")))
    except ValueError:
        return key, START_ROWS


def open_asked(studio: Session) -> None:
    """Load the example that the address asks for, with its steps, if there is no table yet."""
    asked = asked_example()
    if studio.table is not None or asked is None:
        return
    load_example(*asked)
    try:
        steps = Recipe.of_dicts(json.loads(st.query_params.get("steps", "[]")))
    except (ValueError, TypeError, LookupError, AttributeError):
        return  # the address holds anything else
    if steps:
        studio.prepare(steps)


def say_example(studio: Session) -> None:
    """Say in the address which example is shown; ask first where it names another one."""
    asked, table = asked_example(), studio.table
    given = {name: st.query_params[name] for name in NAMES if name in st.query_params}
    is_other = asked is not None and table.digest.partition("#")[0] != example_digest(*asked)
    if is_other and given != st.session_state.get(SAID):
        _ask(studio, *asked, given)
        return
    said = example_in_address(table)
    for name in NAMES:
        say_in_address(name, said.get(name))
    st.session_state[SAID] = said


def _ask(studio: Session, key: str, n: int, given: dict[str, str]) -> None:
    title, drawn = DEMOS[key].title, f" with {n:,} rows" if key in GENERATED else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"The address asks for **{title}**{drawn}. Your table "
            f"**{escaped(studio.table.name)}** is still here.",
            width="content",
        )
        take, keep = partial(load_example, key, n), partial(st.session_state.update, {SAID: given})
        st.button("Open the example", on_click=take_or_ask, args=(title, take))
        st.button("Keep my table", on_click=keep)
    ask_about_lock(studio)
