"""What a file says of its columns goes before any guess: words, their order, missing codes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .facts import Facts
from .guess import guess
from .spec import ColumnSpec


def as_the_file_says(facts: Facts, told: Mapping[str, Any]) -> ColumnSpec:
    """Guess a column, unless the file it comes from knows better.

    Parameters
    ----------
    facts : Facts
    told : mapping
        ``label``, ``levels`` (in the order of their codes), ``measure`` ("nominal", "ordinal",
        "scale") and ``missing_codes``, each only where the file says so.
    """
    codes = tuple(told.get("missing_codes", ()))
    if codes:
        facts = _without(facts, codes)
    spec = guess(facts)
    levels = tuple(told.get("levels", ()))
    if told.get("measure") == "ordinal" and len(levels) > 2 and spec.role == "cluster":
        reason = f"An ordinal scale, says the file: {' < '.join(levels)}; rating."
        spec = spec.changed(family="binomial", levels=levels, reason=reason)
    elif told.get("measure") == "nominal" and spec.family == "binomial" and not levels:
        found = tuple(int(v) if v == int(v) else float(v) for v in facts.levels.tolist())
        reason = f"{len(found)} codes without an order, says the file: category."
        spec = spec.changed(family="categorical", levels=found, reason=reason)
    if codes:
        listed = ", ".join(map(str, codes))
        reason = f"{spec.reason} {listed} missing, says the file."
        spec = spec.changed(missing_codes=(*spec.missing_codes, *codes), reason=reason)
    if told.get("label"):
        spec = spec.changed(reason=f"\u201c{told['label']}\u201d. {spec.reason}")
    return spec


def _without(facts: Facts, codes: tuple[Any, ...]) -> Facts:
    if facts.kind == "number":
        return facts.without([code for code in codes if not isinstance(code, str)])
    texts = {str(code) for code in codes}
    keep = np.array([str(level) not in texts for level in facts.levels], dtype=bool)
    return facts.keeping(keep)
