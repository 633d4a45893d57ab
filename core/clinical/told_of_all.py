"""Whether a number of all patients may stand beside those of the groups that are told."""

from __future__ import annotations

import numpy as np

from ..statistics.group_summaries import summarise
from ..statistics.suppression import thresholds_up_to
from ..statistics.variables import Variable
from .disclosure import are_patients_told, shown, told_columns, told_means
from .distinctions import Distinctions
from .t_test_lines import TTests


def told_of_all(tests: TTests, seen: Distinctions, least: int) -> dict[str, bool]:
    """By column, whether that of all patients may be told.

    All less the groups that are told are those that are not, the atypical ones among them: no
    small count may follow of these together. Tables differ in which groups they tell of a column,
    and under a lower threshold they tell more: it must hold beside each of them.
    """
    columns = {name: one for name, one in tests.columns.items() if not isinstance(one, str)}
    found = dict.fromkeys(columns, True)
    for step in thresholds_up_to(least):
        whole, means = told_columns(tests, seen, step), told_means(seen, tests.made, step)
        for name, column in columns.items():
            told = [whole[name].to_numpy(), _are_counts_told(column, seen, step)]
            told += [means.loc[name].to_numpy()] if name in means.index else []
            for groups in told:
                rest = ~groups[seen.groups.labels]
                if found[name] and rest.any():
                    found[name] = are_patients_told(column, rest, step)
    return found


def _are_counts_told(column: Variable, seen: Distinctions, least: int) -> np.ndarray:
    """Groups of which tests tell how many are observed, whatever follows from moments."""
    groups = seen.groups
    sizes = shown(groups, least)
    told = np.zeros(groups.sizes.size, dtype=bool)
    for k in sizes:
        one = summarise(column, groups.labels, k, 0)
        missing, events = one.size - one.n, one.numbers.get("events", one.n)
        waiting = one.n - events if column.events is not None else one.n
        told[k] = min(one.n, missing or one.n, *one.counts, events, waiting) >= least
    return told
