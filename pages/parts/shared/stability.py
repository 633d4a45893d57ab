"""Whether groups come back with other rows, starts and settings: one view, of rows or patients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.plots.clinical import counts_figure, jaccard_figure, objectives_figure
from mapdp_studio.core.statistics.resampling import ASSESSABLE, BANDS_SENTENCE, GroupStability
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.shared.picture import picture

MOST_LISTED = 500
#: What helps against a start that ends lower than the groups shown, by what a row is.
ADVICE = {
    "row": "raise **Restarts** on the Compare page",
    "patient": "unlock, and raise **Restarts** on the Compare page",
}
#: Columns of ``GroupStability.rows``, what they are called, and what they are.
KINDS = {
    "other rows": ("Other rows", "resamples that hold the {noun}"),
    "other starts": ("Other starts", "restarts of the search, in other orders, too"),
    "other orders": ("Other orders", "the published algorithm, single moves in other orders"),
}


@dataclass(frozen=True)
class StabilityViews:
    """Everything that was found about the stability of some groups, to be drawn part by part."""

    #: Of the groups.
    titles: Sequence[str]
    found: GroupStability
    #: "row" or "patient".
    noun: str = "row"
    #: Of the groups; by their place without them.
    colours: Sequence[int] | None = None

    @property
    def by_title(self) -> dict[str, Callable[[], None]]:
        """The parts, by what they are called."""
        return {
            "Groups": self.groups,
            "Starts": self.starts,
            "How many": self.number,
            f"{self.noun.capitalize()}s": self.rows,
        }

    def groups(self) -> None:
        """Jaccard similarity of every group with its best match in each resample."""
        draws = self.found.bootstraps
        if not draws:
            st.info("The resamples come next.", icon=":material/hourglass_top:")
            return
        left, right = halves()
        with left:
            picture(
                jaccard_figure(list(self.titles), draws.mean_jaccard, draws.jaccard, self.colours),
                "stability-jaccard",
                "Overlap of every group with its best match in each resample",
                "jaccard",
            )
        with right:
            st.dataframe(
                pd.DataFrame(
                    {
                        "Group": self.titles,
                        f"{self.noun.capitalize()}s": np.bincount(draws.reference),
                        "Jaccard": draws.mean_jaccard,
                        "In words": draws.bands,
                    }
                ),
                hide_index=True,
                placeholder="\u2013",
                column_config={"Jaccard": st.column_config.NumberColumn(format="%.2f")},
                alt="Mean Jaccard similarity of every group",
            )
        st.caption(
            f"{len(draws.draws):,} times, {self.noun}s were drawn anew (about 63 % of them each "
            f"time) and the whole search repeated from nothing. 1: exactly the same {self.noun}s; "
            f"{BANDS_SENTENCE}. Groups of fewer than {ASSESSABLE} {self.noun}s cannot be assessed."
        )

    def starts(self) -> None:
        """E of every restart, and how many answers are about as good."""
        restarts = self.found.restarts
        if not restarts:
            st.info("The other starts come after the resamples.", icon=":material/hourglass_top:")
            return
        left, right = halves()
        with left:
            picture(
                objectives_figure(restarts.objectives),
                "stability-restarts",
                "E of every restart above the best",
                "restarts",
            )
        right.markdown(restarts.sentence)
        if restarts.improved_by:
            right.warning(
                f"E of a restart is {restarts.improved_by:,.1f} below that of the groups shown: "
                f"{ADVICE[self.noun]}.",
                icon=":material/trending_down:",
            )

    def number(self) -> None:
        """K under resampling, and under other settings of the prior."""
        left, right = halves()
        draws, own = self.found.bootstraps, int(self.found.labels.max()) + 1
        if draws:
            with left:
                st.markdown(f"**Groups found when the {self.noun}s are drawn anew**")
                picture(
                    counts_figure(draws.n_clusters, own, "groups"),
                    "stability-k",
                    f"How often each number of groups was found; in colour, {own:,} as here",
                    "number-of-groups",
                )
        with right:
            st.markdown("**Groups found under other settings**")
            if not self.found.tried:
                st.caption("These come last.")
                return
            st.dataframe(
                self.found.settings.replace({"setting": {"N_0": "N\u2080"}}),
                hide_index=True,
                column_config={
                    "setting": "Setting",
                    "value": st.column_config.NumberColumn("Value", format="%.3g"),
                    "n_clusters": "K",
                    "ari": st.column_config.NumberColumn("ARI with these groups", format="%.2f"),
                    "is_own": "In use",
                },
                alt="Number of groups and agreement under every setting",
            )

    def rows(self) -> None:
        """How often every row came out in its own group; the least settled first."""
        titles, labels = [*self.titles, "none of them"], self.found.labels
        rows = self.found.rows
        kinds = [kind for kind in KINDS if rows[kind].notna().any()]
        if not kinds:
            st.info("The resamples come next.", icon=":material/hourglass_top:")
            return
        least = rows[kinds].mean(axis=1).to_numpy()
        order = np.argsort(least, kind="stable")[:MOST_LISTED]
        shares = {KINDS[kind][0]: rows[kind].to_numpy()[order] for kind in kinds}
        share = st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1)
        st.dataframe(
            pd.DataFrame(
                {
                    self.noun.capitalize(): order + 1,
                    "Group": [titles[k] for k in labels[order]],
                    **shares,
                    "Else": [titles[k] for k in rows["second"].to_numpy()[order]],
                }
            ),
            hide_index=True,
            height=420,
            placeholder="\u2013",
            column_config=dict.fromkeys(shares, share),
            alt=f"How often every {self.noun} came out in its own group",
        )
        told = "; ".join(": ".join(KINDS[kind]) for kind in kinds).format(noun=self.noun)
        st.caption(
            f"How often a {self.noun} came out in its own group, the least settled first (the "
            f"first {order.size:,} of {len(rows):,}). {told}."
        )
        orders = self.found.orders
        if orders is not None and len(orders.draws):
            low, high = orders.n_clusters.min(), orders.n_clusters.max()
            k = f"{low:,}" if low == high else f"{low:,} to {high:,}"
            st.caption(f"The {len(orders.draws):,} runs in other orders found K = {k}.")
