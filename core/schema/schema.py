"""Schema: what every column of a table is, and the way from the table to numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..families import Prior
from ..wording import listed
from .cells import special_outcomes
from .chosen import Chosen, joined_by_choice
from .contents import Contents, contents_of, damage_refused, plain
from .encode import complete, encode_column, of_mean_one, row_weights
from .encoded import Encoded
from .questions import Answer, Question
from .spec import ONLY_ONE, ROLES, Block, ColumnSpec, SchemaError

__all__ = ["Answer", "Block", "ColumnSpec", "Question", "Schema", "SchemaError"]

#: Of one column: a family, a role, or some of the fields of ``Schema.with_column``.
Change = str | Mapping[str, Any]


class Schema(Contents):
    """Ordered and immutable: column name -> ColumnSpec, the blocks among the columns, and priors.

    Parameters
    ----------
    blocks : iterable of Block
        Each column belongs to at most one block, and all of a block's columns are clustered on.
    questions : iterable of Question
        What has to be asked about the columns; equality looks past them.
    priors : mapping of str to Prior
        By column or block that is clustered on: under which every method fits it that is not told
        another prior; a weak default for those without. A prior is dropped once its column, or a
        column of its block, is changed.
    chosen : iterable of Chosen
        Those of its likelihoods, transforms and blocks that E chose; equality looks past them.

    Examples
    --------
    >>> schema = Schema([ColumnSpec("age", "normal"), ColumnSpec("visits", "normal")])
    >>> schema.with_column("visits", family="poisson")["visits"].family
    'poisson'
    """

    def with_column(self, name: str, **changes: Any) -> Schema:
        """Return a schema with some fields of one column changed.

        Options that a new family does not read are dropped. A new label, group or weight
        column sets the former one aside. A column leaves a block that E chose for it, but no block
        that somebody made.

        Raises
        ------
        SchemaError
            Unknown column, family, role or option, or one that does not fit.
        """
        changed = self[name].changed(**changes)
        if changed != self[name] and joined_by_choice(self._chosen, name):
            return self.with_column_apart(name).with_column(name, **changes)
        open_ones = [q for q in self._questions if not q.is_settled_by(name, changes)]
        if len(open_ones) < len(self._questions):  # what they take unasked stays of the others
            return self.by_default().asking(open_ones).with_column(name, **changes)
        former = self.names(changed.role) if changed.role in ONLY_ONE else ()
        if former and former[0] != name:
            reason = f"Set aside: '{name}' is {ONLY_ONE[changed.role]}."
            aside = self[former[0]].changed(role="ignore", reason=reason)
            return self._replacing(aside)._replacing(changed)
        return self._replacing(changed)

    def with_columns(self, changes: Mapping[str, Change]) -> Schema:
        """Return a schema with several columns changed.

        Parameters
        ----------
        changes : mapping of str to str or mapping
            By column: a family ("poisson"), a role ("validator"), or fields as for
            ``with_column`` ({"family": "normal", "transform": "log"}).

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

    def with_block(self, name: str, columns: Sequence[str], family: str) -> Schema:
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
        """
        block = Block(name, family, columns)
        schema = self.without_block(name) if name in self._blocks else self
        for column in block.columns:
            if joined_by_choice(schema._chosen, column):
                schema = schema.with_column_apart(column)
            spec = schema[column]
            if (spec.family, spec.role) != ("normal", "cluster"):
                schema = schema._replacing(spec.changed(family="normal", role="cluster"))
        return schema._with(blocks=[*schema._blocks.values(), block])

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
        return self._with(blocks=[b for b in self._blocks.values() if b.name != name])

    def with_column_apart(self, name: str) -> Schema:
        """Return a schema in which a column stands on its own, the rest of its block together."""
        block = next((b for b in self._blocks.values() if name in b.columns), None)
        if block is None:
            return self
        rest = [d for d, column in enumerate(block.columns) if column != name]
        columns = tuple(block.columns[d] for d in rest)
        schema = self.without_block(block.name)
        if not rest or (len(rest) == 1 and joined_by_choice(self._chosen, name)):
            return schema
        prior = self._priors.get(block.name)
        left = None if prior is None else prior.of_columns(rest)
        chosen = [replace(c, columns=columns, gain=None) for c in self._chosen if c.made(block)]
        schema = schema.with_block(block.name, columns, block.family)
        return schema.with_choice({} if left is None else {block.name: left}, chosen)

    def with_choice(self, priors: Mapping[str, Prior], chosen: Iterable[Chosen] = ()) -> Schema:
        """Return a schema whose units of these names have these priors.

        ``chosen`` are those of its likelihoods, transforms and blocks that came with them.

        Raises
        ------
        SchemaError
            A prior of another family, or of nothing that is clustered on.
        """
        chosen = (*self._chosen, *chosen)
        return Schema(
            self.values(), self._blocks.values(), self._questions, self._priors | priors, chosen
        )

    def settled(self, about: str, columns: Sequence[str]) -> Schema:
        """Return a schema without the question about those columns."""
        done = (about, tuple(columns))
        return self.asking(q for q in self._questions if (q.about, q.columns) != done)

    def by_default(self) -> Schema:
        """Return the schema as it is fitted while nobody says otherwise.

        The best guesses of those open questions that are taken unasked are carried out; the
        questions stay open. A column in a block stays in it.
        """
        taken = [q.answers[0].changes for q in self._questions if q.is_taken]
        changes = {name: change for of_one in taken for name, change in of_one.items()}
        for block in self._blocks.values():
            changes = {name: c for name, c in changes.items() if name not in block.columns}
        if not changes:
            return self
        changed = {name: self[name].changed(**change) for name, change in changes.items()}
        return self._with((self._columns | changed).values())

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
        schema = Schema(specs, blocks, [question.renamed(names) for question in self._questions])
        pairs = zip(schema.units, self.units, strict=True)
        priors = {unit.name: old.prior for unit, old in pairs if old.prior is not None}
        return schema.with_choice(priors, [change.renamed(names) for change in self._chosen])

    def asking(self, questions: Iterable[Question]) -> Schema:
        """Return a schema with these questions open and no others."""
        return self._with(questions=questions)

    def _replacing(self, spec: ColumnSpec) -> Schema:
        return self._with((self._columns | {spec.name: spec}).values())

    def _with(
        self,
        columns: Iterable[ColumnSpec] | None = None,
        blocks: Iterable[Block] | None = None,
        questions: Iterable[Question] | None = None,
    ) -> Schema:
        """The same with other columns, blocks or questions."""
        schema = Schema(
            self.values() if columns is None else columns,
            self._blocks.values() if blocks is None else blocks,
            self._questions if questions is None else questions,
        )
        return schema.choosing_as(self)

    def without_choice(self) -> Schema:
        """Return a schema of the same columns and blocks under weak default priors."""
        return Schema(self.values(), self._blocks.values(), self._questions)

    def taken_back(self, change: Chosen) -> Schema:
        """Return a schema in which one of its ``chosen`` changes is undone, by hand.

        A column that was chosen to be read otherwise leaves its block with that.

        Raises
        ------
        SchemaError
            It is no change of this schema.
        """
        if change.is_block:
            joined = [block.name for block in self._blocks.values() if change.made(block)]
            return self.without_block(joined[0] if joined else ", ".join(change.columns))
        (name,) = change.columns
        return self.with_column_apart(name).with_column(name, **change.before)

    def as_suggested(self) -> Schema:
        """Return a schema without anything that E chose of it; what was set by hand stays."""
        left = self.without_choice()
        for change in sorted(self._chosen, key=lambda change: not change.is_block):  # blocks first
            if change.before:
                reason = self[change.columns[0]].reason
                change = replace(change, before={**change.before, "reason": reason})
            left = left.taken_back(change)
        return left

    def choosing_as(self, other: Schema) -> Schema:
        """Return a schema with the priors and choices of another, for what is as it is there.

        A prior goes where its column, or a column of its block, is otherwise or in no group.
        """
        return self.with_choice(*other.still_so_in(self))

    def of_specs(self, specs: Iterable[ColumnSpec]) -> Schema:
        """Return a schema with its columns told again: what was left open, other reasons."""
        return Schema(specs, self._blocks.values(), self._questions, self._priors, self._chosen)

    def completed(self, frame: pd.DataFrame) -> Schema:
        """Return a schema with every option that a family needs, from the table where not given.

        What is left aside unless somebody says otherwise (``by_default``) is left aside in it.
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
        schema, frame = self.by_default(), pd.DataFrame(frame)
        return schema.of_specs(
            complete(frame[spec.name], spec) if spec.role == "cluster" else spec
            for spec in schema.values()
        )

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
        encoded = schema._encoded(frame, allow_new_levels)
        return encoded if allow_new_levels else replace(encoded, weights=schema._relative(frame))

    def _encoded(self, frame: pd.DataFrame, new_rows: bool) -> Encoded:
        units, frame = self.units, pd.DataFrame(frame)
        names = [name for unit in units for name in unit.columns]
        values = np.empty((len(frame), len(names)))
        told_by = {unit.name: unit.of for unit in units if unit.is_outcome}
        for j, name in enumerate(names):
            if name in told_by:
                of = told_by[name]
                values[:, j] = special_outcomes(frame[of], self[of])
            else:
                values[:, j] = encode_column(frame[name], self[name], new_rows)
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists, numbers and text, for JSON."""
        return plain(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Schema:
        """Rebuild a schema from ``to_dict``.

        Raises
        ------
        SchemaError
            From a newer version, or damaged.
        """
        with damage_refused():
            said = contents_of(data)
            schema = cls(said.values(), said.blocks.values(), said.questions)
            for change in said.chosen:
                schema.taken_back(change)  # what cannot be is refused here, and not at a click
            return schema.with_choice(said.priors, said.chosen)
