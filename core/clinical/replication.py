"""The analysis of R16 section 6 as it was printed, on the groups of a study."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from .distinctions import Distinctions
from .paper_tests import PaperReplication, paper_replication

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

    @cached_property
    def tests(self) -> PaperReplication:
        """Student's t at .01 between every two groups but the tiniest."""
        return paper_replication(self.distinctions.encoded, self.distinctions.groups.labels)

    def counts(self) -> pd.DataFrame:
        """One row a pair of groups, ready to print."""
        titles = self.distinctions.groups.titles
        found = self.tests.counts()
        return pd.DataFrame(
            {
                "Groups": [f"{titles[a]} and {titles[b]}" for a, b in found.index],
                "Columns tested": found["tested"].astype(int).to_numpy(),
                "Differ at 0.01": found["differing"].astype(int).to_numpy(),
                "Expected by chance": found["by chance"].round(1).to_numpy(),
            }
        )

    @cached_property
    def differing(self) -> set[str]:
        """Columns that differ between some two groups."""
        p = self.tests.p
        return set(p.index[(p < self.tests.level).any(axis=1)])

    def table_3(self) -> pd.DataFrame:
        """Probability of "yes" in every group, of the yes/no columns that differ, to print."""
        return self._differing(self.distinctions.yes)

    def table_4(self) -> pd.DataFrame:
        """Mean score in every group, of the ratings that differ, to print."""
        return self._differing(self.distinctions.scores)

    def _differing(self, means: pd.DataFrame) -> pd.DataFrame:
        return self.distinctions.printed(means[means.index.isin(self.differing)])
