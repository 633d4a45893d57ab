"""Under More: a second cohort, and the analysis of R16 section 6 as it was printed."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core import TableError
from mapdp_studio.core.clinical.groups import SMALLEST, Subgroups
from mapdp_studio.core.clinical.outcomes import CAUTION, overall, printed
from mapdp_studio.core.clinical.placing import SAME, SecondCohort, apply_to, shared_rows
from mapdp_studio.core.clinical.study import SecondTable
from mapdp_studio.core.clinical.tables import WARNING, Replication
from mapdp_studio.core.wording import escaped, percent
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.clinical.work import distinctions_of, groups_to_compare, tests_of
from mapdp_studio.pages.parts.data.source import FILE_TYPES
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_one, halves
from mapdp_studio.pages.parts.shared.loading import read_upload


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


FILE, FAILURE, SECOND = "second_cohort", "second_failure", "clinical second"


def second(studio: Session) -> None:
    """Bring a second table and see its patients among the groups of the first."""
    found = groups_to_compare(studio)
    if found is None:
        return
    st.markdown(
        "Groups that are real should be found elsewhere too. Bring a table with the same columns: "
        "each of its patients is placed in the group that suits best, or in none, and the "
        "validators it has are tested again. Nothing is fitted to it."
    )
    st.file_uploader(
        "A second table, with the columns named as in the first; it stays on this computer",
        type=FILE_TYPES,
        key=FILE,
        on_change=_take,
    )
    if st.session_state.get(FAILURE):
        st.error(escaped(st.session_state[FAILURE]), icon=":material/error:")
    table = studio.study.second
    if table is None:
        st.caption("No file yet.")
        return
    st.caption(f"**{escaped(table.name)}**: {len(table.frame):,} patients")
    known = studio.results.latest(
        "second seen", table, lambda: shared_rows(studio.table.frame, table.frame)
    )
    if known >= SAME:
        st.error(
            f"{percent(known)} of these patients are those of the first table: the same patients "
            "again are no replication. Bring others.",
            icon=":material/content_copy:",
        )
        return
    lock = studio.study.lock
    result = get_result(
        studio,
        SECOND,
        (lock, table),
        "Placing the patients",
        lambda job: apply_to(found, lock, table.frame, job),
    )
    if result is not None:
        studio.study.note_validators()
        _show(found, result)


@in_visit
def _take() -> None:
    """Callback of the uploader: the table stays with the study when the page is left."""
    study, file = session().study, st.session_state[FILE]
    study.second, st.session_state[FAILURE] = None, ""
    if file is None:
        return
    try:
        frame = read_upload(file.name, file.getvalue())
        prepared = session().table.recipe.apply(frame).frame
        study.second = SecondTable(file.name, prepared)
    except TableError as error:
        st.session_state[FAILURE] = str(error)


def _show(found: Subgroups, result: SecondCohort) -> None:
    left, right = halves()
    with left:
        st.dataframe(result.sizes(found), hide_index=True)
    with right:
        st.metric(
            "Fit of the second cohort",
            f"{result.density:.2f} log units a cell",
            f"{result.density - result.own_density:+.2f} against the first",
            delta_color="off",
        )
        st.caption(
            "Mean log predictive density of an observed cell; in the first cohort every patient "
            "was left out in turn. Much lower: the second cohort is unlike the first, and the "
            "groups may mean something else there."
        )
    if result.absent:
        st.caption(f"Validators that it lacks: {', '.join(map(escaped, result.absent))}.")
    if result.validators.columns:
        st.markdown("**Validators in the second cohort**")
        st.warning(CAUTION, icon=":material/info:")
        st.dataframe(overall(result.validators, result.labels, found.titles), hide_index=True)
        st.caption(f"{result.validators.overall_adjusted.sentence}.")
        with st.expander("Every pair of groups", icon=":material/table:"):
            st.dataframe(printed(result.validators), hide_index=True)


VIEWS = {"A second cohort": second, "The 2016 paper's analysis": paper}


def more(studio: Session) -> None:
    """One of both."""
    view = choose_one("View", list(VIEWS), "more_view", label_visibility="collapsed")
    VIEWS[view](studio)
