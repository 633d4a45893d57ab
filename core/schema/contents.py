"""What a schema says, and what it looks like in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

import pandas as pd

from ..families import Prior
from .checks import check_blocks, check_outcomes, check_priors
from .chosen import Chosen
from .encoded import Unit
from .questions import Question
from .spec import Block, ColumnSpec, SchemaError, UnknownColumnError
from .units import units_of

#: What has a column of its own in the table, or is told in none.
_APART = ("name", "family", "role", "reason", "special_codes")


class Contents(Mapping[str, ColumnSpec]):
    """All that a schema says; ``Schema`` adds what changes it and what reads a table by it.

    Parameters
    ----------
    columns, blocks, questions, priors, chosen
        As of ``Schema``.

    Raises
    ------
    SchemaError
        A schema cannot be so.
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
        self._questions = tuple(questions)
        self._columns = {spec.name: spec for spec in specs}
        if len(self._columns) < len(specs):
            repeated = next(s.name for s in specs if [t.name for t in specs].count(s.name) > 1)
            raise SchemaError(f"The column name '{repeated}' stands twice: rename one of the two.")
        self._blocks = {block.name: block for block in blocks}
        self._priors = dict(priors)
        self._chosen = tuple(chosen)
        check_blocks(self, self._blocks.values())
        check_outcomes(self)
        if self._priors:
            check_priors(self._priors, self.units)

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
        priors = tuple(sorted(self._priors.items(), key=lambda one: one[0]))
        return tuple(self._columns.values()), tuple(self._blocks.values()), priors

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contents) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    @property
    def blocks(self) -> dict[str, Block]:
        """Blocks by name."""
        return dict(self._blocks)

    @property
    def priors(self) -> dict[str, Prior]:
        """Priors by the column or block that they are of; the others have default ones."""
        return dict(self._priors)

    @property
    def chosen(self) -> tuple[Chosen, ...]:
        """What E chose of it and is still so, the largest gain first."""
        return self._chosen

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

    @property
    def units(self) -> tuple[Unit, ...]:
        """Columns and blocks that are clustered on, in the table's order."""
        return units_of(self, self._blocks.values(), self._priors)

    def still_so_in(self, other: Contents) -> tuple[dict[str, Prior], list[Chosen]]:
        """Of the priors and choices those whose columns are as they are here in another."""
        if not (self._priors or self._chosen):
            return {}, []
        here, there = self._told(), other._told()
        priors = {name: p for name, p in self._priors.items() if there.get(name) == here[name]}

        def stands(change: Chosen) -> bool:
            if change.is_block:
                return any(map(change.made, other._blocks.values()))
            (name,) = change.columns
            return other.get(name) == self[name]

        return priors, list(filter(stands, self._chosen))

    def _told(self) -> dict[str, tuple[Any, ...]]:
        """Of every unit all that its numbers depend on."""
        return {
            unit.name: (
                unit.family,
                unit.columns,
                [self[unit.of if unit.is_outcome else column] for column in unit.columns],
            )
            for unit in self.units
        }

    def __repr__(self) -> str:
        lines = [f"  {spec.name}: {spec.family}, {spec.role}" for spec in self.values()]
        for block in self._blocks.values():
            lines.append(f"  block {block.name}: {block.family} of {', '.join(block.columns)}")
        for question in self._questions:
            choices = " / ".join(answer.text for answer in question.answers)
            lines.append(f"  question ({question.about}): {question.text} [{choices}]")
        return "Schema(\n" + "\n".join(lines) + "\n)"

    def to_frame(self) -> pd.DataFrame:
        """One row a column: ``column``, ``role``, ``family``, ``options``, ``block``, ``reason``.

        All cells are text; options are those that are not as they are by default.
        """
        blocks = {name: b.name for b in self._blocks.values() for name in b.columns}
        lines = [
            {
                "column": spec.name,
                "role": spec.role,
                "family": spec.family or "",
                "options": ", ".join(_options(spec)),
                "block": blocks.get(spec.name, ""),
                "reason": spec.reason,
            }
            for spec in self.values()
        ]
        return pd.DataFrame(
            lines, columns=["column", "role", "family", "options", "block", "reason"]
        )

    def _repr_html_(self) -> str:
        return self.to_frame().to_html(index=False, border=0)


def _options(spec: ColumnSpec) -> Iterable[str]:
    for field in fields(spec):
        value = getattr(spec, field.name)
        if field.name not in _APART and value not in (field.default, None, ()):
            listed = isinstance(value, tuple)
            yield f"{field.name}: {' < '.join(map(str, value)) if listed else value}"
