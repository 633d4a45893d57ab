"""A short guided tour of the Clinical page on the simulated cohort."""

from __future__ import annotations

import streamlit as st

from pages import Session
from pages.parts.shared.loading import load_example

TOUR = "clinical_tour"
COHORT = "parkinsonism"
#: What to do and to look at in each section.
STOPS = {
    "roles": "527 invented patients with five groups hidden among them. 215 columns make the "
    "groups; six outcomes and two negative controls are kept out. Look through the table if you "
    "like, then press **Lock the roles and find groups**.",
    "groups": "Five groups of about 50, 43, 5, 1.7 and 0.4 %. The last holds two patients: too few "
    "to be a group, so they are named atypical. The light stays provisional until the checks have "
    "run: start them here; they go on while you read. The other views show what each group is "
    "like.",
    "t_tests": "Every column between two groups. The grey p-value is the one the 2016 paper "
    "printed; the one beside it comes from groups found without the column, column after column, "
    "in the background. **As in the 2016 paper** marks about 61 columns, as published.",
    "hold": "Would one long slope from mild to severe look like this? On this cohort neither a "
    "Gaussian nor a skewed slope would, nor one that bends: the diamond lies to the right of all "
    "their dots. And groups that come back whenever the patients are drawn anew are worth a closer "
    "look.",
    "outcomes": "These columns took no part. Motor decline and survival differ between groups; "
    "study site and month, the negative controls, should not.",
    "patient": "Choose any patient: to which group, how surely, and which columns spoke for it.",
    "report": "Everything on paper, with the methods paragraph written for you. Small numbers are "
    "hidden where a threshold is chosen beside the button; of an example nothing is.",
    "more": "With a second cohort of your own, the groups found here are looked up there; and how "
    "the analysis in the 2016 paper would have looked.",
}


def offer_tour() -> None:
    """A button that loads the cohort and begins the tour."""
    if st.button("Tour with the simulated cohort", icon=":material/tour:", type="primary"):
        load_example(COHORT)
        st.session_state["place"], st.session_state["example"] = "Examples", COHORT
        st.session_state[TOUR] = True
        st.rerun()


def tour(studio: Session, section: str) -> None:
    """The tour's words about a section, for those who take it."""
    if studio.table.digest != f"example {COHORT}":
        return
    on = st.toggle("Guided tour", key=TOUR, persist_state="session", value=True)
    if on:
        st.info(STOPS[section], icon=":material/tour:")
