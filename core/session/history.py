"""What was decided, in order, so that it can be undone and done again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..comparing.comparison import Task
from ..partitions.naming import Naming
from ..schema.schema import Schema
from .table import Table

#: Further back nobody counts the steps.
MOST = 100


@dataclass(frozen=True)
class Decisions:
    """Where things stand. Sliders are no decisions: they belong to the page's address."""

    table: Table
    suggested: Schema
    schema: Schema
    algorithm: str
    naming: Mapping[Task, Naming]
    declined: frozenset[str]


@dataclass
class History:
    """States one after the other, and the index of the one that holds."""

    states: list[Decisions] = field(default_factory=list)
    place: int = -1

    def note(self, state: Decisions) -> None:
        """Note where things stand; a new state gives up what was undone before it."""
        if self.states and state == self.states[self.place]:
            self.states[self.place] = state  # it may tell more than equality looks at
            return
        self.states[self.place + 1 :] = [state]
        del self.states[:-MOST]
        self.place = len(self.states) - 1

    @property
    def steps_back(self) -> int:
        """How many steps can be undone."""
        return max(self.place, 0)

    @property
    def steps_forward(self) -> int:
        """How many undone steps can be done again."""
        return len(self.states) - 1 - self.place

    def go(self, step: int) -> Decisions:
        """Go one step back, -1, or forward, 1, and return the state there."""
        if not 0 <= self.place + step < len(self.states):
            raise IndexError("There is no step in that direction.")
        self.place += step
        return self.states[self.place]
