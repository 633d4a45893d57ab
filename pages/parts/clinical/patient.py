"""One patient of the table, their group, how surely, and why."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.clinical.groups import SMALLEST, Subgroups
from mapdp_studio.core.clinical.placing import Patient, least_sure, look_up, rows_of_id, strangest
from mapdp_studio.core.plots.profiles import reasons_figure
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.checks import checks_of
from mapdp_studio.pages.parts.clinical.work import cohort_of, groups_to_compare
from mapdp_studio.pages.parts.shared.picture import picture

ROW = "clinical_patient_row"
REASONS = 20


def patient(studio: Session) -> None:
    """Choose a patient of the table; see their place and the columns for and against it."""
    found = groups_to_compare(studio)
    if found is None:
        return
    checks = checks_of(studio, found)
    row = _choose(studio, found)
    seen = look_up(found, checks, row)
    _place(found, seen)
    reasons = seen.reasons.head(REASONS)
    title = found.titles[seen.group]
    st.markdown(f"**What spoke for {title}, and what for {seen.second}**")
    picture(
        reasons_figure(
            [f"{c} = {v}" for c, v in zip(reasons["column"], reasons["value"], strict=True)],
            list(reasons["nats"]),
            (title, seen.group),
            (seen.second, seen.second_group),
        ),
        "clinical-reasons",
        f"Columns that spoke for {title} and for {seen.second}",
        "patient",
    )
    st.caption(
        f"{seen.placed_using.capitalize()}; the {len(reasons)} weightiest are shown. The "
        "patient is judged against the others of the group, never against their own values."
    )


def _choose(studio: Session, found: Subgroups) -> int:
    """Row of the patient chosen: by its number, an id, or from a list."""
    n, lock = found.labels.size, studio.study.lock
    checks = checks_of(studio, found)
    lists = {
        "in no group": found.atypical_rows[:10],
        "between groups": least_sure(found, checks, 6),
        "strangest": strangest(found, 6),
    }
    places = st.columns([1, 1, 3], vertical_alignment="bottom")
    places[0].number_input(
        "Patient",
        1,
        n,
        1,
        key=ROW,
        persist_state="session",
        help="1 is the first of the table",
    )
    if lock.columns("id"):
        wanted = places[1].text_input("or the patient's id", key="clinical_patient_id")
        rows = rows_of_id(cohort_of(studio), lock.columns("id"), wanted) if wanted else []
        if wanted and not rows:
            places[1].caption("No patient has this id.")
        elif rows:
            if len(rows) > 1:
                places[1].caption(f"{len(rows):,} rows have this id; this is the first of them.")
            return rows[0]
    for name, rows in lists.items():
        if not len(rows):
            continue
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            st.caption(f"{name.capitalize()}:", width=110)
            for row in rows:
                st.button(
                    f"{row + 1:,}",
                    key=f"patient {name} {row}",
                    type="tertiary",
                    on_click=_show,
                    args=(int(row),),
                )
    return int(st.session_state.get(ROW, 1)) - 1


def _show(row: int) -> None:
    st.session_state[ROW] = row + 1
    st.session_state["clinical_patient_id"] = ""


def _place(found: Subgroups, seen: Patient) -> None:
    places = st.columns(4)
    places[0].metric("Group", found.titles[seen.group])
    if seen.share is None:
        places[1].metric("Came back to it", "not checked")
        places[1].caption("Run the checks for this: it is the number to go by.")
    else:
        places[1].metric("Came back to it", f"{100 * seen.share:.0f} %")
        places[1].caption(f"of {seen.n_draws:,} resamples that held the patient")
    places[2].metric("Second choice", seen.second)
    if seen.second_share:
        places[2].caption(
            f"In the resamples {escaped(seen.second_by_draws)}, {100 * seen.second_share:.0f} %"
        )
    probability = seen.probability
    share = "> 99.9 %" if probability > 0.999 else f"{100 * probability:.1f} %"
    places[3].metric("Model probability", share)
    places[3].caption("With many columns it is nearly always near 0 or 1: do not go by it.")
    if seen.group in found.atypical:
        st.warning(
            f"This patient is atypical: fewer than {SMALLEST} patients are no group. Read the "
            "record rather than the averages.",
            icon=":material/person_search:",
        )
