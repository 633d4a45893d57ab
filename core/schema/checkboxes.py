"""Columns of a form where a tick is written and no tick is a blank: 1 or nothing, x or nothing."""

from __future__ import annotations

from collections.abc import Mapping

from ..wording import percent
from .facts import Facts, spelled
from .spec import ColumnSpec
from .vocabulary import affirms, words

_MARKS = frozenset(("1", "x", "xx", "✓", "✔", "✗", "checked", "ticked", "selected", "marked"))
_FEWEST = 3  # columns of one word each that are taken for the answers to one question


def checkboxes(facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]) -> tuple[str, ...]:
    """Columns with one value, which says yes, and blanks for the rest, in the table's order.

    The value is a mark (1, x, yes), or the column's name says it, as of "Pie: Apple" the word
    Apple; or several columns of one word each stand in the table, as where every answer to a
    question has its own column.
    """
    blank = [name for name, spec in specs.items() if _is_blank_or_one(facts[name], spec)]
    worded = [name for name in blank if facts[name].kind == "text"]
    many = len({_value(facts[name]) for name in worded}) >= _FEWEST
    return tuple(
        name for name in blank if _is_mark(facts[name]) or (many and facts[name].kind == "text")
    )


def _is_blank_or_one(facts: Facts, spec: ColumnSpec) -> bool:
    is_one = facts.n_distinct == 1 and facts.kind != "date" and not facts.limits
    return spec.role == "ignore" and is_one and facts.n_present < facts.n_rows


def _value(facts: Facts) -> str:
    level = facts.levels[0]
    return str(level).strip() if facts.kind == "text" else spelled(level)


def _is_mark(facts: Facts) -> bool:
    """Whether the only value of a column says yes, or what the column's name says."""
    value = _value(facts)
    said = words(value)
    named = bool(said) and facts.kind == "text" and set(said) <= set(words(facts.name))
    return value.lower() in _MARKS or affirms(value) or named


def with_checkboxes(
    facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]
) -> dict[str, ColumnSpec]:
    """The columns, of checkboxes with why they are aside until somebody says what a blank means."""
    seen = {
        name: specs[name].changed(
            reason=f"A checkbox, {_value(facts[name])} in "
            f"{percent(facts[name].n_present, facts[name].n_rows)} of the rows and blank in the "
            "others: it tells rows apart only where a blank means no."
        )
        for name in checkboxes(facts, specs)
    }
    return {**specs, **seen}
