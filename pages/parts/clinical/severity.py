"""Step "Do they hold up?": would chance, or a slope from mild to severe, give such groups?"""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.plots.clinical import reference_figure
from mapdp_studio.core.statistics.chance import FULL, LIMITS, ONE_LINE
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.picture import picture


def severity(studio: Session, checks: Checks) -> None:
    """The reference of tables without groups, its limits, and the rank-one share."""
    st.markdown(
        "Patients who differ only in degree still fall apart into a mild and a severe half. So "
        "tables are drawn that resemble yours and have the same missing cells, but hold no groups: "
        "shuffled columns, or one continuum that is Gaussian, has heavy tails, or thins out to one "
        "side. Groups are sought on each of them. Those worth a name gain more."
    )
    reference = checks.reference
    if reference is not None and reference.n_drawn:
        picture(
            reference_figure(reference.beside),
            "clinical-reference",
            "What groups gain on tables drawn without groups, beside this cohort at 0",
            "reference",
        )
        st.markdown(f"**{reference.sentence}**")
        if reference.n_tables < FULL:
            st.caption(f"Up to {FULL} tables of each kind are asked for to colour the light.")
    st.warning(LIMITS, icon=":material/info:")
    share = checks.rank_one
    if share is None:
        st.caption(
            "Two groups always lie on one line, so whether they differ in kind cannot be told from "
            "their means."
        )
        return
    place, words = st.columns([1, 4])
    place.metric("Rank-1 share", f"{share:.2f}")
    words.markdown(
        "How much of the differences between the groups' means lies on **one line**. Near 1, the "
        "groups are steps of one gradient, from mild to severe; the lower, the more they differ in "
        f"kind. It tests nothing; from {ONE_LINE:g} on the light is never green."
    )
