"""Whether groups come back with other rows, starts and settings: one view, of rows or patients."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.plots.clinical import jaccard_figure
from mapdp_studio.core.plots.profiles import bars_figure
from mapdp_studio.core.statistics.resampling import ASSESSABLE, BANDS_SENTENCE, GroupStability
from mapdp_studio.core.wording import times
from mapdp_studio.pages.parts.shared.kit import halves, listing, picture

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
        parts = {"Groups": self.groups, "Starts": self.starts, "How many": self.number}
        return parts | {f"{self.noun.capitalize()}s": self.rows}

    def groups(self) -> None:
        """Jaccard similarity of every group with its best match in each resample."""
        draws = self.found.bootstraps
        if not draws:
            st.info("The resamples come next.", icon=":material/hourglass_top:")
            return
        left, right = halves()
        with left:
            args = list(self.titles), draws.mean_jaccard, draws.jaccard, self.colours
            text = "Overlap of every group with its best match in each resample"
            picture(jaccard_figure(*args), "jaccard", text)
        shown = {
            "Group": self.titles,
            f"{self.noun.capitalize()}s": np.bincount(draws.reference),
            "Jaccard": np.round(draws.mean_jaccard, 2),
            "In words": draws.bands,
        }
        listing(shown, "Mean Jaccard similarity of every group", right)
        st.caption(
            f"{times(len(draws.draws)).capitalize()}, {self.noun}s were drawn anew (about 63 % of "
            "them each time) and the whole search repeated from nothing. 1: exactly the same "
            f"{self.noun}s; "
            f"{BANDS_SENTENCE}. Groups of fewer than {ASSESSABLE} {self.noun}s cannot be assessed. "
            f"**Clusters** says how they come back in halves of the {self.noun}s, which is another "
            "measure."
        )

    def starts(self) -> None:
        """How many restarts reached the best E, and how many answers are about as good."""
        restarts = self.found.restarts
        if not restarts:
            st.info("The other starts come after the resamples.", icon=":material/hourglass_top:")
            return
        st.markdown(restarts.sentence)
        if restarts.improved_by:
            st.warning(
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
                times_of = pd.Series(draws.n_clusters).value_counts().sort_index()
                names = [f"{k:,}{', as here' * (k == own)}" for k in times_of.index]
                figure = bars_figure(names, times_of, "times")
                picture(figure, "number-of-groups", "How often each number of groups was found")
        right.markdown("**Groups found under other settings**")
        if not self.found.tried:
            right.caption("These come last.")
            return
        tried = self.found.settings
        shown = {
            "Setting": tried["setting"].replace({"N_0": "N\u2080"}),
            "Value": tried["value"].map("{:.3g}".format),
            "K": tried["n_clusters"],
            "ARI with these groups": tried["ari"].round(2),
            "In use": tried["is_own"],
        }
        listing(shown, "Number of groups and agreement under every setting", right)

    def rows(self) -> None:
        """How often every row came out in its own group; the least settled first."""
        rows, titles = self.found.rows, np.array([*self.titles, "none of them"], dtype=object)
        kinds = [kind for kind in KINDS if rows[kind].notna().any()]
        if not kinds:
            st.info("The resamples come next.", icon=":material/hourglass_top:")
            return
        order = np.argsort(rows[kinds].mean(axis=1), kind="stable").to_numpy()[:MOST_LISTED]
        first = rows.iloc[order]
        shares = {KINDS[kind][0]: first[kind].to_numpy() for kind in kinds}
        own, other = titles[self.found.labels[order]], titles[first["second"].to_numpy()]
        bar = st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1)
        kwargs = {"height": 420, "column_config": dict.fromkeys(shares, bar)}
        shown = {self.noun.capitalize(): order + 1, "Group": own, **shares, "Else": other}
        listing(shown, f"How often every {self.noun} came out in its own group", **kwargs)
        meanings = "; ".join(": ".join(KINDS[kind]) for kind in kinds).format(noun=self.noun)
        orders, in_orders = self.found.orders, ""
        if orders is not None and len(orders.draws):
            k = sorted({int(orders.n_clusters.min()), int(orders.n_clusters.max())})
            in_orders = f" The {len(orders.draws):,} runs in other orders found K = "
            in_orders += " to ".join(f"{one:,}" for one in k) + "."
        st.caption(
            f"How often a {self.noun} came out in its own group, the least settled first (the "
            f"first {order.size:,} of {len(rows):,}). {meanings}.{in_orders}"
        )
