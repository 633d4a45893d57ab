"""Whether the groups are no more than the special outcomes of one column, such as a limit."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import adjusted_rand_score

from ..wording import escaped
from .profiles import NaturalColumn

#: Adjusted Rand index from which on groups and outcomes are told as the same.
SAME = 0.95


def outcome_split(columns: tuple[NaturalColumn, ...], labels: np.ndarray) -> str:
    """A sentence where the outcomes of one of several columns tell the groups; "" where none do."""
    if len(columns) < 2 or np.unique(labels).size < 2:
        return ""
    for column in columns:
        if column.outcomes is None:
            continue
        outcomes = column.outcomes.codes
        known = ~np.isnan(outcomes)
        if adjusted_rand_score(labels[known], outcomes[known]) >= SAME:
            words = ", ".join(column.outcomes.levels[1:])
            return (
                f"{escaped(column.name)}: whether a cell is {escaped(words)} or a number tells "
                "these groups alone. MAP-DP puts every row wholly into one group, and then such "
                "cells can outweigh the other columns. Compare with E-M or Gibbs, which share rows "
                "between groups."
            )
    return ""
