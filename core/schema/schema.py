"""Schema: what every column of a table is, and the way from the table to numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import pandas as pd

from ..families import FAMILIES, Prior
from ..plain import from_fields, from_plain, to_plain
from ..saved_file import SavedFile
from ..wording import listed
from .cells import special_outcomes
from .chosen import Chosen, joined_by_choice
from .encode import complete, encode_column, of_mean_one, row_weights
from .encoded import Encoded, Unit, check_blocks, check_priors, check_roles, units_of
from .questions import Answer, Question
from .spec import ONLY_ONE, ROLES, Block, ColumnSpec, SchemaError, UnknownColumnError, check_names

__all__ = ["Answer", "Block", "ColumnSpec", "Question", "Schema", "SchemaError"]

Change = str | Mapping[str, Any]
# 2: readings and special outcomes; 3: priors; 4: what is left aside unasked is so
_FILE = SavedFile("saved schema", 4, SchemaError)


class Schema(Mapping[str, ColumnSpec]):
    """Ordered and immutable: column name -> ColumnSpec, the blocks among the columns, and priors.

    Parameters
    ----------
    blocks : iterable of Block
        Each column belongs to at most one block, and all of a block's columns are clustered on;
        kept by name.
    questions : iterable of Question
        What has to be asked and was not answered yet, each answer called with the schema; kept as
        a tuple, past which equality looks.
    priors : mapping of str to Prior
        By clustered column or block; others have a weak default. Dropped when a column changes.
    chosen : iterable of Chosen
        Those of its likelihoods, transforms and blocks that E chose and that are still so, the
        largest gain first; kept as a tuple, past which equality looks.

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
        priors: Mapping[str, Prior] = MappingProxyType({}),
        chosen: Iterable[Chosen] = (),
    ) -> None:
        specs = tuple(columns)
        check_names(spec.name for spec in specs)
        self._columns = {spec.name: spec for spec in specs}
        self.blocks: Mapping[str, Block] = {block.name: block for block in blocks}
        self.questions, self.chosen = tuple(questions), tuple(chosen)
        self.priors: Mapping[str, Prior] = dict(priors)
        check_blocks(self, self.blocks.values())
        check_roles(self)
        if self.priors:
            check_priors(self.priors, self.units)

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
        priors = tuple(sorted(self.priors.items(), key=lambda one: one[0]))
        return tuple(self._columns.values()), tuple(self.blocks.values()), priors

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    @property
    def label_column(self) -> str | None:
        """Name of the column with the known classes."""
        return next((spec.name for spec in self.values() if spec.role == "label"), None)

    def names(self, role: str) -> tuple[str, ...]:
        """Names of the columns in a role, such as "cluster"."""
        return tuple(spec.name for spec in self.values() if spec.role == role)

    @property
    def units(self) -> tuple[Unit, ...]:
        """Columns and blocks that are clustered on, in the table's order."""
        return units_of(self, self.blocks.values(), self.priors)

    def with_column(self, name: str, **changes: Any) -> Self:
        """Return a schema with some fields of one column changed, or raise a SchemaError.

        Options that a new family does not read are dropped. A new label, group or weight column
        sets the former one aside. A column leaves a block that E chose for it, but no block that
        somebody made.
        """
        changed = self[name].changed(**changes)
        if changed != self[name] and joined_by_choice(self.chosen, name):
            return self.with_column_apart(name).with_column(name, **changes)
        left = self.asking(q for q in self.questions if not q.is_settled_by(name, changes))
        for former in self.names(changed.role) if changed.role in ONLY_ONE else ():
            if former != name:
                reason = f"Set aside: '{name}' is {ONLY_ONE[changed.role]}."
                left = left._replacing(self[former].changed(role="ignore", reason=reason))
        return left._replacing(changed)

    def with_columns(self, changes: Mapping[str, Change]) -> Self:
        """Return a schema with several columns changed.

        Parameters
        ----------
        changes : mapping of str to str or mapping
            By column: a family, a role, or fields as for ``with_column``.

        Raises
        ------
        SchemaError
            As ``with_column``.

        Examples
        --------
        >>> import pandas as pd
        >>> from mapdp_studio import infer_schema
        >>> frame = pd.DataFrame({"visits": [0, 3, 1] * 9, "died": ["no", "yes", "no"] * 9})
        >>> schema = infer_schema(frame).with_columns({"visits": "poisson", "died": "control"})
        >>> schema["visits"].family, schema["died"].role
        ('poisson', 'control')
        """
        schema = self
        for name, change in changes.items():
            if isinstance(change, str):
                change = {"role" if change in ROLES else "family": change}
            schema = schema.with_column(name, **change)
        return schema

    def with_block(self, name: str, columns: Sequence[str], family: str) -> Self:
        """Return a schema in which some columns are modelled jointly.

        Parameters
        ----------
        name : str
            Of the block; a block of that name is replaced.
        columns : sequence of str
            They become normal columns to cluster on, and keep their log transforms.
        family : str
            "gaussian" or "spherical".

        Raises
        ------
        SchemaError
            An unknown family or column.
        """
        block = Block(name, family, columns)
        schema = self.without_block(name) if name in self.blocks else self
        for column in block.columns:
            if joined_by_choice(schema.chosen, column):
                schema = schema.with_column_apart(column)
            spec = schema[column]
            if (spec.family, spec.role) != ("normal", "cluster"):
                schema = schema._replacing(spec.changed(family="normal", role="cluster"))
        return schema._changed(blocks=[*schema.blocks.values(), block])

    def without_block(self, name: str) -> Self:
        """Return a schema whose columns of that block stand on their own."""
        if name not in self.blocks:
            raise SchemaError(
                f"There is no block '{name}'; the blocks are {', '.join(self.blocks) or 'none'}."
            )
        return self._changed(blocks=[b for b in self.blocks.values() if b.name != name])

    def with_column_apart(self, name: str) -> Self:
        """Return a schema in which a column stands on its own, the rest of its block together."""
        block = next((b for b in self.blocks.values() if name in b.columns), None)
        if block is None:
            return self
        rest = [d for d, column in enumerate(block.columns) if column != name]
        columns = tuple(block.columns[d] for d in rest)
        schema = self.without_block(block.name)
        if not rest or (len(rest) == 1 and joined_by_choice(self.chosen, name)):
            return schema
        prior = self.priors.get(block.name)
        left = None if prior is None else prior.of_columns(rest)
        chosen = [replace(c, columns=columns, gain=None) for c in self.chosen if c.made(block)]
        schema = schema.with_block(block.name, columns, block.family)
        return schema.with_choice({} if left is None else {block.name: left}, chosen)

    def with_choice(self, priors: Mapping[str, Prior], chosen: Iterable[Chosen] = ()) -> Self:
        """Return a schema whose units of these names have these priors, and what came with them."""
        return self._with(priors={**self.priors, **priors}, chosen=(*self.chosen, *chosen))

    def settled(self, about: str, columns: Sequence[str]) -> Self:
        """Return a schema without the question about those columns."""
        done = (about, tuple(columns))
        return self.asking(q for q in self.questions if (q.about, q.columns) != done)

    def renamed(self, names: Mapping[str, str]) -> Self:
        """Return a schema with other names, old -> new, of some columns; blocks and questions too.

        A SchemaError says that a column is unknown, or a name stands twice.
        """
        for name in names:
            _ = self[name]
        new = {name: names.get(name, name) for name in self}
        specs = [
            replace(spec, name=new[name], event=new.get(spec.event)) for name, spec in self.items()
        ]
        blocks = [
            Block(b.name, b.family, [new[c] for c in b.columns]) for b in self.blocks.values()
        ]
        schema = Schema(specs, blocks, [question.renamed(names) for question in self.questions])
        pairs = zip(schema.units, self.units, strict=True)
        priors = {unit.name: old.prior for unit, old in pairs if old.prior is not None}
        return schema.with_choice(priors, [change.renamed(names) for change in self.chosen])

    def asking(self, questions: Iterable[Question]) -> Self:
        """Return a schema with these questions open and no others."""
        return self._with(questions=questions)

    def _with(self, **parts: Any) -> Self:
        kept = {name: getattr(self, name) for name in ("questions", "priors", "chosen")}
        return Schema(**{"columns": self.values(), "blocks": self.blocks.values(), **kept, **parts})

    def _changed(self, **parts: Any) -> Self:
        """The same with other columns or blocks, and what was chosen for those that stay."""
        return self._with(**parts, priors={}, chosen=()).choosing_as(self)

    def _replacing(self, spec: ColumnSpec) -> Self:
        return self._changed(columns=(self._columns | {spec.name: spec}).values())

    def without_choice(self) -> Self:
        """Return a schema of the same columns and blocks under weak default priors."""
        return self._with(priors={}, chosen=())

    def taken_back(self, change: Chosen) -> Self:
        """Return a schema in which one of its ``chosen`` changes is undone, by hand."""
        if change.is_block:
            joined = [block.name for block in self.blocks.values() if change.made(block)]
            return self.without_block(joined[0] if joined else ", ".join(change.columns))
        (name,) = change.columns
        return self.with_column_apart(name).with_column(name, **change.before)

    def as_suggested(self) -> Self:
        """Return a schema without anything that E chose of it; what was set by hand stays."""
        left = self.without_choice()
        for change in sorted(self.chosen, key=lambda change: not change.is_block):  # blocks first
            if change.before:
                reason = self[change.columns[0]].reason
                change = replace(change, before={**change.before, "reason": reason})
            left = left.taken_back(change)
        return left

    def with_chosen(self, chosen: "Schema") -> Self:
        """Return a schema with the columns that another clusters on, its blocks and priors.

        The other columns, and what is asked, stay as they are here.
        """
        specs = [chosen[name] if spec.role == "cluster" else spec for name, spec in self.items()]
        return chosen._with(columns=specs, questions=self.questions)

    def choosing_as(self, other: "Schema") -> Self:
        """Return a schema with the priors and choices of another, for what is as it is there."""
        if not (other.priors or other.chosen):
            return self
        here, there = self._specs_of_units(), other._specs_of_units()
        priors = {name: p for name, p in other.priors.items() if here.get(name) == there[name]}

        def stands(change: Chosen) -> bool:
            if change.is_block:
                return any(map(change.made, self.blocks.values()))
            (name,) = change.columns
            return self.get(name) == other[name]

        return self.with_choice(priors, filter(stands, other.chosen))

    def _specs_of_units(self) -> dict[str, tuple[Any, ...]]:
        """Of every unit all that its numbers depend on."""
        return {
            unit.name: (
                unit.family,
                unit.columns,
                [self[unit.of if unit.is_outcome else column] for column in unit.columns],
            )
            for unit in self.units
        }

    def completed(self, frame: pd.DataFrame) -> Self:
        """Return a schema with every option that a family needs, from the table where not given.

        Parameters
        ----------
        frame : DataFrame, shape (N, M)

        Raises
        ------
        SchemaError
            A column is absent, or does not suit its family.
        """
        self._check_frame(frame)
        frame = pd.DataFrame(frame)
        specs = (
            complete(frame[spec.name], spec) if spec.role == "cluster" else spec
            for spec in self.values()
        )
        return self._with(columns=specs)

    def encode(self, frame: pd.DataFrame, allow_new_levels: bool = False) -> Encoded:
        """Turn a table into numbers.

        Parameters
        ----------
        frame : DataFrame, shape (N, M)
            With at least the columns to cluster on, in any order.
        allow_new_levels : bool
            For new rows: unknown levels are missing cells, and a column may hold one value or none.

        Returns
        -------
        Encoded
            A block stands where the first of its columns stands.

        Raises
        ------
        SchemaError
            Names the column, the row (counted from 1) and the way out.
        """
        schema, frame = self.completed(frame), pd.DataFrame(frame)
        columns = []
        for unit in schema.units:
            if unit.is_outcome:
                columns.append(special_outcomes(frame[unit.of], schema[unit.of]))
            else:
                columns += [
                    encode_column(frame[name], schema[name], allow_new_levels)
                    for name in unit.columns
                ]
        values = np.ascontiguousarray(np.column_stack(columns), dtype=np.float64)
        if allow_new_levels:
            return Encoded(values, schema.units)
        weights = schema.weights_of(frame)
        scaled = None if weights is None else of_mean_one(weights)
        is_plain = scaled is None or (scaled == 1.0).all()
        return Encoded(values, schema.units, None if is_plain else scaled)

    def weights_of(self, frame: pd.DataFrame) -> np.ndarray | None:
        """Weight of each row by the column of that role, shape (N,); None for 1 of all.

        A SchemaError says that it is absent, or a cell missing, negative or infinite.
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

    def _check_frame(self, frame: pd.DataFrame) -> None:
        expected = self.names("cluster")
        if not expected:
            why = " ".join(f"'{name}': {spec.reason}" for name, spec in [*self.items()][:3])
            raise SchemaError(
                f"No column is left to cluster on: give at least one the role 'cluster'. {why}"
            )
        check_names(map(str, frame.columns))
        absent = [name for name in expected if name not in frame.columns]
        if absent:
            many = "columns" if len(absent) > 1 else "column"
            names = listed(absent, 10, quotes="''")
            raise SchemaError(
                f"The table lacks the {many} {names}: add what is missing, or give it another role."
            )
        if len(frame) == 0:
            raise SchemaError("The table has no rows: give it at least one.")

    def __repr__(self) -> str:
        lines = [f"  {spec.name}: {spec.family}, {spec.role}" for spec in self.values()]
        for block in self.blocks.values():
            lines.append(f"  block {block.name}: {block.family} of {', '.join(block.columns)}")
        for question in self.questions:
            choices = " / ".join(answer.text for answer in question.answers)
            lines.append(f"  question ({question.about}): {question.text} [{choices}]")
        return "Schema(\n" + "\n".join(lines) + "\n)"

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, numbers and text, for JSON."""
        always = ("name", "family", "role")
        columns = [
            {
                option.name: list(value) if isinstance(value, tuple) else value
                for option in fields(spec)
                if (value := getattr(spec, option.name)) != option.default or option.name in always
            }
            for spec in self.values()
        ]
        data = {"version": _FILE.version, "columns": columns}
        data["blocks"] = to_plain([*self.blocks.values()])
        if self.priors:
            data["priors"] = [{"of": name, **p.to_dict()} for name, p in self.priors.items()]
        if self.chosen:
            data["chosen"] = to_plain(self.chosen)
        if self.questions:
            data["questions"] = to_plain(self.questions)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild a schema from ``to_dict``.

        Raises
        ------
        SchemaError
            From a newer version, or damaged.
        """
        _FILE.check_version(data)
        with _FILE.rebuilding():
            columns = [ColumnSpec(**entry) for entry in data["columns"]]
            blocks = from_plain(tuple[Block, ...], data.get("blocks", ()), "blocks")
            asked = [dict(entry) for entry in data.get("questions", ())]
            were_taken = [entry.pop("is_taken", False) for entry in asked]
            questions = from_plain(tuple[Question, ...], asked, "questions")
            schema = Schema(columns, blocks, questions)
            for question, is_taken in zip(questions, were_taken, strict=True):
                if is_taken:  # before version 4 carried out at every fit only
                    schema = question.answers[0](schema)
            families = {unit.name: FAMILIES[unit.family] for unit in schema.units}
            priors = {}
            for entry in data.get("priors", ()):
                numbers = dict(entry)
                name = numbers.pop("of")
                priors[name] = from_fields(families[name], numbers, "priors", name)
            chosen = from_plain(tuple[Chosen, ...], data.get("chosen", ()), "chosen")
            for change in chosen:
                schema.taken_back(change)  # what cannot be is refused here, and not at a click
            return schema.with_choice(priors, chosen)
