"""Step "Do they hold up?": chance and severity, other patients, starts, settings and sites."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
import streamlit as st

from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.clinical.concerns import SMALLEST_SITE, site_columns
from mapdp_studio.core.clinical.placing import sites_left_out
from mapdp_studio.core.plots.clinical import (
    alluvial_figure,
    counts_figure,
    jaccard_figure,
    objectives_figure,
    reference_figure,
)
from mapdp_studio.core.plots.heat_maps import co_assignment_figure
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.statistics.bootstraps import ASSESSABLE, BANDS_SENTENCE
from mapdp_studio.core.statistics.chance import FULL, LIMITS, ONE_LINE
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.checks import check_line, checks_of
from mapdp_studio.pages.parts.clinical.work import cohort_of, groups_to_compare
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_one, halves
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


def _are_drawn(checks: Checks) -> bool:
    """Whether other patients have been drawn; says so where not."""
    if checks.stability is None or checks.stability.bootstraps is None:
        st.info(
            "No other patients have been drawn yet. The preview takes less than a minute; the "
            "tables without groups (Chance or severity) come first.",
            icon=":material/speed:",
        )
        return False
    return True


def patients(studio: Session, checks: Checks) -> None:
    """How well every group comes back when the patients are drawn anew."""
    if not _are_drawn(checks):
        return
    draws = checks.stability.bootstraps
    titles = checks.groups.titles
    picture(
        jaccard_figure(titles, draws.mean_jaccard, draws.jaccard),
        "clinical-jaccard",
        "Overlap of every group with its best match in each resample",
        "jaccard",
    )
    st.caption(
        f"{len(draws.draws):,} times, the patients were drawn anew (about 63 % of them each time) "
        "and the whole search repeated. Overlap of 1: exactly the same patients; "
        f"{BANDS_SENTENCE}. Groups of fewer than {ASSESSABLE} patients cannot be assessed."
    )
    if draws.held_out is not None:
        st.markdown(draws.held_out.sentence)


def starts(studio: Session, checks: Checks) -> None:
    """Whether other starts of the search end at the same answer."""
    if not _are_drawn(checks):
        return
    restarts = checks.stability.restarts
    if restarts is None:
        st.info("The other starts come after the other patients.", icon=":material/hourglass_top:")
        return
    picture(
        objectives_figure(restarts.objectives),
        "clinical-restarts",
        "Score of every restart above the best",
        "restarts",
    )
    st.caption(
        "The score, called E, is minus the log probability of the whole grouping, in nats (units "
        "of the natural logarithm): lower is better, and 3 nats make a grouping 20 times as "
        "probable. ARI, the adjusted Rand index: 1 is the same groups, 0 no more than chance."
    )
    st.markdown(restarts.sentence)
    if restarts.improved_by:
        st.warning(
            f"E of one restart is {restarts.improved_by:.1f} below that of the groups shown: "
            "unlock and raise the number of searches.",
            icon=":material/trending_down:",
        )


def number(studio: Session, checks: Checks) -> None:
    """How many groups are found in other patients and under other settings."""
    if not _are_drawn(checks):
        return
    draws, own = checks.stability.bootstraps, checks.groups.model.n_clusters_
    left, right = halves()
    with left:
        st.markdown("**Groups found when the patients are drawn anew**")
        picture(
            counts_figure(draws.n_clusters, own, "groups, atypical ones included"),
            "clinical-k",
            "How often each number of groups was found",
            "number-of-groups",
        )
        st.caption(f"In colour: as many as with all patients, {own:,}.")
    with right:
        st.markdown("**Groups found under other settings**")
        table = checks.settings_table()
        if table.empty:
            st.caption("These come last.")
        else:
            st.dataframe(table, hide_index=True, height="content")
            st.caption("N₀ is a third, the same and three times as locked.")


def pairs(studio: Session, checks: Checks) -> None:
    """Which patients stay together whoever else is drawn."""
    if not _are_drawn(checks):
        return
    consensus = checks.stability.consensus
    if consensus is None:
        st.info("This picture comes last.", icon=":material/hourglass_top:")
        return
    # Groups side by side, and inside each the order of the average-linkage tree.
    of = checks.groups.labels[consensus.rows[consensus.order]]
    order = consensus.order[np.argsort(of, kind="stable")]
    edges = np.cumsum(np.bincount(of, minlength=of.max() + 1))
    picture(
        co_assignment_figure(
            consensus.co_assignment[np.ix_(order, order)], edges.tolist(), checks.groups.titles
        ),
        "clinical-pairs",
        "How often every two patients fell into one group",
        "pairs",
    )
    k = int(consensus.labels.max()) + 1
    st.caption(
        "Coloured blocks: patients who stay together whoever else is drawn. The partition that "
        f"agrees best with all draws has {k:,} groups, on average {consensus.distance:.3f} log "
        f"units of information away from them; yours is {consensus.own_distance:.3f} away."
    )


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


VIEWS: Mapping[str, Callable[[Session, Checks], None]] = MappingProxyType(
    {
        "Chance or severity": severity,
        "Other patients": patients,
        "Other starts": starts,
        "How many groups": number,
        "Pairs": pairs,
        "Other settings": sensitivity,
        "Sites": sites,
    }
)


def hold(studio: Session) -> None:
    """One sort of evidence at a time, under the line that makes the checks."""
    found = groups_to_compare(studio)
    if found is None:
        return
    check_line(studio, found)
    view = choose_one("View", list(VIEWS), "hold_view", label_visibility="collapsed")
    VIEWS[view](studio, checks_of(studio, found))
