"""What belongs to a table while somebody works on it: put aside and taken up again as one."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..clinical.study import Study
from ..comparing.comparison import Results, Task, tasks
from ..comparing.snapshots import MOST_NAMES, Snapshot
from ..exports.settings_file import Saved, SettingsFileError, fitting_schema
from ..methods import JUDGE, METHODS
from ..methods.settings import Settings
from ..models.mapdp import MAPDP
from ..partitions.naming import Naming
from ..prepare.recipe import Recipe
from ..prepare.step import PrepareError
from ..prepare.tables import RenameColumns
from ..profiling.how_many import GroupNumber
from ..profiling.trees import groups_at
from ..schema.infer import infer_schema
from ..schema.questions import Answer
from ..schema.schema import Schema, SchemaError
from ..wording import listed
from .carried_over import GONE, NEW, REFUSED, carried_over, check_column, decisions, set_otherwise
from .table import Table

#: Why nothing is changed that a study has locked.
LOCKED = (
    "The roles are locked, and so is what every column is taken for: unlock them on Clinical first."
)
#: Under which it is kept, by the fit, how its groups come back, and what chance makes.
HOW_MANY, CHANCE = "How many groups", "chance"


class Decisions(NamedTuple):
    """The decisions at one time. Sliders are none: they belong to the page's address."""

    table: Table
    suggested: Schema
    schema: Schema
    algorithm: str
    naming: Mapping[Task, Naming]


@dataclass
class History:
    """The decisions, one after the other, and the index of the present ones."""

    states: list[Decisions] = field(default_factory=list)
    place: int = -1

    def keep(self, state: Decisions) -> None:
        """Add a state; a new one drops the states that were undone before it."""
        if self.states and state == self.states[self.place]:
            self.states[self.place] = state  # it may hold more than equality compares
            return
        self.states[self.place + 1 :] = [state]
        self.place += 1

    @property
    def steps(self) -> dict[int, int]:
        """How many steps can be undone, -1, and done again, 1."""
        return {-1: max(self.place, 0), 1: len(self.states) - 1 - self.place}

    def go(self, step: int) -> Decisions:
        """Go one step back, -1, or forward, 1, and return the state there."""
        self.place += step
        return self.states[self.place]


@dataclass(eq=False)
class Project:
    """A table with everything that was decided and found out about it."""

    #: None until one is loaded.
    table: Table | None = None
    #: The last one that fitted the table, whatever was tried since; and as it was guessed.
    schema: Schema | None = None
    suggested: Schema | None = None
    #: What became of the decisions when the table was read again, a sentence each.
    notices: list[str] = field(default_factory=list)
    #: Why a column does not fit its family, as it was loaded; and why the last change was refused.
    problems: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    #: How often the schema's editor had to forget what was typed: changes refused or undone.
    renewals: int = 0
    #: Of the comparison, as the sliders stand; and the columns that lambda was suggested for.
    settings: Settings = field(default_factory=Settings)
    penalty_key: Hashable = None
    #: Key of ``METHODS``: whose result the pages after Compare are about.
    algorithm: str = JUDGE
    #: Fitted models, by everything their outcome depends on.
    results: Results = field(default_factory=Results)
    #: Keys of ``METHODS``: those side by side on Compare.
    compared: tuple[str, ...] = field(default_factory=lambda: tuple(METHODS.first))
    #: Names of clusters and merges by hand, by the fit they were made for.
    naming: dict[Task, Naming] = field(default_factory=dict)
    #: int64. Rows marked in a figure, in rising order; the same ones on every page.
    marked: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    study: Study = field(default_factory=Study)
    history: History = field(default_factory=History)
    #: Snapshots of results to be compared, by the rows that they group and their names.
    all_snapshots: dict[str, dict[str, Snapshot]] = field(default_factory=dict)
    #: Whether the table is to choose its model before the next fit, unless it has.
    asks_table: bool = False
    #: What was decided about columns that a step took away, by their names.
    remembered: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.suggested is None:
            self.suggested = self.schema
        if self.table is not None:
            self._find_problems()

    # ---- what there is

    @property
    def snapshots(self) -> dict[str, Snapshot]:
        """Snapshots of results, of the rows that the table has now, by their names."""
        return {} if self.table is None else self.all_snapshots.setdefault(self.table.rows, {})

    @property
    def is_undecided(self) -> bool:
        """Whether the table still has to choose its model, and can."""
        return self.asks_table and not self.schema.priors and self.can_choose

    @property
    def can_choose(self) -> bool:
        """Whether there is a model to choose: something to cluster by, nothing amiss or locked."""
        has_columns = bool(self.schema.names("cluster")) and not self.problems
        return has_columns and self.study.lock is None

    def tasks(self, names: Sequence[str] | None = None, **changes: Any) -> dict[str, Task]:
        """The fits of the methods side by side and the chosen one, or of ``names``, by method."""
        names = (*self.compared, self.algorithm) if names is None else names
        settings, n_rows = replace(self.settings, **changes), len(self.table.frame)
        return tasks(self.table.digest, self.schema, settings, n_rows, names)

    def naming_of(self, task: Task) -> Naming:
        """Merges and names over a fit: those of the visitor, else the number shown first."""
        number: GroupNumber | None = self.results.peek(HOW_MANY, task)
        if task in self.naming or number is None or not self.shows_fewer_first:
            return self.naming.get(task, Naming())
        n_groups = number.first(self.results.peek(CHANCE, task))
        return Naming(groups_at(number.path, n_groups))

    @property
    def shows_fewer_first(self) -> bool:
        """Whether groups may be put together unasked: an example's are as in papers."""
        return self.table.example is None

    def seeks_number(self, task: Task, model: MAPDP) -> bool:
        """Whether it is still to be found how many groups of a fit are shown first."""
        is_decided = task in self.naming or self.settings.likelihood_power != 1.0
        if is_decided or not self.shows_fewer_first or model.n_clusters_ == 1:
            return False
        return self.results.peek(HOW_MANY, task) is None

    # ---- settings

    def saved(self) -> Saved:
        """Everything that was decided about the table, as a settings file holds it."""
        table = self.table
        named = {name: self.naming.get(task, Naming()) for name, task in self.tasks().items()}
        return Saved(
            table.name,
            *table.frame.shape,
            table.options,
            self.schema,
            self.settings,
            self.algorithm,
            {algorithm: naming for algorithm, naming in named.items() if naming != Naming()},
            table.recipe.entries,
            self.compared,
        )

    def take_up(self, saved: Saved) -> list[str]:
        """Decide everything as saved; a sentence on each thing that does not fit.

        A SettingsFileError or PrepareError says that it belongs to another table, or that the roles
        are locked.
        """
        recipe = Recipe(saved.steps).with_tables(self.table.recipe.tables)
        if recipe != self.table.recipe:
            self.prepare(recipe)
        frame = self.table.frame
        schema, remarks = fitting_schema(saved.schema, infer_schema(frame))
        if not schema.names("cluster"):
            raise SettingsFileError("These settings belong to another table: no column fits.")
        if self.study.lock is not None and schema != self.schema:
            raise SettingsFileError(LOCKED)
        self.take_choice(schema)  # or what was decided without one
        if saved.rows != len(frame):
            saved = replace(saved, namings={})
            remarks.append(
                f"The settings were saved with {saved.rows:,} rows and this table has "
                f"{len(frame):,}: names and merges of groups are left out."
            )
        self.take_settings(saved)
        return remarks

    def take_settings(self, saved: Saved) -> None:
        """Set the methods, their sliders and the names of groups as saved."""
        self.settings, self.algorithm = saved.settings, saved.algorithm
        self.compared, self.penalty_key = saved.compared, None
        tasks = self.tasks((*saved.namings,))
        self.naming |= {tasks[name]: naming for name, naming in saved.namings.items()}

    # ---- the same table, read or prepared otherwise

    def read_again(self, table: Table) -> None:
        """Go on with the same file read otherwise; a SchemaError says that the roles are locked."""
        if self.study.lock is not None:
            raise SchemaError(LOCKED)
        self._go_on(table.prepared(self.table.recipe))

    def prepare(self, recipe: Recipe) -> None:
        """Go on with the table after other steps; PrepareError where the roles are locked."""
        if self.study.lock is not None:
            raise PrepareError("The roles are locked, and so is the table: unlock them first.")
        self._go_on(self.table.prepared(recipe), (REFUSED,))

    def _go_on(self, table: Table, reported: Iterable[str] | None = None) -> None:
        """Take another form of the table, with all decisions that still have their column."""
        names = self.table.done.names_in(table.done, self.schema)
        had, was_suggested = (s.renamed(names) for s in (self.schema, self.suggested))
        self.asks_table |= bool(had.priors)  # of other cells the table chooses anew
        suggested = infer_schema(table.frame)
        schema, became = carried_over(had.as_suggested(), was_suggested, suggested, table.frame)
        self._take_table(table, suggested)
        self._set_schema(schema)
        lost = [name for name in became[GONE] if had[name] != was_suggested[name]]
        self.remembered |= {name: decisions(had[name]) for name in lost}
        for name in (name for name in became[NEW] if name in self.remembered):
            self._decide_again(name, self.remembered.pop(name))
        reports = {what: became[what] for what in reported or became if became[what]}
        self.notices = [f"{what}: {listed(of, MOST_NAMES)}." for what, of in reports.items()]

    def _take_table(self, table: Table, suggested: Schema) -> None:
        """Of other rows none is marked."""
        if table.rows != self.table.rows:
            self.marked = np.empty(0, dtype=np.int64)
        self.table, self.suggested = table, suggested

    def _decide_again(self, name: str, decided: Mapping[str, Any]) -> None:
        """Decide about a column as before; what was not decided is asked still."""
        asked = self.schema.questions
        self.change({name: decided})
        if name not in self.refused:
            otherwise = set_otherwise(self.suggested[name], decided)
            self.schema = self.schema.asking(
                question for question in asked if not question.is_settled_by(name, otherwise)
            )

    @property
    def decided(self) -> Decisions:
        """The present decisions, to return to."""
        state = self.table, self.suggested, self.schema
        return Decisions(*state, self.algorithm, dict(self.naming))

    def turn_to(self, decided: Decisions) -> None:
        """Go back, or forward, to the table as it was named and read when that was decided."""
        if self.table is not decided.table:
            self._take_table(decided.table, decided.suggested)
            self.notices = []
        if self.schema is not decided.schema:  # equality ignores questions and reasons
            self._set_schema(decided.schema)
        self.algorithm, self.naming = decided.algorithm, dict(decided.naming)

    # ---- what columns are taken for

    def rename(self, names: Mapping[str, str]) -> None:
        """Give columns other names, everywhere; one that cannot be is refused."""
        self.refused = {}
        renames = {old: " ".join(new.split()) for old, new in names.items()}
        renames = {old: new for old, new in renames.items() if new != old}
        others = [name for name in self.schema if name not in renames]
        for old, new in renames.items():
            if not new or [*others, *renames.values()].count(new) > 1 or new in self.schema.blocks:
                why = f"another column is called '{new}'" if new else "a name needs a letter"
                self.refused[old] = f"'{old}' keeps its name: {why}."
        if self.study.lock is not None:
            self.refused = dict.fromkeys(renames, "The roles are locked, and so are the names.")
        if self.refused or not renames:
            self.renewals += bool(self.refused)
            return
        step = RenameColumns(tuple(renames.items()))
        self.table = self.table.prepared(self.table.with_step(step))
        self.suggested = self.suggested.renamed(renames)
        self.replace_schema(self.schema.renamed(renames))

    def answer(self, answer: Answer) -> None:
        """Carry out an answer to one of the schema's questions, with the step that it needs."""
        self.refused = {}
        key = ", ".join(answer.columns[:1])
        if answer.step is None:
            self._try(key, answer, list(answer.changes))
        else:
            try:
                self.prepare(self.table.with_step(answer.step))
            except PrepareError as error:
                self.refused[key] = str(error)
        self.renewals += 1

    def take_suggestions(self, names: Sequence[str]) -> None:
        """Let columns be again what they were guessed to be."""
        self.change({name: decisions(self.suggested[name]) for name in names})
        self.renewals += 1

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

    def _try(self, key: str, make: Callable[[Schema], Schema], touched: Sequence[str]) -> None:
        try:
            if self.study.lock is not None:
                raise SchemaError(LOCKED)
            schema = make(self.schema)
            for name in touched:
                check_column(schema, name, self.table.frame)
        except SchemaError as error:
            self.refused[key] = str(error)
            self.renewals += 1
            return
        if schema.priors and schema.names("cluster") != self.schema.names("cluster"):
            # Of other columns the table chooses anew: those that left had a say in what was chosen.
            schema, self.asks_table = schema.as_suggested(), True
        self.schema = schema
        for name in touched:
            self.problems.pop(name, None)

    def replace_schema(self, schema: Schema) -> None:
        """Take over a whole schema of the table, such as a saved one, unless that is locked."""
        if self.study.lock is not None and schema != self.schema:
            self.refused, self.renewals = {"the table": LOCKED}, self.renewals + 1
        else:
            self._set_schema(schema)

    def take_choice(self, schema: Schema) -> None:
        """Take over what the table chose."""
        self.asks_table = False
        self.replace_schema(schema)

    def keep_suggested(self) -> None:
        """Decide against all that the table chose, or would choose."""
        self.take_choice(self.schema.as_suggested())

    def _set_schema(self, schema: Schema) -> None:
        self.schema, self.refused = schema, {}
        self.renewals += 1
        self._find_problems()

    def _find_problems(self) -> None:
        self.problems = {}
        for name in self.schema:
            try:
                check_column(self.schema, name, self.table.frame)
            except SchemaError as error:
                self.problems[name] = str(error)
