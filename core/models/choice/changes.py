"""What the choice of a model changed, each change with its nats, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...families import FAMILIES
from ...schema.spec import ColumnSpec
from ...wording import listed
from .model import Model, joinable, set_costs

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
        if "transform" in self.change:
            return "in logarithms" if self.change["transform"] else "without logarithms"
        return f"as {FAMILIES[self.change['family']].label}"


def changes_of(model: Model, labels: np.ndarray) -> tuple[Change, ...]:
    """What differs from the schema as it was, the largest gain first."""
    fitted = model.ground.fitted(labels)
    found = []
    for name, at in model.picks.items():
        if at:
            candidates, costs = model.ground.candidates[name], fitted[name]
            change = _difference(candidates[0].spec, candidates[at].spec)
            found.append(Change((name,), change, costs[0].cost - costs[at].cost))
    if model.blocks:
        names = joinable(model)
        costs = set_costs(model, labels, names)
        for block in model.blocks:
            columns = tuple(sorted(map(names.index, block)))
            alone = costs.total((column,) for column in columns)
            found.append(Change(block, {}, alone - costs(columns)))
    return tuple(sorted(found, key=lambda change: -change.gain))


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
