"""What was decided, in order, so that it can be undone and done again."""

from __future__ import annotations

from typing import Generic, TypeVar

State = TypeVar("State")
#: Further back nobody counts the steps.
MOST = 100


class History(Generic[State]):
    """States one after the other, each immutable, with a place among them."""

    def __init__(self) -> None:
        self._states: list[State] = []
        self._now = -1
        #: Whether steps were given up because there were too many.
        self.is_cut = False

    @property
    def states(self) -> tuple[State, ...]:
        """All that are kept, the earliest first."""
        return tuple(self._states)

    @property
    def present(self) -> State | None:
        """The state at the current place; None before the first."""
        return self._states[self._now] if self._states else None

    def note(self, state: State, *, completes: bool = False) -> None:
        """Take note of where things stand; what was undone before is given up by a new state.

        It takes the place of the present one if it ``completes`` it: both are one step; and if it
        equals it, as it may tell more than equality looks at, such as that a question was answered.
        """
        if completes or (self._states and state == self.present):
            self._states[self._now] = state
            return
        self._states[self._now + 1 :] = [state]
        self.is_cut |= len(self._states) > MOST
        del self._states[:-MOST]
        self._now = len(self._states) - 1

    @property
    def steps_back(self) -> int:
        """How many steps can be undone."""
        return max(self._now, 0)

    @property
    def steps_forward(self) -> int:
        """How many undone steps can be done again."""
        return len(self._states) - 1 - self._now

    def undo(self) -> State:
        """Go one step back, and return the state there."""
        return self._go(-1, self.steps_back)

    def redo(self) -> State:
        """Go one step forward again, and return the state there."""
        return self._go(1, self.steps_forward)

    def _go(self, step: int, possible: int) -> State:
        if not possible:
            raise IndexError("There is no step in that direction.")
        self._now += step
        return self._states[self._now]
