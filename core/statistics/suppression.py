"""Tables of counts in which no small cell can be worked out from what is shown.

Cells below a threshold are hidden, and with them as many others as it takes: for every small cell
there is then a table with the same shown cells and totals in which it is not small, and as many
whole numbers are left for it as the threshold says. The others are chosen by a linear programme
that changes as few patients as possible, so that large cells and totals stay readable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack

#: Thresholds to choose from: smaller counts are hidden.
THRESHOLDS = (5, 10, 20)
#: Nothing is hidden: a ward's own records, or public data.
OFF = 0
TOTAL, HIDDEN = "Total", "hidden"


@dataclass(frozen=True)
class Suppressed:
    """A table of counts fit to leave the room."""

    #: With totals; hidden cells are ``<NA>``.
    table: pd.DataFrame
    #: Cells that are hidden because they are small; the other hidden ones protect these. Not to be
    #: exported: it says which is which.
    primary: pd.DataFrame
    #: Counts below it are hidden.
    least: int

    @property
    def hidden(self) -> pd.DataFrame:
        """Which cells are hidden."""
        return self.table.isna()

    @property
    def is_whole(self) -> pd.Series:
        """By row, whether nothing of it is hidden: only then may shares and means be shown."""
        return ~self.hidden.any(axis=1)

    @property
    def sentence(self) -> str:
        """What was done, in words."""
        count = int(self.hidden.to_numpy().sum())
        if not count:
            return f"No count here is below {self.least}, so none is hidden."
        noun = "cell is" if count == 1 else "cells are"
        return (
            f"{count} {noun} hidden: counts below {self.least}, and those from which they could"
            " be worked out."
        )

    def as_text(self) -> pd.DataFrame:
        """For export: counts as text, hidden cells by that word."""
        return self.table.astype("string").fillna(HIDDEN).astype(object)


def suppress(counts: pd.DataFrame, least: int = THRESHOLDS[0]) -> Suppressed:
    """Hide counts below ``least``, 0 among them, in one table without totals, which are added."""
    hidden = np.zeros((len(counts) + 1, counts.shape[1] + 1), dtype=bool)
    for step in thresholds_up_to(least):
        found = _suppress(counts, step, hidden)
        hidden = found.hidden.to_numpy()
    return found


def suppress_sizes(counts: Sequence[int], least: int, titles: Sequence[str]) -> Suppressed:
    """Hide sizes of groups that are small; their total is told.

    Whoever reads them knows that nobody is in no group and, where groups are named by size, that
    they fall: of a 5 and a 4 the sum leaves four numbers for the smaller one. So many go with them
    that it leaves ``least``.
    """
    sizes = pd.DataFrame({"Patients": counts}, index=list(titles))
    hidden = np.zeros(len(sizes) + 1, dtype=bool)
    for step in thresholds_up_to(least):
        found = _suppress_list(sizes, step, hidden)
        hidden = found.hidden["Patients"].to_numpy(copy=True)
        while not hidden[:-1].all() and _order_tells(np.asarray(counts), hidden[:-1], step):
            hidden[np.flatnonzero(~hidden[:-1])[-1]] = True
            found = _suppress_list(sizes, step, hidden)
            hidden = found.hidden["Patients"].to_numpy(copy=True)
    return found


def _order_tells(counts: np.ndarray, hidden: np.ndarray, least: int) -> bool:
    """Whether fewer than ``least`` whole numbers are left for a small size that is hidden."""
    n = counts.size
    bounds = np.column_stack([np.where(hidden, 1, counts), np.where(hidden, counts.sum(), counts)])
    falls = np.eye(n)[1:] - np.eye(n)[:-1]
    falls = falls if (np.diff(counts) <= 0).all() else falls[:0]
    known = {"A_ub": falls, "b_ub": np.zeros(len(falls)), "bounds": bounds}
    known |= {"A_eq": np.ones((1, n)), "b_eq": [counts.sum()]}
    for place in np.flatnonzero(hidden & (counts < least)):
        low, high = (sign * linprog(sign * np.eye(n)[place], **known).fun for sign in (1.0, -1.0))
        if np.floor(high + 1e-6) - np.ceil(low - 1e-6) + 1 < least:
            return True
    return False


def thresholds_up_to(least: int) -> list[int]:
    """A threshold and those below it, the lowest first.

    Whoever has the same table under several thresholds must not know more than under the lowest:
    what is hidden there is hidden under the higher ones, too.
    """
    return [*(step for step in THRESHOLDS if step < least), least]


def _suppress(counts: pd.DataFrame, least: int, forced: np.ndarray) -> Suppressed:
    """Hide in a table with totals; ``forced``, bool (R + 1, C + 1), is hidden from the outset."""
    whole = counts.to_numpy(dtype=np.int64)
    whole = np.vstack([whole, whole.sum(axis=0)])
    whole = np.column_stack([whole, whole.sum(axis=1)])
    hidden = _protect(whole, least, forced)
    return _masked(whole, hidden, [*counts.index, TOTAL], [*counts.columns, TOTAL], least)


def _suppress_list(counts: pd.DataFrame, least: int, forced: np.ndarray) -> Suppressed:
    """Hide in one column of counts and its total; ``forced`` are hidden from the outset."""
    whole = counts.to_numpy(dtype=np.int64)
    whole = np.vstack([whole, whole.sum(axis=0)])
    hidden = _protect(whole, least, forced[:, None])
    return _masked(whole, hidden, [*counts.index, TOTAL], list(counts.columns), least)


def _masked(
    counts: np.ndarray, hidden: np.ndarray, index: list, names: list, least: int
) -> Suppressed:
    table = pd.DataFrame(counts, index=index, columns=names).astype("Int64").mask(hidden)
    primary = pd.DataFrame(counts < least, index=index, columns=names)
    return Suppressed(table, primary, least)


def _protect(counts: np.ndarray, least: int, forced: np.ndarray) -> np.ndarray:
    """Which cells, totals among them, to hide; bool, (R, C).

    The last cell of a column is the total of the others, and so, if there are two columns or more,
    is the last of a row.
    """
    hidden = forced | (counts < least)
    places = np.arange(counts.size).reshape(counts.shape)
    lines = [*places.T, *(places if counts.shape[1] > 1 else ())]
    up, across = map(_signs, counts.shape)
    signs, is_total = np.outer(up, across), np.minimum.outer(up, across) < 0.0
    rows = np.repeat(np.arange(len(lines)), [line.size for line in lines])
    cells = np.concatenate(lines)
    written = np.concatenate([_signs(line.size) for line in lines])
    sums = csr_array((written, (rows, cells)), shape=(len(lines), counts.size))
    sums = hstack([sums, -sums])  # of what rises, and of what falls
    price = (counts + 1.0) * np.where(is_total, counts.max() + 1.0, 1.0)
    for row, column in zip(*np.nonzero(counts < least), strict=True):
        if _is_protected(counts, signs, hidden, row, column, least):
            continue
        given = np.where(hidden, 0.0, price).ravel()
        change = _change(sums, counts.ravel(), given, int(places[row, column]), least)
        hidden |= np.abs(change).reshape(counts.shape) > 1e-6
    return hidden


def _rise(count: int, least: int) -> int:
    """By how much a small count must be able to rise: ``least`` is reached, by as many numbers."""
    return max(least - count, least - 1)


def _signs(n: int) -> np.ndarray:
    """Signs of n counts, their total last, by which they sum to 0; a single one has no total."""
    signs = np.ones(n)
    signs[1:][-1:] = -1.0
    return signs


def _is_protected(
    counts: np.ndarray, signs: np.ndarray, hidden: np.ndarray, row: int, column: int, least: int
) -> bool:
    """Whether hidden cells alone let a small one rise enough, by squares of four of them.

    What rises in two corners of a square falls in the others, so that all sums stay. Most small
    cells are protected so, and need no linear programme.
    """
    given, missing = counts.astype(float), float(_rise(counts[row, column], least))
    direction = signs[row, column] * signs
    while missing > 0.0:
        falls = np.where(hidden, np.where(direction > 0.0, given, np.inf), 0.0)
        rises = np.where(hidden, np.where(direction > 0.0, np.inf, given), 0.0)
        room = np.minimum(np.minimum(falls[row], falls[:, column, None]), rises)
        room[row], room[:, column] = 0.0, 0.0
        up, across = np.unravel_index(room.argmax(), room.shape)
        step = min(room[up, across], missing)
        if step == 0.0:
            return False
        square = np.ix_([row, up], [column, across])
        given[square] += step * direction[square] * [[1.0, -1.0], [-1.0, 1.0]]
        missing -= step
    return True


def _change(
    sums: csr_array,
    counts: np.ndarray,
    price: np.ndarray,
    cell: int,
    least: int,
) -> np.ndarray:
    """The cheapest change of the table that makes a small cell rise enough and keeps all sums.

    Where a change is 0 the count may be shown: the changed table has it, too. ``sums``, (L, 2 n),
    sums the lines of what rises and of what falls.
    """
    rise, n = float(_rise(counts[cell], least)), counts.size
    highest = np.concatenate([np.full(n, np.inf), counts])
    bounds = np.column_stack([np.zeros(2 * n), highest])
    bounds[cell], bounds[n + cell] = rise, 0.0
    found = linprog(
        np.concatenate([price, price]), A_eq=sums, b_eq=np.zeros(sums.shape[0]), bounds=bounds
    )
    if not found.success:
        raise ValueError(
            f"No table of these counts can hide what is below {least}: there are too few patients."
        )
    return found.x[:n] - found.x[n:]
