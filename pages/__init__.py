"""What every page shares: the visitor's session, and one sentence instead of a traceback."""

from __future__ import annotations

import hashlib
import logging
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from core import Schema, SchemaError
from core.clinical.study import Study
from core.comparing.comparison import Results, Settings, Task
from core.comparing.snapshots import Snapshot
from core.partitions.naming import Naming
from core.reading.tables import ReadOptions
from core.schema.encode import complete, encode_column
from core.schema.subset import subtable
from core.session.history import History
from core.session.jobs import Jobs


@dataclass(frozen=True)
class Table:
    """A table as it was loaded.

    Parameters
    ----------
    frame : DataFrame
        Never changed after loading, so that ``digest`` stands for it in cache keys.
    name : str
        The file's name, or the example's title.
    digest : str
        SHA-256 of the file's bytes and of how they were read, or the example's key.
    source : bytes, optional
        The file, kept so that it can be read again with other options; None for an example.
    options : ReadOptions, optional
        How the file was read.
    """

    frame: pd.DataFrame
    name: str
    digest: str
    source: bytes | None = None
    options: ReadOptions | None = None

    @property
    def example(self) -> str | None:
        """Key of the example that the table is, if it is one and whole."""
        mark, _, key = self.digest.partition(" ")
        return key if mark == "example" and "/" not in key else None


def _no_rows() -> np.ndarray:
    return np.empty(0, dtype=np.int64)


# What belongs to a table, and comes back with it after a look at a part of it.
OF_A_TABLE = (
    *("table", "schema", "problems", "settings", "results", "algorithm", "naming", "marked"),
    *("wholes", "study", "history", "snapshots"),
)


@dataclass
class Session:
    """Everything a visitor has done; what is in it survives a change of page.

    Parameters
    ----------
    table : Table, optional
    schema : Schema, optional
        The last one that fitted the table, whatever was tried since.
    problems : dict of str to str
        Why a column does not fit the family it was given when the table was loaded.
    refused : dict of str to str
        Why the last change of a column, or of a block, was refused.
    renewals : int
        How often the schema's editor had to forget what was typed: changes refused or undone.
    failure : str
        Why the last load was refused.
    settings : Settings
        Of the comparison, as the sliders stand.
    results : Results
        Fitted models, by everything their outcome depends on.
    algorithm : str
        Key of ``ALGORITHMS``: whose result the pages after Compare are about.
    naming : dict of Task to Naming
        Names of clusters and merges by hand, by the fit they were made for.
    marked : ndarray of int64
        Rows marked in a figure, in rising order; the same ones on every page.
    wholes : tuple of dict
        For each table that this one is a part of, the outermost first, what is named in
        ``OF_A_TABLE``.
    teaching : Results
        The same for the scenarios of the Teach page, which leave the visitor's table alone.
    jobs : Jobs
        Long work in the background.
    study : Study
        Of the Clinical page: what is locked, and what happened since.
    history : History
        What was decided about the current table, to be undone and done again.
    snapshots : dict of str to Snapshot
        Results of the current table that were set aside to be compared, by their names.
    """

    table: Table | None = None
    schema: Schema | None = None
    problems: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    renewals: int = 0
    failure: str = ""
    settings: Settings = field(default_factory=Settings)
    results: Results = field(default_factory=Results)
    algorithm: str = "MAPDP"
    naming: dict[Task, Naming] = field(default_factory=dict)
    marked: np.ndarray = field(default_factory=_no_rows)
    wholes: tuple[dict[str, Any], ...] = ()
    teaching: Results = field(default_factory=Results)
    jobs: Jobs = field(default_factory=Jobs)
    study: Study = field(default_factory=Study)
    history: History = field(default_factory=History)
    snapshots: dict[str, Snapshot] = field(default_factory=dict)

    def take(self, table: Table, schema: Schema) -> None:
        """Make a table the current one; what belonged to the one before is let go."""
        self.table, self.schema = table, schema
        self.refused, self.failure, self.results, self.naming = {}, "", Results(), {}
        self.marked, self.wholes = _no_rows(), ()
        self.jobs.clear()
        self.study, self.history, self.snapshots = Study(), History(), {}
        self._find_problems()

    def replace_schema(self, schema: Schema) -> None:
        """Take over a whole schema of the current table: an earlier one, or a saved one."""
        self.schema, self.refused = schema, {}
        self.renewals += 1
        self._find_problems()

    def take_part(self, rows: np.ndarray, name: str) -> None:
        """Make some rows the current table.

        Parameters
        ----------
        rows : ndarray of int64
        name : str
            What they are, such as "Cluster 2".

        Raises
        ------
        SchemaError
            They cannot be clustered.
        """
        frame, schema = subtable(self.table.frame, self.schema, rows)
        whole = {name: getattr(self, name) for name in OF_A_TABLE}
        wholes = (*self.wholes, whole)
        digest = hashlib.sha256(rows.astype(np.int64).tobytes()).hexdigest()
        self.take(
            Table(frame, f"{self.table.name}: {name}", f"{self.table.digest}/{digest}"), schema
        )
        self.wholes = wholes

    def leave_part(self) -> None:
        """Go back to the table that the current one is a part of, and to its results."""
        self.jobs.clear()
        self.refused, self.failure = {}, ""
        for name, value in self.wholes[-1].items():
            setattr(self, name, value)

    def change(self, edits: Mapping[str, Mapping[str, object]]) -> None:
        """Change columns one by one; one that would not fit the table stays as it was."""
        self.refused = {}
        for name, changes in edits.items():
            make = partial(Schema.with_column, name=name, **changes)
            self._try(name, make, [name])

    def join(self, block: str, columns: Sequence[str], family: str) -> None:
        """Make columns one block, unless they do not fit it."""
        self.refused = {}
        make = partial(Schema.with_block, name=block, columns=columns, family=family)
        self._try(block, make, columns)

    def take_apart(self, block: str) -> None:
        """Let the columns of a block stand on their own again."""
        self.refused = {}
        self._try(block, partial(Schema.without_block, name=block), ())

    def _try(self, about: str, make: Callable[[Schema], Schema], touched: Sequence[str]) -> None:
        try:
            schema = make(self.schema)
        except SchemaError as error:
            misfit = str(error)
        else:
            misfit = next(filter(None, (self._misfit(schema, name) for name in touched)), "")
        if misfit:
            self.refused[about] = misfit
            self.renewals += 1
            return
        self.schema = schema
        for name in touched:
            self.problems.pop(name, None)

    def _find_problems(self) -> None:
        self.problems = {
            name: problem
            for name in self.schema.names("cluster")
            if (problem := self._misfit(self.schema, name))
        }

    def _misfit(self, schema: Schema, name: str) -> str:
        """Why a column does not fit its family, or nothing."""
        spec, column = schema[name], self.table.frame[name]
        if spec.role != "cluster":
            return ""
        try:
            encode_column(column, complete(column, spec))
        except SchemaError as error:
            return str(error)
        return ""


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
        # The message and the values in it may come from the table: neither is logged.
        places = "".join(traceback.format_tb(error.__traceback__))
        logging.getLogger("mapdp_studio").error("%s\n%s", type(error).__name__, places)
        st.error(
            "Something went wrong on this page. Your table and settings are still there: go back "
            "to **Data**, undo the last change, and try again.",
            icon=":material/error:",
        )
