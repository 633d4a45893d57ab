"""Which columns are set aside, each with its reason in a few words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..wording import cut
from .spec import ColumnSpec

_MOST_LETTERS = 90


def set_aside(specs: Mapping[str, ColumnSpec]) -> dict[str, str]:
    """Columns that take no part in the groups and are not kept for anything else, with the reason.

    Parameters
    ----------
    specs : Schema, or mapping of str to ColumnSpec

    Returns
    -------
    dict of str to str
        By name, in the table's order: the first thing that is said of the column.
    """
    return {
        name: _short(spec.reason) for name, spec in specs.items() if spec.role in ("ignore", "id")
    }


def _short(reason: str) -> str:
    """The first sentence of a reason, up to a colon; what the file calls the column goes before."""
    plain = re.sub(r"^\u201c[^\u201d]*\u201d\. ", "", reason)
    first = re.split(r"(?<=\w[)\u201d\w])[.:]\s|\.$", plain, maxsplit=1)[0].strip()
    return cut(first, _MOST_LETTERS)
