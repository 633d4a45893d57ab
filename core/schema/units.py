"""The factors of a schema's likelihood: its columns and blocks, as the engine takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..families import Prior
from .encoded import Unit
from .spec import NUMBER, Block, ColumnSpec


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
            units[name] = Unit(name, spec.family, (name,), _options(spec), priors.get(name))
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


def _options(spec: ColumnSpec) -> dict[str, Any]:
    """Those options of a column that its family or its page needs to read the codes."""
    options = {
        "levels": spec.levels,
        "trials": spec.trials,
        "offset": spec.offset,
        "transform": spec.transform,
    }
    return {name: value for name, value in options.items() if value not in (None, 0.0)}
