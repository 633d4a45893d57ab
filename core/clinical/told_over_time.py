"""What a difference up to a fixed time would tell: how many had the event by then, and after."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..statistics.association import Associations, ColumnAssociation, Comparison
from ..statistics.effects import Effect, no_effect

HIDDEN_DIFFERENCE = "The difference is hidden: a count of events by its time or after it is small."


def hidden_over_time(found: Associations, labels: np.ndarray, least: int) -> Associations:
    """The same without differences up to a time from which a count below ``least`` would follow.

    Without censoring a share by a time is a count over the patients; the rest had the event later.
    Hazard ratios stay: they are no count of any time.
    """
    return replace(found, columns=tuple(_column(column, labels, least) for column in found.columns))


def _column(column: ColumnAssociation, labels: np.ndarray, least: int) -> ColumnAssociation:
    if column.hazards is None:
        return column
    told = {
        summary.group: _is_told(column, labels == summary.group, least) for summary in column.groups
    }
    return replace(column, pairs=tuple(_pair(pair, told) for pair in column.pairs))


def _is_told(column: ColumnAssociation, inside: np.ndarray, least: int) -> bool:
    """Whether neither by the time nor after it a few patients of a group had either event."""
    variable, until = column.variable, column.hazards.until
    rows = inside & variable.observed
    by_then = variable.values[rows] <= until
    for happened in (variable.events, variable.others):
        if happened is None:
            continue
        ended = happened[rows].astype(bool)
        counts = int((ended & by_then).sum()), int((ended & ~by_then).sum())
        if any(0 < count < least for count in counts):
            return False
    return True


def _pair(pair: Comparison, told: dict[int, bool]) -> Comparison:
    if all(told[group] for group in pair.groups):
        return pair
    return replace(pair, effect=_without(pair.effect), second=_without(pair.second))


def _without(effect: Effect) -> Effect:
    is_difference = effect.name.startswith("difference of")
    return no_effect(HIDDEN_DIFFERENCE) if is_difference else effect
