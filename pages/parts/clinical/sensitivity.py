"""Step "Do they hold up?": how the patients move when a setting is changed."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.plots.clinical import alluvial_figure
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.picture import picture


def sensitivity(studio: Session, checks: Checks) -> None:
    """An alluvial of the groups found under several settings."""
    found = checks.groups
    alternatives = dict(checks.alternatives())
    if not alternatives:
        st.info(
            "Other settings are tried with the checks: the preview takes less than a minute.",
            icon=":material/speed:",
        )
        return
    chosen = st.multiselect(
        "Lay beside the groups found",
        list(alternatives),
        default=list(alternatives)[:4],
        key=f"alternatives {studio.study.lock.hash[:8]} {len(alternatives)}",
    )
    partitions = [found.labels, *(alternatives[name] for name in chosen)]
    if chosen:
        picture(
            alluvial_figure(partitions, ["as locked", *chosen]),
            "clinical-alluvial",
            "Patients flowing between the groups found under several settings",
            "sensitivity",
        )
    st.caption(
        "Every column is one set of groups, each band a number of patients. A group that stays "
        "whole from left to right does not hang on the setting. N₀ is how readily a patient opens "
        "a group of their own; the prior's scale, how wide a group of measurements is expected to "
        "be. ARI, the adjusted Rand index: 1 is the same groups, 0 no more than chance."
    )
    st.dataframe(checks.settings_table(), hide_index=True, height="content")
