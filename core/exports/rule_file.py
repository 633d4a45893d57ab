"""Short rules for other programs: an SQL expression, an Excel formula, a Python function.

All three give every row the group of the first rule that names it, and all others the last group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from ..profiling.conditions import AT_LEAST, BELOW, IS, IS_NOT, Condition
from ..profiling.rules import TableRules
from ..wording import counted, percent

#: Of an Excel formula: letters, IFs one in the other with what stands in them, letters of a text.
MOST_LETTERS, MOST_NESTED, MOST_TEXT = 8_192, 60, 255
_SIGNS = {AT_LEAST: ">=", BELOW: "<", IS: "="}
_PYTHON_SIGNS = _SIGNS | {IS: "=="}


class RuleFileError(ValueError):
    """Rules that a language has no room for: one sentence."""


@dataclass(frozen=True)
class NumberTest:
    """Whether a column's number lies on one side of a cut, or is a number."""

    column: str
    #: AT_LEAST, BELOW or IS.
    word: str
    value: float
    #: Numbers that lie so and stand for none.
    but: tuple[float, ...]
    #: Numbers that stand for a missing cell; None where a missing cell is not so.
    unknown: tuple[float, ...] | None


@dataclass(frozen=True)
class WordTest:
    """Whether a column has one of some words, or a word that is none of them."""

    column: str
    words: tuple[Any, ...]
    is_none: bool
    #: Words that stand for a missing cell; None where a missing cell is not so.
    unknown: tuple[Any, ...] | None


Test = NumberTest | WordTest


@dataclass(frozen=True)
class WrittenRules:
    """Rules as a file writes them."""

    #: Tests that all have to hold, and the title of their group; the first line that holds counts.
    lines: tuple[tuple[tuple[Test, ...], str], ...]
    otherwise: str
    #: Columns of the table, in its order.
    columns: tuple[str, ...]
    #: Sentences at the head of the file.
    remarks: tuple[str, ...]


def written_rules(
    rules: TableRules, titles: tuple[str, ...], columns: tuple[str, ...], name: str, prepared: bool
) -> WrittenRules:
    """The ordered rules of a table in the cells that it has.

    ``titles`` are those of the groups, ``columns`` all of the table's in their order; ``prepared``
    says whether steps of Prepare came before.
    """
    whole = rules.found.whole
    lines = tuple(
        (tuple(_test(condition, rules) for condition in rule.conditions), titles[rule.group])
        for rule in whole.rules
    )
    found = rules.found
    remarks = (
        f"Groups of {name} by {len(lines)} short rules, from MAP-DP Studio.",
        f"Of rows that the rules were not made from, {percent(found.agreement)} are given their "
        f"own group (cross-validated); the largest group has {percent(found.largest)} of the rows.",
        "The columns are those of the table "
        + ("after the steps of Prepare." if prepared else "as it was loaded."),
        "A condition does not hold of a missing cell, unless it says so.",
    )
    never = [titles[k] for k in whole.never(len(titles))]
    if never:
        remarks += (f"No row is given to {counted(len(never), 'group')}: {', '.join(never)}.",)
    return WrittenRules(lines, titles[whole.otherwise], columns, tuple(map(_one_line, remarks)))


def _test(condition: Condition, rules: TableRules) -> Test:
    cells, spelling = rules.cells[condition.key], rules.spellings[condition.key]
    name = condition.column
    if cells.levels is None:
        but = tuple(code for code in spelling.no_numbers if condition.covers(code))
        unknown = spelling.missing if condition.or_unknown else None
        return NumberTest(name, condition.word, condition.value, but, unknown)
    unknown = spelling.missing if condition.or_unknown else None
    if condition.word == IS_NOT:
        words = spelling.levels[int(condition.value)] + spelling.missing
        return WordTest(name, words, True, unknown)
    places = range(int(cells.of_outcome), len(cells.levels))
    meant = (spelling.levels[place] for place in places if condition.covers(place))
    return WordTest(name, tuple(word for words in meant for word in words), False, unknown)


def in_sql(rules: WrittenRules) -> str:
    """An expression for a SELECT, in standard SQL; missing cells are NULL."""
    head = "".join(f"-- {remark}\n" for remark in rules.remarks)
    lines = "".join(
        f"  WHEN {' AND '.join(map(_sql_test, tests))} THEN {_sql(title)}\n"
        for tests, title in rules.lines
    )
    if not lines:
        return f"{head}{_sql(rules.otherwise)}\n"
    return f"{head}CASE\n{lines}  ELSE {_sql(rules.otherwise)}\nEND\n"


def _sql_test(test: Test) -> str:
    name = '"' + test.column.replace('"', '""') + '"'
    if isinstance(test, WordTest):
        said = _sql_among(name, test.words)
        said = f"NOT {said}" if test.is_none else said
    else:
        said = f"{name} {_SIGNS[test.word]} {_sql(test.value)}"
        said += f" AND NOT {_sql_among(name, test.but)}" if test.but else ""
    if test.unknown is None:
        return said
    codes = f" OR {_sql_among(name, test.unknown)}" if test.unknown else ""
    return f"({said} OR {name} IS NULL{codes})"


def _sql_among(name: str, words: tuple[Any, ...]) -> str:
    """Whether a cell is one of some words: text as it was read, without blanks around it."""
    parts = []
    for cell, is_text in ((f"TRIM({name})", True), (name, False)):
        told = [_sql(word) for word in _trimmed(words) if isinstance(word, str) == is_text]
        if told:
            one = len(told) == 1
            parts.append(f"{cell} = {told[0]}" if one else f"{cell} IN ({', '.join(told)})")
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts) or '1 = 0'})"


def _sql(value: Any) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return str(value).upper() if isinstance(value, bool) else _number(value)


def in_excel(rules: WrittenRules) -> str:
    """A formula for the second row of a sheet whose first row holds the names of the columns.

    Raises
    ------
    RuleFileError
        More than Excel takes.
    """
    formula, letters = _excel(rules.otherwise), {}
    for tests, title in reversed(rules.lines):
        for test in tests:
            letters[test.column] = _letters(rules.columns.index(test.column))
        said = [part for test in tests for part in _excel_test(test, letters[test.column])]
        formula = f"IF({_excel_all(said)},{_excel(title)},{formula})"
    formula = f"={formula}"
    if len(rules.lines) > MOST_NESTED or len(formula) > MOST_LETTERS:
        raise RuleFileError(
            f"The rules make a formula of {len(formula):,} letters with {len(rules.lines):,} IFs, "
            f"and Excel takes {MOST_LETTERS:,} and {MOST_NESTED}: take SQL or Python, or merge "
            "some groups."
        )
    in_order = sorted(letters, key=rules.columns.index)
    where = "; ".join(f"{letters[name]} is {_one_line(name)}" for name in in_order)
    remarks = [
        *rules.remarks,
        "For row 2 of a sheet with the names of all columns in row 1: copy it down the rows.",
        f"Columns by their letters: {where}.",
    ]
    return "\n".join([*remarks, "", formula, ""])


def _excel_test(test: Test, letters: str) -> list[str]:
    """What has to hold, in parts; a blank cell would be 0, and text above every number."""
    cell = f"{letters}2"
    if isinstance(test, WordTest):
        among = _excel_any([_excel_is(cell, word) for word in test.words])
        said, none = [among], f'{cell}=""'
        if test.is_none:
            said = [f'{cell}<>""', f"NOT({among})"]
    else:
        said = [f"ISNUMBER({cell})", f"{cell}{_SIGNS[test.word]}{_number(test.value)}"]
        said += [f"{cell}<>{_number(code)}" for code in test.but]
        none = f"NOT(ISNUMBER({cell}))"
    if test.unknown is None:
        return said
    codes = [_excel_is(cell, word) for word in test.unknown]
    return [_excel_any([_excel_all(said), none, *codes])]


def _excel_is(cell: str, word: Any) -> str:
    if isinstance(word, str):
        # Excel's TRIM makes one blank of several within a text, too.
        return f"EXACT(TRIM({cell}),{_excel(' '.join(filter(None, word.split(' '))))})"
    kind = "ISLOGICAL" if isinstance(word, bool) else "ISNUMBER"
    return f"AND({kind}({cell}),{cell}={_excel(word)})"


def _excel_any(parts: list[str]) -> str:
    if not parts:  # of no words: Excel refuses an OR of nothing
        return "FALSE"
    return parts[0] if len(parts) == 1 else f"OR({','.join(parts)})"


def _excel_all(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"AND({','.join(parts)})"


def _excel(value: Any) -> str:
    if not isinstance(value, str):
        return str(value).upper() if isinstance(value, bool) else _number(value)
    if len(value) > MOST_TEXT:
        raise RuleFileError(
            f"An Excel formula takes text of {MOST_TEXT} letters, and “{value[:40]}…” has "
            f"{len(value):,}: take SQL or Python."
        )
    return '"' + value.replace('"', '""') + '"'


def _letters(place: int) -> str:
    """A column of a sheet, the first one A."""
    before, last = divmod(place, 26)
    return (_letters(before - 1) if before else "") + chr(ord("A") + last)


def in_python(rules: WrittenRules) -> str:
    """A function of a row, given as a dict or as a row of a pandas table."""
    head = "".join(f"# {remark}\n" for remark in rules.remarks)
    lines = "".join(
        f"    if {' and '.join(map(_python_test, tests))}:\n        return {title!r}\n"
        for tests, title in rules.lines
    )
    return f"{head}{_PYTHON}{lines}    return {rules.otherwise!r}\n"


_PYTHON = '''from numbers import Real


def is_number(cell):
    return isinstance(cell, Real) and cell == cell


def text(cell):
    return cell.strip() if isinstance(cell, str) else cell


def is_known(cell):
    return isinstance(cell, str) or is_number(cell) or type(cell).__name__.startswith("bool")


def group_of(row):
    """The group of a row: a dict, or a row of a pandas table, by the names of its columns."""
'''


def _python_test(test: Test) -> str:
    cell = f"row.get({test.column!r})"
    if isinstance(test, WordTest):
        known, cell = "is_known", f"text({cell})"
        said = f"{cell} {'not in' if test.is_none else 'in'} {_trimmed(test.words)!r}"
    else:
        known = "is_number"
        said = f"{cell} {_PYTHON_SIGNS[test.word]} {_number(test.value)}"
        said += f" and {cell} not in {test.but!r}" if test.but else ""
    said = f"{known}({cell}) and {said}"
    if test.unknown is None:
        return said
    codes = f" or {cell} in {_trimmed(test.unknown)!r}" if test.unknown else ""
    return f"({said} or not {known}({cell}){codes})"


def _trimmed(words: tuple[Any, ...]) -> tuple[Any, ...]:
    """Text without blanks around it, as it is read."""
    return tuple(word.strip() if isinstance(word, str) else word for word in words)


def _number(value: float) -> str:
    return repr(int(value) if float(value).is_integer() else float(value))


def _one_line(text: str) -> str:
    """Text that ends no comment."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


@dataclass(frozen=True)
class Language:
    """One way to write rules."""

    ending: str
    mime: str
    write: Callable[[WrittenRules], str]


#: What rules can be written in, by what the page calls it.
LANGUAGES: Mapping[str, Language] = MappingProxyType(
    {
        "SQL": Language("sql", "application/sql", in_sql),
        "Excel": Language("txt", "text/plain", in_excel),
        "Python": Language("py", "text/x-python", in_python),
    }
)
