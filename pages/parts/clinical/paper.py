"""Under More: the analysis of R16 section 6 as it was printed."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.clinical.groups import SMALLEST, Subgroups
from mapdp_studio.core.clinical.tables import WARNING, Replication
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.work import distinctions_of, groups_to_compare, tests_of
from mapdp_studio.pages.parts.shared.kit import halves


def paper(studio: Session) -> None:
    """Ten searches, Student's t at .01, Tables 3 and 4, and what chance would give."""
    found = groups_to_compare(studio)
    if found is None:
        return
    st.warning(WARNING, icon=":material/report:")
    lock, view = studio.study.lock, replication_of(studio, found)
    counts = view.counts()
    left, right = halves()
    with left:
        st.markdown("**Columns that differ, beside the number expected by chance**")
        st.dataframe(counts, hide_index=True)
    with right:
        first = counts.iloc[0]
        st.metric(
            f"Differ between {first['Groups']}",
            f"{first['Differ at 0.01']:,} of {first['Columns tested']:,}",
        )
        st.caption(
            f"R16 reports 61 of 215 on its own patients, between its two largest groups. By chance "
            f"alone, if the groups had nothing to do with the columns, "
            f"{first['Expected by chance']:g} would; since they were made from the columns, many "
            "more do even where there are no groups."
        )
    shares = ", ".join(found.as_frame()["Share"])
    st.caption(
        f"{lock.plan.restarts:,} searches, as in R16 unless you planned otherwise; groups of "
        f"{shares}. Left out of the tests: groups of fewer than {SMALLEST} patients. Columns of "
        "names without an order have no mean and are not tested."
    )
    paper_tables(view)


def replication_of(studio: Session, found: Subgroups) -> Replication:
    """The paper's tests on the groups of the study."""
    lock, results = studio.study.lock, studio.results
    return results.latest(
        "replication",
        lock,
        lambda: Replication(distinctions_of(studio, found), tests_of(studio, found)),
    )


def paper_tables(view: Replication) -> None:
    """Tables 3 and 4 of the paper, on this cohort."""
    _table("Probability of “yes” (as Table 3)", view.table_3())
    _table("Mean score (as Table 4)", view.table_4())


def _table(title: str, table) -> None:
    st.markdown(f"**{title}**, for the {len(table):,} columns that differ between some two groups")
    if table.empty:
        st.caption("None does.")
        return
    st.dataframe(table, hide_index=True, height=min(38 + 35 * len(table), 420))
