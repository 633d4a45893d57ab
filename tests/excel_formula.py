"""Excel's answer to a formula, by its own rules: blanks are 0 or "", numbers < text < logical."""

from __future__ import annotations

from functools import cache
from typing import Any

from openpyxl.formula import Tokenizer
from openpyxl.formula.tokenizer import Token

_ORDER = {bool: 2, str: 1}


def evaluate(formula: str, row: dict[str, Any]) -> Any:
    """The value of a formula in row 2, given its cells by their letters; None is a blank one."""
    tokens = _tokens(formula)
    value, end = _comparison(tokens, 0, row)
    assert end == len(tokens), formula
    return value


@cache
def _tokens(formula: str) -> list[Token]:
    return [token for token in Tokenizer(formula).items if token.type != Token.WSPACE]


def _comparison(tokens: list[Token], at: int, row: dict[str, Any]) -> tuple[Any, int]:
    left, at = _operand(tokens, at, row)
    while at < len(tokens) and tokens[at].type == Token.OP_IN:
        sign = tokens[at].value
        right, at = _operand(tokens, at + 1, row)
        left = _compared(left, right, sign)
    return left, at


def _compared(left: Any, right: Any, sign: str) -> bool:
    left, right = _filled(left, right), _filled(right, left)
    a, b = ((_ORDER.get(type(v), 0), v.lower() if isinstance(v, str) else v) for v in (left, right))
    return {"=": a == b, "<>": a != b, "<": a < b, ">=": a >= b}[sign]


def _filled(value: Any, beside: Any) -> Any:
    """A blank cell is what suits the value that it is compared with."""
    return value if value is not None else type(beside)() if beside is not None else 0


def _operand(tokens: list[Token], at: int, row: dict[str, Any]) -> tuple[Any, int]:
    token = tokens[at]
    if token.type == Token.OP_PRE:
        value, at = _operand(tokens, at + 1, row)
        return -value, at
    if token.type == Token.FUNC:
        return _called(token.value.rstrip("("), tokens, at + 1, row)
    assert token.type == Token.OPERAND, token
    kinds = {
        Token.RANGE: lambda text: row[text.removesuffix("2")],
        Token.TEXT: lambda text: text[1:-1].replace('""', '"'),
        Token.NUMBER: float,
        Token.LOGICAL: lambda text: text == "TRUE",
    }
    return kinds[token.subtype](token.value), at + 1


def _called(name: str, tokens: list[Token], at: int, row: dict[str, Any]) -> tuple[Any, int]:
    values = []
    while tokens[at].subtype != Token.CLOSE:
        value, at = _comparison(tokens, at, row)
        values.append(value)
        at += tokens[at].type == Token.SEP
    assert values, f"Excel takes no {name}() of nothing."
    return _FUNCTIONS[name](*values), at + 1


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    return "" if value is None else f"{value:g}" if isinstance(value, int | float) else value


_FUNCTIONS = {
    "IF": lambda so, then, otherwise: then if so else otherwise,
    "AND": lambda *parts: all(parts),
    "OR": lambda *parts: any(parts),
    "NOT": lambda part: not part,
    "EXACT": lambda a, b: _text(a) == _text(b),
    "TRIM": lambda a: " ".join(filter(None, _text(a).split(" "))),
    "ISNUMBER": lambda a: isinstance(a, int | float) and not isinstance(a, bool),
    "ISLOGICAL": lambda a: isinstance(a, bool),
}
