"""Some rows as a table of their own: the way into them, and the way back."""

from __future__ import annotations

import numpy as np
import streamlit as st

from core import SchemaError
from core.methods import JUDGE
from core.models.mapdp import MAPDP
from core.session.work import Work
from core.wording import escaped
from pages import Session, session

#: Of which rows the pages tell what, beside the groups of a finished search.
_TOLD_OF = {
    "data": "Reasons are of all rows; values and missing cells are of those shown.",
    "compare": "Other methods, E beside theirs and the tolerance curve are of those shown.",
    "clusters": "K, E, sizes and merges are of all rows; profiles, hints, tolerance and single "
    "columns are of those shown.",
    "stability": "Whether groups come back is tried on those shown.",
    "views": "Views are looked for in those shown.",
    "missing": "Missing cells are counted in those shown.",
    "new_rows": "New rows are placed in the groups of all rows.",
}
#: Pages that tell nothing of the visitor's rows.
_OF_NO_ROWS = ("teach", "about")


def cluster_again(studio: Session, rows: np.ndarray, name: str, label: str, key: str) -> None:
    """Draw a button that makes some rows the current table, if it is more than one and not all.

    ``name`` is what they are, such as "Cluster 2".
    """
    if 1 < rows.size < len(studio.table.frame) and st.button(
        label,
        key=key,
        icon=":material/subdirectory_arrow_right:",
        type="tertiary",
        help="Makes them a table of their own; the way back is on top of every page.",
    ):
        try:
            studio.take_part(studio.work.on_part(np.sort(rows), name))
        except SchemaError as error:
            st.error(escaped(error), icon=":material/undo:")
            return
        st.switch_page("pages/compare.py")


def way_back(studio: Session) -> None:
    """On every page while the current table is a part of another one."""
    if not studio.parents:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        whole = studio.parents[-1]
        st.caption(
            f":material/subdirectory_arrow_right: You are looking at a part, "
            f"{_which(studio.work, whole)} of **{escaped(whole.table.name)}**.",
            width="content",
        )
        st.button(
            "Back to all of them",
            key="leave_part",
            icon=":material/arrow_back:",
            type="tertiary",
            on_click=_leave_part,
        )


def _which(part: Work, whole: Work) -> str:
    """How much of a table a part is: some of its rows, or all of them in some of its columns."""
    here, there = len(part.table.frame), len(whole.table.frame)
    if here < there:
        return f"{here:,} of {there:,} rows"
    here, there = (len(work.schema.names("cluster")) for work in (part, whole))
    return f"{here:,} of {there:,} clustered columns"


def sample_notice(studio: Session, page: str) -> None:
    """On every page that tells of rows while these are a sample of those clustered in parts."""
    if studio.all_rows is None or page in _OF_NO_ROWS:
        return
    shown, n = f"{len(studio.table.frame):,}", f"{studio.all_rows.n:,}"
    told = f"Groups of **{n} rows**, shown by {shown} of them. {_TOLD_OF.get(page, '')}"
    model = studio.results.get(studio.work.tasks()[JUDGE])
    if page == "clinical":
        told = f"**{shown} of {n} rows.** A study looks for its groups anew, in the rows shown."
    elif not isinstance(model, MAPDP) or model.partition_.is_complete:
        told = (
            f"**{shown} of {n} rows.** Under these settings groups are found in the rows shown: "
            "those of all rows were found under others."
        )
    st.caption(
        f":material/filter_alt: {told}",
        help="Drawn by chance, of a small group some more. What is of all rows: MAP-DP's groups, "
        "their E, sizes and merges, and predictions. The labels of all rows are in "
        f"{escaped(studio.all_rows.folder)}.",
    )


def _leave_part() -> None:
    studio = session()
    studio.leave_part()
    if studio.history.present is not None:
        # The sliders stand as the part left them.
        studio.history.present.restore(studio)
