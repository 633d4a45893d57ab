"""Values computed once, kept on an object that never changes or in a store."""

from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import Any, TypeVar

Value = TypeVar("Value")


def cached_on(work: Callable[..., Value]) -> Callable[..., Value]:
    """Keep a result on its immutable argument; further arguments are distinguished by ``repr``."""

    @wraps(work)
    def cached(owner: Any, *arguments: Any) -> Value:
        values = vars(owner)
        name = f"{work.__module__}.{work.__name__}{arguments}"
        if name not in values:
            values[name] = work(owner, *arguments)
        return values[name]

    return cached


class Cache:
    """The latest ``most`` values of each name, by what they depend on; each is made once."""

    def __init__(self, most: int = 1) -> None:
        self._most = most
        self._values: dict[str, dict[Hashable, Any]] = {}
        #: Locks of values in the making.
        self._turns: dict[tuple[str, Hashable], Lock] = {}
        self._changing = Lock()

    def peek(self, name: str, key: Hashable, otherwise: Any = None) -> Any:
        """The value of that name and key, now the last asked for; else ``otherwise``."""
        with self._changing:
            values = self._values.get(name, {})
            if key in values:
                values[key] = values.pop(key)
            return values.get(key, otherwise)

    def clear(self) -> None:
        """Drop everything that is kept."""
        with self._changing:
            self._values.clear()

    def store(self, name: str, key: Hashable, value: Any, most: int | None = None) -> None:
        """Keep a value, one of the latest ``most`` of its name."""
        with self._changing:
            values = self._values.setdefault(name, {})
            values[key] = value
            for oldest in list(values)[: -(most or self._most)]:
                del values[oldest]

    def cached(
        self, name: str, key: Hashable, compute: Callable[[], Value], most: int | None = None
    ) -> Value:
        """The value of that name and key, computed where it is not there."""
        with self._changing:
            turn = self._turns.setdefault((name, key), Lock())
        with turn:
            value = self.peek(name, key, turn)
            try:
                if value is turn:
                    value = compute()
                    self.store(name, key, value, most)
            finally:
                self._turns.pop((name, key), None)
        return value
