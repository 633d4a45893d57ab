"""What follows from what, worked out once: kept on an object that never changes, or in a store."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
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

    ``about`` is everything that a value depends on. Of each name the newest values are kept.
    """

    def __init__(self) -> None:
        self._kept: dict[str, dict[Hashable, Any]] = {}

    def known(self, name: str, about: Hashable) -> Any:
        """What is kept under a name about that; None where nothing is."""
        return self._kept.get(name, {}).get(about)

    def note(self, name: str, about: Hashable, value: Any, most: int = 1) -> None:
        """Keep a value, as one of the ``most`` newest of its name."""
        kept = self._kept.setdefault(name, {})
        kept[about] = value
        for oldest in list(kept)[:-most]:
            del kept[oldest]

    def latest(
        self, name: str, about: Hashable, compute: Callable[[], Value], most: int = 1
    ) -> Value:
        """What is kept under a name about that, worked out where it is not there."""
        if about not in self._kept.get(name, {}):
            self.note(name, about, compute(), most)
        return self._kept[name][about]
