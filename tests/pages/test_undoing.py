"""Undone or done again after random decisions, everything is as it was, bit for bit.

Without a browser, on the session's own state: random steps of Prepare, names, roles, likelihoods,
blocks, answers, methods and names of groups on hostile tables, each noted as the page
notes it; between them, and at the end, undone and done again as far as it goes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import streamlit as st

from mapdp_studio.core import TableError, infer_schema, read_table
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.session.history import History
from mapdp_studio.core.session.project_file import save_project
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.session.work import Work
from mapdp_studio.pages import Session
from tests.hostile_inputs import steps_for
from tests.hostile_tables import TABLES, decide, settings_for, table_of


def fingerprint(studio: Session) -> tuple[Any, ...]:
    """All that was decided, in bytes: the cells, the project's file, and the fits asked for."""
    work = studio.work
    nothing = {"marked": np.empty(0, dtype=np.int64), "asks_table": False, "set_aside": {}}
    plain = replace(work, settings=Settings(), **nothing)  # sliders are not undone
    return save_project(plain), work.table.digest, tuple(plain.tasks().items()), dict(work.naming)


def visit(number: int) -> tuple[int, int, list[str]]:
    """One visit: decisions, steps undone or done again, and which of those led elsewhere."""
    random = np.random.default_rng([number, 77])
    content = table_of(list(TABLES)[number % len(TABLES)], random)
    try:
        frame = read_table(content, name="undo.csv")
        table = Table.of_file(frame, "undo.csv", content)
    except TableError:
        return 0, 0, []
    studio, history = Session(work=Work(table, infer_schema(frame))), History()
    known = {}

    def note() -> None:
        history.note(studio.work.decided)
        known[id(history.present)] = history.present, fingerprint(studio)

    note()
    made = gone = 0
    wrong: list[str] = []
    for _ in range(int(random.integers(5, 40))):
        if random.random() < 0.3 and (history.steps_back or history.steps_forward):
            backwards = history.steps_back and random.random() < 0.6
            if not backwards and not history.steps_forward:
                continue
            state = history.go(-1 if backwards else 1)
            studio.work.turn_to(state)
            gone += 1
            if fingerprint(studio) != known[id(state)][1]:
                wrong.append("undo" if backwards else "redo")
        else:
            _decision(studio, random)
            made += 1
            note()
    for step, what in ((-1, "undo"), (1, "redo")):
        for _ in range(history.steps_back if what == "undo" else history.steps_forward):
            state = history.go(step)
            studio.work.turn_to(state)
            gone += 1
            if fingerprint(studio) != known[id(state)][1]:
                wrong.append(what)
    return made, gone, wrong


def _decision(studio: Session, random: np.random.Generator) -> None:
    """One of anything that a visitor decides."""
    method = METHODS[str(random.choice(np.array(list(METHODS), dtype=object)))]
    names = list(studio.schema)
    how = int(random.integers(5))
    if how == 0:
        studio.prepare(steps_for(studio.table.as_read, random))
    elif how == 1:
        decide(studio.work, method, random)
    elif how == 2:
        studio.rename({names[int(random.integers(len(names)))]: f"name {random.integers(9)}"})
    elif how == 3:
        studio.settings, studio.algorithm = settings_for(method, random), method.name
    else:
        task = studio.work.tasks()[studio.algorithm]
        studio.naming = {**studio.naming, task: Naming((), {0: f"group {random.integers(9)}"})}


@pytest.mark.parametrize("number", [0, 3, 9])
def test_what_is_undone_or_done_again_is_the_same_bit_for_bit(number):
    st.session_state.clear()
    made, gone, wrong = visit(number)
    assert made > 5
    assert gone > 5
    assert wrong == []
