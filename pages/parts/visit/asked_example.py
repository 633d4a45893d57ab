"""The example that an address asks for, and what the address says of the one that is shown."""

from __future__ import annotations

import json
from functools import partial

import streamlit as st

from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.demo_datasets import DEMOS, START_ROWS
from mapdp_studio.demo_datasets.catalogue import EXAMPLES
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.settings import one_of, position
from mapdp_studio.pages.parts.shared.kit import is_asked_anew, say_in_address
from mapdp_studio.pages.parts.shared.loading import example_digest, example_in_address, load_example
from mapdp_studio.pages.parts.teach.room import ROWS

NAMES = ("scenario", "rows", "example", "steps")
#: What this page itself said of its table, last.
SAID = "example_in_address"


def _asked(given: dict[str, str]) -> tuple[str, int] | None:
    """Key and rows of the example that the address asks for."""
    titles = {key: EXAMPLES.get(key, demo).title for key, demo in DEMOS.items()}
    try:
        key = one_of(titles, given.get("scenario", given.get("example", "")))
    except ValueError:
        return None
    try:
        return key, int(partial(position, ROWS)(given.get("rows", "")))
    except ValueError:
        return key, START_ROWS


def follow_example(studio: Session) -> None:
    """Load the example that the address asks for, with its steps; a table of one's own stays."""
    given = {name: st.query_params[name] for name in NAMES if name in st.query_params}
    asked, table = _asked(given), studio.table
    if asked is None or not is_asked_anew(SAID, given):
        return
    if table is not None:
        is_own = table.example is None or studio.study.lock is not None
        if is_own or table.digest.partition("#")[0] == example_digest(*asked):
            return
    load_example(*asked)
    try:
        steps = Recipe.of_dicts(json.loads(given.get("steps", "[]")))
    except (ValueError, TypeError, LookupError, AttributeError):
        return  # the address holds anything else
    if steps:
        studio.prepare(steps)


def say_example(studio: Session) -> None:
    """Say in the address which example is shown."""
    say_in_address(SAID, NAMES, example_in_address(studio.table))
