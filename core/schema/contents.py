"""What a schema says, its factors, what it cannot be, and its form as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from ..families import FAMILIES, Prior
from .chosen import Chosen
from .encoded import Unit
from .questions import Question
from .spec import NUMBER, ONLY_ONE, Block, ColumnSpec, SchemaError, UnknownColumnError

VERSION = 3  # 2: readings and special outcomes; 3: priors
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


def units_of(
    columns: Mapping[str, ColumnSpec], blocks: Iterable[Block], priors: Mapping[str, Prior]
) -> tuple[Unit, ...]:
    """Columns and blocks that are clustered on, in the table's order, under priors by name."""
    member = {name: block for block in blocks for name in block.columns}
    units: dict[str, Unit] = {}
    for name, spec in columns.items():
        if spec.role != "cluster":
            continue
        block = member.get(name)
        if block is None:
            units[name] = Unit(name, spec.family, (name,), _read_by_family(spec), priors.get(name))
            if spec.special:
                outcome = _outcome_unit(spec)
                prior = priors.get(outcome.name)
                units[outcome.name] = replace(outcome, prior=prior)
        elif block.name not in units:
            transforms = tuple(columns[column].transform for column in block.columns)
            options = {"transforms": transforms} if any(transforms) else {}
            told = block.name, block.family, block.columns, options
            units[block.name] = Unit(*told, priors.get(block.name))
    return tuple(units.values())


def _outcome_unit(spec: ColumnSpec) -> Unit:
    """Which special outcome each cell of a two-part column has."""
    name = f"{spec.name}: special outcome"
    options = {"levels": (NUMBER, *spec.special), "of": spec.name}
    return Unit(name, "categorical", (name,), options)


def _read_by_family(spec: ColumnSpec) -> dict[str, Any]:
    """Those options of a column that its family or its page needs to read the codes."""
    options = {
        "levels": spec.levels,
        "trials": spec.trials,
        "offset": spec.offset,
        "transform": spec.transform,
    }
    return {name: value for name, value in options.items() if value not in (None, 0.0)}


def check_blocks(columns: Mapping[str, ColumnSpec], blocks: Iterable[Block]) -> None:
    """Each column in one block at most, all of a block clustered on as measurements."""
    owner: dict[str, str] = {}
    for block in blocks:
        if block.name in columns:
            raise SchemaError(f"'{block.name}' is a column already: name the block otherwise.")
        for name in block.columns:
            spec = columns[name]
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


def check_outcomes(columns: Mapping[str, ColumnSpec]) -> None:
    """One label, group and weight column at most; events that are there."""
    for role, meaning in ONLY_ONE.items():
        named = [spec.name for spec in columns.values() if spec.role == role]
        if len(named) > 1:
            raise SchemaError(
                f"Columns '{named[0]}' and '{named[1]}' are both {meaning}: keep one of them."
            )
    for spec in columns.values():
        if spec.event is not None:
            _ = columns[spec.event]


def check_priors(priors: Mapping[str, Prior], units: Iterable[Unit]) -> None:
    """Priors of columns and blocks that are clustered on, each of the family's form."""
    known = {unit.name: unit for unit in units}
    for name, prior in priors.items():
        if name not in known:
            raise SchemaError(
                f"There is a prior of '{name}', which is no column or block that is clustered"
                " on: leave it out."
            )
        unit, wanted = known[name], FAMILIES[known[name].family]
        if not isinstance(prior, wanted.Prior):
            raise SchemaError(
                f"The prior of '{name}' is a {type(prior).__name__}; its family"
                f" '{unit.family}' needs a {wanted.Prior.__name__}."
            )
        if wanted.is_block and np.size(prior.mean) != len(unit.columns):
            raise SchemaError(
                f"The prior of '{name}' is of {np.size(prior.mean)} columns where the block has"
                f" {len(unit.columns)}: give it as many."
            )


def plain(schema: Contents) -> dict[str, Any]:
    """What ``Schema.to_dict`` returns."""
    columns = []
    for spec in schema.values():
        entry = {
            option.name: getattr(spec, option.name)
            for option in fields(spec)
            if option.name in ("name", "family", "role")
            or getattr(spec, option.name) != option.default
        }
        columns.append({k: list(v) if isinstance(v, tuple) else v for k, v in entry.items()})
    blocks = [asdict(block) | {"columns": list(block.columns)} for block in schema.blocks.values()]
    # What an older version understands says so.
    newer = any(spec.reading or spec.special or spec.taken_as for spec in schema.values())
    version = VERSION if schema.priors else 2 if newer else 1
    data = {"version": version, "columns": columns, "blocks": blocks}
    if schema.priors:
        data["priors"] = [{"of": name, **p.to_dict()} for name, p in schema.priors.items()]
    if schema.chosen:
        data["chosen"] = [change.to_dict() for change in schema.chosen]
    if schema.questions:
        data["questions"] = [question.to_dict() for question in schema.questions]
    return data


def contents_of(data: Mapping[str, Any]) -> Contents:
    """What ``plain`` was given, from what it returned.

    Raises
    ------
    SchemaError
        From a newer version, or one that cannot be; of other damage see ``damage_refused``.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("version"), int):
        raise SchemaError("This is no saved schema: it names no version.")
    if data["version"] > VERSION:
        raise SchemaError(
            f"This schema was saved by a newer version ({data['version']}, this one reads "
            f"{VERSION}): update MAP-DP Studio."
        )
    columns = [ColumnSpec(**entry) for entry in data["columns"]]
    blocks = [Block(**entry) for entry in data.get("blocks", ())]
    questions = [Question.from_dict(entry) for entry in data.get("questions", ())]
    families = {unit.name: FAMILIES[unit.family] for unit in Contents(columns, blocks).units}
    priors = {}
    for entry in data.get("priors", ()):
        numbers = dict(entry)
        name = str(numbers.pop("of"))
        priors[name] = families[name].Prior.from_dict(numbers)
    chosen = [Chosen.from_dict(entry) for entry in data.get("chosen", ())]
    return Contents(columns, blocks, questions, priors, chosen)


@contextmanager
def damage_refused() -> Iterator[None]:
    """Make what a damaged saved schema raises within it one sentence.

    Raises
    ------
    SchemaError
    """
    try:
        yield
    except SchemaError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise SchemaError(f"This saved schema is damaged ({error}): save it again.") from None
