"""The names of the rows, as programs write them before the first column, without a header."""

from __future__ import annotations

from collections.abc import Mapping

from .facts import Facts
from .spec import ColumnSpec
from .vocabulary import is_given


def row_names_aside(
    specs: Mapping[str, ColumnSpec], facts: Mapping[str, Facts]
) -> dict[str, ColumnSpec]:
    """Guesses in which the first column tells rows apart, where it alone has no header.

    Each of its values stands in one row. Such numbers are no measurement, and in a table that was
    sorted they would tell whatever it was sorted by.
    """
    if len(specs) < 2:
        return dict(specs)
    first, *others = specs
    spec, column = specs[first], facts[first]
    is_alone = not is_given(first) and all(map(is_given, others))
    fraction = column.kind == "number" and not column.is_whole
    if not is_alone or spec.role != "cluster" or fraction or column.n_distinct < column.n_rows:
        return dict(specs)
    reason = f"Has no header, and another value in each row: the rows' names. {spec.reason}"
    return {**specs, first: spec.changed(role="id", reason=reason)}
