"""Small counts hidden in what leaves: nothing else knows below which number a count is small."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..families.family import CATEGORY, YES_NO
from ..statistics.variables import Variable
from .groups import Subgroups

#: Nothing is hidden: a ward's own records, or public data.
OFF = 0
THRESHOLDS = (5, 10, 20)
#: The sum of the others, and what stands in a hidden cell.
TOTAL, HIDDEN = "Total", "hidden"
ALL = "All"


def shown(count: int, least: int) -> str:
    """A count in words: of a small one only that it is below ``least``."""
    return f"{count:,}" if count >= least else f"<{least}"


def hide_small(counts: pd.Series, least: int) -> pd.Series:
    """Counts of patients, NaN where hidden, so that none follows from the total, the last of them.

    Counts from 1 to ``least - 1`` are hidden, and the next smallest where these would follow.
    """
    values = counts.to_numpy(np.float64)
    hidden = (values > 0) & (values < least)
    # A zero comes last: it has no room to be smaller.
    for place in np.lexsort([values, values == 0]):
        if hidden.any() and not hidden[-1] and values[hidden].sum() < least:
            hidden[place] = True
    return pd.Series(np.where(hidden, np.nan, values), counts.index)


def others(title: str) -> str:
    """What all groups but one are called in ``Hidden``."""
    return f"all but {title}"


@dataclass(frozen=True, eq=False)
class Hidden:
    """What counts and ``figures`` by group are hidden (True); ``sizes`` are NaN where hidden."""

    figures: pd.DataFrame
    counts: pd.DataFrame
    sizes: pd.Series
    titles: tuple[str, ...]
    least: int

    @classmethod
    def of(cls, columns: Iterable[Variable], groups: Subgroups, least: int) -> Hidden:
        """Judge the cells of some columns of a study."""
        titles, by_name = list(groups.titles), {one.name: one for one in columns}
        counts = [*groups.sizes, groups.labels.size]
        sizes = hide_small(pd.Series(counts, [*titles, TOTAL]), least)
        rows = {title: groups.labels == k for k, title in enumerate(titles)}
        rows |= {others(title): ~inside for title, inside in rows.items()}
        rows[ALL] = np.ones(groups.labels.size, dtype=bool)
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
        if sizes.isna().any():
            uncounted[list(sizes.index[sizes.isna()])] = True
        else:
            # Of a share a count follows, of a mean none.
            has_levels = np.array([_has_levels(one) for one in by_name.values()], dtype=bool)
            few[ALL] |= few[titles].any(axis=1) & has_levels
            uncounted[ALL] |= uncounted[titles].any(axis=1)
        for title in titles:
            few[others(title)] |= few[title]
            uncounted[others(title)] = few[others(title)] | uncounted[title]
        return cls(few, uncounted, sizes, groups.titles, least)

    def of_pair(self, name: str, pair: Iterable[int]) -> tuple[bool, list[bool]]:
        """Of a column between two groups: whether effects, and each number of patients."""
        titles = [self.titles[k] for k in pair]
        few = bool(self.figures.loc[name, titles].any())
        return few, self.counts.loc[name, titles].astype(bool).tolist()

    def of_lines(
        self, names: Iterable[str], titles: Iterable[str]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Of a column and a group a line, whether figures and whether counts are hidden."""
        places = self.figures.index.get_indexer(names), self.figures.columns.get_indexer(titles)
        few, uncounted = (part.to_numpy()[places] for part in (self.figures, self.counts))
        return few | (places[0] < 0), uncounted | (places[0] < 0)

    def over(
        self, table: pd.DataFrame, names: Sequence[str], uncounted: pd.DataFrame | str
    ) -> pd.DataFrame:
        """A table by group with its cells hidden, or without their numbers of patients."""
        for title in table.columns.intersection(self.figures.columns):
            bare = uncounted if isinstance(uncounted, str) else uncounted[title]
            cells = np.where(self.counts.loc[names, title], bare, table[title])
            cells = np.where(self.figures.loc[names, title], HIDDEN, cells)
            table = table.assign(**{title: cells})
        return table


def fewest_in(column: Variable, inside: np.ndarray) -> int:
    """The smallest number of patients, but 0, that is told with the figures of some on a column."""
    rows = inside & column.observed
    told = [rows.sum()]
    if column.kind in (YES_NO, CATEGORY):
        told += [*np.bincount(column.values[rows].astype(np.int64))]
    if column.events is not None:
        ends = column.events.astype(np.int64)
        ends = ends if column.others is None else np.where(column.others, 2, ends)
        told += [*np.bincount(ends[rows])]
    told += [fewest_in(part, inside) for part in column.in_parts]
    return int(min(filter(None, told), default=0))


def _missing_in(column: Variable, inside: np.ndarray) -> int:
    return int((inside & ~column.observed).sum())


def _has_levels(column: Variable) -> bool:
    return column.kind in (YES_NO, CATEGORY) or column.events is not None or bool(column.in_parts)
