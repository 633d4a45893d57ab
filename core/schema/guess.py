"""Guess what one column is from its own counts, with what stands apart in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..families.family import RATING, YES_NO
from ..wording import counted, percent
from .facts import Facts
from .odd_values import find_codes, is_certainly_missing, zeros_apart
from .rules import ASIDE_RULES, BAND_CEILING, NUMBER_RULES, WORD_RULES, ColumnRule, words_of
from .spec import ColumnSpec
from .words import (
    says_unknown,
)

_MOST_TOLD = 3


def guess(facts: Facts) -> ColumnSpec:
    """Guess one column from its counts alone, the other columns unseen."""
    rule = _first(ASIDE_RULES, facts)
    if rule is not None:
        return rule(facts)
    return guess_words(facts) if facts.kind == "text" else _with_what_stands_apart(facts)


def _first(rules: tuple[ColumnRule, ...], facts: Facts) -> ColumnRule | None:
    return next((rule for rule in rules if rule.applies(facts)), None)


def guess_numbers(facts: Facts) -> ColumnSpec:
    """Guess a column of numbers that all mean what they say."""
    return next(rule for rule in NUMBER_RULES if rule.applies(facts))(facts)


def guess_words(facts: Facts) -> ColumnSpec:
    """Guess a column of words; one that says "unknown" beside a scale or yes and no is missing."""
    unknown = np.array([says_unknown(word) for word in words_of(facts)], dtype=bool)
    if unknown.any() and not unknown.all() and facts.n_distinct <= BAND_CEILING:
        rest = facts.keeping(~unknown)
        spec = _by_words(rest) if rest.n_distinct > 1 else None
        if spec is not None and spec.kind in (YES_NO, RATING):
            words = dict(zip(facts.levels[unknown], facts.counts[unknown], strict=True))
            told = [f"'{word}' in {counted(int(n), 'row')}" for word, n in words.items()]
            return spec.changed(
                missing_codes=tuple(words), reason=_taken_as_missing(spec.reason, told)
            )
    return _by_words(facts)


def _by_words(facts: Facts) -> ColumnSpec:
    return next(rule for rule in WORD_RULES if rule.applies(facts))(facts)


def _taken_as_missing(reason: str, told: list[str]) -> str:
    more = len(told) - _MOST_TOLD
    shown = told[:_MOST_TOLD] + [counted(more, "other")] * (more > 0)
    return f"{reason} {' and '.join(shown)} taken as missing: undo it if that is wrong."


def _with_what_stands_apart(facts: Facts) -> ColumnSpec:
    """Guess a number column: words and holes as missing, limits and zeros beside the number."""
    codes = [code for code in find_codes(facts) if is_certainly_missing(code, facts)]
    plain = facts.without(codes) if codes else facts
    special, said = _limits(plain)
    if zeros := zeros_apart(plain):
        plain, special, said = plain.without([0.0]), {"zero": 0} | special, [zeros, *said]
    spec = guess_numbers(plain)
    if special and spec.role == "cluster":
        if spec.family == "categorical":  # of codes with limits, which contradict one another
            spec = NUMBER_RULES[-1](plain)
        reason = f"{spec.reason} {' and '.join(said)} kept beside the number."
        spec = spec.changed(special=special, reason=reason)
    if facts.reading is not None:
        reading = facts.reading if spec.role == "cluster" else None
        spec = spec.changed(reading=reading, reason=f"{facts.said}{spec.reason}")
    tokens = facts.tokens or {}
    told = [f"'{word}' in {counted(rows, 'row')}" for word, rows in tokens.items()]
    for code in codes:
        rows = counted(int(facts.counts[facts.levels == code][0]), "row")
        told.append(f"{code:g} in {rows}, apart from the rest,")
    if not told:
        return spec
    return spec.changed(
        missing_codes=(*tokens, *codes), reason=_taken_as_missing(spec.reason, told)
    )


def _limits(facts: Facts) -> tuple[dict[str, Any], list[str]]:
    """Special outcomes for the cells that are limits: one each, or one for many."""
    special: dict[str, Any] = {}
    said = []
    n = facts.n_present + sum(facts.limits.values())
    for sign, word in (("<", "below"), (">", "above")):
        cells = [c for c in facts.limits if (c.strip()[0] in "<\u2264") == (sign == "<")]
        if not cells:
            continue
        rows = sum(facts.limits[cell] for cell in cells)
        limit = cells[0].lstrip("<>=\u2264\u2265 ")
        alone = len(cells) == 1
        special[f"{word} {limit}" if alone else f"{word} a limit"] = cells[0] if alone else sign
        said.append(f"'{cells[0]}' in {percent(rows, n)} of the cells")
    return special, said
