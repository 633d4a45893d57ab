"""The report, the tables that may leave the room, and the settings."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.clinical.groups import Subgroups
from mapdp_studio.core.clinical.placing import group_assignments
from mapdp_studio.core.clinical.report import Brought, Package, methods_paragraph, package
from mapdp_studio.core.exports.tables import as_csv
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.checks import checks_of
from mapdp_studio.pages.parts.clinical.locked import take_lock
from mapdp_studio.pages.parts.clinical.more import SECOND
from mapdp_studio.pages.parts.clinical.small_counts import ask_least
from mapdp_studio.pages.parts.clinical.validators import validation_of
from mapdp_studio.pages.parts.clinical.work import groups_of
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_one

METHODS, FILES = "Methods", "Files"
#: What the report asked for rests on, and how many had been asked for.
WANTED = "clinical_report_wanted"


def report(studio: Session) -> None:
    """What was done in words, the questions left, and everything to take away."""
    found = groups_of(studio)
    if found is None:
        return
    validation = validation_of(studio, found)
    if validation is None:
        return
    studio.study.note_validators()
    checks = checks_of(studio, found)
    view = choose_one("View", [METHODS, FILES], "report_view", label_visibility="collapsed")
    name = studio.table.name
    if view == METHODS:
        st.markdown(escaped(methods_paragraph(studio.study, checks, validation, name)))
        st.caption("Written from the locked settings and what has been run: copy and shorten it.")
    else:
        _files(studio, found, checks)


def _files(studio: Session, found: Subgroups, checks: Checks) -> None:
    least = ask_least(studio)
    st.caption(
        f"{escaped(studio.study.lock.adjustment)} Other covariates mean unlocking the roles: since "
        "the groups have been seen, every p-value will be marked for that."
    )
    brought = _brought(studio)
    known = (
        *_known(checks),
        brought is not None and brought.found is not None,
    )
    if not any(known[:3]) and found.found_any:
        st.warning(
            "The checks have not been run, so the report will say that nothing is known about "
            "chance, severity and stability.",
            icon=":material/warning:",
        )
    study, validation = studio.study, validation_of(studio, found)
    decided = (study.lock, least, study.reservation, brought is None)
    wanted, count = st.session_state.get(WANTED, (None, 0))
    if wanted != decided:
        _write("Write the report", (decided, count + 1), type="primary")
    else:
        about = study, checks, validation, studio.table.name, least
        written = get_result(
            studio,
            "clinical report",
            (decided, count),
            "Writing the report",
            lambda job: (known, package(*about, job, brought)),
        )
        if written is not None:
            if written[0] != known:
                st.caption("More has been found since this report was written.")
                _write("Write it again", (decided, count + 1))
            _downloads(written[1])
    take_lock(study.lock)
    _assignments(studio, found, checks)


def _brought(studio: Session) -> Brought | None:
    """The second cohort, and what came of it if somebody has looked."""
    study = studio.study
    if study.second is None:
        return None
    return Brought(study.second.name, studio.results.known(SECOND, (study.lock, study.second)))


def _known(checks: Checks) -> tuple[int, int, bool, int]:
    """How much has been checked and tested so far."""
    reference, stability = checks.reference, checks.stability
    return (
        0 if reference is None else reference.n_drawn,
        0 if stability is None or stability.bootstraps is None else len(stability.bootstraps.draws),
        stability is not None and stability.complete,
        len(checks.tests.without),
    )


def _write(label: str, wanted: tuple, **looks: str) -> None:
    """The button that asks for a report of what is known by then."""
    st.button(
        label,
        icon=":material/description:",
        on_click=st.session_state.update,
        args=({WANTED: wanted},),
        **looks,
    )


def _downloads(written: Package) -> None:
    st.success(written.sentence, icon=":material/check:")
    with st.container(horizontal=True):
        st.download_button(
            "Report (one HTML file)",
            written.html,
            "clinical-report.html",
            "text/html",
            type="primary",
            icon=":material/description:",
        )
        st.download_button(
            "Settings (JSON)",
            written.settings,
            "clinical-settings.json",
            "application/json",
            icon=":material/tune:",
        )
    with (
        st.expander("Every table as CSV", icon=":material/table:"),
        st.container(horizontal=True),
    ):
        for title, table in written.tables.items():
            st.download_button(
                f"{title.capitalize()} (CSV)",
                as_csv(table),
                f"clinical-{title}.csv",
                "text/csv",
                icon=":material/table:",
            )
    st.caption(
        "The report opens without a network, prints, and has a button for SVG under each figure; "
        "Word opens its text and tables. It holds no single patient's data."
    )


def _assignments(studio: Session, found: Subgroups, checks: Checks) -> None:
    """One row a patient: only for those who say that they may."""
    with st.expander("Which patient is in which group (patient-level data)", icon=":material/key:"):
        st.caption("A line each. This is personal data: take it only where you may.")
        allowed = st.checkbox("I may take patient-level data out", key="clinical_may")
        names = studio.study.lock.columns("id")
        with_id = st.checkbox(
            "With the patient's id", key="clinical_with_id", disabled=not (allowed and names)
        )
        if allowed:
            table = group_assignments(checks, studio.table.frame, studio.study.lock, with_id)
            st.download_button(
                "Assignments (CSV)",
                as_csv(table),
                "clinical-assignments.csv",
                "text/csv",
                icon=":material/table:",
            )
