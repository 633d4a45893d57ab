"""What belongs to a table while somebody works on it: put aside and taken up again as one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..clinical.study import Study
from ..comparing.comparison import Results, Task
from ..comparing.snapshots import Snapshot
from ..methods import JUDGE
from ..methods.settings import Settings
from ..partitions.naming import Naming
from ..reading.tables import ReadOptions
from ..schema.encode import complete, encode_column
from ..schema.schema import Schema, SchemaError
from ..schema.subset import subtable
from .history import History


@dataclass(frozen=True)
class Table:
    """A table as it was loaded."""

    #: Never changed after loading, so that ``digest`` stands for it in cache keys.
    frame: pd.DataFrame
    #: The file's name, or the example's title.
    name: str
    #: SHA-256 of the file's bytes and of how they were read, or the example's key.
    digest: str
    #: The file, kept so that it can be read again with other options; None for an example.
    source: bytes | None = None
    #: How the file was read.
    options: ReadOptions | None = None

    @property
    def example(self) -> str | None:
        """Key of the example that the table is, if it is one and whole."""
        mark, _, key = self.digest.partition(" ")
        return key if mark == "example" and "/" not in key else None


@dataclass(eq=False)
class Work:
    """A table with everything that was decided and found out about it."""

    #: None until one is loaded.
    table: Table | None = None
    #: The last one that fitted the table, whatever was tried since.
    schema: Schema | None = None
    #: Why a column does not fit the family it was given when the table was loaded.
    problems: dict[str, str] = field(default_factory=dict)
    #: Why the last change of a column, or of a block, was refused.
    refused: dict[str, str] = field(default_factory=dict)
    #: How often the schema's editor had to forget what was typed: changes refused or undone.
    renewals: int = 0
    #: Of the comparison, as the sliders stand.
    settings: Settings = field(default_factory=Settings)
    #: Key of ``METHODS``: whose result the pages after Compare are about.
    algorithm: str = JUDGE
    #: Fitted models, by everything their outcome depends on.
    results: Results = field(default_factory=Results)
    #: Names of clusters and merges by hand, by the fit they were made for.
    naming: dict[Task, Naming] = field(default_factory=dict)
    #: int64. Rows marked in a figure, in rising order; the same ones on every page.
    marked: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    #: Of the Clinical page: what is locked, and what happened since.
    study: Study = field(default_factory=Study)
    #: What was decided, to be undone and done again.
    history: History = field(default_factory=History)
    #: Results that were set aside to be compared, by their names.
    snapshots: dict[str, Snapshot] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.table is not None:
            self._find_problems()

    def on(self, table: Table, schema: Schema) -> Work:
        """Begin on another table, with the sliders and the choice of method as they stand."""
        return Work(table, schema, settings=self.settings, algorithm=self.algorithm)

    def on_part(self, rows: np.ndarray, name: str) -> Work:
        """Begin on some of the rows, called by what they are, such as "Cluster 2".

        A SchemaError says that they cannot be clustered.
        """
        frame, schema = subtable(self.table.frame, self.schema, rows)
        digest = hashlib.sha256(rows.astype(np.int64).tobytes()).hexdigest()
        table = Table(frame, f"{self.table.name}: {name}", f"{self.table.digest}/{digest}")
        return self.on(table, schema)

    def replace_schema(self, schema: Schema) -> None:
        """Take over a whole schema of the table: an earlier one, or a saved one."""
        self.schema, self.refused = schema, {}
        self.renewals += 1
        self._find_problems()

    def change(self, edits: Mapping[str, Mapping[str, Any]]) -> None:
        """Change columns one by one; one that would not fit the table stays as it was."""
        self.refused = {}
        for name, changes in edits.items():
            self._try(name, partial(Schema.with_column, name=name, **changes), [name])

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
