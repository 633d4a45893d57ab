"""Columns that look alike are typed alike: one scale is decided once."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from .code_names import names_code
from .facts import RATING_CEILING, Facts
from .guess import as_codes, as_rating, why_codes
from .spec import ColumnSpec
from .vocabulary import is_given

_FEWEST = 3  # columns that make a scale
_JOINED = 5  # columns of a scale that one with fewer steps joins


def find_scales(facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]) -> list[list[str]]:
    """Columns with the same small set of whole numbers, three or more, in the table's order.

    Three steps (0, 1, 2) are too short to tell one scale from another, unless the columns are
    numbered (q1, q2, ...) or nobody named them; so is yes/no.
    """
    few = {
        name: (int(facts[name].levels[0]), int(facts[name].levels[-1]))
        for name, spec in specs.items()
        if spec.role == "cluster"
        and spec.family in ("binomial", "categorical")
        and facts[name].kind == "number"
        and not spec.special
        and _is_short(facts[name], spec)
    }
    by_ends: dict[tuple[int, int], list[str]] = defaultdict(list)
    for name, ends in few.items():
        by_ends[ends].append(name)
    scales: dict[tuple[int, int], list[str]] = {}
    for ends in sorted(by_ends, key=lambda e: e[0] - e[1]):
        names = by_ends[ends]
        wider = next((e for e in scales if _belongs(ends, len(names), e, len(by_ends[e]))), None)
        if wider is not None:
            own = _of_own_items(names, few)
            scales[wider] += [name for name in names if name not in own]
            names = own
        if len(names) >= _FEWEST and (ends[1] - ends[0] > 2 or _are_numbered(names)):
            scales[ends] = list(names)
    order = list(specs)
    return [sorted(names, key=order.index) for names in scales.values()]


def with_signed_scales(facts: Mapping[str, Facts]) -> dict[str, Facts]:
    """Columns of -1, 0 and 1 as answers, where several are and -1 is usual in one of them.

    Alone, a rare -1 beside 0 and 1 is a hole: what it is the columns tell together.
    """
    signed = [n for n, f in facts.items() if f.kind == "number" and list(f.levels) == [-1, 0, 1]]
    usual = any(facts[name].counts[0] > 0.2 * facts[name].n_present for name in signed)
    if len(signed) < _FEWEST or not usual:
        return dict(facts)
    return {n: replace(f, answers=(-1.0, 1.0)) if n in signed else f for n, f in facts.items()}


def on_same_scale(suggested: Mapping[str, ColumnSpec], name: str) -> tuple[str, ...]:
    """Other columns to cluster on whose values were taken for the same scale.

    Parameters
    ----------
    suggested : Schema
        As it was guessed, before anybody changed it.
    """
    spec = suggested[name]
    options = spec.levels, spec.trials, spec.offset
    if spec.levels is None and spec.trials is None:
        return ()
    return tuple(
        other.name
        for other in suggested.values()
        if other.name != name
        and (other.role, other.family) == (spec.role, spec.family)
        and (other.levels, other.trials, other.offset) == options
    )


def _is_short(facts: Facts, spec: ColumnSpec) -> bool:
    levels = facts.levels[~np.isin(facts.levels, spec.missing_codes)]
    whole = np.all(levels == np.floor(levels))
    return bool(whole and len(levels) > 2 and levels[-1] - levels[0] <= RATING_CEILING)


def _belongs(ends: tuple[int, int], count: int, scale: tuple[int, int], size: int) -> bool:
    """Whether columns that lack a scale's last steps are a few of its own that never reach them."""
    few = size >= _JOINED and 2 * count <= size
    return few and ends[0] == scale[0] and scale[1] - ends[1] <= 2


def _of_own_items(names: Iterable[str], few: Mapping[str, tuple[int, int]]) -> list[str]:
    """Columns whose numbered items (q1, q2, ...) all have these ends: a scale of their own."""
    of_stem: dict[str, list[str]] = defaultdict(list)
    for name in few:
        of_stem[_stem(name)].append(name)
    alike = {stem for stem, items in of_stem.items() if len({few[name] for name in items}) == 1}
    return [n for n in names if _stem(n) in alike and len(of_stem[_stem(n)]) >= _FEWEST]


def _stem(name: str) -> str:
    """A name without the number at its end."""
    return re.sub(r"\d+$", "", name).casefold()


def _are_numbered(names: Iterable[str]) -> bool:
    stems = set(map(_stem, names))
    return len(stems) == 1 and all(re.search(r"\d$", name) for name in names)


def decide_together(
    scales: Iterable[list[str]], facts: Mapping[str, Facts], specs: dict[str, ColumnSpec]
) -> dict[str, ColumnSpec]:
    """Give every column of a scale the likelihood that most of them have by their own cells.

    A level that is rare in a few of them by chance does not make those unordered codes.
    """
    result = dict(specs)
    for names in scales:
        plain = {name: _without_codes(facts[name], specs[name]) for name in names}
        as_code = [name for name in names if why_codes(plain[name]) is not None]
        by_name = [name for name in names if is_given(name) and names_code(name)]
        codes = 2 * len(as_code) > len(names)
        low = min(int(f.levels[0]) for f in plain.values())
        high = max(int(f.levels[-1]) for f in plain.values())
        others = len(names) - 1
        for name in names:
            spec = specs[name]
            if name in by_name:
                continue
            if codes and spec.family == "binomial":
                why = f"{len(as_code)} of the {len(names)} columns on this scale are codes"
                changed = as_codes(plain[name], why)
            elif not codes:
                why = f", on one scale from {low} to {high} with {others} other columns"
                changed = as_rating(plain[name], why, (low, high))
            else:
                continue
            kept = {"missing_codes": spec.missing_codes, "reading": spec.reading}
            result[name] = changed.changed(**kept, reason=changed.reason)
    return result


def _without_codes(facts: Facts, spec: ColumnSpec) -> Facts:
    codes = [code for code in spec.missing_codes if not isinstance(code, str)]
    return facts.without(codes) if codes else facts
