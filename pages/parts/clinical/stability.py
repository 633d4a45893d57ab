"""Step "Do they hold up?": other patients, other starts, how many groups, and pairs."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.plots.clinical import counts_figure, jaccard_figure, objectives_figure
from mapdp_studio.core.plots.heat_maps import co_assignment_figure
from mapdp_studio.core.statistics.bootstraps import ASSESSABLE, BANDS_SENTENCE
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.shared.picture import picture


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
