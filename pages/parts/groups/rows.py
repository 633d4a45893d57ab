"""Rows: find one by its id, see which are odd or in doubt, and why each is there."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.inference.contributions import Predictions, assignments, row_contributions
from mapdp_studio.core.plots.profiles import reasons_figure
from mapdp_studio.core.profiling.judged import RowAssignments, find_rows, row_assignments
from mapdp_studio.core.profiling.profiles import natural_column
from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare.answers import with_values
from mapdp_studio.pages.parts.shared import kit
from mapdp_studio.pages.parts.shared.chosen import Chosen
from mapdp_studio.pages.parts.shared.compute import get_result

MOST_ROWS, MOST_COLUMNS, MOST_REASONS = 500, 40, 14
#: What the rows are put in order by, the lowest first, and what that is.
ORDERS = {
    "Atypical first": (
        lambda assigned: assigned.log_density,
        "The lowest predictive density: rows unlike all others, errors among them.",
    ),
    "Between groups first": (
        lambda assigned: -assigned.entropy,
        "The least certain group: rows that could as well be elsewhere.",
    ),
    "As in the table": (lambda assigned: np.arange(assigned.labels.size), "By row number."),
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


def group_rows(visit: Session, chosen: Chosen) -> None:
    """Draw the list of rows, and the reasons of the one that is chosen."""
    assigned = assigned_rows(visit, chosen)
    left, right = kit.halves()
    with left:
        row = _list(visit, chosen, assigned)
    with right:
        ids = visit.schema.names("id")
        asked = find_row(visit.table.frame, ids, f"find-{visit.table.digest}")
        row = row if asked is None else asked
        if row is None:
            st.info("Choose a row in the list, or find one, to see why it is where it is.")
        else:
            why_here(chosen.partition, chosen.groups.titles, chosen.groups.colours, row)


def assigned_rows(visit: Session, chosen: Chosen) -> RowAssignments:
    work = partial(row_assignments, chosen.partition)
    return get_result(visit, "Looking at every row", chosen.key, work)


def standings(
    assigned: RowAssignments, rows: np.ndarray, titles: tuple[str, ...], new: str
) -> dict[str, object]:
    """Where some rows stand, a column each; ``new`` is what none of the groups is called."""
    names = np.array([*titles, new], dtype=object)
    return {
        "Row": rows + 1,
        "Group": names[assigned.labels[rows]],
        "Sure": 100.0 * assigned.probability[rows],
        "Else": names[assigned.second[rows]],
        "Density": assigned.log_density[rows],
        "Has": [f"{n} of {assigned.n_columns}" for n in assigned.n_observed[rows]],
    }


def find_row(frame: pd.DataFrame, ids: Sequence[str], key: str) -> int | None:
    """Ask for a row by its id or number; None where nothing, or nothing known, is asked for."""
    label = "Find a row by its id or number" if ids else "Find a row by its number"
    text = st.text_input(label, key=key, icon=":material/search:")
    if not text.strip():
        return None
    rows = find_rows(frame, ids, text)
    if not rows.size:
        st.warning(f"No row has the id or the number “{escaped(text.strip())}”.")
        return None
    if rows.size > 1:
        numbers = listed((f"{row + 1:,}" for row in rows), 10)
        st.caption(f"{rows.size:,} rows have that id: {numbers}. The first one is shown.")
    return int(rows[0])


def _list(visit: Session, chosen: Chosen, assigned: RowAssignments) -> int | None:
    groups = chosen.groups
    with st.container(horizontal=True, vertical_alignment="bottom"):
        order = kit.choose_from_list("Order", list(ORDERS), "row_order")
        kwargs = {"format_func": groups.titles.__getitem__, "placeholder": "All groups"}
        key = f"rows-of-{hash(chosen.key)}"
        inside = st.multiselect("Groups", range(groups.n_groups), key=key, **kwargs)
    by, meaning = ORDERS[order]
    rows = np.argsort(by(assigned), kind="stable")
    rows = rows[np.isin(groups.labels[rows], inside)] if inside else rows
    shown = rows[:MOST_ROWS]
    columns = [*kit.shown_ids(visit), *chosen.partition.columns_.encoded.columns[:MOST_COLUMNS]]
    values = visit.table.frame.iloc[shown][columns]
    event = kit.listing(
        with_values(standings(assigned, shown, groups.titles, "a new group"), values),
        "Rows of the table with their groups",
        key=f"rows-{hash((chosen.key, order))}-{rows.size}",
        on_select="rerun",
        selection_mode="single-row",
        height=420,
        column_config=SHOWN,
    )
    text = f"{rows.size:,} of {groups.labels.size:,} rows"
    text += f", the first {MOST_ROWS:,} listed" if rows.size > MOST_ROWS else ""
    st.caption(f"{text}. {meaning}")
    picked = event["selection"]["rows"]
    return int(shown[picked[0]]) if picked and picked[0] < shown.size else None


def why_here(
    model: Predictions, titles: Sequence[str], colours: Sequence[int], row: int, noun: str = "row"
) -> None:
    """A row's group and its second choice, and what each column says about the two."""
    at, encoded = np.array([row]), model.columns_.encoded
    assigned, reasons = assignments(model, rows=at), row_contributions(model, at)
    names, shades = (*titles, "a new group"), (*colours, None)
    own, other = places = int(assigned.labels[0]), int(reasons.second[0])
    shares = [_percent(assigned.probabilities[0, place]) for place in places]
    st.subheader(
        f"{noun.capitalize()} {row + 1:,}: why it is in {escaped(names[own])}", anchor=False
    )
    st.markdown(
        f"**{escaped(names[own])}** {shares[0]}, then **{escaped(names[other])}** {shares[1]}; "
        f"{assigned.placed_using(0)}."
    )
    margins = reasons.margin.iloc[0].sort_values(key=np.abs, ascending=False, kind="stable")
    missing, margins = margins.index[margins.isna()], margins.dropna()
    units, bars = {unit.name: unit.columns for unit in encoded.units}, {}
    for name in margins.index[:MOST_REASONS]:
        cells = (natural_column(encoded, column).text(row) for column in units[name])
        bars[f"{name} = {', '.join(cell or 'missing' for cell in cells)}"] = margins[name]
    if len(margins) > MOST_REASONS:
        rest = margins.iloc[MOST_REASONS:]
        bars[f"{len(rest):,} other columns"] = float(rest.sum())
    bars["size of the groups"] = float(reasons.weights[0, 0] - reasons.weights[0, 1])
    figure = reasons_figure([*bars], [*bars.values()], *((names[k], shades[k]) for k in places))
    alt = f"What each column of {noun} {row + 1} says for its group and for its second choice"
    kit.picture(figure, f"{noun}-{row + 1}", alt)
    silent = f" Missing, so silent: {listed(map(escaped, missing), 8)}." if len(missing) else ""
    st.caption(
        "Log odds between the two groups, column by column; they add up to the whole. A "
        f"{noun} is judged against the others of its group, never against itself.{silent}"
    )


def _percent(share: float) -> str:
    if 0.01 <= share <= 0.99:
        return f"{100 * share:.0f} %"
    return "over 99 %" if share > 0.5 else "under 1 %"
