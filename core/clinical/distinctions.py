"""What distinguishes the groups of a study: sizes of differences, never tests.

The columns formed the groups, so the groups differ on them by construction.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from ..families.family import RATING, YES_NO
from ..inference.contributions import column_contributions
from ..profiling.cards import Card, profile_cards
from ..profiling.profiles import describe_by_group, mean_scores, standardised_differences
from ..schema.encoded import Encoded
from .subgroups import Subgroups

BY_CONSTRUCTION = (
    "These columns formed the groups, so the groups differ on them by construction: sizes of "
    "differences stand here, and tests under “t-tests”."
)


@dataclass(frozen=True)
class Distinctions:
    """Sizes of the differences between the groups large enough to be described."""

    groups: Subgroups

    @property
    def encoded(self) -> Encoded:
        """The columns that formed the groups."""
        return self.groups.model.columns_.encoded

    @cached_property
    def contributions(self) -> pd.DataFrame:
        """How much each column drove the grouping, the most first.

        Index: column; ``nats``, ``n_observed``, ``nats_per_row``. The columns of a block share
        the block's.
        """
        of_unit = column_contributions(self.groups.model.partition_)
        units = [unit for unit in self.encoded.units if not unit.is_outcome]
        unit_of = {name: unit.name for unit in units for name in unit.columns}
        found = of_unit.loc[list(unit_of.values())].set_axis(list(unit_of), axis=0)
        return found.sort_values("nats_per_row", ascending=False, kind="stable")

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Standardised means: index (column, level), one column a group, in SD of all patients.

        Columns that drove the grouping most come first.
        """
        found = standardised_differences(self.encoded, self.groups.labels)
        found = found[list(self.groups.profiled)].dropna(how="all")
        rank = {name: place for place, name in enumerate(self.contributions.index)}
        order = sorted(range(len(found)), key=lambda i: rank[found.index[i][0]])
        return found.iloc[order]

    def leading(self, count: int) -> pd.DataFrame:
        """Differences on the columns that drove the grouping most; of a category, its widest."""
        found = self.differences
        spread = found.max(axis=1) - found.min(axis=1)
        widest = spread.groupby(level="column", sort=False).idxmax()
        return found.loc[widest.iloc[:count]]

    def between(self, a: int, b: int, count: int) -> pd.DataFrame:
        """Differences of two groups, group a less group b, the largest first.

        By (column, level): ``difference`` in SD of all patients, and ``nats_per_row``.
        """
        difference = (self.differences[a] - self.differences[b]).dropna()
        size = difference.abs()
        one = size.groupby(level="column", sort=False).idxmax()
        order = size.loc[one].sort_values(ascending=False, kind="stable").index[:count]
        nats = self.contributions["nats_per_row"].loc[order.get_level_values("column")]
        return pd.DataFrame({"difference": difference.loc[order], "nats_per_row": nats.to_numpy()})

    @cached_property
    def yes(self) -> pd.DataFrame:
        """Probability of "yes" (R16 Table 3): one row a yes/no column, one column a group.

        The widest differences first; NaN where fewer than the smallest group are observed.
        """
        kinds = {unit.name for unit in self.encoded.units if unit.kind == YES_NO}
        _, found = describe_by_group(self.encoded, self.groups.labels)
        found = found[found.index.get_level_values("column").isin(kinds)]
        shares = found["share"].droplevel("level").unstack("cluster")
        return self._widest_first(shares.reindex(columns=list(self.groups.profiled)))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Mean score (R16 Table 4): one row a rating, one column a group."""
        found = mean_scores(self.encoded, self.groups.labels)
        return self._widest_first(found.reindex(columns=list(self.groups.profiled)))

    @cached_property
    def scales(self) -> dict[str, str]:
        """Lowest and highest score of every rating, such as "0 to 4"."""
        found = {}
        for unit in self.encoded.units:
            if unit.kind != RATING:
                continue
            levels = unit.options.get("levels")
            low = unit.options.get("offset", 0.0)
            ends = (levels[0], levels[-1]) if levels else (low, low + unit.options["trials"])
            found[unit.name] = " to ".join(
                f"{end:g}" if isinstance(end, int | float) else str(end) for end in ends
            )
        return found

    @cached_property
    def yes_levels(self) -> dict[str, str]:
        """Which level counts as yes in every yes/no column, such as "m" or "1"."""
        return {
            unit.name: str(unit.options["levels"][1])
            for unit in self.encoded.units
            if unit.kind == YES_NO
        }

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """A profile card for each group; those of atypical patients are not to be shown."""
        return profile_cards(self.encoded, self.groups.labels)

    def printed(self, means: pd.DataFrame) -> pd.DataFrame:
        """Some rows of ``yes`` or ``scores`` ready to print, with the scales of ratings."""
        table = means.map(lambda mean: "too few" if pd.isna(mean) else f"{mean:.2f}")
        table = table.set_axis([self.groups.titles[k] for k in means.columns], axis=1)
        return self.labelled(table)

    def labelled(self, table: pd.DataFrame) -> pd.DataFrame:
        """Name the columns that the rows of a table stand for, and how to read their numbers."""
        names = table.index
        table = table.reset_index(drop=True)
        for title, readings in (("Scale", self.scales), ("Yes is", self.yes_levels)):
            if names.isin(list(readings)).any():
                table.insert(0, title, [readings.get(name, "") for name in names])
        table.insert(0, "Column", list(names))
        return table

    def _widest_first(self, table: pd.DataFrame) -> pd.DataFrame:
        distances = self.differences.droplevel("level")
        distances = distances[~distances.index.duplicated()].reindex(table.index)
        spread = distances.max(axis=1) - distances.min(axis=1)
        return table.loc[spread.sort_values(ascending=False, kind="stable").index]
