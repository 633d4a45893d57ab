"""Tables of counts in which no small cell can be worked out from what is shown.

Cells below a threshold are hidden, and with them as many others as it takes: for every small cell
there is then a table with the same shown cells and totals in which it is not small. The others are
chosen by a linear programme that changes as few patients as possible, so that large cells and
totals stay readable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import linprog
from scipy.sparse import csr_array, hstack

#: Thresholds to choose from: smaller counts are hidden.
THRESHOLDS = (5, 10, 20)
#: Nothing is hidden: a ward's own records, or public data.
OFF = 0
TOTAL, MISSING, HIDDEN = "Total", "missing", "hidden"


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


@dataclass(frozen=True)
class GroupTables:
    """Sizes of groups and how columns spread over them; none gives another away."""

    #: One column, "Patients".
    sizes: Suppressed
    #: Groups by levels, for each column.
    columns: Mapping[str, Suppressed]


def suppress(counts: pd.DataFrame, least: int = THRESHOLDS[0]) -> Suppressed:
    """Hide counts below ``least``, 0 among them, in one table without totals, which are added."""
    nothing = np.zeros((len(counts) + 1, counts.shape[1] + 1), dtype=bool)
    hidden = nothing
    for step in thresholds_up_to(least):
        found = _suppress(counts, step, hidden, nothing)
        hidden = found.hidden.to_numpy()
    return found


def suppress_tables(
    labels: np.ndarray,
    columns: Mapping[str, Iterable],
    least: int = THRESHOLDS[0],
    titles: Sequence[str] | None = None,
) -> GroupTables:
    """Hide what must be hidden in the sizes of groups and in tables of columns by group.

    A group whose size is hidden is hidden in every table, and a size that is shown is shown in
    every table, so that the tables together say no more about a small cell than each alone. Columns
    hold a level for each of N rows, empty cells being one of their own; groups count from 0 on and
    are called "Group 1" and so on without titles.
    """
    groups = np.arange(int(labels.max()) + 1)
    titles = [f"Group {k + 1}" for k in groups] if titles is None else list(titles)
    sizes = pd.DataFrame({"Patients": np.bincount(labels)}, index=titles)
    crossed = {name: _crossed(labels, column, titles) for name, column in columns.items()}
    hidden_size = np.zeros(len(sizes) + 1, dtype=bool)
    tables: dict[str, Suppressed] = {}
    for step in thresholds_up_to(least):
        shown = _suppress_list(sizes, step, hidden_size)
        hidden_size = shown.hidden["Patients"].to_numpy()
        for name, counts in crossed.items():
            forced = np.zeros((len(counts) + 1, counts.shape[1] + 1), dtype=bool)
            if name in tables:
                forced |= tables[name].hidden.to_numpy()
            forced[hidden_size] = True
            fixed = np.zeros_like(forced)
            fixed[:, -1] = ~hidden_size
            tables[name] = _suppress(counts, step, forced, fixed)
    return GroupTables(shown, tables)


def thresholds_up_to(least: int) -> list[int]:
    """A threshold and those below it, the lowest first.

    Whoever has the same table under several thresholds must not know more than under the lowest:
    what is hidden there is hidden under the higher ones, too.
    """
    return [*(step for step in THRESHOLDS if step < least), least]


def _crossed(labels: np.ndarray, column: Iterable, titles: Sequence[str]) -> pd.DataFrame:
    """Groups by levels, in their order, empty cells last."""
    codes, levels = pd.factorize(pd.Series(list(column)), sort=True)
    names = [*map(str, levels), *([MISSING] if (codes < 0).any() else [])]
    codes = np.where(codes < 0, len(levels), codes)
    counts = np.zeros((len(titles), len(names)), dtype=np.int64)
    np.add.at(counts, (labels, codes), 1)
    return pd.DataFrame(counts, index=list(titles), columns=names)


def _suppress(
    counts: pd.DataFrame, least: int, forced: np.ndarray, fixed: np.ndarray
) -> Suppressed:
    """Hide in a table with totals.

    ``forced`` and ``fixed``, bool of shape (R + 1, C + 1), are cells hidden from the outset, and
    cells that stay shown, being shown elsewhere.
    """
    whole = counts.to_numpy(dtype=np.int64)
    whole = np.vstack([whole, whole.sum(axis=0)])
    whole = np.column_stack([whole, whole.sum(axis=1)])
    hidden = _protect(whole, least, forced, fixed)
    return _masked(whole, hidden, [*counts.index, TOTAL], [*counts.columns, TOTAL], least)


def _suppress_list(counts: pd.DataFrame, least: int, forced: np.ndarray) -> Suppressed:
    """Hide in one column of counts and its total; ``forced`` are hidden from the outset."""
    whole = counts.to_numpy(dtype=np.int64)
    whole = np.vstack([whole, whole.sum(axis=0)])
    hidden = _protect(whole, least, forced[:, None], np.zeros(whole.shape, dtype=bool))
    return _masked(whole, hidden, [*counts.index, TOTAL], list(counts.columns), least)


def _masked(
    counts: np.ndarray, hidden: np.ndarray, index: list, names: list, least: int
) -> Suppressed:
    table = pd.DataFrame(counts, index=index, columns=names).astype("Int64").mask(hidden)
    primary = pd.DataFrame(counts < least, index=index, columns=names)
    return Suppressed(table, primary, least)


def _protect(counts: np.ndarray, least: int, forced: np.ndarray, fixed: np.ndarray) -> np.ndarray:
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
        given = [np.where(hidden, 0.0, price), fixed & ~hidden]
        cell = int(places[row, column])
        change = _change(sums, counts.ravel(), *(one.ravel() for one in given), cell, least)
        hidden |= np.abs(change).reshape(counts.shape) > 1e-6
    return hidden


def _signs(n: int) -> np.ndarray:
    """Signs of n counts, their total last, by which they sum to 0; a single one has no total."""
    signs = np.ones(n)
    signs[1:][-1:] = -1.0
    return signs


def _is_protected(
    counts: np.ndarray, signs: np.ndarray, hidden: np.ndarray, row: int, column: int, least: int
) -> bool:
    """Whether hidden cells alone let a small one be ``least``, by squares of four of them.

    What rises in two corners of a square falls in the others, so that all sums stay. Most small
    cells are protected so, and need no linear programme.
    """
    given, missing = counts.astype(float), float(least - counts[row, column])
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
    fixed: np.ndarray,
    cell: int,
    least: int,
) -> np.ndarray:
    """The cheapest change of the table that makes a small cell ``least`` and keeps all sums.

    Where a change is 0 the count may be shown: the changed table has it, too. ``sums``, (L, 2 n),
    sums the lines of what rises and of what falls.
    """
    rise, n = float(least - counts[cell]), counts.size
    upper = np.where(fixed, 0.0, np.inf)
    highest = np.concatenate([upper, np.minimum(upper, counts)])
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
