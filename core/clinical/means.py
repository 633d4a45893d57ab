"""Whether the means of groups differ at all: where none does, they are tighter and looser.

Two groups of one cloud, its middle and its rim, differ in spread and in no mean. Each column is
tested between the groups found without it; a column of names, which has no mean, by its own test.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..once import once
from ..statistics.correct import LEVEL, correct
from ..statistics.variables import Variable
from ..wording import counted, listed
from .t_test_lines import Choice, TTests
from .t_tests import NOT_FOUND

#: Pairs of groups that are named.
NAMED = 3


@dataclass(frozen=True)
class Means:
    """What the tests of columns left out say of every two groups."""

    #: Columns left out so far, and all that made the groups.
    n_left_out: int
    n_columns: int
    #: Pairs of groups in words: those that differ in one column at least; in none of all; and in
    #: none that can be tested, while they are not found without some of the others.
    differing: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    resting: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every column has been left out."""
        return self.n_left_out >= self.n_columns

    @property
    def only_spread(self) -> bool:
        """Whether no two groups differ in any mean."""
        return bool(self.alike) and not self.differing and not self.resting

    @property
    def sentence(self) -> str:
        """In words."""
        if not self.complete:
            return (
                "Not known yet: the groups have been found again without "
                f"{self.n_left_out:,} of {counted(self.n_columns, 'column')} (under t-tests)."
            )
        said = []
        if self.alike:
            said.append(
                f"{listed(self.alike, NAMED)} do not differ in the mean of any column, tested "
                "between the groups found without it. Such groups are tighter and looser, the "
                "middle and the rim of one cloud, and never subtypes."
            )
        if self.differing:
            n = len(self.differing)
            noun = "pair of groups differs" if n == 1 else "pairs of groups differ"
            said.append(
                f"{n:,} {noun} in the mean of a column at least, tested between the groups found "
                "without it."
            )
        if self.resting:
            said.append(
                f"{listed(self.resting, NAMED)} differ in no column that can be tested, and are "
                "not found without some of the others: they rest on these alone, which is no "
                "subtype."
            )
        return " ".join(said)


@once
def means_of(tests: TTests, smallest: int) -> Means:
    """Compare every two groups of at least so many patients, once all columns were left out.

    A column differs at ``LEVEL`` (Benjamini-Hochberg over all columns and pairs), in the direction
    in which the groups shown do.
    """
    done = Means(sum(name in tests.without for name in tests.made), len(tests.made))
    pairs = tests.pairs(smallest)
    if not done.complete or not pairs:
        return done
    lines = tests.lines(pairs, Choice())
    lines = lines[lines["made"]]
    has_no_mean = np.array(
        [
            isinstance(column := tests.columns[name], Variable) and column.amounts is None
            for name in lines["column"]
        ]
    )
    p = lines["p_left_out"].to_numpy(copy=True)
    for place in np.flatnonzero(has_no_mean):
        line = lines.iloc[place]
        p[place] = tests.fitting_test(line["column"], line["pair"], "p_left_out")[1]
    is_opposed = (lines["difference"] * lines["difference_left_out"] < 0.0).to_numpy()
    differs = (correct(p, Choice().correction) <= LEVEL) & ~is_opposed
    is_lost = (lines["remark"] == NOT_FOUND).to_numpy() | has_no_mean
    found: dict[str, list[str]] = {"differing": [], "alike": [], "resting": []}
    for pair in pairs:
        of_pair = (lines["pair"] == pair).to_numpy()
        untested = of_pair & np.isnan(p) & is_lost
        kind = "resting" if untested.any() or np.isnan(p[of_pair]).all() else "alike"
        found["differing" if differs[of_pair].any() else kind].append(tests.name_of(pair))
    return Means(done.n_left_out, done.n_columns, **{k: tuple(v) for k, v in found.items()})
