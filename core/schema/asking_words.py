"""How columns and values are named in a question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..wording import counted, cut
from .facts import Facts

SHOWN = 3  # columns or values named in a question before the others are counted
_LONGEST = 60  # letters of a name, which may be a whole question


def quoted(name: str) -> str:
    """A column's name in quotation marks, a long one cut."""
    return f"\u201c{cut(name, _LONGEST)}\u201d"


def listed(names: Sequence[str]) -> str:
    """Some columns by name, the others counted; one alone is named rather than counted."""
    shown = [quoted(name) for name in names[: SHOWN if len(names) > SHOWN + 1 else SHOWN + 1]]
    more = len(names) - len(shown)
    if more:
        return f"{', '.join(shown)} and {counted(more, 'other column')}"
    return joined(shown)


def joined(words: Iterable[str]) -> str:
    """Words behind one another: "a, b and c"."""
    *some, last = words
    return f"{', '.join(some)} and {last}" if some else last


def values(facts: Facts) -> str:
    """The first values of a column, the others counted."""
    words = (
        sorted(map(str, facts.levels))
        if facts.kind == "text"
        else [f"{level:g}" for level in facts.levels]
    )
    more = len(words) - SHOWN
    return (
        f"{', '.join(words[:SHOWN])} and {counted(more, 'other')}" if more > 0 else ", ".join(words)
    )


def by_default(names: Sequence[str]) -> str:
    """That some columns take no part unless somebody wants them to."""
    return f"{'It is' if len(names) == 1 else 'They are'} left aside unless you say otherwise."
