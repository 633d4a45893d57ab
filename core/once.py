"""Values worked out once, kept on an object that never changes or in a store."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import Any, TypeVar

Value = TypeVar("Value")


def once(work: Callable[..., Value]) -> Callable[..., Value]:
    """Keep a function's result on its immutable argument; it must not be written to.

    Further arguments are told apart by their ``repr``.
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
    """A store of values by name and by what they depend on, the latest ``most`` of each name.

    Threads that want a value in the making wait; where its maker fails, the next one makes it.
    """

    def __init__(self, most: int = 1) -> None:
        self._most = most
        self._kept: dict[str, dict[Hashable, Any]] = {}
        #: Locks of values in the making.
        self._turns: dict[tuple[str, Hashable], Lock] = {}
        self._changing = Lock()

    def __reduce__(self) -> tuple[type[Known], tuple[int]]:
        return Known, (self._most,)

    def known(self, name: str, about: Hashable) -> Any:
        """The value of that name about that; None where there is none."""
        with self._changing:
            return self._found(name, about)[1]

    def _found(self, name: str, about: Hashable) -> tuple[bool, Any]:
        """Whether a value is kept, and it; marks it as the last asked for."""
        kept = self._kept.get(name, {})
        if about not in kept:
            return False, None
        kept[about] = kept.pop(about)
        return True, kept[about]

    def clear(self) -> None:
        """Drop everything that is kept."""
        with self._changing:
            self._kept.clear()

    def note(self, name: str, about: Hashable, value: Any, most: int | None = None) -> None:
        """Keep a value, one of the latest ``most`` of its name."""
        with self._changing:
            kept = self._kept.setdefault(name, {})
            kept.pop(about, None)
            kept[about] = value
            for oldest in list(kept)[: -(most or self._most)]:
                del kept[oldest]

    def latest(
        self, name: str, about: Hashable, compute: Callable[[], Value], most: int | None = None
    ) -> Value:
        """The value of that name about that, worked out where it is not there."""
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
