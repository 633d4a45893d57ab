"""Rows: filter them, find one by its id, see which are odd or in doubt, and why each is there."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.inference.contributions import row_contributions
from mapdp_studio.core.plots.profiles import reasons_figure
from mapdp_studio.core.prepare.rows import TESTS
from mapdp_studio.core.profiling.judged import RowAssignments, find_rows, row_assignments
from mapdp_studio.core.profiling.profiles import natural_column
from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.marking import with_values
from mapdp_studio.pages.parts.shared.chosen import Chosen
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import halves, shown_ids
from mapdp_studio.pages.parts.shared.part_of_table import cluster_again
from mapdp_studio.pages.parts.shared.picture import picture

MOST_ROWS, MOST_COLUMNS, MOST_REASONS = 500, 40, 14
#: Numbers with more distinct values than this are filtered by a range, others by a list.
FEW_VALUES, MOST_VALUES = 12, 1000
ORDERS = {
    "Atypical first": "The lowest predictive density: rows unlike all others, errors among them.",
    "Between groups first": "The least certain group: rows that could as well be elsewhere.",
    "As in the table": "By row number.",
}
SHOWN = {
    "Sure": st.column_config.ProgressColumn(
        format="%.1f %%", min_value=0, max_value=100, help="Probability of its group."
    ),
    "None of these": st.column_config.NumberColumn(format="%.2f %%"),
    "Density": st.column_config.NumberColumn(
        format="%.1f", help="Natural log of the density: low for unusual rows."
    ),
    "Has": st.column_config.TextColumn(help="Columns with a value."),
}


def group_rows(studio: Session, chosen: Chosen) -> None:
    """Draw the list of rows, and the reasons of the one that is chosen."""
    stand = get_result(
        studio,
        "standings",
        chosen.about,
        "Looking at every row",
        lambda job: row_assignments(chosen.partition, job),
    )
    if stand is None:
        return
    left, right = halves()
    with left:
        row = _list(studio, chosen, stand)
    with right:
        found = _find(studio)
        row = row if found is None else found
        if row is None:
            st.info("Choose a row in the list, or find one, to see why it is where it is.")
        else:
            _why(chosen, stand, row)


def standings(
    stand: RowAssignments, rows: np.ndarray, titles: tuple[str, ...], new: str
) -> dict[str, object]:
    """Where some rows stand, a column each; ``new`` is what none of the groups is called."""
    names = np.array([*titles, new], dtype=object)
    return {
        "Row": rows + 1,
        "Group": names[stand.labels[rows]],
        "Sure": 100.0 * stand.probability[rows],
        "Else": names[stand.second[rows]],
        "Density": stand.log_density[rows],
        "Has": [f"{n} of {stand.n_columns}" for n in stand.n_observed[rows]],
    }


def _find(studio: Session) -> int | None:
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
    met = _filter(studio)
    if inside:
        met &= np.isin(groups.labels, inside)
    places = {
        "Atypical first": stand.log_density,
        "Between groups first": -stand.entropy,
        "As in the table": np.arange(stand.labels.size),
    }
    rows = np.argsort(places[order], kind="stable")
    rows = rows[met[rows]]
    if not rows.size:
        st.info("No row meets these conditions.")
        return None
    shown = rows[:MOST_ROWS]
    columns = [
        *shown_ids(studio),
        *chosen.partition.columns_.encoded.columns[:MOST_COLUMNS],
    ]
    values = studio.table.frame.iloc[shown][columns]
    found = standings(stand, shown, groups.titles, "a new group")
    event = st.dataframe(
        with_values(found, values),
        key=f"rows-{hash((chosen.about, order))}-{rows.size}",
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        height=420,
        placeholder="\u2013",
        column_config=SHOWN,
        alt="Rows of the table with their groups",
    )
    said = f"{rows.size:,} of {len(met):,} rows"
    said += f", the first {MOST_ROWS:,} listed" if rows.size > MOST_ROWS else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{said}. {ORDERS[order]}", width="stretch")
        cluster_again(studio, rows, "filtered rows", "Cluster these rows again", "again-rows")
    picked = event["selection"]["rows"]
    return int(shown[picked[0]]) if picked and picked[0] < shown.size else None


def _why(chosen: Chosen, stand: RowAssignments, row: int) -> None:
    """Its group and the second choice, and what each column says about the two."""
    groups = chosen.groups
    own, other = int(stand.labels[row]), int(stand.second[row])
    names, shades = (*groups.titles, "a new group"), (*groups.colours, None)
    first, second = (escaped(names[k]) for k in (own, other))
    st.subheader(f"Row {row + 1:,}: why it is in {first}", anchor=False)
    st.markdown(
        f"**{first}** {_percent(stand.probability[row])}, then **{second}** "
        f"{_percent(stand.second_probability[row])}; {stand.placed_using(row)}."
    )
    if chosen.sizes[own] == 1:
        st.caption("It is alone in its group: nothing else in the table is like it.")
    found = row_contributions(chosen.partition, [row])
    # The second choice of the table of rows is the one explained.
    said = found.margin.iloc[0].dropna()
    said = said.reindex(said.abs().sort_values(ascending=False, kind="stable").index)
    bars = {
        f"{name}: {_value(chosen, name, row)}": said[name] for name in said.index[:MOST_REASONS]
    }
    rest = said.iloc[MOST_REASONS:]
    if len(rest):
        bars[f"{len(rest):,} other columns"] = float(rest.sum())
    bars["size of the groups"] = float(found.weights[0, 0] - found.weights[0, 1])
    picture(
        reasons_figure([*bars], [*bars.values()], *((names[k], shades[k]) for k in (own, other))),
        "reasons",
        f"What each column of row {row + 1} says for its group and for its second choice",
        f"row-{row + 1}",
    )
    missing = found.margin.columns[found.margin.iloc[0].isna()]
    silent = f" Missing, so silent: {listed(map(escaped, missing), 8)}." if len(missing) else ""
    st.caption(
        f"Log odds between the two groups, column by column; they add up to the whole.{silent}"
    )


def _percent(share: float) -> str:
    if 0.01 <= share <= 0.99:
        return f"{100 * share:.0f} %"
    return "over 99 %" if share > 0.5 else "under 1 %"


def _value(chosen: Chosen, unit_name: str, row: int) -> str:
    encoded = chosen.partition.columns_.encoded
    unit = next(unit for unit in encoded.units if unit.name == unit_name)
    said = (natural_column(encoded, name).said(row) for name in unit.columns)
    return ", ".join(word or "missing" for word in said)


def _filter(studio: Session) -> np.ndarray:
    """Draw the conditions; whether each row meets them all, shape (N,)."""
    frame, digest = studio.table.frame, studio.table.digest
    met = np.ones(len(frame), dtype=bool)
    if studio.marked.size and st.toggle(
        f"Only the {studio.marked.size:,} rows marked on Compare", key=f"marked-{digest}"
    ):
        met = np.isin(np.arange(len(frame)), studio.marked)
    chosen = st.multiselect(
        "Filter by",
        [name for name in frame.columns if name not in studio.schema.names("id")],
        key=f"filter-{digest}",
        persist_state="session",
        placeholder="Columns that rows must meet a condition in",
    )
    for name in chosen:
        met &= _meets(frame[name], f"condition-{digest}-{name}")
    return met


def _meets(column: pd.Series, key: str) -> np.ndarray:
    """Ask for a range or for values; which rows are so, shape (N,): a missing cell never is."""
    label, kept = escaped(column.name), {"key": key, "persist_state": "session"}
    present = column.dropna()
    numeric = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    values = present.unique()
    if numeric and len(values) > FEW_VALUES:
        low, high = float(present.min()), float(present.max())
        if not np.isfinite([low, high]).all():
            st.caption(f"{label} holds an infinite value, so it cannot be filtered by.")
            return np.ones(len(column), dtype=bool)
        picked = st.slider(label, low, high, (low, high), **kept)
        return TESTS["between"].meets(column, picked).fillna(False).to_numpy(dtype=bool)
    ordered = sorted(values.tolist(), key=str)[:MOST_VALUES]
    any_ = "Any value that is there"
    picked = st.multiselect(label, ordered, format_func=str, placeholder=any_, **kept)
    return (TESTS["is"].meets(column, picked) if picked else column.notna()).to_numpy(dtype=bool)
