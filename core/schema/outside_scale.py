"""Values beyond a scale in a row or two: one 5 in an item whose like items all run from 1 to 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..families.family import CATEGORY, RATING
from .facts import RATING_CEILING, Facts
from .spec import ColumnSpec

#: Rows that a slip is in, at most, and of the end of the scale beside it, at least.
_MOST_ROWS, _LEAST_AT_END = 2, 20
#: Like items, at least, and share of the items beside one, at least.
_FEWEST_LIKE, _MOST_LIKE = 5, 0.8
#: Columns to either side that are looked at for like items.
_BESIDE = 8


def outside_scales(
    facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]
) -> dict[str, tuple[str, tuple[float, ...]]]:
    """Of each item with a slip: where it lies, and which values.

    Like items are those numbered under one name with it, or the columns beside it, nearly all of
    which have exactly the other values of it, the last of them in many rows: no scale that hardly
    anybody answers to its end.
    """
    items = {
        name: _plain(facts[name], spec)
        for name, spec in specs.items()
        if spec.role == "cluster"
        and spec.kind in (RATING, CATEGORY)
        and facts[name].is_whole
        and not spec.special
    }
    names = list(specs)
    found = {}
    for name, item in items.items():
        at = 0 if item.counts[0] < item.counts[-1] else -1
        rest = item.keeping(item.levels != item.levels[at])
        if not 4 <= item.n_distinct <= RATING_CEILING or item.counts[at] > _MOST_ROWS:
            continue
        near = [items[n] for n in _beside(name, names) if n in items]
        like = [other for other in near if np.array_equal(other.levels, rest.levels)]
        if len(like) < max(_FEWEST_LIKE, _MOST_LIKE * len(near)):
            continue
        if np.median([f.counts[at] for f in (rest, *like)]) >= _LEAST_AT_END:
            low, high = rest.levels[[0, -1]]
            where = f"outside the {low:g} to {high:g} of the columns beside it"
            found[name] = where, (float(item.levels[at]),)
    return found


def _beside(name: str, names: Sequence[str]) -> Sequence[str]:
    """The items that were asked with one: those numbered under its name, else those near it."""
    stem = name.rstrip("0123456789")
    numbered = [n for n in names if n != name and n.rstrip("0123456789") == stem]
    if stem != name and len(numbered) >= _FEWEST_LIKE:
        return numbered
    place = names.index(name)
    return [*names[max(place - _BESIDE, 0) : place], *names[place + 1 : place + _BESIDE + 1]]


def _plain(facts: Facts, spec: ColumnSpec) -> Facts:
    return facts.without([code for code in spec.missing_codes if not isinstance(code, str)])
