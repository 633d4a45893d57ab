"""The columns and blocks that are clustered on, and what a schema of them cannot be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..families import FAMILIES, Prior
from ..families.family import RATING
from ..wording import counted
from .encoded import Unit
from .spec import NUMBER, ONLY_ONE, Block, ColumnSpec, SchemaError


def units_of(
    columns: Mapping[str, ColumnSpec], blocks: Iterable[Block], priors: Mapping[str, Prior]
) -> tuple[Unit, ...]:
    """Columns and blocks that are clustered on, in the table's order, under priors by name."""
    member = {name: block for block in blocks for name in block.columns}
    units: dict[str, Unit] = {}

    def add(name: str, family: str, of: tuple[str, ...], options: Mapping[str, Any]) -> None:
        units[name] = Unit(name, family, of, options, priors.get(name))

    for name, spec in columns.items():
        if spec.role != "cluster":
            continue
        block = member.get(name)
        if block is None:
            add(name, spec.family, (name,), _read_by_family(spec))
            if spec.special:  # which special outcome each cell of a two-part column has
                outcome = f"{name}: special outcome"
                told = {"levels": (NUMBER, *spec.special), "of": name}
                add(outcome, "categorical", (outcome,), told)
        elif block.name not in units:
            transforms = tuple(columns[column].transform for column in block.columns)
            options = {"transforms": transforms} if any(transforms) else {}
            add(block.name, block.family, block.columns, options)
    return tuple(units.values())


def _read_by_family(spec: ColumnSpec) -> dict[str, Any]:
    """Those options of a column that its family or its page needs to read the codes."""
    options = {"levels": spec.levels, "transform": spec.transform}
    if spec.kind == RATING and spec.levels is not None:
        options["trials"] = len(spec.levels) - 1
        if spec.starts_at is not None:  # its codes are numbers, and no words are needed for them
            options |= {"levels": None, "offset": spec.starts_at or None}
    return {name: value for name, value in options.items() if value is not None}


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


def check_roles(columns: Mapping[str, ColumnSpec]) -> None:
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
        is_of_form = isinstance(prior, wanted)
        if not is_of_form or (wanted.is_block and np.size(prior.mean) != len(unit.columns)):
            raise SchemaError(
                f"The prior of '{name}' is a {type(prior).__name__}; its family '{unit.family}'"
                f" needs a {wanted.__name__} of {counted(len(unit.columns), 'column')}."
            )
