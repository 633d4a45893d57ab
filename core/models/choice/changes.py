"""What the choice of a model changed, each change with its nats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from ...schema.chosen import Chosen
from ...schema.spec import ColumnSpec
from .model import Joinable, Model


def changes_of(model: Model, labels: np.ndarray) -> tuple[Chosen, ...]:
    """What differs from the schema as it was, the largest gain first."""
    fitted = model.ground.fitted(labels)
    joinables = Joinable.of(model.ground, labels, fitted) if model.blocks else ()
    joinable_of = {block: next(j for j in joinables if j.holds(block)) for block in model.blocks}
    found = []
    for name, at in model.picks.items():
        if at:
            suggested, candidates = fitted[name][0], model.ground.candidates[name]
            block = next((block for block in model.blocks if name in block), None)
            if block is None:
                gain = suggested.cost - fitted[name][at].cost
            else:
                gain = _gain_within(joinable_of[block], model, name, block, suggested.cost)
            first, now = candidates[0].spec, candidates[at].spec
            change, before = _difference(first, now), _difference(now, first)
            found.append(Chosen((name,), change, float(gain), before))
    for block, joinable in joinable_of.items():
        readings = joinable.set_of(model.picks, block)
        gain = joinable.costs.apart(readings) - joinable.costs(readings)
        found.append(Chosen(block, gain=float(gain)))
    return tuple(sorted(found, key=lambda change: -change.gain))


def _gain_within(
    joinable: Joinable, model: Model, name: str, block: Sequence[str], suggested: float
) -> float:
    """By how much a block's E is lower with a column of it read so, not as suggested.

    Where the suggested likelihood cannot stand in a block, not as it is alone, at that cost.
    """
    now = joinable.costs(joinable.set_of(model.picks, block))
    if (name, 0) in joinable.readings:
        return joinable.costs(joinable.set_of({**model.picks, name: 0}, block)) - now
    rest = joinable.set_of(model.picks, [other for other in block if other != name])
    return suggested + joinable.costs.part(rest) - now


def _difference(before: ColumnSpec, after: ColumnSpec) -> Mapping[str, Any]:
    """What is otherwise after, as for ``Schema.with_column``."""
    names = [option.name for option in fields(after) if option.compare]
    return {n: getattr(after, n) for n in names if getattr(after, n) != getattr(before, n)}
