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

    #: As it was read and as its columns were named then.
    table: Table
    suggested: Schema
    schema: Schema
    #: Key of ``METHODS``.
    algorithm: str
    naming: Mapping[Task, Naming]
    #: Suggested steps that are not needed.
    declined: frozenset[str] = frozenset()


@dataclass
class History:
    """States one after the other, with a place among them."""

    states: list[Decisions] = field(default_factory=list)
    place: int = -1
    #: Whether steps were given up because there were too many.
    is_cut: bool = False

    @property
    def present(self) -> Decisions | None:
        """The state at the current place; None before the first."""
        return self.states[self.place] if self.states else None

    def note(self, state: Decisions) -> None:
        """Note where things stand; what was undone before is given up by a new state.

        One that equals the present takes its place: it may tell more than equality looks at.
        """
        if self.states and state == self.present:
            self.states[self.place] = state
            return
        self.states[self.place + 1 :] = [state]
        self.is_cut |= len(self.states) > MOST
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
