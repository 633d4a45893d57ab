"""Hide small counts in tables and reports that leave; the only place that judges counts."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pandas as pd

from ..families.family import CATEGORY, YES_NO
from ..statistics.variables import Variable
from .groups import Subgroups

#: Nothing is hidden: a ward's own records, or public data.
OFF = 0
THRESHOLDS = (5, 10, 20)
#: The sum of the others, everybody, and what stands in a hidden cell.
TOTAL, ALL, HIDDEN = "Total", "All", "hidden"


def shown(count: int, least: int) -> str:
    """A count in words: of a small one only that it is below ``least``."""
    return f"{count:,}" if count >= least else f"<{least}"


def hide_small(counts: pd.Series, least: int) -> pd.Series:
    """Counts, NaN where small, and the next smallest where one would follow from the last, all."""
    values = counts.to_numpy(np.float64)
    hidden = (values > 0) & (values < least)
    # A zero comes last: it has no room to be smaller.
    for place in np.lexsort([values, values == 0]):
        if hidden.any() and not hidden[-1] and values[hidden].sum() < least:
            hidden[place] = True
    return pd.Series(np.where(hidden, np.nan, values), counts.index)


@dataclass(frozen=True, eq=False)
class Hidden:
    """Figures, counts and effects, by column (row) and group, that are hidden (True)."""

    figures: pd.DataFrame
    counts: pd.DataFrame
    effects: pd.DataFrame
    #: Of the groups and in all, NaN where hidden.
    sizes: pd.Series
    titles: tuple[str, ...]
    least: int

    @classmethod
    def of(cls, columns: Iterable[Variable], groups: Subgroups, least: int) -> Self:
        """Find the cells of some columns of a study that must be hidden."""
        titles, sizes = list(groups.titles), [*groups.sizes, groups.labels.size]
        sizes = hide_small(pd.Series(sizes, [*titles, TOTAL]), least)
        rows = [groups.labels == k for k in range(len(titles))]
        rows.append(np.ones_like(rows[0]))
        columns = {column.name: column for column in columns}

        def table(of: Callable[[Variable, np.ndarray], bool]) -> pd.DataFrame:
            cells = [[of(column, inside) for inside in rows] for column in columns.values()]
            return pd.DataFrame(cells, list(columns), [*titles, ALL], dtype=bool)

        def are_few(column: Variable, inside: np.ndarray) -> bool:
            return any(0 < n < least for n in disclosed_counts(column, inside))

        few = table(are_few)
        # Effects on a time disclose nothing of how many had another event first.
        effects = table(lambda column, inside: are_few(replace(column, others=None), inside))
        missing = table(lambda column, inside: 0 < (inside & ~column.observed).sum() < least)
        is_counted = table(lambda column, inside: len(disclosed_counts(column, inside)) > 1)
        counts = few | missing
        if sizes.isna().any():
            counts[[title for title in titles if np.isnan(sizes[title])]] = True
        else:
            # Of a share a count follows, of a mean none.
            few[ALL] |= few[titles].any(axis=1) & is_counted.any(axis=1)
            counts[ALL] |= counts[titles].any(axis=1)
        # A share discloses the number that it is of: 8.1 % is 5 of 62.
        is_share = [
            one.events is None and is_counted.at[name, ALL] for name, one in columns.items()
        ]
        is_hidden = counts & np.array(is_share, bool)[:, None]
        return cls(few | is_hidden, counts, effects | is_hidden, sizes, groups.titles, least)

    def of_pair(self, name: str, pair: Iterable[int]) -> tuple[bool, list[bool]]:
        """Of a column between two groups: whether effects, and each number of patients."""
        titles = [self.titles[k] for k in pair]
        return bool(self.effects.loc[name, titles].any()), self.counts.loc[name, titles].tolist()

    def of_lines(
        self, names: Iterable[str], titles: Iterable[str]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Of a column and a group a line, whether figures and whether counts are hidden."""
        places = self.figures.index.get_indexer(names), self.figures.columns.get_indexer(titles)
        few, uncounted = (part.to_numpy()[places] for part in (self.figures, self.counts))
        return few | (places[0] < 0), uncounted | (places[0] < 0)

    def applied_to(
        self, table: pd.DataFrame, names: Sequence[str], uncounted: pd.DataFrame
    ) -> pd.DataFrame:
        """A table by group with cells hidden, or replaced by those of ``uncounted``, without n."""
        columns = table.columns.intersection(self.figures.columns)
        few, hidden = (part.loc[names, columns].to_numpy() for part in (self.figures, self.counts))
        return table.assign(**table[columns].mask(hidden, uncounted[columns]).mask(few, HIDDEN))


def disclosed_counts(column: Variable, inside: np.ndarray) -> list[int]:
    """Numbers of patients that the figures of a column disclose: in all, by level and event."""
    rows, counts = inside & column.observed, []
    if column.kind in (YES_NO, CATEGORY):
        counts += np.unique(column.values[rows], return_counts=True)[1].tolist()
    if column.events is not None:
        ends = column.events if column.others is None else np.where(column.others, 2, column.events)
        counts += [*np.bincount(ends[rows].astype(np.int64))]
    for part in column.in_parts:
        counts += disclosed_counts(part, inside)
    return [int(rows.sum()), *counts]
