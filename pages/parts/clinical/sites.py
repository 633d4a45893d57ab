"""Step "Do they hold up?": the groups without the patients of each site in turn."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.clinical.concerns import SMALLEST_SITE, site_columns
from mapdp_studio.core.clinical.placing import sites_left_out
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.work import cohort_of
from mapdp_studio.pages.parts.shared.compute import get_result


def sites(studio: Session, checks: Checks) -> None:
    """Choose the column of sites; a line a site that is left out."""
    lock, frame = studio.study.lock, cohort_of(studio)
    names = site_columns(frame, lock.schema)
    if not names:
        st.info(
            "No column names a site: one of a few names that recur, kept out of the groups as a "
            "negative control.",
            icon=":material/location_off:",
        )
        return
    name = st.selectbox("Sites", names, key="clinical_site", persist_state="session", width=320)

    def work(job: Job):
        return sites_left_out(checks.groups, frame[name], lock.plan.seed, job, job.share)

    table = get_result(studio, "clinical sites", (lock, name), "Leaving out a site at a time", work)
    if table is None:
        return
    st.dataframe(table, hide_index=True)
    st.caption(
        f"Without each site of {escaped(name)} with at least {SMALLEST_SITE} patients, the groups "
        "are sought again from a fresh start. Agreement: the adjusted Rand index on those who "
        "stayed, 1 is the same groups. Below each group: how much of it is in its best match "
        "(Jaccard), from 0.75 on stable. A group that goes with one site may be that site's way "
        "of measuring."
    )
