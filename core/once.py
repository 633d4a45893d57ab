"""What follows from what, worked out once: kept on an object that never changes, or in a store."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import Any, TypeVar

Value = TypeVar("Value")


def once(work: Callable[..., Value]) -> Callable[..., Value]:
    """Keep what a function makes of an immutable object on that object.

    As ``functools.cached_property``, for what an earlier room of the house cannot know of its
    objects. Further arguments are told apart by their ``repr``. Nobody may write to what is kept.
    """

    @wraps(work)
    def kept(owner: Any, *arguments: Any) -> Value:
        known = vars(owner)
        name = f"{work.__module__}.{work.__name__}{arguments}"
        if name not in known:
            known[name] = work(owner, *arguments)
        return known[name]

    return kept


class Known:
    """A store of what follows from several things: values by name, and by what they are about.

    ``about`` is everything that a value depends on. Of each name those are kept that were asked for
    last. Several threads may share a store: what one of them works out, others wait for; where it
    gives up, the next one does it.

    Parameters
    ----------
    most : int
        Values of a name that are kept, where it is not said with the name.
    """

    def __init__(self, most: int = 1) -> None:
        self._most = most
        self._kept: dict[str, dict[Hashable, Any]] = {}
        #: Held by whoever works a value out, by its name and what it is about.
        self._turns: dict[tuple[str, Hashable], Lock] = {}
        self._changing = Lock()

    def __reduce__(self) -> tuple[type[Known], tuple[int]]:
        """An empty one, for another process: what is kept can be worked out there."""
        return Known, (self._most,)

    def known(self, name: str, about: Hashable) -> Any:
        """What is kept under a name about that; None where nothing is."""
        with self._changing:
            return self._found(name, about)[1]

    def _found(self, name: str, about: Hashable) -> tuple[bool, Any]:
        """Whether something is kept, and what; it is now what was asked for last."""
        kept = self._kept.get(name, {})
        if about not in kept:
            return False, None
        kept[about] = kept.pop(about)
        return True, kept[about]

    def clear(self) -> None:
        """Keep nothing of what was worked out until now."""
        with self._changing:
            self._kept.clear()

    def note(self, name: str, about: Hashable, value: Any, most: int | None = None) -> None:
        """Keep a value, as one of the ``most`` of its name that were asked for last."""
        with self._changing:
            kept = self._kept.setdefault(name, {})
            kept.pop(about, None)
            kept[about] = value
            for oldest in list(kept)[: -(most or self._most)]:
                del kept[oldest]

    def latest(
        self, name: str, about: Hashable, compute: Callable[[], Value], most: int | None = None
    ) -> Value:
        """What is kept under a name about that, worked out where it is not there."""
        with self._changing:
            turn = self._turns.setdefault((name, about), Lock())
        with turn:
            with self._changing:
                is_there, value = self._found(name, about)
            try:
                if not is_there:
                    value = compute()
                    self.note(name, about, value, most)
            finally:
                self._turns.pop((name, about), None)
        return value
