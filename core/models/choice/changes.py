"""What the choice of a model changed, each change with its nats, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...families import FAMILIES
from ...schema.spec import ColumnSpec
from ...wording import listed
from .model import Joinable, Model

#: Columns that a sentence names.
MOST_NAMED = 6


@dataclass(frozen=True)
class Change:
    """One change of the schema.

    Parameters
    ----------
    columns : tuple of str
        One column, or those that became a block.
    change : mapping
        What ``Schema.with_column`` takes; empty for a block.
    gain : float
        Nats by which E is lower with it, given the groups.
    """

    columns: tuple[str, ...]
    change: Mapping[str, Any] = field(default_factory=dict)
    gain: float = 0.0

    @property
    def words(self) -> str:
        """What was done, for a list: "as category", "in logarithms", "together"."""
        if len(self.columns) > 1:
            return "together"
        logged = self.change.get("transform") == "log"
        if "family" in self.change:
            return f"as {FAMILIES[self.change['family']].label}{' in logarithms' * logged}"
        return "in logarithms" if logged else "without logarithms"


def changes_of(model: Model, labels: np.ndarray) -> tuple[Change, ...]:
    """What differs from the schema as it was, the largest gain first."""
    fitted = model.ground.fitted(labels)
    joinable = Joinable.of(model.ground, labels, fitted) if model.blocks else None
    found = []
    for name, at in model.picks.items():
        if at:
            first, candidates = fitted[name][0], model.ground.candidates[name]
            block = next((block for block in model.blocks if name in block), None)
            if block is None:
                gain = first.cost - fitted[name][at].cost
            else:
                gain = _gain_within(joinable, model, name, block, first.cost)
            change = _difference(candidates[0].spec, candidates[at].spec)
            found.append(Change((name,), change, gain))
    for block in model.blocks:
        readings = joinable.set_of(model.picks, block)
        found.append(Change(block, {}, joinable.costs.apart(readings) - joinable.costs(readings)))
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
    if before.family != after.family:
        return {"family": after.family, "transform": after.transform}
    return {"transform": after.transform}


def in_words(changes: Sequence[Change]) -> str:
    """One sentence about all changes."""
    if not changes:
        return "The table keeps the suggested likelihoods."
    by_words: dict[str, list[str]] = {}
    parts = []
    for change in changes:
        if len(change.columns) > 1:
            parts.append(f"{listed(change.columns, MOST_NAMED)} together")
        else:
            by_words.setdefault(change.words, []).append(change.columns[0])
    parts += [f"{listed(names, MOST_NAMED)} {words}" for words, names in by_words.items()]
    return f"The table chose: {'; '.join(parts)}."
