"""What a file says of its columns goes before any guess: words, their order, missing codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from .facts import Facts
from .guess import guess
from .spec import BY_HAND, ColumnSpec
from .words import says_no_answer

_AS_TOLD = {
    "id": "Tells records or persons apart, says the file.",
    "control": "Where a row comes from, says the file: a negative control.",
    "ignore": "About the row, not about whom it is of, says the file.",
}


def told_of(frame: pd.DataFrame) -> dict[str, Mapping[str, Any]]:
    """What is known of columns before any guess: from their file, or as ordered categories.

    Returns
    -------
    dict of str to mapping
        As of ``as_the_file_says``.
    """
    told = dict(frame.attrs.get("columns", {}))
    for name, dtype in frame.dtypes.items():
        is_ordered = isinstance(dtype, pd.CategoricalDtype) and dtype.ordered
        if is_ordered and all(isinstance(level, str) for level in dtype.categories):
            scale = {"levels": tuple(dtype.categories), "measure": "ordinal", "by_hand": True}
            told[name] = {**told.get(name, {}), **scale}
    return told


def made_of(frame: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """Columns that steps computed, each with those that it was computed from, perhaps gone now."""
    return {name: of for name, of in frame.attrs.get("made", {}).items() if name in frame.columns}


def told_facts(facts: Facts, told: Mapping[str, Any]) -> Facts:
    """What was counted in a column, without the cells that its file calls no answer.

    Numbers between those that the file names as answers are answers, too: the 8 and 9 of a scale
    whose ends have words.

    Parameters
    ----------
    told : mapping
        As of ``as_the_file_says``.
    """
    codes = _no_answers(told)
    if codes and facts.kind == "number":
        facts = facts.without([code for code in codes if not isinstance(code, str)])
    elif codes:
        texts = {str(code) for code in codes}
        facts = facts.keeping(np.array([str(v) not in texts for v in facts.levels], dtype=bool))
    named = [c for c in told.get("named", ()) if c not in codes and not isinstance(c, str)]
    return replace(facts, answers=(min(named), max(named))) if named else facts


def as_the_file_says(facts: Facts, told: Mapping[str, Any]) -> ColumnSpec:
    """Guess a column, unless the file it comes from knows better.

    Parameters
    ----------
    facts : Facts
        From ``told_facts``.
    told : mapping
        ``label``, ``levels`` (in the order of their codes), ``measure`` ("nominal", "ordinal",
        "scale"), ``is_text`` (its letters and digits are codes, as in ``look_at``),
        ``missing_codes``, ``named`` (numbers that have words, where others have none) and ``role``
        ("id", "control" or "ignore"), each only where the file says so; ``by_hand`` where a person
        put them in order.
    """
    spec = guess(facts)
    codes = _no_answers(told)
    levels = tuple(word for word in told.get("levels", ()) if word not in codes)
    if told.get("measure") == "ordinal" and len(levels) > 2 and spec.role == "cluster":
        reason = f"Declared to be in order: {' < '.join(levels)}; rating."
        reason = f"{BY_HAND} {reason}" if told.get("by_hand") else reason
        spec = spec.changed(family="binomial", levels=levels, reason=reason)
    elif told.get("measure") == "nominal" and spec.family == "binomial" and not levels:
        found = tuple(sorted(facts.levels.tolist()))
        if facts.kind == "number":
            found = tuple(int(v) if v == int(v) else float(v) for v in found)
        reason = f"{len(found)} codes without an order, says the file: category."
        spec = spec.changed(family="categorical", levels=found, reason=reason)
    if codes:
        listed = ", ".join(code if isinstance(code, str) else f"{code:g}" for code in codes)
        reason = f"{spec.reason} {listed} missing, says the file."
        spec = spec.changed(missing_codes=(*spec.missing_codes, *codes), reason=reason)
    role = told.get("role")
    if role is not None and spec.role not in (role, "ignore"):
        spec = spec.changed(role=role, reason=f"{_AS_TOLD[role]} {spec.reason}")
    return spec


def with_labels(
    specs: Mapping[str, ColumnSpec], told: Mapping[str, Mapping[str, Any]]
) -> dict[str, ColumnSpec]:
    """The columns with what the file writes beside their names before every reason."""
    labels = {name: about["label"] for name, about in told.items() if about.get("label")}
    result = dict(specs)
    for name in labels.keys() & specs.keys():
        reason = specs[name].reason
        first = f"{BY_HAND} " if reason.startswith(BY_HAND) else ""
        said = reason.removeprefix(first)
        result[name] = specs[name].changed(reason=f"{first}\u201c{labels[name]}\u201d. {said}")
    return result


def _no_answers(told: Mapping[str, Any]) -> tuple[Any, ...]:
    """Codes and words that are missing, by what the file declares or by what it writes for them."""
    words = [word for word in told.get("levels", ()) if says_no_answer(word)]
    named = [code for code, word in told.get("named", {}).items() if says_no_answer(word)]
    return tuple(dict.fromkeys((*told.get("missing_codes", ()), *words, *named)))
