"""Guess what a column of words is: a scale in a known order, yes and no, a category, free text."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..families.family import RATING, YES_NO
from ..reading.numbers import are_codes, are_several_answers
from ..wording import counted, percent
from .evidence import better_as_category
from .facts import RATING_CEILING, Facts
from .no_answers import says_unknown
from .ordered_words import are_bands, in_known_order
from .spec import ColumnSpec
from .vocabulary import names_grades, names_identifier, no_then_yes

CATEGORY_CEILING = 299
_LONG = 60  # letters of a note
_MOST_TOLD = 3
# One number, and behind it words or a mark: "3 BHK", "12 (4)".
_NUMBER = re.compile(r"\W{0,2}[-+]?\d[\d.,' ]*(?:[^\W\d][^\d]*|[^\w-][^\d]*|\(\d+\))?")
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
    told = " and ".join(
        f"'{str(word)[:_LONG]}' in {counted(int(rows[word]), 'row')}" for word in words[:_MOST_TOLD]
    )
    if len(words) > _MOST_TOLD:
        told += f" and {counted(len(words) - _MOST_TOLD, 'other')}"
    reason = f"{spec.reason} {told} taken as missing: undo it if that is wrong."
    return spec.changed(missing_codes=tuple(words), reason=reason)


def _words(facts: Facts) -> ColumnSpec:
    if (notes := _notes(facts)).any():
        return _with_missing(_words(facts.keeping(~notes)), facts, facts.levels[notes])
    name, distinct = facts.name, facts.n_distinct
    repeated, told = distinct < facts.n_present, f"{facts.n_distinct:,}"
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


def _notes(facts: Facts) -> np.ndarray:
    """Which words are notes below a table: long, of one row each, the others short and repeated."""
    long = np.array([len(str(level)) > _LONG for level in facts.levels]) & (facts.counts == 1)
    short = facts.counts[~long]
    few = long.sum() <= 0.02 * facts.n_present and short.size <= CATEGORY_CEILING
    is_note = few and short.size > 1 and 2 * short.size <= short.sum()
    lengths = [len(str(level)) for level in facts.levels[~long]]
    if not is_note or max(lengths, default=0) > _LONG / 2 or not long.any():
        return np.zeros_like(long)
    return long | np.array([str(level).endswith(":") for level in facts.levels])  # their heading


def _are_no_scale(words: np.ndarray) -> bool:
    """Whether words are codes, or several answers in a cell, whatever numbers they hold."""
    texts = [str(word) for word in words]
    return are_codes(texts) or are_several_answers(texts)


def _known_order(facts: Facts) -> tuple[str, ...] | None:
    words = facts.levels
    if _are_no_scale(words):
        return None
    if len(words) <= RATING_CEILING:
        return in_known_order(words, grades=names_grades(facts.name))
    return in_known_order(words) if len(words) <= BAND_CEILING and are_bands(words) else None


def with_numbers_seen(facts: Facts, spec: ColumnSpec) -> ColumnSpec:
    """Say that words begin with a number each, where most do, unless their order is known."""
    if spec.kind in (RATING, YES_NO) or names_identifier(facts.name) or facts.kind != "text":
        return spec
    if _are_no_scale(facts.levels):
        return spec
    begin = np.fromiter((_NUMBER.fullmatch(str(level)) is not None for level in facts.levels), bool)
    rows = int(facts.counts[begin].sum())
    if rows < 0.6 * facts.n_present:
        return spec
    worded = np.array(
        [re.search(r"[^\W\d]|[(*]", str(level)) is not None for level in facts.levels]
    )
    shown = begin & worded if (begin & worded).any() else ~begin
    if not shown.any():  # numbers alone, which their file calls text
        return spec
    usual = facts.levels[shown][facts.counts[shown].argmax()]
    said = f"Numbers in {percent(rows, facts.n_present)} of its cells, beside words as '{usual}'"
    return spec.changed(reason=f"{said}: they can be read out. {spec.reason}")


def yes_no(facts: Facts, levels: list[Any]) -> ColumnSpec:
    """A yes/no column of those two levels."""
    no, yes = no_then_yes(levels, facts.name)
    spec = ColumnSpec(facts.name, "bernoulli", "cluster", levels=(no, yes))
    no, yes = spec.levels
    return spec.changed(reason=f"Two values, {no} and {yes}: yes/no, where {yes} counts as yes.")
