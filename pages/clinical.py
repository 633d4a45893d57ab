"""Clinical: patient subgroups from locked roles to a report, one question a screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import streamlit as st

from mapdp_studio.core.clinical.report import CAVEAT
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.pages import Session, session
from mapdp_studio.pages.parts.clinical.groups import groups
from mapdp_studio.pages.parts.clinical.hold import hold
from mapdp_studio.pages.parts.clinical.more import more
from mapdp_studio.pages.parts.clinical.patient import patient
from mapdp_studio.pages.parts.clinical.report import report
from mapdp_studio.pages.parts.clinical.roles import roles
from mapdp_studio.pages.parts.clinical.t_tests import t_tests
from mapdp_studio.pages.parts.clinical.validators import validators
from mapdp_studio.pages.parts.clinical.work import SECTION, go_to, repeats_in
from mapdp_studio.pages.parts.shared.kit import go_to_data

#: Whose section is shown.
STUDY = "clinical_study"


class Section(NamedTuple):
    """One question of the page."""

    #: In the row of sections.
    label: str
    #: What its screen answers.
    question: str
    #: Draws it.
    show: Callable[[Session], None]


SECTIONS: Mapping[str, Section] = {
    "roles": Section("Roles", "What makes the groups, and what is kept out to test them?", roles),
    "groups": Section("Groups", "Which groups are there, and what distinguishes them?", groups),
    "t_tests": Section("t-tests", "In which columns do two groups differ?", t_tests),
    "hold": Section("Do they hold up?", "Chance, severity, or groups that come back?", hold),
    "outcomes": Section("Outcomes", "Do outcomes that took no part differ?", validators),
    "patient": Section("A patient", "Where is this patient, and why?", patient),
    "report": Section("Report", "What to write down, and what to take away?", report),
    "more": Section("More", "Are the groups found elsewhere, and what did the paper do?", more),
}
#: Steps that are numbered; what follows them is optional.
STEPS = 7


def choose_section(studio: Session) -> str:
    """The row of sections; the chosen one's key."""
    keys = list(SECTIONS)
    labels = {key: _label(place, SECTIONS[key].label) for place, key in enumerate(keys)}
    if st.session_state.get(STUDY) is not studio.study:
        # Another table came since: its study begins at the first section.
        st.session_state[STUDY] = studio.study
        go_to(keys[0])
    chosen = st.segmented_control(
        "Section",
        keys,
        default=keys[0],
        required=True,
        format_func=labels.__getitem__,
        key=SECTION,
        persist_state="session",
        label_visibility="collapsed",
    )
    return chosen or keys[0]


def _label(place: int, label: str) -> str:
    return f"{place + 1} {label}" if place < STEPS else label


def steps(chosen: str) -> None:
    """The ways to the neighbouring sections."""
    keys = list(SECTIONS)
    place = keys.index(chosen)
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        for step, icon, side in ((-1, "arrow_back", "left"), (1, "arrow_forward", "right")):
            if not 0 <= place + step < len(keys):
                st.container()
                continue
            st.button(
                SECTIONS[keys[place + step]].label,
                icon=f":material/{icon}:",
                icon_position=side,
                key=f"step {step}",
                on_click=go_to,
                args=(keys[place + step],),
            )


def introduce(studio: Session) -> None:
    """Which table this is, beside the title."""
    table, lock = studio.table, studio.study.lock
    state = f"locked {lock.time}, hash {lock.hash[:12]}" if lock else "roles not locked"
    repeats = repeats_in(studio)
    of = f"{lock.n_rows if lock else len(table.frame):,} patients"
    if repeats is not None:
        of = f"{len(table.frame):,} rows of {counted(repeats.n_patients, 'patient')}"
    st.caption(
        f"**{escaped(table.name)}**: {of}, {table.frame.shape[1]:,} columns; {state}",
        text_alignment="right",
    )


def main(studio: Session) -> None:
    """The chosen section, between the row of sections and the ways onward."""
    chosen = choose_section(studio)
    section = SECTIONS[chosen]
    st.subheader(section.question, anchor=False)
    if studio.study.reservation:
        st.warning(studio.study.reservation, icon=":material/history:")
    section.show(studio)
    st.divider()
    steps(chosen)


studio = session()
with st.container(horizontal=True, vertical_alignment="center"):
    st.title("Clinical", anchor=False)
    if studio.table is not None:
        introduce(studio)
if studio.table is None:
    st.info("Bring a cohort of your own, or take the simulated one.", icon=":material/table:")
    go_to_data()
else:
    main(studio)
st.caption(CAVEAT)
