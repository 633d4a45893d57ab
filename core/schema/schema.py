"""Schema: what every column of a table is, and the way from the table to numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..wording import listed
from .cells import special_outcomes
from .encode import complete, encode_column, encode_part, row_weights
from .encoded import Encoded, Unit
from .questions import Answer, Question
from .spec import NUMBER, ONLY_ONE, Block, ColumnSpec, SchemaError, UnknownColumnError
from .weights import of_mean_one

__all__ = ["Answer", "Block", "ColumnSpec", "Question", "Schema", "SchemaError"]

VERSION = 2  # 2: readings and special outcomes


class Schema(Mapping[str, ColumnSpec]):
    """Ordered and immutable: column name -> ColumnSpec, and the blocks among the columns.

    Parameters
    ----------
    blocks : iterable of Block
        Each column belongs to at most one block, and all of a block's columns are clustered on.
    questions : iterable of Question
        What has to be asked about the columns; equality looks past them.

    Examples
    --------
    >>> schema = Schema([ColumnSpec("age", "normal"), ColumnSpec("visits", "normal")])
    >>> schema.with_column("visits", family="poisson")["visits"].family
    'poisson'
    """

    def __init__(
        self,
        columns: Iterable[ColumnSpec],
        blocks: Iterable[Block] = (),
        questions: Iterable[Question] = (),
    ) -> None:
        specs = tuple(columns)
        self._questions = tuple(questions)
        self._columns = {spec.name: spec for spec in specs}
        if len(self._columns) < len(specs):
            repeated = next(s.name for s in specs if [t.name for t in specs].count(s.name) > 1)
            raise SchemaError(f"The column name '{repeated}' stands twice: rename one of the two.")
        self._blocks = {block.name: block for block in blocks}
        self._check_blocks()
        self._check_outcomes()

    def _check_blocks(self) -> None:
        owner: dict[str, str] = {}
        for block in self._blocks.values():
            if block.name in self._columns:
                raise SchemaError(f"'{block.name}' is a column already: name the block otherwise.")
            for name in block.columns:
                spec = self[name]
                if name in owner:
                    raise SchemaError(
                        f"Column '{name}' belongs to block '{owner[name]}' already: take it out "
                        "with without_block first."
                    )
                if spec.special:
                    raise SchemaError(
                        f"Column '{name}' has special outcomes ({', '.join(spec.special)}), which "
                        "a block cannot hold: take them off, or leave the column out of the block."
                    )
                if spec.role != "cluster" or spec.family != "normal":
                    raise SchemaError(
                        f"Column '{name}' belongs to block '{block.name}', so it stays a 'normal' "
                        "column with the role 'cluster': take the block apart with without_block "
                        "first."
                    )
                owner[name] = block.name

    def _check_outcomes(self) -> None:
        for role, meaning in ONLY_ONE.items():
            named = [spec.name for spec in self._columns.values() if spec.role == role]
            if len(named) > 1:
                raise SchemaError(
                    f"Columns '{named[0]}' and '{named[1]}' are both {meaning}: keep one of them."
                )
        for spec in self._columns.values():
            if spec.event is not None:
                _ = self[spec.event]

    def __getitem__(self, name: str) -> ColumnSpec:
        if name not in self._columns:
            raise UnknownColumnError(
                f"There is no column '{name}'; the columns are {', '.join(self._columns)}."
            )
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def _identity(self) -> tuple[Any, ...]:
        return tuple(self._columns.values()), tuple(self._blocks.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        lines = [f"  {spec.name}: {spec.family}, {spec.role}" for spec in self.values()]
        lines += [
            f"  block {b.name}: {b.family} of {', '.join(b.columns)}" for b in self._blocks.values()
        ]
        for question in self._questions:
            choices = " / ".join(answer.text for answer in question.answers)
            lines.append(f"  question ({question.about}): {question.text} [{choices}]")
        return "Schema(\n" + "\n".join(lines) + "\n)"

    @property
    def blocks(self) -> dict[str, Block]:
        """Blocks by name."""
        return dict(self._blocks)

    @property
    def questions(self) -> tuple[Question, ...]:
        """What has to be asked and was not answered yet; each answer is called with the schema."""
        return self._questions

    @property
    def label_column(self) -> str | None:
        """Name of the column with the known classes."""
        return next((spec.name for spec in self.values() if spec.role == "label"), None)

    def names(self, role: str) -> tuple[str, ...]:
        """Names of the columns in a role, such as "cluster"."""
        return tuple(spec.name for spec in self.values() if spec.role == role)

    def with_column(self, name: str, **changes: Any) -> Schema:
        """Return a schema with some fields of one column changed.

        Options that a new family does not read are dropped. A new label, group or weight
        column sets the former one aside.

        Raises
        ------
        SchemaError
            Unknown column, family, role or option, or one that does not fit.
        """
        changed = self[name].changed(**changes)
        open_ones = [q for q in self._questions if not q.is_settled_by(name, changes)]
        if len(open_ones) < len(self._questions):
            return self._asking(open_ones).with_column(name, **changes)
        former = self.names(changed.role) if changed.role in ONLY_ONE else ()
        if former and former[0] != name:
            reason = f"Set aside: '{name}' is {ONLY_ONE[changed.role]}."
            aside = self[former[0]].changed(role="ignore", reason=reason)
            return self._replacing(aside)._replacing(changed)
        return self._replacing(changed)

    def with_block(self, name: str, columns: Sequence[str], family: str) -> Schema:
        """Return a schema in which some columns are modelled jointly.

        Parameters
        ----------
        name : str
            Of the block; a block of that name is replaced.
        columns : sequence of str
            They become normal columns to cluster on, and keep their log transforms.
        family : str
            "gaussian", "gaussian_known_covariance" or "spherical".

        Raises
        ------
        SchemaError
        """
        block = Block(name, family, columns)
        schema = self.without_block(name) if name in self._blocks else self
        for column in block.columns:
            spec = schema[column]
            if (spec.family, spec.role) != ("normal", "cluster"):
                schema = schema._replacing(spec.changed(family="normal", role="cluster"))
        blocks = [*schema._blocks.values(), block]
        return Schema(schema._columns.values(), blocks, schema._questions)

    def without_block(self, name: str) -> Schema:
        """Return a schema whose columns of that block stand on their own.

        Raises
        ------
        SchemaError
        """
        if name not in self._blocks:
            raise SchemaError(
                f"There is no block '{name}'; the blocks are {', '.join(self._blocks) or 'none'}."
            )
        blocks = [block for block in self._blocks.values() if block.name != name]
        return Schema(self.values(), blocks, self._questions)

    def settled(self, about: str, columns: Sequence[str]) -> Schema:
        """Return a schema without the question about those columns."""
        done = (about, tuple(columns))
        return self._asking(q for q in self._questions if (q.about, q.columns) != done)

    def renamed(self, names: Mapping[str, str]) -> Schema:
        """Return a schema whose columns have other names; blocks and questions follow.

        Parameters
        ----------
        names : mapping of str to str
            Old name -> new name, of some columns.

        Raises
        ------
        SchemaError
            An unknown column, or a name that stands twice.
        """
        for name in names:
            _ = self[name]
        specs = [
            replace(
                spec, name=names.get(spec.name, spec.name), event=names.get(spec.event, spec.event)
            )
            for spec in self.values()
        ]
        blocks = [
            Block(b.name, b.family, [names.get(column, column) for column in b.columns])
            for b in self._blocks.values()
        ]
        return Schema(specs, blocks, [question.renamed(names) for question in self._questions])

    def _asking(self, questions: Iterable[Question]) -> Schema:
        return Schema(self.values(), self._blocks.values(), questions)

    def _replacing(self, spec: ColumnSpec) -> Schema:
        columns = (self._columns | {spec.name: spec}).values()
        return Schema(columns, self._blocks.values(), self._questions)

    def completed(self, frame: pd.DataFrame) -> Schema:
        """Return a schema with every option that a family needs, from the table where not given.

        A model keeps the completed schema, so that new rows are encoded as its own rows were.

        Parameters
        ----------
        frame : DataFrame, shape (N, M)

        Raises
        ------
        SchemaError
            A column is absent, or does not suit its family.
        """
        self._check_frame(frame)
        specs = [
            complete(frame[spec.name], spec) if spec.role == "cluster" else spec
            for spec in self.values()
        ]
        return Schema(specs, self._blocks.values(), self._questions)

    def encode(self, frame: pd.DataFrame, allow_new_levels: bool = False) -> Encoded:
        """Turn a table into numbers.

        Parameters
        ----------
        frame : DataFrame, shape (N, M)
            With at least the columns to cluster on, in any order.
        allow_new_levels : bool
            True for new rows given to a fitted model: levels the schema does not know are missing
            cells, and a column may hold one value or none.

        Returns
        -------
        Encoded
            A block stands where the first of its columns stands.

        Raises
        ------
        SchemaError
            Names the column, the row (counted from 1) and the way out.
        """
        schema = self.completed(frame)
        encoded = schema._encoded(frame, partial(encode_column, new_rows=allow_new_levels))
        return encoded if allow_new_levels else replace(encoded, weights=schema._relative(frame))

    def encode_part(self, frame: pd.DataFrame) -> Encoded:
        """Turn some rows of a table into numbers, under its completed schema.

        Their columns may hold one value or none; the schema knows every level of the table.

        Raises
        ------
        SchemaError
            Names the column, the row (counted from the first of these) and the way out.
        """
        return self._encoded(frame, encode_part)

    def _encoded(
        self, frame: pd.DataFrame, encode: Callable[[pd.Series, ColumnSpec], np.ndarray]
    ) -> Encoded:
        units = self.units
        names = [name for unit in units for name in unit.columns]
        values = np.empty((len(frame), len(names)))
        told_by = {unit.name: unit.of for unit in units if unit.is_outcome}
        for j, name in enumerate(names):
            if name in told_by:
                of = told_by[name]
                values[:, j] = special_outcomes(frame[of], self[of])
            else:
                values[:, j] = encode(frame[name], self[name])
        return Encoded(values, units)

    def weights_of(self, frame: pd.DataFrame) -> np.ndarray | None:
        """What the column of the role "weight" says of each row, shape (N,); None for 1 of all.

        ``encode`` scales it to mean 1.

        Raises
        ------
        SchemaError
            The column is absent, or a cell is missing, negative or infinite.
        """
        for name in self.names("weight"):
            if name not in frame.columns:
                raise SchemaError(
                    f"The table lacks the column of weights '{name}': add it, or give it another"
                    " role."
                )
            weights = row_weights(frame[name], self[name])
            return None if (weights == 1.0).all() else weights
        return None

    def _relative(self, frame: pd.DataFrame) -> np.ndarray | None:
        """The weights on the scale of mean 1; None where all rows count alike."""
        weights = self.weights_of(frame)
        scaled = None if weights is None else of_mean_one(weights)
        return None if scaled is None or (scaled == 1.0).all() else scaled

    def _check_frame(self, frame: pd.DataFrame) -> None:
        wanted = self.names("cluster")
        if not wanted:
            raise SchemaError(
                "No column is left to cluster on: give at least one the role 'cluster'."
            )
        if not frame.columns.is_unique:
            repeated = frame.columns[frame.columns.duplicated()][0]
            raise SchemaError(f"The table has two columns '{repeated}': rename one of them.")
        absent = [name for name in wanted if name not in frame.columns]
        if absent:
            many = "columns" if len(absent) > 1 else "column"
            names = listed(absent, 10, quotes="''")
            raise SchemaError(
                f"The table lacks the {many} {names}: add what is missing, or give it another role."
            )
        if len(frame) == 0:
            raise SchemaError("The table has no rows: give it at least one.")

    @property
    def units(self) -> tuple[Unit, ...]:
        """Columns and blocks that are clustered on, in the table's order."""
        member = {name: block for block in self._blocks.values() for name in block.columns}
        units: dict[str, Unit] = {}
        for name in self.names("cluster"):
            block = member.get(name)
            if block is None:
                units[name] = Unit(name, self[name].family, (name,), _options(self[name]))
                if self[name].special:
                    outcome = _outcome_unit(self[name])
                    units[outcome.name] = outcome
            elif block.name not in units:
                transforms = tuple(self[column].transform for column in block.columns)
                options = {"transforms": transforms} if any(transforms) else {}
                units[block.name] = Unit(block.name, block.family, block.columns, options)
        return tuple(units.values())

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, numbers and text, for JSON."""
        columns = []
        for spec in self.values():
            entry = {
                option.name: getattr(spec, option.name)
                for option in fields(spec)
                if option.name in ("name", "family", "role")
                or getattr(spec, option.name) != option.default
            }
            columns.append({k: list(v) if isinstance(v, tuple) else v for k, v in entry.items()})
        blocks = [
            asdict(block) | {"columns": list(block.columns)} for block in self._blocks.values()
        ]
        # What an older version understands says so.
        newer = any(spec.reading or spec.special or spec.taken_as for spec in self.values())
        data = {"version": VERSION if newer else 1, "columns": columns, "blocks": blocks}
        if self._questions:
            data["questions"] = [question.to_dict() for question in self._questions]
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Schema:
        """Rebuild a schema from ``to_dict``.

        Raises
        ------
        SchemaError
            From a newer version, or damaged.
        """
        if not isinstance(data, Mapping) or not isinstance(data.get("version"), int):
            raise SchemaError("This is no saved schema: it names no version.")
        if data["version"] > VERSION:
            raise SchemaError(
                f"This schema was saved by a newer version ({data['version']}, this one reads "
                f"{VERSION}): update MAP-DP Studio."
            )
        try:
            columns = [ColumnSpec(**entry) for entry in data["columns"]]
            blocks = [Block(**entry) for entry in data.get("blocks", ())]
            questions = [Question.from_dict(entry) for entry in data.get("questions", ())]
        except SchemaError:
            raise
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise SchemaError(f"This saved schema is damaged ({error}): save it again.") from None
        return cls(columns, blocks, questions)


def _outcome_unit(spec: ColumnSpec) -> Unit:
    """Which special outcome each cell of a two-part column has."""
    name = f"{spec.name}: special outcome"
    options = {"levels": (NUMBER, *spec.special), "of": spec.name}
    return Unit(name, "categorical", (name,), options)


def _options(spec: ColumnSpec) -> dict[str, Any]:
    """Those options of a column that its family or its page needs to read the codes."""
    options = {
        "levels": spec.levels,
        "trials": spec.trials,
        "offset": spec.offset,
        "transform": spec.transform,
    }
    return {name: value for name, value in options.items() if value not in (None, 0.0)}
