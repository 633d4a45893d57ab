"""Guess what one column is: from what its file says, from its counts, and what stands apart."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..families.family import RATING, YES_NO
from ..wording import counted, listed, percent
from .facts import Facts
from .odd_values import find_codes, is_certainly_missing, zeros_apart
from .rules import BAND_CEILING, NOT_USED, NUMBERS, WORDS, decide
from .spec import BY_HAND, ColumnSpec
from .words import says_no_answer, says_unknown

_MOST_SHOWN = 3
_BY_ROLE = {
    "id": "Tells records or persons apart, says the file.",
    "control": "Where a row comes from, says the file: a negative control.",
    "ignore": "About the row, not about whom it is of, says the file.",
}


def guess(facts: Facts) -> ColumnSpec:
    """Guess one column from its counts alone, the other columns unseen."""
    described = guess_words if facts.kind == "text" else _with_what_stands_apart
    return decide(NOT_USED, facts) or described(facts)


def guess_words(facts: Facts) -> ColumnSpec:
    """Guess a column of words; one that says "unknown" beside a scale or yes and no is missing."""
    unknown = np.array([says_unknown(word) for word in facts.shown], dtype=bool)
    if not unknown.any():
        not_staged = [re.fullmatch("[cpy]?[TNMG]x", w, re.IGNORECASE) for w in facts.shown]
        unknown = np.array(not_staged, dtype=bool) & (facts.n_distinct > 3)
    if unknown.any() and facts.n_distinct <= BAND_CEILING:
        spec = decide(WORDS, facts.keeping(~unknown))
        if spec.kind in (YES_NO, RATING):
            words = dict(zip(facts.levels[unknown], facts.counts[unknown], strict=True))
            texts = [f"'{word}' in {counted(int(n), 'row')}" for word, n in words.items()]
            return _with_missing(spec, tuple(words), texts)
    return decide(WORDS, facts)


def _with_missing(spec: ColumnSpec, codes: tuple[Any, ...], texts: list[str]) -> ColumnSpec:
    shown = listed(texts, _MOST_SHOWN)
    reason = f"{spec.reason} {shown} taken as missing: undo it if that is wrong."
    return spec.changed(missing_codes=codes, reason=reason)


def _with_what_stands_apart(facts: Facts) -> ColumnSpec:
    """Guess a number column: words and holes as missing, limits and zeros beside the number."""
    codes = [code for code in find_codes(facts) if is_certainly_missing(code, facts)]
    plain = facts.without(codes)
    special, text = _limits(plain)
    if zeros := zeros_apart(plain):
        plain, special, text = plain.without([0.0]), {"zero": 0} | special, [zeros, *text]
    spec = decide(NUMBERS, plain)
    if special and spec.role == "cluster":
        if spec.family == "categorical":  # of codes with limits, which contradict one another
            spec = NUMBERS[-1](plain)
        reason = f"{spec.reason} {' and '.join(text)} kept beside the number."
        spec = spec.changed(special=special, reason=reason)
    if facts.reading is not None:
        spec = spec.changed(reading=facts.reading, reason=f"{facts.remark}{spec.reason}")
    texts = [f"'{word}' in {counted(rows, 'row')}" for word, rows in facts.tokens.items()]
    rows_of = ((code, counted(facts.rows_of(code), "row")) for code in codes)
    texts += [f"{code:g} in {rows}, apart from the rest," for code, rows in rows_of]
    return _with_missing(spec, (*facts.tokens, *codes), texts) if texts else spec


def _limits(facts: Facts) -> tuple[dict[str, Any], list[str]]:
    """Special outcomes for the cells that are limits: one each, or one for many."""
    special: dict[str, Any] = {}
    remarks = []
    n = facts.n_present + sum(facts.limits.values())
    for sign, word in (("<", "below"), (">", "above")):
        cells = [c for c in facts.limits if (c.strip()[0] in ">\u2265") == (sign == ">")]
        if not cells:
            continue
        rows = sum(facts.limits[cell] for cell in cells)
        limit, alone = cells[0].lstrip("<>=\u2264\u2265 "), len(cells) == 1
        name = limit if limit == cells[0] else f"{word} {limit}"  # of words such as "BLQ"
        special[name if alone else f"{word} a limit"] = cells[0] if alone else sign
        remarks.append(f"'{cells[0]}' in {percent(rows, n)} of the cells")
    return special, remarks


def metadata_of(frame: pd.DataFrame) -> dict[str, Mapping[str, Any]]:
    """What is known of each column before any guess: from its file, or as an ordered category."""
    metadata = {name: {} for name in frame} | frame.attrs.get("columns", {})
    for name, dtype in frame.dtypes.items():
        is_ordered = isinstance(dtype, pd.CategoricalDtype) and dtype.ordered
        if is_ordered and all(isinstance(level, str) for level in dtype.categories):
            scale = {"levels": tuple(dtype.categories), "measure": "ordinal", "by_hand": True}
            metadata[name] = {**metadata[name], **scale}
    return metadata


def made_of(frame: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """Columns that steps computed, each with those that it was computed from, perhaps gone now."""
    return {name: of for name, of in frame.attrs.get("made", {}).items() if name in frame.columns}


def without_no_answers(facts: Facts, metadata: Mapping[str, Any]) -> Facts:
    """What was counted in a column, without the cells that its file calls no answer."""
    codes = _no_answers(metadata)
    facts = facts.without(codes)
    named = [c for c in metadata.get("named", ()) if c not in codes and not isinstance(c, str)]
    return replace(facts, answers=(min(named), max(named))) if named else facts


def as_the_file_says(facts: Facts, metadata: Mapping[str, Any]) -> ColumnSpec:
    """Guess a column, unless its file declares what it is."""
    spec = guess(facts)
    codes = _no_answers(metadata)
    levels = tuple(word for word in metadata.get("levels", ()) if word not in codes)
    if metadata.get("measure") == "ordinal" and len(levels) > 2 and spec.role == "cluster":
        reason = f"Declared to be in order: {' < '.join(levels)}; rating."
        reason = f"{BY_HAND} {reason}" if metadata.get("by_hand") else reason
        spec = spec.changed(family="binomial", levels=levels, reason=reason)
    elif metadata.get("measure") == "nominal" and spec.family == "binomial" and not levels:
        found = tuple(sorted(facts.levels))
        reason = f"{len(found)} codes without an order, says the file: category."
        spec = spec.changed(family="categorical", levels=found, reason=reason)
    if codes:
        shown = ", ".join(code if isinstance(code, str) else f"{code:g}" for code in codes)
        reason = f"{spec.reason} {shown} missing, says the file."
        spec = spec.changed(missing_codes=(*spec.missing_codes, *codes), reason=reason)
    role = metadata.get("role")
    if role is not None and spec.role not in (role, "ignore"):
        spec = spec.changed(role=role, reason=f"{_BY_ROLE[role]} {spec.reason}")
    return spec


def with_labels(
    specs: Mapping[str, ColumnSpec], metadata: Mapping[str, Mapping[str, Any]]
) -> dict[str, ColumnSpec]:
    """The columns with what the file writes beside their names before every reason."""
    result = dict(specs)
    for name, spec in specs.items():
        if label := metadata[name].get("label"):
            first = f"{BY_HAND} " if spec.reason.startswith(BY_HAND) else ""
            text = spec.reason.removeprefix(first)
            result[name] = spec.changed(reason=f"{first}\u201c{label}\u201d. {text}")
    return result


def _no_answers(metadata: Mapping[str, Any]) -> tuple[Any, ...]:
    """Codes and words that are missing, by what the file declares or by what it writes for them."""
    words = [word for word in metadata.get("levels", ()) if says_no_answer(word)]
    named = [code for code, word in metadata.get("named", {}).items() if says_no_answer(word)]
    return tuple(dict.fromkeys((*metadata.get("missing_codes", ()), *words, *named)))
