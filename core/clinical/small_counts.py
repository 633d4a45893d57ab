"""Small counts hidden in what leaves: nothing else knows below which number a count is small.

A small count is hidden, and with it the next smallest of its row or column where it would follow
from a printed total. That is a threshold and no proof: who combines several tables, or reports,
may still work something out, so that a person looks before a report is passed on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.linalg import null_space

from ..families.family import CATEGORY, YES_NO
from ..statistics.variables import Variable
from .groups import Subgroups

#: Nothing is hidden: a ward's own records, or public data.
OFF = 0
#: Thresholds to choose from: smaller counts are hidden.
THRESHOLDS = (5, 10, 20)
#: The row or column that is the sum of the others, and what stands in a hidden cell.
TOTAL, HIDDEN = "Total", "hidden"
#: Of everybody, in tables by group.
ALL = "All"


def shown(count: int, least: int) -> str:
    """A count in words: of a small one only that it is below ``least``."""
    return f"{count:,}" if count >= least else f"<{least}"


def hide_small(counts: pd.DataFrame, least: int) -> pd.DataFrame:
    """Counts of patients, the small ones hidden so that none follows from a printed total.

    Parameters
    ----------
    counts : DataFrame
        A last row or column labelled ``TOTAL`` is the sum of the others. NaN is a cell that is
        hidden whatever its count.
    least : int
        Counts from 1 to ``least - 1`` are hidden; where one follows from what is left, or all that
        is hidden of a sum is small, so is the next smallest of its row or column.

    Returns
    -------
    DataFrame of float64
        NaN in every hidden cell.
    """
    values = counts.to_numpy(np.float64)
    hidden = np.isnan(values)
    if least != OFF:
        hidden |= (values > 0) & (values < least)
        places = np.arange(values.size).reshape(values.shape)
        sums = [
            list(lines) if names[-1] == TOTAL else []
            for lines, names in ((places, counts.columns), (places.T, counts.index))
        ]
        while (more := _next(values.ravel(), hidden.ravel(), *sums, least)) is not None:
            hidden.flat[more] = True
    return pd.DataFrame(np.where(hidden, np.nan, values), counts.index, counts.columns)


def _next(
    counts: np.ndarray,
    hidden: np.ndarray,
    rows: list[np.ndarray],
    columns: list[np.ndarray],
    least: int,
) -> int | None:
    """The smallest cell to hide beside one that is told all the same; None where none is."""
    told = _follows(hidden, rows, columns)
    beside: list[int] = []
    for line in (*rows, *columns):
        away, known = line[hidden[line]], line[~hidden[line]]
        few = line[-1] in known and 0 < counts[away].sum() < least  # no number is below it of NaN
        if few or told[away].any():
            beside += known.tolist()
    # A zero comes last: it has no room to be smaller.
    return min(beside, key=lambda place: (counts[place] == 0, counts[place]), default=None)


def _follows(hidden: np.ndarray, rows: list[np.ndarray], columns: list[np.ndarray]) -> np.ndarray:
    """Hidden cells that what is told and the sums leave only one value."""
    follows = np.zeros(hidden.size, dtype=bool)
    if rows and columns:
        # The sign of a total does not matter: it is the same in all of its sums or in none.
        crossed = np.array([np.bincount(line, minlength=hidden.size) for line in (*rows, *columns)])
        free = null_space(crossed[:, hidden])
        follows[hidden] = (np.abs(free) < 1e-9).all(axis=1)
        return follows
    for line in (*rows, *columns):
        if hidden[line].sum() == 1:
            follows[line] = hidden[line]
    return follows


@dataclass(frozen=True, eq=False)
class Hidden:
    """What of tables by group is hidden; a row a column of the study, a column a group and ``ALL``.

    Parameters
    ----------
    figures : DataFrame of bool
        Where means, shares and effects are hidden, too: they rest on few, or give a count away.
    counts : DataFrame of bool
        Where the number of patients is.
    sizes : Series of float64
        Of the groups, then ``TOTAL``; NaN where they are hidden.
    titles : tuple of str
        Of the groups.
    least : int
        Below it counts are hidden.
    """

    figures: pd.DataFrame
    counts: pd.DataFrame
    sizes: pd.Series
    titles: tuple[str, ...]
    least: int

    @classmethod
    def of(cls, columns: Iterable[Variable], groups: Subgroups, least: int) -> Hidden:
        """Judge the cells of some columns of a study.

        Where a group's cell is hidden, so is that of all; where sizes of groups are, no number of
        those patients is told, so that nothing follows from all.
        """
        sizes = sizes_shown(groups, least)
        unsized = list(sizes.index[sizes.isna()])
        rows = {title: groups.labels == k for k, title in enumerate(groups.titles)}
        rows[ALL] = np.ones(groups.labels.size, dtype=bool)
        by_name = {one.name: one for one in columns}
        few, missing = (
            pd.DataFrame(
                {
                    title: [0 < count(one, inside) < least for one in by_name.values()]
                    for title, inside in rows.items()
                },
                index=list(by_name),
                dtype=bool,
            )
            for count in (fewest_in, _missing_in)
        )
        uncounted = few | missing
        if unsized:
            uncounted[unsized] = True
        else:
            # Of a share a count follows, of a mean none.
            has_levels = np.array([_has_levels(one) for one in by_name.values()], dtype=bool)
            few[ALL] |= few.any(axis=1) & has_levels
            uncounted[ALL] |= uncounted.any(axis=1)
        return cls(few, uncounted, sizes, groups.titles, least)

    def of_pair(self, name: str, pair: Iterable[int]) -> tuple[bool, list[bool]]:
        """Of a column between two groups: whether effects, and each number of patients."""
        titles = [self.titles[k] for k in pair]
        few = bool(self.figures.loc[name, titles].any())
        return few, self.counts.loc[name, titles].astype(bool).tolist()

    def over(
        self, table: pd.DataFrame, names: Iterable[str], uncounted: pd.DataFrame
    ) -> pd.DataFrame:
        """A table by group with its cells hidden, or without their numbers of patients.

        Parameters
        ----------
        table : DataFrame, L lines
            Some of its columns are those of ``figures``.
        names : iterable of L str
            The column of the study that each line is about.
        uncounted : DataFrame, L lines
            The same without numbers of patients.
        """
        names = list(names)
        for title in table.columns.intersection(self.figures.columns):
            cells = np.where(self.counts.loc[names, title], uncounted[title], table[title])
            cells = np.where(self.figures.loc[names, title], HIDDEN, cells)
            table = table.assign(**{title: cells})
        return table


def sizes_shown(groups: Subgroups, least: int) -> pd.Series:
    """Sizes of the groups, then of all; NaN where they are hidden."""
    sizes = pd.Series([*groups.sizes, groups.labels.size], [*groups.titles, TOTAL], np.float64)
    return hide_small(sizes.to_frame(), least)[0]


def fewest_in(column: Variable, inside: np.ndarray) -> int:
    """The smallest number of patients, but 0, that is told with the figures of some on a column."""
    rows = inside & column.observed
    parts = [int(rows.sum())]
    if column.kind in (YES_NO, CATEGORY):
        parts += np.bincount(column.values[rows].astype(np.int64)).tolist()
    if column.events is not None:
        ended = column.events.astype(bool)
        if column.others is not None:
            parts.append(int((rows & column.others.astype(bool)).sum()))
            ended = ended | column.others.astype(bool)
        parts += [int((rows & column.events.astype(bool)).sum()), int((rows & ~ended).sum())]
    parts += [fewest_in(part, inside) for part in column.in_parts]
    return min(filter(None, parts), default=0)


def _missing_in(column: Variable, inside: np.ndarray) -> int:
    return int((inside & ~column.observed).sum())


def _has_levels(column: Variable) -> bool:
    return column.kind in (YES_NO, CATEGORY) or column.events is not None or bool(column.in_parts)
