"""Steps that a table seems to need before it is grouped, the most consequential first."""

from __future__ import annotations

import pandas as pd

from ..schema.schema import Schema
from .suggested_cells import blanks_that_mean_no, dates, spellings
from .suggested_rows import repeated_rows, rows_of_notes, rows_of_units
from .suggestion import Look, Suggestion

_RULES = (rows_of_units, rows_of_notes, repeated_rows, blanks_that_mean_no, spellings, dates)
#: Suggestions that are shown.
_MOST = 5


def suggestions(frame: pd.DataFrame, schema: Schema) -> tuple[Suggestion, ...]:
    """Look for what a table seems to need; nothing is done.

    Parameters
    ----------
    frame : DataFrame, shape (N, M)
    schema : Schema
        As guessed from it, or as decided.

    Returns
    -------
    tuple of Suggestion
        At most five.

    Examples
    --------
    >>> import pandas as pd
    >>> from mapdp_studio.core import infer_schema
    >>> from mapdp_studio.core.profiling.preparation import suggestions
    >>> frame = pd.DataFrame({"lift": [1.0, None, None] * 9, "rooms": [2, 3, 4] * 9})
    >>> [suggestion.why for suggestion in suggestions(frame, infer_schema(frame))]
    ['1 column holds 1 or nothing (lift): does a blank in it mean no?']
    """
    look = Look(frame, schema)
    found: list[Suggestion] = []
    for suggestion in (suggestion for rule in _RULES for suggestion in rule(look)):
        if all(suggestion.step != one.step for one in found):  # two reasons for it are one question
            found.append(suggestion)
    return tuple(found[:_MOST])
