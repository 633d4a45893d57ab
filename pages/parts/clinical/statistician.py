"""For the statistician, folded: what the verdict rests on, a patient, sites, a second table."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from mapdp_studio.core.clinical.concerns import SMALLEST_SITE, site_columns
from mapdp_studio.core.clinical.groups import Subgroups
from mapdp_studio.core.clinical.placing import sites_left_out
from mapdp_studio.core.clinical.verdict import Checks
from mapdp_studio.core.plots.clinical import reference_figure
from mapdp_studio.core.plots.heat_maps import differences_figure
from mapdp_studio.core.plots.profiles import bars_figure
from mapdp_studio.core.statistics.chance import FULL, LIMITS
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.patients import patient, second
from mapdp_studio.pages.parts.clinical.results import (
    GROUPS,
    checks_of,
    cohort_of,
)
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_from_list, halves
from mapdp_studio.pages.parts.shared.picture import picture
from mapdp_studio.pages.parts.shared.stability import StabilityViews
from mapdp_studio.pages.parts.shared.theme import colours

MOST_COLUMNS = 25


def for_the_statistician(studio: Session, step: str) -> None:
    """One view at a time, under every step after the plan, once there are groups."""
    lock = studio.study.lock
    found: Subgroups | None = studio.results.known(GROUPS, lock) if lock is not None else None
    if step == "plan" or found is None or not found.found_any:
        return
    checks = checks_of(studio, found)
    if not checks.groups.found_any:
        return
    fold = st.expander(
        "For the statistician", icon=":material/query_stats:", key="statistician", on_change="rerun"
    )
    if not fold.open:
        return
    with fold:
        stability = _stability_of(checks)
        views = VIEWS | {f"Stability: {name.lower()}": draw for name, draw in stability.items()}
        name = choose_from_list("View", list(views), "statistician_view", width=320)
        if name in VIEWS:
            VIEWS[name](studio, checks)
        else:
            views[name]()


def _stability_of(checks: Checks) -> dict[str, Callable[[], None]]:
    """What is shown on the Stability page, of patients."""
    if checks.stability is None or checks.stability.bootstraps is None:
        return {}
    groups = checks.groups
    views = StabilityViews(groups.titles, checks.stability, "patient", groups.colours)
    return views.by_title


def chance(studio: Session, checks: Checks) -> None:
    """The reference of tables without groups, its limits, and the rank-one share."""
    st.markdown(
        "Patients who differ only in degree still fall apart into a mild and a severe half. So "
        "groups are sought on tables that resemble yours and hold none: real ones gain more."
    )
    reference = checks.reference
    if reference is not None and reference.n_drawn:
        picture(
            reference_figure(reference.beside),
            "clinical-reference",
            "What groups gain on tables drawn without groups, beside this cohort at 0",
            "reference",
        )
        st.markdown(f"**{reference.sentence}** Up to {FULL} tables of each kind are drawn.")
    if checks.rank_one is not None:
        st.markdown(
            f"Rank-1 share: {checks.rank_one:.2f} of the differences between the means lies on "
            "one line; near 1, they are steps of one gradient."
        )
    st.caption(LIMITS)


def drivers(studio: Session, checks: Checks) -> None:
    """Which columns drove the grouping, and the means of every group."""
    groups = checks.groups
    leading, titles = groups.leading(MOST_COLUMNS), groups.titles
    left, right = halves()
    with left:
        st.markdown("**Means of every group**, in standard deviations from all patients")
        picture(
            differences_figure(leading, [titles[k] for k in leading], colours()["paper"]),
            "clinical-differences",
            "Heatmap of standardised means, columns down and groups across",
            "differences",
        )
    with right:
        st.markdown("**How much a column drove the grouping**, in log units a patient observed")
        nats = groups.contributions["nats_per_row"].iloc[:MOST_COLUMNS]
        picture(
            bars_figure(list(nats.index), list(nats), "log units a patient"),
            "clinical-contributions",
            "Bars of the columns' contributions",
            "contributions",
        )
    st.caption(
        "A contribution has the form of a log Bayes factor but is computed on the groups that the "
        "column helped to make: it ranks columns, and is no evidence that groups exist."
    )


def sites(studio: Session, checks: Checks) -> None:
    """Choose the column of sites; a line a site that is left out."""
    lock, frame = studio.study.lock, cohort_of(studio)
    names = site_columns(frame, lock.schema)
    if not names:
        st.info(
            "No column names a site: one of a few names that recur, kept out of the groups.",
            icon=":material/location_off:",
        )
        return
    name = choose_from_list("Sites", names, "clinical_site", width=320)
    table = get_result(
        studio,
        "clinical sites",
        (lock, name),
        "Leaving out a site at a time",
        lambda job: sites_left_out(checks.groups, frame[name], lock.plan.seed, job, job.share),
    )
    if table is None:
        return
    st.dataframe(table, hide_index=True)
    st.caption(
        f"Without each site of {escaped(name)} with at least {SMALLEST_SITE} patients, the groups "
        "are sought again. Agreement: the adjusted Rand index on those who stayed; below each "
        "group: how much of it is in its best match (Jaccard). A group that goes with one site may "
        "be that site's way of measuring."
    )


VIEWS: dict[str, Callable[[Session, Checks], None]] = {
    "A patient": patient,
    "Chance or severity": chance,
    "What drove the groups": drivers,
    "Sites": sites,
    "A second table": second,
}
