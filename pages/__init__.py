"""What every page shares: the visitor's session, and one sentence instead of a traceback."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from core import Schema
from core.clinical.seen_rows import SeenRows
from core.comparing.comparison import Results
from core.session.jobs import Jobs
from core.session.work import Table, Work


class _OfTheTable:
    """What ``Session.work`` has under the same name: it changes with the table."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, studio: Session, owner: type | None = None) -> Any:
        return getattr(studio.work, self._name)

    def __set__(self, studio: Session, value: Any) -> None:
        setattr(studio.work, self._name, value)


@dataclass
class Session:
    """Everything a visitor has done; what is in it survives a change of page."""

    #: On the current table.
    work: Work = field(default_factory=Work)
    #: On the tables that the current one is a part of, the outermost first.
    parents: tuple[Work, ...] = ()
    #: Why the last load was refused.
    failure: str = ""
    #: Fits to the scenarios of the Teach page, which leave the visitor's table alone.
    teaching: Results = field(default_factory=Results)
    #: Long work in the background.
    jobs: Jobs = field(default_factory=Jobs)
    #: Rows of earlier tables whose groups were seen in this visit.
    seen: SeenRows = field(default_factory=SeenRows)

    table = _OfTheTable()
    schema = _OfTheTable()
    problems = _OfTheTable()
    refused = _OfTheTable()
    renewals = _OfTheTable()
    settings = _OfTheTable()
    algorithm = _OfTheTable()
    compared = _OfTheTable()
    results = _OfTheTable()
    naming = _OfTheTable()
    marked = _OfTheTable()
    study = _OfTheTable()
    history = _OfTheTable()
    snapshots = _OfTheTable()
    suggested = _OfTheTable()
    notices = _OfTheTable()
    all_rows = _OfTheTable()
    change = _OfTheTable()
    answer = _OfTheTable()
    rename = _OfTheTable()
    read_again = _OfTheTable()
    take_suggestions = _OfTheTable()
    turn_to = _OfTheTable()
    join = _OfTheTable()
    take_apart = _OfTheTable()
    replace_schema = _OfTheTable()

    @property
    def n_bytes(self) -> int:
        """Memory that the table takes, and those that it is a part of."""
        tables = [work.table for work in (self.work, *self.parents) if work.table is not None]
        return sum(table.n_bytes for table in tables)

    def take(self, table: Table, schema: Schema) -> None:
        """Make a table the current one; what belonged to the one before is let go."""
        self._turn_to(self.work.on(table, schema), ())

    def take_work(self, work: Work) -> None:
        """Go on with what somebody did before, such as a saved project."""
        self._turn_to(work, ())

    def take_part(self, part: Work) -> None:
        """Go on with a part of the current table, such as ``Work.on_part`` or ``on_columns``."""
        self._turn_to(part, (*self.parents, self.work))

    def leave_part(self) -> None:
        """Go back to the table that the current one is a part of, and to its results."""
        *parents, whole = self.parents
        self._turn_to(whole, tuple(parents))
        self.refused = {}

    def _turn_to(self, work: Work, parents: tuple[Work, ...]) -> None:
        self.jobs.clear()
        left = self.work
        if left.table is not None and (left.study.groups_seen or left.results.fitted.total()):
            self.seen.add(left.table.frame)
        self.work, self.parents, self.failure = work, parents, ""


def session() -> Session:
    """The visitor's session.

    The first visit after a server start can reach a page without ``app.py`` around it, because
    Streamlit takes a folder named ``pages`` for the navigation until one is declared: declare one
    and start over.
    """
    if "studio" not in st.session_state:
        scripts = Path(__file__).parent.glob("[!_]*.py")
        st.navigation([st.Page(path, default=path.stem == "start") for path in scripts])
        st.rerun()
    return st.session_state["studio"]


@contextmanager
def frame() -> Iterator[None]:
    """Around every page: one sentence instead of a traceback."""
    st.session_state.setdefault("studio", Session())
    try:
        yield
    except Exception as error:
        note_failure(error)


def note_failure(error: Exception) -> None:
    """Log where an error happened, and say on the page what to do now."""
    # The message and the values in it may come from the table: neither is logged.
    places = "".join(traceback.format_tb(error.__traceback__))
    logging.getLogger("mapdp_studio").error("%s\n%s", type(error).__name__, places)
    st.error(
        "Something went wrong on this page. Your table and settings are still there: go back "
        "to **Data**, undo the last change, and try again.",
        icon=":material/error:",
    )
