"""Short rules as a Python function, which gives new rows their groups."""

from __future__ import annotations

from typing import Any

from ..profiling.conditions import AT_LEAST, BELOW, IS, IS_NOT, Condition
from ..profiling.rules import TableRules
from ..wording import counted, percent
from .script import one_line

_SIGNS = {AT_LEAST: ">=", BELOW: "<", IS: "=="}
_HELPERS = '''from numbers import Real


def is_number(cell):
    return isinstance(cell, Real) and cell == cell


def text(cell):
    return cell.strip() if isinstance(cell, str) else cell


def is_known(cell):
    return isinstance(cell, str) or is_number(cell) or type(cell).__name__.startswith("bool")


def group_of(row):
    """The group of a row: a dict, or a row of a pandas table, by the names of its columns."""
'''


def rules_in_python(rules: TableRules, titles: tuple[str, ...], name: str, prepared: bool) -> str:
    """The ordered rules of a table as a function of a row, given as a dict or a row of a frame."""
    found, whole = rules.found, rules.found.whole
    remarks = [
        f"Groups of {name} by {len(whole.rules)} short rules, from MAP-DP Studio.",
        f"Of rows that the rules were not made from, {percent(found.agreement)} are given their "
        f"own group (cross-validated); the largest group has {percent(found.largest)} of the rows.",
        f"They were sought among {counted(found.n_searched, 'row')}.",
        "The columns are those of the table "
        + ("after the steps of Prepare." if prepared else "as it was loaded."),
        "A condition does not hold of a missing cell, unless it says so.",
    ]
    if never := [titles[k] for k in whole.never(len(titles))]:
        remarks.append(f"No row is given to {counted(len(never), 'group')}: {', '.join(never)}.")
    lines = [f"# {one_line(text)}\n" for text in remarks] + [_HELPERS]
    for rule in whole.rules:
        tests = " and ".join(_test(condition, rules) for condition in rule.conditions)
        lines.append(f"    if {tests}:\n        return {titles[rule.group]!r}\n")
    return "".join([*lines, f"    return {titles[whole.otherwise]!r}\n"])


def _test(condition: Condition, rules: TableRules) -> str:
    cells, cell = rules.cells[condition.key], f"row.get({condition.column!r})"
    if cells.levels is None:
        known, value = "is_number", float(condition.value)
        value = int(value) if value.is_integer() else value
        said = f"{cell} {_SIGNS[condition.word]} {value!r}"
        if but := tuple(code for code in cells.no_numbers if condition.covers(code)):
            said += f" and {cell} not in {but!r}"
    else:
        known, cell = "is_known", f"text({cell})"
        if condition.word == IS_NOT:
            words = cells.spelled[int(condition.value)] + cells.missing
            said = f"{cell} not in {_trimmed(words)!r}"
        else:
            places = range(int(cells.of_outcome), len(cells.levels))
            meant = (cells.spelled[place] for place in places if condition.covers(place))
            said = f"{cell} in {_trimmed(tuple(word for words in meant for word in words))!r}"
    said = f"{known}({cell}) and {said}"
    if not condition.or_unknown:
        return said
    codes = f" or {cell} in {_trimmed(cells.missing)!r}" if cells.missing else ""
    return f"({said} or not {known}({cell}){codes})"


def _trimmed(words: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(word.strip() if isinstance(word, str) else word for word in words)
