"""The example that an address asks for, and what becomes of it beside a visitor's own table.

``?scenario=5.2&rows=1000`` as on the Teach page; links of earlier versions say ``?example=5.2``.
"""

from __future__ import annotations

import json
from functools import partial

import streamlit as st

from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.wording import escaped
from mapdp_studio.demo_datasets import DEMOS, GENERATED, START_ROWS
from mapdp_studio.demo_datasets.catalogue import EXAMPLES
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.settings import position
from mapdp_studio.pages.parts.data.source import ask_about_lock, take_or_ask
from mapdp_studio.pages.parts.shared.kit import say_in_address
from mapdp_studio.pages.parts.shared.loading import example_digest, example_in_address, load_example
from mapdp_studio.pages.parts.teach.controls import ROWS, one_of

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


def is_asked(studio: Session) -> bool:
    """Whether the table is the example that the address asks for, or it asks for none."""
    asked, table = asked_example(), studio.table
    if asked is None or table is None:
        return asked is None
    return table.digest.partition("#")[0] == example_digest(*asked)


def open_asked(studio: Session) -> None:
    """Load the example that the address asks for, if there is no table yet."""
    asked = asked_example()
    if studio.table is None and asked is not None:
        load_example(*asked)
        steps = _asked_steps()
        if steps:
            studio.prepare(steps)


def _asked_steps() -> Recipe:
    """The steps that the address asks for; none where it holds anything else."""
    try:
        return Recipe.of_dicts(json.loads(st.query_params.get("steps", "[]")))
    except (ValueError, TypeError, LookupError, AttributeError):
        return Recipe()


def say_example(studio: Session) -> None:
    """Say in the address which example is shown; ask first where it names another one."""
    if not is_asked(studio) and _given() != st.session_state.get(SAID):
        _ask(studio)
        return
    said = example_in_address(studio.table)
    for name in NAMES:
        say_in_address(name, said.get(name))
    st.session_state[SAID] = said


def _ask(studio: Session) -> None:
    """Leave it to the visitor which of both tables to go on with."""
    key, n = asked_example()
    drawn = f" with {n:,} rows" if key in GENERATED else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f"The address asks for **{DEMOS[key].title}**{drawn}. Your table "
            f"**{escaped(studio.table.name)}** is still here.",
            width="content",
        )
        title, take = DEMOS[key].title, partial(load_example, key, n)
        st.button("Open the example", on_click=take_or_ask, args=(title, take))
        st.button("Keep my table", on_click=_keep)
    ask_about_lock(studio)


def _given() -> dict[str, str]:
    return {name: st.query_params[name] for name in NAMES if name in st.query_params}


def _keep() -> None:
    st.session_state[SAID] = _given()
