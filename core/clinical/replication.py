"""The analysis of R16 section 6 as it was printed, on the groups of a study."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from .distinctions import Distinctions
from .subgroups import SMALLEST
from .t_test_lines import PAPER, TTests

WARNING = (
    "This is what R16 printed, kept so that it can be compared. Student's t-test on the columns "
    "that made the groups, without correction, is no evidence of anything: in simulations it "
    "called 72 % of such columns different at the 5 % level where there were no groups at all. On "
    "yes/no columns and groups of unequal spread the test is wrong even where it is allowed."
)


@dataclass(frozen=True)
class Replication:
    """Tables 3 and 4, and the columns that differ."""

    distinctions: Distinctions
    tests: TTests

    @cached_property
    def lines(self) -> pd.DataFrame:
        """Student's t at .01 on the columns that made the groups, every two but the tiniest."""
        pairs = self.tests.pairs(SMALLEST)
        lines = self.tests.lines(pairs, PAPER)
        return lines[lines["made"]]

    def counts(self) -> pd.DataFrame:
        """One row a pair of groups, ready to print.

        What is expected by chance would hold if the groups had nothing to do with the columns;
        groups found in these very columns exceed it even in noise.
        """
        of_pair = self.lines.groupby("pair", sort=True)
        tested = of_pair["judged"].count()
        return pd.DataFrame(
            {
                "Groups": of_pair["groups"].first(),
                "Columns tested": tested,
                f"Differ at {PAPER.alpha}": of_pair["differs"].sum(),
                "Expected by chance": (PAPER.alpha * tested).round(1),
            }
        ).reset_index(drop=True)

    @cached_property
    def differing(self) -> set[str]:
        """Columns that differ between some two groups."""
        return set(self.lines.loc[self.lines["differs"], "column"])

    def table_3(self) -> pd.DataFrame:
        """Probability of "yes" in every group, of the yes/no columns that differ, to print."""
        return self._differing(self.distinctions.yes)

    def table_4(self) -> pd.DataFrame:
        """Mean score in every group, of the ratings that differ, to print."""
        return self._differing(self.distinctions.scores)

    def _differing(self, means: pd.DataFrame) -> pd.DataFrame:
        return self.distinctions.printed(means[means.index.isin(self.differing)])
