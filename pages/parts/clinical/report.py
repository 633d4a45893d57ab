"""Step 5, Report: two pages and a supplement, and the tables that may leave the room."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.clinical.groups import Subgroups
from mapdp_studio.core.clinical.placing import group_assignments
from mapdp_studio.core.clinical.report import package
from mapdp_studio.core.clinical.small_counts import OFF, THRESHOLDS
from mapdp_studio.core.clinical.verdict import Checks
from mapdp_studio.core.exports.tables import as_csv
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.results import checks_of, groups_of, validation_of
from mapdp_studio.pages.parts.clinical.settings import take_lock
from mapdp_studio.pages.parts.clinical.statistician import SECOND
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_one, download

#: What the report asked for rests on, and how many had been asked for.
WANTED = "clinical_report_wanted"


def report(studio: Session) -> None:
    """The report behind one button, then what goes with it, folded."""
    found = groups_of(studio)
    validation = None if found is None else validation_of(studio, found)
    if validation is None:
        return
    study, checks = studio.study, checks_of(studio, found)
    study.note_validators()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        least = _ask_least(studio)
        place = st.container(horizontal=True)
    brought = study.second and studio.results.known(SECOND, (study.lock, study.second))
    known = *_known(checks), brought is not None
    decided = study.lock, least, study.reservation
    wanted, count = st.session_state.get(WANTED, (None, 0))

    def ask(label: str, **kwargs: str) -> None:
        update = {WANTED: (decided, count + 1)}
        icon = ":material/description:"
        place.button(label, icon=icon, on_click=st.session_state.update, args=(update,), **kwargs)

    written = None
    if wanted != decided:
        ask("Write the report", type="primary")
    else:
        about = study, checks, validation, studio.table.name, least, brought
        key, label = (decided, count), "Writing the report"
        written = get_result(
            studio, "clinical report", key, label, lambda job: (known, package(*about))
        )
    if written is not None:
        with place:
            download(
                "Report (one HTML file)",
                written[1].html,
                "clinical-report.html",
                "text/html",
                type="primary",
                icon=":material/description:",
                help="It needs no network; Word opens it. No single patient's data is in it.",
            )
        if written[0] != known:
            ask("Write it again")
            st.caption("More has been found since this report was written.")
        st.caption(written[1].sentence)
        with (
            st.expander("Every table as CSV", icon=":material/table:"),
            st.container(horizontal=True),
        ):
            for title, table in written[1].tables.items():
                name = f"{title.capitalize()} (CSV)"
                download(name, as_csv(table), f"clinical-{title}.csv", "text/csv")
    _assignments(studio, found)
    take_lock(study.lock)


def _ask_least(studio: Session) -> int:
    """Below which number counts are hidden: an example is public, so that nothing is of it."""
    is_own = studio.table.example is None
    return choose_one(
        "Hide counts of patients below",
        [OFF, *THRESHOLDS],
        "clinical_least" if is_own else "clinical_least_example",
        default=THRESHOLDS[0] if is_own else OFF,
        format_func=lambda least: "Off" if least == OFF else f"{least}",
        help="And the next smallest where one would follow from a printed total. A person should "
        "look before a file is passed on.",
    )


def _known(checks: Checks) -> tuple[bool, int]:
    """What a report grows with: whether the checks have ended, and the columns left out."""
    return checks.light.provisional, len(checks.tests.without)


def _assignments(studio: Session, found: Subgroups) -> None:
    """One row a patient: only for those who say that they may."""
    lock = studio.study.lock
    with st.expander("Which patient is in which group (patient-level data)", icon=":material/key:"):
        st.caption("A line each. This is personal data: take it only where you may.")
        if st.checkbox("I may take patient-level data out", key="clinical_may"):
            has_id = bool(lock.columns("id"))
            with_id = has_id and st.checkbox("With the patient's id", key="clinical_with_id")
            table = group_assignments(found, studio.table.frame, lock, with_id)
            download("Assignments (CSV)", as_csv(table), "clinical-assignments.csv", "text/csv")
