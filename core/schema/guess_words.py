"""Guess what a column of words is: a scale in a known order, yes and no, a category, free text."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..families.family import RATING, YES_NO
from ..wording import counted
from .evidence import better_as_category
from .facts import RATING_CEILING, Facts
from .ordered_words import are_bands, in_known_order
from .spec import ColumnSpec
from .vocabulary import names_grades, no_then_yes, says_unknown

CATEGORY_CEILING = 299
BAND_CEILING = 40  # most steps of a rating whose words are bands of numbers


def guess_words(facts: Facts) -> ColumnSpec:
    """Guess a column of words; one that says "unknown" beside a scale or yes and no is missing."""
    unknown = np.array([says_unknown(str(level)) for level in facts.levels])
    if unknown.any() and facts.n_distinct <= BAND_CEILING:
        spec = _words(facts.keeping(~unknown)) if not unknown.all() else None
        if spec is not None and spec.kind in (YES_NO, RATING):
            return _with_missing(spec, facts, facts.levels[unknown])
    return _words(facts)


def _with_missing(spec: ColumnSpec, facts: Facts, words: np.ndarray) -> ColumnSpec:
    rows = dict(zip(facts.levels, facts.counts, strict=True))
    told = " and ".join(f"'{word}' in {counted(int(rows[word]), 'row')}" for word in words)
    reason = f"{spec.reason} {told} taken as missing: undo it if that is wrong."
    return spec.changed(missing_codes=tuple(words), reason=reason)


def _words(facts: Facts) -> ColumnSpec:
    name, distinct = facts.name, facts.n_distinct
    repeated, told = distinct < facts.n_present, facts.distinct_told
    if facts.mean_length > 40 and (distinct > RATING_CEILING or not repeated):
        reason = f"{told} distinct texts of about {facts.mean_length:.0f} letters: free text."
        return ColumnSpec(name, None, "ignore", reason)
    if distinct == 2:
        return yes_no(facts, list(facts.levels))
    if (ordered := _known_order(facts)) is not None:
        listed = " < ".join(ordered)
        counts = facts.counts[[list(facts.levels).index(level) for level in ordered]]
        reason = f"{distinct} words in a known order ({listed}): rating, binomial with "
        reason += f"{distinct - 1} trials{better_as_category(counts)}."
        return ColumnSpec(name, "binomial", "cluster", reason, levels=ordered)
    if distinct > CATEGORY_CEILING:
        reason = f"{told} distinct values, too many for a category: group them, or leave out."
        return ColumnSpec(name, None, "ignore", reason)
    if distinct > RATING_CEILING and distinct > facts.n_present / 2:
        reason = f"{told} distinct values in {facts.n_present:,} rows: hardly any repeat."
        return ColumnSpec(name, None, "ignore", reason)
    reason = f"{distinct} distinct words without a known order: category."
    return ColumnSpec(name, "categorical", "cluster", reason, levels=tuple(sorted(facts.levels)))


def _known_order(facts: Facts) -> tuple[str, ...] | None:
    words = facts.levels
    if len(words) <= RATING_CEILING:
        return in_known_order(words, grades=names_grades(facts.name))
    return in_known_order(words) if len(words) <= BAND_CEILING and are_bands(words) else None


def yes_no(facts: Facts, levels: list[Any]) -> ColumnSpec:
    """A yes/no column of those two levels."""
    no, yes = no_then_yes(levels)
    spec = ColumnSpec(facts.name, "bernoulli", "cluster", levels=(no, yes))
    no, yes = spec.levels
    return spec.changed(reason=f"Two values, {no} and {yes}: yes/no, where {yes} counts as yes.")
