"""How stable the groups of a fitted MAP-DP are, in one call: what the page Stability shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..models.estimator import Callback
from ..models.mapdp import MAPDP, check_is_searched
from ..partitions.naming import Naming
from ..statistics.bootstraps import BANDS_SENTENCE
from ..statistics.resampling import ORDERS, Protocol, Stability, assess

#: How many fits of each sort.
EFFORTS = {"preview": Protocol.preview, "full": Protocol.full}


@dataclass(frozen=True, eq=False)
class GroupStability:
    """How often the groups come back: other rows, other starts, other settings, other orders."""

    #: Everything that was found.
    summary: Stability

    @property
    def table(self) -> pd.DataFrame:
        """One row a group: ``rows``, ``jaccard`` with the groups of resampled rows, ``band``.

        The mean best Jaccard similarity (Hennig 2007), NaN of groups too small to assess.
        """
        draws = self.summary.bootstraps
        groups = Naming().apply(self.summary.labels)
        found = {"rows": groups.sizes, "jaccard": draws.mean_jaccard, "band": draws.bands}
        table = pd.DataFrame(found, index=pd.Index(groups.titles, name="group"))
        return table.astype({"jaccard": float})

    @property
    def rows(self) -> pd.DataFrame:
        """How often each row came out in its own group: other rows, starts and orders."""
        return self.summary.rows()

    @property
    def settings(self) -> pd.DataFrame:
        """Other priors: ``setting``, ``value``, ``n_clusters``, ``ari`` with these groups, own."""
        return self.summary.settings_frame

    @property
    def sentence(self) -> str:
        """The least stable group, the restarts, and how well groups foretell rows left out."""
        known = self.table["jaccard"].dropna()
        said = (
            "No group is large enough to assess."
            if known.empty
            else (
                f"{known.idxmin()} is the least stable, with a mean Jaccard similarity of"
                f" {known.min():.2f} over {len(self.summary.bootstraps.draws):,} resamples"
                f" ({BANDS_SENTENCE})."
            )
        )
        held_out = self.summary.bootstraps.held_out
        further = "" if held_out is None else f" {held_out.sentence}"
        return f"{said} {self.summary.restarts.sentence}{further}"

    def _repr_html_(self) -> str:
        tables = self.table.to_html(border=0), self.settings.to_html(index=False, border=0)
        return f"<p>{self.sentence}</p>{''.join(tables)}"

    def __repr__(self) -> str:
        return f"{self.sentence}\n{self.table}"


def stability(
    model: MAPDP,
    effort: str = "preview",
    *,
    seed: int = 0,
    callback: Callback | None = None,
    share: Callable[[GroupStability], None] | None = None,
    executor: Any = None,
) -> GroupStability:
    """Ask whether the groups come back, with other rows, starts, orders of rows and settings.

    Parameters
    ----------
    model : MAPDP
        Fitted; it is not changed.
    effort : {"preview", "full"}
        20 resamples and restarts, or 100 of each: some seconds, or minutes.
    seed : int
    callback : callable, optional
        Told of every step; what it raises ends the work.
    share : callable, optional
        Given what there is so far whenever there is more.
    executor : Executor, optional
        Whose workers make the fits; two threads of their own when absent.

    Raises
    ------
    TypeError, ValueError
        No fitted MAPDP, whose search can be made again, or another effort.
    """
    check_is_searched(model, "stability")
    protocol = protocol_of(effort, seed)
    tell = None if share is None else lambda found: share(GroupStability(found))
    found = assess(model, protocol, callback=callback, share=tell, executor=executor)
    return GroupStability(found)


def protocol_of(effort: str, seed: int = 0) -> Protocol:
    """How many fits of each sort an effort is; a ValueError names those that there are."""
    if effort not in EFFORTS:
        raise ValueError(f"effort={effort!r} is not allowed: give {' or '.join(EFFORTS)}.")
    return replace(EFFORTS[effort](seed), orders=ORDERS)
