"""How many groups of a fitted MAP-DP to show, in one call: what the page Clusters shows first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..profiling.how_many import HowMany
from ..schema.encoded import Encoded
from ..statistics.chance import Chance, chance
from ..statistics.gains import Search
from .group_stability import check_is_searched


@dataclass(frozen=True, eq=False)
class GroupNumber:
    """The number of groups to show first, and what speaks for it and for every other."""

    #: The groups merged one by one, and how well they come back.
    merges: HowMany
    #: What tables without groups gain; None where it was not asked.
    chance: Chance | None
    #: The rows that were clustered.
    encoded: Encoded

    @property
    def n_groups(self) -> int:
        """The most groups that all come back; one where chance makes as many."""
        return self.merges.first(self.chance)

    @property
    def labels(self) -> np.ndarray:
        """Int64, shape (N,). The rows in so many groups, 0 the largest."""
        return self.merges.path.labels_at(self.n_groups)

    @property
    def table(self) -> pd.DataFrame:
        """One row for each number of groups, what speaks for it.

        ``sizes`` from the smallest; ``kept``, the share of what E gains; ``comes_back``, the mean
        overlap of the group that comes back least; ``same_as_next``, the adjusted Rand index with
        one group more; ``chance``, what shuffled tables gain as a share of it.
        """
        table = self.merges.as_frame(self.chance).set_index("groups")
        return table.rename(columns=lambda name: name.replace(" ", "_"))

    @property
    def sentence(self) -> str:
        """Where the groups come from, how well they come back, and what chance makes."""
        n = self.n_groups
        gradient = self.merges.gradient(self.encoded, n, self.chance)
        found = gradient or ("" if self.chance is None else self.chance.sentence)
        return f"{self.merges.sentence(n)} {found}".replace("**", "").strip()

    def _repr_html_(self) -> str:
        return f"<p>{self.sentence}</p>{self.table.to_html(border=0)}"

    def __repr__(self) -> str:
        return f"{self.sentence}\n{self.table}"


def how_many(
    model: MAPDP,
    frame: Any = None,
    *,
    callback: Callback | None = None,
    executor: Any = None,
) -> GroupNumber:
    """Ask how many of the groups come back, and whether chance makes as many.

    Half of the rows are drawn 20 times and searched anew; the groups of every fit are merged one by
    one. To show first is the largest number of groups that all come back (Hennig 2007, Comput.
    Stat. Data Anal. 52: mean Jaccard similarity of .6 and more), tiny ones aside. With the table at
    hand, groups are sought on tables without any, too, under the likelihoods of the model.

    Parameters
    ----------
    model : MAPDP
        Fitted; it is not changed.
    frame : DataFrame or array, shape (N, M), optional
        The table that it was fitted to. Without it chance is not asked, which takes seconds.
    callback : callable, optional
        Told of every step; what it raises ends the work.
    executor : Executor, optional
        Whose workers make the fits; two threads of their own when absent.

    Raises
    ------
    TypeError
        No fitted MAPDP, whose search can be made again.
    """
    check_is_searched(model, "how_many")
    merges = HowMany.of(model, callback, executor)
    found = None
    if frame is not None and merges.n_fitted > 1:
        found = chance(Search.of(model), callback=callback, executor=executor)
    return GroupNumber(merges, found, model.columns_.encoded)
