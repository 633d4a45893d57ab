"""The second cohort searched on its own, beside the groups of the first."""

from __future__ import annotations

import streamlit as st

from core.clinical.second_search import AGAIN, PARTLY, SecondSearch, search_again
from core.clinical.study import SecondTable
from core.clinical.subgroups import Subgroups
from core.exports.tables import as_csv
from core.statistics.suppression import THRESHOLDS
from core.wording import escaped
from pages import Session
from pages.parts.clinical.validators import validation_of
from pages.parts.clinical.work import said, shown
from pages.parts.shared.background import in_background, is_asked_for
from pages.parts.shared.kit import download
from pages.parts.shared.width import beside

#: Under which the search is kept.
SEARCH = "clinical second search"
FILES = {
    "second-groups": "Groups found again (CSV)",
    "second-crossed": "Patients by both (CSV)",
    "second-effects": "Outcomes in both (CSV)",
}


def second_search(studio: Session, found: Subgroups, table: SecondTable) -> None:
    """Ask for the search, then show what came back."""
    lock = studio.study.lock
    st.markdown("**Searched on its own**")
    about = "second search", lock.hash, table.name, len(table.frame)
    if not is_asked_for(about, "Search it on its own", icon=":material/travel_explore:"):
        st.caption(
            said(
                "The same columns, likelihoods and plan, but none of the first cohort's patients: "
                f"{lock.plan.restarts} searches, then the two ways to group these patients are "
                "compared."
            )
        )
        return
    validation = validation_of(studio, found)
    if validation is None:
        return
    result = in_background(
        studio,
        SEARCH,
        (lock, table),
        "Searching the second cohort",
        lambda job: search_again(found, lock, table.frame, validation.validators, job),
    )
    if result is not None:
        _show(result)


def _show(result: SecondSearch) -> None:
    st.markdown(f"**{escaped(said(result.sentence))}**")
    left, right = beside([3, 2])
    with left:
        st.dataframe(result.of_groups(), hide_index=True)
        st.caption(
            said(
                "Jaccard: patients who are in both groups, of those who are in either; "
                f"{AGAIN:.2f} or more is found again, over {PARTLY:.1f} in part. A group that is "
                "not may be absent from the second cohort, or have too few patients there."
            )
        )
    with right:
        st.dataframe(result.crossed)
        st.caption(
            said(
                "Patients of the second cohort by the group of the first that suits them best "
                "(down), and by their own (across)"
            )
        )
    profiles = result.profiles()
    if profiles.shape[1] > 1:
        st.markdown("**The columns that drove the first groups, in both cohorts**")
        st.dataframe(profiles, hide_index=True)
        st.caption("Both cohorts were grouped by these columns: no test belongs here.")
    effects = result.effects()
    if len(effects):
        st.markdown("**Outcomes between groups that came back, in both cohorts**")
        st.dataframe(shown(effects), hide_index=True)
        st.caption(
            "The second cohort's effects are between its own groups. Direction: whether both "
            "estimates lie on the same side of no difference; look at the intervals, too."
        )
    _take_away(result)


def _take_away(result: SecondSearch) -> None:
    least = st.session_state.get("clinical_least", THRESHOLDS[0])
    with st.container(horizontal=True):
        for name, label in FILES.items():
            download(
                label,
                lambda name=name: as_csv(shown(result.leaving(least)[name])),
                f"clinical-{name}.csv",
                "text/csv",
                icon=":material/table:",
            )
    if least:
        st.caption(
            said(
                f"In the files, counts of patients below {least} are hidden, and what would tell "
                "them (Report, Files)."
            )
        )
