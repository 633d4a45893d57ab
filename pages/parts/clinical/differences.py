"""Step "Groups": what distinguishes them, in sizes of differences and never in p-values."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.clinical.groups import SMALLEST, Distinctions
from mapdp_studio.core.plots.clinical import group_bars, pair_figure
from mapdp_studio.core.plots.heat_maps import differences_figure
from mapdp_studio.core.plots.profiles import bars_figure
from mapdp_studio.core.profiling.cards import NOTHING
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.shared.picture import picture


def _count(seen: Distinctions, key: str) -> int:
    most = len(seen.contributions)
    if most <= 10:
        return most
    return st.slider(
        "Columns shown",
        5,
        min(most, 80),
        min(most, 25),
        key=key,
        persist_state="session",
        width=320,
    )


def overview(seen: Distinctions) -> None:
    """Means of every group, and which columns drove the grouping."""
    count = _count(seen, "overview_count")
    theme = st.context.theme.type or "light"
    paper = st.get_option(f"theme.{theme}.backgroundColor")
    leading = seen.leading(count)
    titles = [seen.groups.titles[k] for k in leading.columns]
    left, right = halves()
    with left:
        st.markdown("**Means of every group**, in standard deviations from all patients")
        picture(
            differences_figure(leading, titles, paper),
            "clinical-differences",
            "Heatmap of standardised means, columns down and groups across",
            "differences",
        )
    with right:
        st.markdown("**How much a column drove the grouping**, in log units a patient observed")
        nats = seen.contributions["nats_per_row"].iloc[:count]
        picture(
            bars_figure(list(nats.index), list(nats), "log units a patient"),
            "clinical-contributions",
            "Bars of the columns' contributions",
            "contributions",
        )
    st.caption(
        "A contribution has the form of a log Bayes factor but is computed on the groups that the "
        "column helped to make: it ranks columns, and is no evidence that groups exist. "
        "Atypical patients are not shown."
    )


def pair(seen: Distinctions) -> None:
    """The largest differences between two groups."""
    profiled = seen.groups.profiled
    if len(profiled) < 2:
        st.info("Only one group is large enough to be described.", icon=":material/info:")
        return
    titles = seen.groups.titles
    with st.container(horizontal=True, vertical_alignment="bottom"):
        a = st.selectbox("Group", profiled, format_func=titles.__getitem__, key="pair_a", width=160)
        others = [k for k in profiled if k != a]
        b = st.selectbox("Against", others, format_func=titles.__getitem__, key="pair_b", width=160)
        count = _count(seen, "pair_count")
    picture(
        pair_figure(seen.between(a, b, count), (titles[a], a), (titles[b], b)),
        "clinical-pair",
        f"Largest differences between {titles[a]} and {titles[b]}",
        "two-groups",
    )
    st.caption(
        "Ranked by size. Of a category only its most different level is shown. Point at a dot to "
        "see how much the column drove the grouping."
    )


def shares_and_scores(seen: Distinctions) -> None:
    """The two tables of R16 section 6, on this cohort."""
    titles = seen.groups.titles
    places = halves()
    for place, table, title, axis in (
        (places[0], seen.yes, "Probability of “yes”", "share of yes"),
        (places[1], seen.scores, "Mean score of ratings", "mean score"),
    ):
        with place:
            st.markdown(f"**{title}**, the widest differences first")
            if table.empty:
                st.caption("No such column formed the groups.")
                continue
            picture(
                group_bars(table.iloc[:8].rename(index=_counted(seen)), titles, axis),
                f"clinical-bars-{axis.split()[0]}",
                f"{title} in every group",
                axis.replace(" ", "-"),
            )
            st.dataframe(
                seen.printed(table), hide_index=True, height=min(38 + 35 * len(table), 320)
            )
    st.caption(
        "Available cases. As Tables 3 and 4 of R16, for all columns; lower scores are closer to "
        "healthy where the scale is built that way."
    )


def _counted(seen: Distinctions) -> dict[str, str]:
    """Names of yes/no columns with the level that is counted."""
    return {name: f"{name} = {yes}" for name, yes in seen.yes_levels.items()}


def cards(seen: Distinctions) -> None:
    """What stands out in every group."""
    profiled = seen.groups.profiled
    for start in range(0, len(profiled), 2):
        places = st.columns(2)
        for place, k in zip(places, profiled[start : start + 2], strict=False):
            card = seen.cards[k]
            with place.container(border=True, height="stretch"):
                st.subheader(f"{seen.groups.titles[k]}: {card.size:,} patients", anchor=False)
                lines = [
                    f"- **{trait.word}** {escaped(trait.what)}: {escaped(trait.here)}, "
                    f"all patients {escaped(trait.overall)} (n = {trait.n_observed:,})"
                    for trait in card.traits
                ]
                st.markdown("\n".join(lines) or f"{NOTHING.capitalize()}.")
    if seen.groups.atypical:
        st.caption(
            f"{seen.groups.atypical_rows.size:,} atypical patients have no card: fewer than "
            f"{SMALLEST} are no group to describe."
        )
