"""How many patients of a group are observed on a column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .variables import Variable


@dataclass(frozen=True)
class GroupSummary:
    """One group on one column; available cases only."""

    group: int
    n: int
    #: Too few to be described.
    hidden: bool


def summarise(variable: Variable, labels: np.ndarray, group: int, least: int) -> GroupSummary:
    """Count a group on a column; it is hidden where fewer than ``least`` are observed."""
    n = int(((labels == group) & variable.observed).sum())
    return GroupSummary(group, n, n < max(least, 1))
