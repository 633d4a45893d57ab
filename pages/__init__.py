"""What every page shares: the visitor's session, and one sentence instead of a traceback."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, fields
from functools import wraps
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from mapdp_studio.core import Schema
from mapdp_studio.core.comparing.comparison import Results
from mapdp_studio.core.session.jobs import Jobs, log_place
from mapdp_studio.core.session.project import Project
from mapdp_studio.core.session.table import Table

#: What belongs to the current table, and a session has under the same name.
_OF_THE_TABLE = {field.name for field in fields(Project)}


class NotYet(StopException):
    """What a part of a page needs is not there, and the page shows why: the part ends here."""


@dataclass
class Session:
    """Everything a visitor has done; what is in it survives a change of page."""

    project: Project = field(default_factory=Project)
    failure: str = ""
    #: Fits to what was drawn on the Teach page's board, which leave the visitor's table alone.
    teaching: Results = field(default_factory=Results)
    jobs: Jobs = field(default_factory=Jobs)
    #: Open pages that show it.
    n_pages: int = 0
    #: The next page may be asked for before the last one has ended; two tabs may share a visit.
    lock: threading.RLock = field(default_factory=threading.RLock)

    def __getattr__(self, name: str) -> Any:
        """Everything else is the work's, which changes with the table."""
        if name.startswith("_") or name == "project":  # as copies ask before they have one
            raise AttributeError(name)
        return getattr(self.project, name)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self.project if name in _OF_THE_TABLE else self, name, value)

    def release(self) -> None:
        """Keep the table and what was decided alone: results can be worked out again."""
        self.jobs.clear()
        self.teaching = Results()
        self.project.results.clear()

    def empty(self) -> None:
        self.take_project(Project())
        self.teaching = Results()

    def take(self, table: Table, schema: Schema) -> None:
        """Make a table the current one, of what was before with the methods alone.

        Sliders that were set before there was a table, as by an address, are for this one.
        """
        before = self.project
        project = Project(table, schema, algorithm=before.algorithm, compared=before.compared)
        if before.table is None:
            project.settings = before.settings
        self.take_project(project)

    def take_project(self, project: Project) -> None:
        """Go on with what somebody did before, such as a saved project."""
        self.jobs.clear()
        self.project, self.failure = project, ""


def session() -> Session:
    """The visitor's session.

    Streamlit takes the folder ``pages`` for the navigation until one is declared, so that a first
    visit can miss ``app.py``: declare one and start over.
    """
    if "visit" not in st.session_state:
        scripts = Path(__file__).parent.glob("[!_]*.py")
        st.navigation([st.Page(path, default=path.stem == "start") for path in scripts])
        st.rerun()
    return st.session_state["visit"]


def in_visit(callback: Callable[..., Any]) -> Callable[..., Any]:
    """Have a callback wait until the page that is being drawn has ended, and hold the visit."""

    @wraps(callback)
    def locked(*args: Any, **kwargs: Any) -> Any:
        visit = st.session_state.get("visit")
        with nullcontext() if visit is None else visit.lock:
            return callback(*args, **kwargs)

    return locked


@contextmanager
def frame() -> Iterator[None]:
    """Around every page: hold the visit, and say one sentence instead of a traceback."""
    with st.session_state.setdefault("visit", Session()).lock:
        try:
            yield
        except NotYet:
            return
        except Exception as error:
            note_failure(error)


def note_failure(error: Exception) -> None:
    """Log where an error happened, and say on the page what to do now."""
    log_place(error)
    st.error(
        "Something went wrong on this page. Your table and settings are still there: go back "
        "to **Data**, undo the last change, and try again.",
        icon=":material/error:",
    )
