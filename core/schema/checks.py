"""What a schema cannot be, in one sentence each: a SchemaError."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..families import FAMILIES
from .spec import ONLY_ONE, SchemaError

if TYPE_CHECKING:
    from .schema import Schema


def check_blocks(schema: Schema) -> None:
    """Each column in one block at most, all of a block clustered on as measurements."""
    owner: dict[str, str] = {}
    for block in schema.blocks.values():
        if block.name in schema:
            raise SchemaError(f"'{block.name}' is a column already: name the block otherwise.")
        for name in block.columns:
            spec = schema[name]
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


def check_outcomes(schema: Schema) -> None:
    """One label, group and weight column at most; events that are there."""
    for role, meaning in ONLY_ONE.items():
        named = [spec.name for spec in schema.values() if spec.role == role]
        if len(named) > 1:
            raise SchemaError(
                f"Columns '{named[0]}' and '{named[1]}' are both {meaning}: keep one of them."
            )
    for spec in schema.values():
        if spec.event is not None:
            _ = schema[spec.event]


def check_priors(schema: Schema) -> None:
    """Priors of columns and blocks that are clustered on, each of the family's form."""
    priors = schema.priors
    units = {unit.name: unit for unit in schema.units} if priors else {}
    for name, prior in priors.items():
        if name not in units:
            raise SchemaError(
                f"There is a prior of '{name}', which is no column or block that is clustered"
                " on: leave it out."
            )
        unit, wanted = units[name], FAMILIES[units[name].family]
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
