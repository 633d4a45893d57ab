"""What follows from an object that never changes, worked out once and kept as long as it lives."""

from __future__ import annotations

from collections.abc import Callable
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
