"""Columns of a form where a tick is written and no tick is a blank: 1 or nothing, x or nothing."""

from __future__ import annotations

from collections.abc import Mapping

from ..wording import percent
from .facts import Facts
from .guess import shown_levels
from .no_answers import phrases
from .spec import ColumnSpec
from .vocabulary import affirms, words

_MARKS = phrases("1|x|xx|✓|✔|✗|*|+|checked|ticked|selected|marked")
_FEWEST = 3  # columns of one word each that are taken for the answers to one question


def boxes(values: Mapping[str, object]) -> tuple[str, ...]:
    """Those that are checkboxes of some columns that hold one value or nothing.

    The value is a mark (1, x, yes), or the column's name says it, as of "Pie: Apple" the word
    Apple; or several columns of one word each stand in the table, as where every answer to a
    question has its own column.

    Parameters
    ----------
    values : mapping of str to object
        The only value of each column.
    """
    worded = {name for name, value in values.items() if isinstance(value, str)}
    many = len({values[name] for name in worded}) >= _FEWEST
    return tuple(
        name for name, value in values.items() if _is_mark(value, name) or (many and name in worded)
    )


def _is_mark(value: object, name: str) -> bool:
    """Whether the only value of a column says yes, or what the column's name says."""
    text = f"{value:g}" if isinstance(value, float) else str(value).strip()
    said = words(text) if isinstance(value, str) else []
    return text.lower() in _MARKS or affirms(text) or (bool(said) and set(said) <= set(words(name)))


def checkboxes(facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]) -> tuple[str, ...]:
    """Columns that are left aside and are checkboxes, in the table's order."""
    return boxes(
        {
            name: facts[name].levels[0]
            for name, spec in specs.items()
            if spec.role == "ignore" and _is_one_or_blank(facts[name])
        }
    )


def _is_one_or_blank(facts: Facts) -> bool:
    is_one = facts.n_distinct == 1 and facts.kind != "date" and not facts.limits
    return is_one and facts.n_present < facts.n_rows


def with_checkboxes(
    facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]
) -> dict[str, ColumnSpec]:
    """The columns, of checkboxes with why they are aside until somebody says what a blank means."""
    seen = {
        name: specs[name].changed(
            reason=f"A checkbox, {shown_levels(facts[name])[0]} in "
            f"{percent(facts[name].n_present, facts[name].n_rows)} of the rows and blank in the "
            "others: it tells rows apart only where a blank means no."
        )
        for name in checkboxes(facts, specs)
    }
    return {**specs, **seen}
