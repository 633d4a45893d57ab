"""Several data sets, such as sites: how many clusters each has, and who uses which."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.partitions.scores import Contingency
from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.compare.choose_methods import MOST
from mapdp_studio.pages.parts.shared.kit import choose_from_list, halves
from mapdp_studio.pages.parts.shared.picture import crossed

MOST_NAMED = 8


def shared_clusters(studio: Session, name: str, labels: Mapping[str, np.ndarray]) -> None:
    """Choose a partition, and draw it against the data sets that the column names.

    ``labels`` goes by the method's title.
    """
    if not labels:
        st.info("There is no result yet.")
        return
    sharing = {key: method for key, method in METHODS.items() if method.shares_clusters}
    absent = [key for key in sharing if key not in studio.compared]
    titles = list(labels)
    first = next((m.title for m in sharing.values() if m.title in labels), titles[0])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        title = choose_from_list(
            "Clusters of", titles, "sharing_of", index=titles.index(first), width=220
        )
        if absent and len(studio.compared) + len(absent) <= MOST:
            st.button(
                f"Add {' and '.join(sharing[key].title for key in absent)}",
                icon=":material/add:",
                type="tertiary",
                on_click=_add,
                args=(studio, absent),
                help="Methods that let every data set have clusters of its own and share them.",
            )
    codes, names = pd.factorize(studio.table.frame[name].astype("string"), sort=True)
    codes = np.where(codes < 0, len(names), codes)
    called = [*map(str, names), "missing"]
    table = Contingency.of(codes, labels[title])
    numbers = [f"{k + 1}" for k in range(int(labels[title].max()) + 1)]
    left, right = halves()
    with left:
        crossed(table, (name, called), (title, numbers), "sharing", "clusters-by-data-set")
    with right:
        st.dataframe(
            _summary(table, called, numbers, name),
            hide_index=True,
            alt="Clusters that each data set uses",
        )
    st.caption(
        f"Rows of every {escaped(name)} in every cluster of {title}; colour is the share of its "
        "rows. A cluster that one of them has for itself may be its way of measuring."
    )


def _summary(table: Contingency, called: list[str], numbers: list[str], name: str) -> pd.DataFrame:
    """A line a data set: its rows, how many clusters they are in, and which."""
    used = [
        [numbers[k] for k, n in zip(table.second, row, strict=True) if n] for row in table.counts
    ]
    return pd.DataFrame(
        {
            name: [called[code] for code in table.first],
            "Rows": table.counts.sum(axis=1),
            "K": [len(own) for own in used],
            "Clusters": [listed(sorted(own, key=int), MOST_NAMED) for own in used],
        }
    )


@in_visit
def _add(studio: Session, names: list[str]) -> None:
    studio.compared = (*studio.compared, *names)
