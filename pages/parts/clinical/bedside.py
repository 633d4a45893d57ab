"""Step "Groups": a few questions at the bedside that give the groups back."""

from __future__ import annotations

import streamlit as st

from core.clinical.bedside import SMALLEST, bedside_rule
from core.clinical.subgroups import Subgroups
from core.wording import escaped
from pages import Session
from pages.parts.clinical.work import said
from pages.parts.shared.background import in_background
from pages.parts.shared.width import beside


def bedside(studio: Session, found: Subgroups) -> None:
    """The rule with its points, and how often it is right."""
    lock = studio.study.lock
    rule = in_background(
        studio,
        "clinical bedside",
        (lock, found.objectives.size),
        "Looking for a few columns",
        lambda job: (bedside_rule(found, lock.plan.seed),),
    )
    if rule is None:
        return
    (rule,) = rule
    if rule is None:
        needed = said(f"A rule needs two groups of at least {SMALLEST} patients.")
        st.info(needed, icon=":material/info:")
        return
    st.markdown(f"**{escaped(said(rule.sentence))}**")
    left, right = beside([3, 2])
    with left:
        st.markdown("**Points for each answer**: the group with the most points wins")
        st.dataframe(rule.points, hide_index=True, height=min(38 + 35 * len(rule.points), 460))
    with right:
        st.markdown(said("**Found (down) and given by the rule (across)**, patients"))
        st.dataframe(rule.confusion)
        st.caption(
            "A question not answered gives no points. Groups of fewer than "
            f"{SMALLEST} patients are left out of the rule. It gives back the groups that were "
            "found here; it does not show that they are subtypes."
        )
