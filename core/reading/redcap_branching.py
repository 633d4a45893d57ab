"""When a field of a REDCap form is shown: its branching logic, worked out for every row.

Comparisons of ``[field]`` and of ``[field(code)]``, a box, with numbers and quoted texts, joined by
``and``, ``or`` and parentheses. What asks another event or calls a function is not worked out.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

_TOKENS = re.compile(
    r"\s*(?:(?P<field>\[[^\]]*\])|(?P<text>'[^']*'|\"[^\"]*\")|(?P<number>-?\d+(?:\.\d+)?)"
    r"|(?P<sign><>|!=|<=|>=|=|<|>)|(?P<bracket>[()])|(?P<word>and|or|&&|\|\|)(?=[\s(\[]))",
    re.IGNORECASE,
)
_SIGNS = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}


class _Unknown(ValueError):
    """Logic that is not worked out here."""


def fields_in(text: str) -> tuple[str, ...]:
    """Names of the fields that a calculation or some logic reads, each once."""
    found = re.findall(r"\[([a-z0-9_]+)(?:\([^)]*\))?\]", text.lower())
    return tuple(dict.fromkeys(found))


def where_shown(logic: str, cells: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """Rows, (n,) of bool, in which a field is shown; None where that cannot be worked out.

    Parameters
    ----------
    cells : mapping of str to ndarray, shape (n,)
        Texts of every column, "" where blank.
    """
    try:
        tokens = _tokens(logic)
        shown = _either(tokens, cells)
    except _Unknown:
        return None
    return shown if not tokens else None


def _tokens(logic: str) -> list[tuple[str, str]]:
    tokens, place = [], 0
    logic = logic.strip()
    while place < len(logic):
        found = _TOKENS.match(logic, place)
        if found is None:
            raise _Unknown
        tokens.append((str(found.lastgroup), found[str(found.lastgroup)]))
        place = found.end()
        place += len(logic[place:]) - len(logic[place:].lstrip())
    return tokens


def _next(tokens: list[tuple[str, str]], words: tuple[str, ...]) -> bool:
    """Take the next token if it is one of those."""
    if tokens and tokens[0][1].lower() in words:
        tokens.pop(0)
        return True
    return False


def _either(tokens: list[tuple[str, str]], cells: Mapping[str, np.ndarray]) -> np.ndarray:
    found = _both(tokens, cells)
    while _next(tokens, ("or", "||")):
        found = found | _both(tokens, cells)
    return found


def _both(tokens: list[tuple[str, str]], cells: Mapping[str, np.ndarray]) -> np.ndarray:
    found = _one(tokens, cells)
    while _next(tokens, ("and", "&&")):
        found = found & _one(tokens, cells)
    return found


def _one(tokens: list[tuple[str, str]], cells: Mapping[str, np.ndarray]) -> np.ndarray:
    if _next(tokens, ("(",)):
        found = _either(tokens, cells)
        if not _next(tokens, (")",)):
            raise _Unknown
        return found
    if len(tokens) < 3 or tokens[1][0] != "sign":
        raise _Unknown
    (of, first), (_, sign), (kind, second) = (tokens.pop(0) for _ in range(3))
    if of != "field" or kind not in ("text", "number"):
        raise _Unknown
    return _compared(_cells(first, cells), sign, second.strip("'\""))


def _cells(field: str, cells: Mapping[str, np.ndarray]) -> np.ndarray:
    named = re.fullmatch(r"\[([a-z0-9_]+)(?:\(([^)]*)\))?\]", field.lower())
    if named is None:
        raise _Unknown
    name, code = named[1], named[2]
    column = name if code is None else f"{name}___{re.sub(r'[^a-z0-9]', '_', code.strip())}"
    if column not in cells:
        raise _Unknown
    return cells[column]


def _compared(values: np.ndarray, sign: str, with_: str) -> np.ndarray:
    numbers = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(np.float64)
    number = pd.to_numeric(with_, errors="coerce") if with_ else np.nan
    if sign in _SIGNS:
        return _SIGNS[sign](numbers, number)
    same = np.array([value == with_ for value in values], dtype=bool)
    if number == number:
        same |= numbers == number
    return same if sign == "=" else ~same
