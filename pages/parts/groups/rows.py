"""Rows: filter them, find one by its id, see which are odd or in doubt, and why each is there."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.inference.contributions import row_contributions
from mapdp_studio.core.plots.profiles import reasons_figure
from mapdp_studio.core.profiling.judged import RowAssignments, find_rows, row_assignments
from mapdp_studio.core.profiling.profiles import natural_column
from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.groups.row_filter import row_filter
from mapdp_studio.pages.parts.shared.chosen import Chosen
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import halves, shown_ids
from mapdp_studio.pages.parts.shared.part_of_table import cluster_again
from mapdp_studio.pages.parts.shared.picture import picture

MOST_ROWS, MOST_COLUMNS, MOST_REASONS = 500, 40, 14
ORDERS = {
    "Atypical first": "The lowest predictive density: rows unlike all others, errors among them.",
    "Between groups first": "The least certain group: rows that could as well be elsewhere.",
    "As in the table": "By row number.",
}


def group_rows(studio: Session, chosen: Chosen) -> None:
    """Draw the list of rows, and the reasons of the one that is chosen."""

    def look(job):
        return row_assignments(chosen.partition, job)

    stand = get_result(studio, "standings", chosen.about, "Looking at every row", look)
    if stand is None:
        return
    left, right = halves()
    with left:
        row = _list(studio, chosen, stand)
    with right:
        result = _find(studio)
        row = row if result is None else result
        if row is None:
            st.info(
                "Choose a row on the left, or find one by its id, to see why it is where it is."
            )
        else:
            _why(studio, chosen, stand, row)


def _find(studio: Session) -> int | None:
    """The row with an id that is typed in."""
    ids = studio.schema.names("id")
    text = st.text_input(
        "Find a row by its id or number" if ids else "Find a row by its number",
        key=f"find-{studio.table.digest}",
        icon=":material/search:",
        help="Ids are looked up on the server, whether the list shows them or not."
        if ids
        else None,
    )
    if not text.strip():
        return None
    rows = find_rows(studio.table.frame, ids, text)
    if not rows.size:
        st.warning(f"No row has the id or the number “{escaped(text.strip())}”.")
        return None
    if rows.size > 1:
        numbers = listed((f"{row + 1:,}" for row in rows), 10)
        st.caption(f"{rows.size:,} rows have that id: {numbers}. The first one is shown.")
    return int(rows[0])


def _list(studio: Session, chosen: Chosen, stand: RowAssignments) -> int | None:
    """The rows that are asked for, in the order asked for; the one chosen."""
    groups = chosen.groups
    with st.container(horizontal=True, vertical_alignment="bottom"):
        order = st.selectbox(
            "Order",
            list(ORDERS),
            key="row_order",
            persist_state="session",
            help="  \n".join(f"{name}: {text}" for name, text in ORDERS.items()),
        )
        inside = st.multiselect(
            "Groups",
            range(groups.n_groups),
            format_func=groups.titles.__getitem__,
            key=f"rows-of-{hash(chosen.about)}",
            placeholder="All groups",
        )
    met = row_filter(studio)
    if inside:
        met &= np.isin(groups.labels, inside)
    rows = _ordered(stand, order)
    rows = rows[met[rows]]
    if not rows.size:
        st.info("No row meets these conditions.")
        return None
    shown = rows[:MOST_ROWS]
    event = st.dataframe(
        _table(studio, chosen, stand, shown, shown_ids(studio)),
        key=f"rows-{hash((chosen.about, order))}-{rows.size}",
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        height=420,
        placeholder="\u2013",
        column_config={
            "Sure": st.column_config.ProgressColumn(
                format="%.1f %%", min_value=0, max_value=100, help="Probability of its group."
            ),
            "Density": st.column_config.NumberColumn(
                format="%.1f",
                help="Natural log of the density: low for unusual rows.",
            ),
            "Has": st.column_config.TextColumn(help="Columns with a value."),
        },
        alt="Rows of the table with their groups",
    )
    said = f"{rows.size:,} of {len(met):,} rows"
    said += f", the first {MOST_ROWS:,} listed" if rows.size > MOST_ROWS else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{said}. {ORDERS[order]}", width="stretch")
        cluster_again(studio, rows, "filtered rows", "Cluster these rows again", "again-rows")
    places = event["selection"]["rows"]
    return int(shown[places[0]]) if places and places[0] < shown.size else None


def _ordered(stand: RowAssignments, order: str) -> np.ndarray:
    if order == "Atypical first":
        return np.argsort(stand.log_density, kind="stable")
    if order == "Between groups first":
        return np.argsort(-stand.entropy, kind="stable")
    return np.arange(stand.labels.size)


def _table(
    studio: Session, chosen: Chosen, stand: RowAssignments, rows: np.ndarray, ids: tuple[str, ...]
) -> pd.DataFrame:
    """Where the rows stand, then their own values, the ids that are asked for first."""
    titles = np.array([*chosen.groups.titles, "a new group"], dtype=object)
    table = pd.DataFrame(
        {
            "Row": rows + 1,
            "Group": titles[stand.labels[rows]],
            "Sure": 100.0 * stand.probability[rows],
            "Else": titles[stand.second[rows]],
            "Density": stand.log_density[rows],
            "Has": [f"{n} of {stand.n_columns}" for n in stand.n_observed[rows]],
        }
    )
    values = studio.table.frame.iloc[rows].reset_index(drop=True)
    for name in [*ids, *chosen.partition.columns_.encoded.columns[:MOST_COLUMNS]]:
        # A column of the table may be called as one of ours.
        table[name if name not in table else f"{name} (column)"] = values[name]
    return table


def _why(studio: Session, chosen: Chosen, stand: RowAssignments, row: int) -> None:
    """Its group and the second choice, and what each column says about the two."""
    groups = chosen.groups
    own, other = int(stand.labels[row]), int(stand.second[row])
    is_new = other == groups.n_groups
    titles = groups.titles[own], "a new group" if is_new else groups.titles[other]
    st.subheader(f"Row {row + 1:,}: why it is in {escaped(titles[0])}", anchor=False)
    st.markdown(
        f"**{escaped(titles[0])}** {_percent(stand.probability[row])}, then "
        f"**{escaped(titles[1])}** {_percent(stand.second_probability[row])}; "
        f"{stand.placed_using(row)}."
    )
    if chosen.sizes[own] == 1:
        st.caption("It is alone in its group: nothing else in the table is like it.")
    result = row_contributions(chosen.partition, [row])
    # The second choice of the table of rows is the one explained.
    margins = result.margin.iloc[0].dropna()
    margins = margins.reindex(margins.abs().sort_values(ascending=False, kind="stable").index)
    shown = margins.head(MOST_REASONS)
    names = [f"{name}: {_value(chosen, name, row)}" for name in shown.index]
    values = shown.tolist()
    rest = margins.iloc[MOST_REASONS:]
    if len(rest):
        names.append(f"{len(rest):,} other columns")
        values.append(float(rest.sum()))
    names.append("size of the groups")
    values.append(float(result.weights[0, 0] - result.weights[0, 1]))
    other_colour = None if is_new else groups.colours[other]
    picture(
        reasons_figure(names, values, (titles[0], groups.colours[own]), (titles[1], other_colour)),
        "reasons",
        f"What each column of row {row + 1} says for its group and for its second choice",
        f"row-{row + 1}",
    )
    missing = result.margin.columns[result.margin.iloc[0].isna()]
    said = "Log odds between the two groups, column by column; they add up to the whole."
    if len(missing):
        said += f" Missing, so silent: {listed(map(escaped, missing), 8)}."
    st.caption(said)


def _percent(share: float) -> str:
    if 0.01 <= share <= 0.99:
        return f"{100 * share:.0f} %"
    return "over 99 %" if share > 0.5 else "under 1 %"


def _value(chosen: Chosen, unit_name: str, row: int) -> str:
    """What the row has in a column, or in the columns of a block, in natural units."""
    encoded = chosen.partition.columns_.encoded
    unit = next(unit for unit in encoded.units if unit.name == unit_name)
    said = (natural_column(encoded, name).said(row) for name in unit.columns)
    return ", ".join(word or "missing" for word in said)
