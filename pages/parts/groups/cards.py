"""What the groups are like: the map, a card for each, column by column, and what if."""

from collections.abc import Sized
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.comparing.panels import groups_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.inference.contributions import column_contributions
from mapdp_studio.core.inference.misfit import misfits
from mapdp_studio.core.plots.heat_maps import differences_figure
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.plots.profiles import bars_figure, distribution_figure
from mapdp_studio.core.plots.template import PALETTE
from mapdp_studio.core.profiling import by_group, profiles
from mapdp_studio.core.profiling.cards import BORNE_OUT, NOTABLE, NOTHING, Card, Trait, sentence
from mapdp_studio.core.profiling.rules import TableRules
from mapdp_studio.core.schema.chosen import change_in_words
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.wording import escaped, listed, percent
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.answers import with_values
from mapdp_studio.pages.parts.shared import kit
from mapdp_studio.pages.parts.shared.chosen import (
    DESCRIBING,
    Chosen,
    DescribedGroups,
    described_groups,
)
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.what_if import (
    ask,
    snapshot_of,
    what_if_buttons,
    what_if_result,
)

#: Cards at most, and traits on each.
MOST_CARDS, MOST_TRAITS = 12, 3
MAP_HEIGHT = 300
#: Columns at most by what they add, and side by side; groups of one column.
MOST_BARS, MOST_FEATURES, MOST_GROUPS = 25, 30, 6
#: Rows of a group whose values are shown next to those of others unasked, at least.
FEW = 5
MOST_SHOWN, MISFITS = 3, "Holding the columns against the model"
_ICONS = {
    "high": "arrow_upward",
    "low": "arrow_downward",
    "more often": "add",
    "less often": "remove",
}


def group_cards(visit: Session, chosen: Chosen) -> None:
    """Draw the map, and the cards beside it."""
    groups, fitted = chosen.groups, chosen.model.n_clusters_
    if groups.n_groups == 1:
        more = f": the slider shows up to {fitted:,} groups of the fit" * (fitted > 1)
        st.info(f"There is one group, and it is the whole table{more}.", icon=":material/info:")
        return
    described = described_groups(visit, chosen)
    encoded = chosen.partition.columns_.encoded
    key = visit.table.digest, chosen.judge_task
    view = visit.results.cached("map", key, lambda: choose_view(encoded))
    panel = groups_panel(view, "Where the rows lie", groups)
    figure = panels_figure(view, [panel], 1, MAP_HEIGHT, **kit.colours())
    up = view.y.title or "nothing"
    grid = st.grid(3, min_column_width=kit.CARD_WIDTH, border=True)
    with grid.cell():
        text = f"The rows, {view.x.title} across and {up} up, coloured by group"
        kit.picture(figure, "map-of-the-groups", text)
    most = None if st.session_state.get("all_cards") else MOST_CARDS
    for k, one in enumerate(described.cards[:most]):
        with grid.cell(), st.container(gap="xsmall"):
            _card(chosen, k, one, described.rules)
    if groups.n_groups > MOST_CARDS:
        label = f"Show all {groups.n_groups:,} groups, not only the {MOST_CARDS} largest"
        st.toggle(label, key="all_cards")
    weighed = "".join(
        f" Rows count by “{escaped(name)}”, scaled to mean 1, but in the sizes of the groups."
        for name in visit.schema.names("weight")
    )
    st.caption(
        f"Groups differ on these columns by construction: no p-value would be valid here.{weighed}",
        help=f"On a card stands what lies at least {NOTABLE:g} standard deviations from the whole "
        "table, the furthest first: medians of skewed measurements, means of other numbers, shares "
        f"of levels, over the rows that have a value (n). {BORNE_OUT}",
    )


def _card(chosen: Chosen, k: int, card: Card, rules: TableRules | None) -> None:
    groups, size = chosen.groups, int(chosen.groups.sizes[k])
    # The colour is one of our own; the title is the visitor's text.
    colour = PALETTE[groups.colours[k] % len(PALETTE)]
    st.html(f'<div style="height: 5px; border-radius: 3px; background: {colour}"></div>')
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{escaped(groups.titles[k])}**", width="content")
        share = escaped(percent(size, groups.labels.size))
        st.caption(f"{size:,} rows, {share}", text_alignment="right")
    if card.nearest is not None:
        st.markdown(sentence(card, groups.titles[card.nearest], escaped))
    lines = [_line(trait, card.size) for trait in card.traits[:MOST_TRAITS]]
    st.markdown("  \n".join(lines) or f"{NOTHING.capitalize()}.")
    rule = None if rules is None else rules.rules[k]
    if rule is not None:
        own, apart = rule.tally, rule.apart
        st.code(rule.text(rules.cells), language=None, wrap_lines=True)
        tried = f"right for {apart.right:,} of {apart.named:,} left out"
        st.caption(
            tried if apart.named else "not tried on others",
            help=f"The rule names {own.named:,} rows, of which {own.right:,} are among the "
            f"{own.size:,} of the group. Made anew without the rows it is held against, it names "
            f"{apart.named:,}, {apart.right:,} of them rightly.",
        )


def _line(trait: Trait, size: int) -> str:
    """What is far from all rows; of how many rows that is known, where not of all."""
    overall = escaped(trait.overall).replace(" ", "\u00a0")
    observed = f", n\u00a0=\u00a0{trait.n_observed:,}" if trait.n_observed != size else ""
    return (
        f":small[:material/{_ICONS[trait.word]}: {escaped(trait.what)} "
        f"**{escaped(trait.here)}** :gray[all\u00a0{overall}{observed}]]"
    )


def group_columns(visit: Session, chosen: Chosen) -> None:
    """Draw the ranking beside one column's distributions, then all groups side by side."""

    def weigh(job: Job) -> pd.Series:
        nats = column_contributions(chosen.partition.partition_)["nats"]
        return nats.sort_values(ascending=False, kind="stable")

    ranked = get_result(visit, "Weighing the columns", chosen.key, weigh)
    if chosen.groups.n_groups == 1:  # which no column drove
        _one_column(visit, chosen, ranked)
        return
    left, right = kit.halves()
    with left:
        st.subheader("What drove the grouping", anchor=False)
        shown = ranked.head(MOST_BARS)
        text = "Contribution of each column to the grouping, the largest first"
        bars = bars_figure(shown.index, shown, "log units")
        kit.picture(bars, "column-contributions", text)
        st.caption(
            "How much better the column is described group by group than by one group for all, on "
            "log scale; below 0 the groups do not suit it. It tells what drove the grouping, not "
            "what is significant." + _more(ranked, shown)
        )
    with right:
        _one_column(visit, chosen, ranked)
    described: DescribedGroups | None = visit.results.peek(DESCRIBING, chosen.key)
    if described is not None:  # else the cards show how far it is
        differences, titles = described.differences, chosen.groups.titles
        shown = profiles.strongest(differences, MOST_FEATURES)
        st.subheader("All groups side by side", anchor=False)
        text = f"Standardised differences of {len(titles):,} groups in {len(shown):,} columns"
        figure = differences_figure(shown, titles, kit.colours()["paper"])
        kit.picture(figure, "standardised-differences", text)
        st.caption(
            "Mean of the group minus mean of all rows, in standard deviations of all rows; on the "
            f"log scale where the model takes logarithms. Empty: fewer than {profiles.LEAST_ROWS} "
            "rows of the group have a value." + _more(differences, shown)
        )


def _more(all_of_them: Sized, shown: Sized) -> str:
    more = len(all_of_them) - len(shown)
    return f" The {len(shown):,} largest; {more:,} more." if more else ""


def _one_column(visit: Session, chosen: Chosen, ranked: pd.Series) -> None:
    encoded, groups, results = chosen.partition.columns_.encoded, chosen.groups, visit.results
    units = {unit.name: unit.columns for unit in encoded.units}
    key, args = (visit.table.digest, visit.schema), (visit.table.frame, visit.schema)
    described = results.cached("described by", key, lambda: profiles.described_by(*args))
    st.subheader("One column, group by group", anchor=False)
    more = ", those that only describe it last" if described else ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = f"Column, those that drove the grouping first{more}"
        offered = [*(name for unit in ranked.index for name in units[unit]), *described]
        kwargs = {"key": f"profiled-{visit.table.digest}", "filter_mode": "contains"}
        name = kit.choose_from_list(label, offered, **kwargs)
        # Shares of a few rows would tower above all others.
        large = np.flatnonzero(groups.sizes >= FEW)[:MOST_GROUPS].tolist()
        kwargs = {"format_func": groups.titles.__getitem__, "persist_state": "session"}
        key = f"groups-{hash(chosen.key)}"
        shown = st.multiselect("Groups", range(groups.n_groups), large or [0], key=key, **kwargs)
    if name is None:
        return
    column = profiles.natural_column(described.get(name, encoded), name)
    key = chosen.key, name, name in described
    titles = dict(enumerate(groups.titles)) | {profiles.ALL: "All rows"}

    def spread_out() -> tuple:
        parts = [by_group.summarise(part, groups.labels) for part in column.parts]
        table, _ = by_group.group_table(parts, titles)
        lines = table.set_index("Column").T.reset_index(drop=True)
        return profiles.distribution(column, groups.labels), lines

    spread, lines = results.cached("one column", (*key, groups.titles), spread_out)
    text = f"Values of {name} in {len(shown)} groups, as shares of each group's observed rows"
    figure = distribution_figure(spread, shown, groups.titles, groups.colours)
    kit.picture(figure, "distribution", text)
    table = with_values({"Group": list(titles.values())}, lines)
    kit.listing(table, f"Summary of {name} by group")
    if name in described:
        st.caption(f"{escaped(name)} took no part in the grouping.")
    if column.outcomes is not None:
        st.caption("The picture and the amounts are of the numbers alone.")


def draw_misfits(visit: Session, chosen: Chosen, place: DeltaGenerator) -> None:
    """Seek the columns that do not fit, the worst first; if there are any, a place says so."""
    schema = chosen.judge.schema_
    work = partial(misfits, chosen.partition.partition_, schema)
    found = get_result(visit, MISFITS, chosen.key, lambda job: work())
    if found:
        is_chosen = "the chosen model" if schema.priors else "its likelihood"
        names = listed((escaped(misfit.column) for misfit in found), MOST_SHOWN)
        place.caption(
            f":material/troubleshoot: Not quite as {is_chosen} expects: {names}. **What if** shows "
            "what another one would make of the groups."
        )


def what_if(visit: Session, chosen: Chosen) -> None:
    """Try a column without, or under another likelihood; first those that do not fit."""
    what_if_result(visit, snapshot_of(chosen, visit.schema, visit.settings))
    for misfit in (visit.results.peek(MISFITS, chosen.key) or ())[:MOST_SHOWN]:
        column, change = misfit.column, misfit.change
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning(misfit.text, icon=":material/troubleshoot:")
            if change is not None:
                st.button(
                    f"What if: {escaped(column)} {change_in_words(change)}",
                    key=f"misfit {column}",
                    icon=":material/auto_fix_high:",
                    on_click=ask,
                    args=(column, change, f"{misfit.text} {visit.schema[column].reason}"),
                )
    names, kwargs = chosen.partition.columns_.encoded.columns, {"filter_mode": "contains"}
    key = f"what-if-{visit.table.digest}"
    name = kit.choose_from_list("Any other column", names, key, width=360, **kwargs)
    if name is not None:
        what_if_buttons(visit, name)
