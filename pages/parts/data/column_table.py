"""The column table: role, likelihood, values and reason of every column, to take or to change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core import FAMILIES
from mapdp_studio.core.families.family import CATEGORY
from mapdp_studio.core.profiling.profiles import column_of_table, distribution
from mapdp_studio.core.schema.chosen import why
from mapdp_studio.core.schema.spec import ROLES, TIME_TO_EVENT, ColumnSpec
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit, session

MOST_ROWS = 15  # of the column table in sight at once
#: Rows whose values the small bars count, and bars of words.
COUNTED, BARS = 5_000, 12
_ROW = 32
FAMILY_LABELS = {
    **{key: family.label for key, family in FAMILIES.items() if not family.is_block},
    TIME_TO_EVENT: "time to an event",
    None: "none",
}
FAMILY_KEYS = {label: key for key, label in FAMILY_LABELS.items()}
BLOCK_LABELS = {key: family.label for key, family in FAMILIES.items() if family.is_block}
ROLES_HELP = (
    "cluster: the groups are made from it. label: a known answer, used for scores only. "
    "validator: an outcome kept out. control: should not differ between groups. "
    "group: the data set of every row, such as a site, for methods that share clusters. "
    "id: names a row, never shown. weight: how much each row counts in groups and profiles, on any "
    "scale; on Clinical, how many patients it is. ignore: left aside."
)
FAMILIES_HELP = "  \n".join(
    f"{family.label}: {family.help}" for family in FAMILIES.values() if not family.is_block
)


def column_table(studio: Session) -> None:
    """Draw the table; an edit is tried at once, and refused with its reason if it cannot be."""
    # The editor would go on showing an edit that was refused or undone: then it is made anew.
    key = f"columns-{studio.table.digest}-{studio.renewals}"
    names, kind = tuple(studio.schema), st.column_config
    st.data_editor(
        _rows(studio),
        key=key,
        on_change=_take_edits,
        args=(key, names),
        hide_index=True,
        height=_ROW * (1 + min(len(names), MOST_ROWS)) + 3,
        row_height=_ROW,
        disabled=["Spread", "Why", "Missing", "Block"],
        column_config={
            "Look": kind.ButtonColumn(
                "",
                width=40,
                pinned=True,
                type="tertiary",
                key=f"look-{key}",
                on_click=_open_column,
                args=(f"look-{key}", names, detail_key(studio)),
            ),
            "Column": kind.TextColumn(
                width=160, pinned=True, required=True, help="Double-click to give another name."
            ),
            "Role": kind.SelectboxColumn(
                options=list(ROLES), required=True, width=85, help=ROLES_HELP
            ),
            "Likelihood": kind.SelectboxColumn(
                options=list(FAMILY_KEYS), required=True, width=180, help=FAMILIES_HELP
            ),
            "Spread": kind.BarChartColumn(width=80, y_min=0.0, y_max=1.0),
            "Missing": kind.NumberColumn(format="%.1f %%", width=70),
            "Why": kind.TextColumn(width=490),
        },
        alt="Role, likelihood and reason of every column",
    )


def detail_key(studio: Session) -> str:
    """Key of the choice of the one column that is shown in full."""
    return f"detail-{studio.table.digest}"


def _open_column(clicked: str, names: Sequence[str], key: str) -> None:
    name = names[st.session_state[clicked]["row"]]
    st.session_state[key] = None if st.session_state.get(key) == name else name


def blocks(studio: Session) -> None:
    """List the blocks, take one apart, join columns into a new one."""
    joined = studio.schema.blocks.values()
    for block in joined:
        with st.container(horizontal=True, vertical_alignment="center"):
            names = ", ".join(map(escaped, block.columns))
            st.markdown(f"**{escaped(block.name)}** ({BLOCK_LABELS[block.family]}): {names}")
            if st.button("Take apart", key=f"apart-{block.name}", icon=":material/call_split:"):
                studio.take_apart(block.name)
                st.rerun()
    taken = {name for block in joined for name in block.columns}
    numbers = studio.table.frame.select_dtypes("number").columns
    free = [n for n in studio.schema.names("cluster") if n in numbers and n not in taken]
    if len(free) < 2:
        st.info("A block needs at least two numeric columns with the role “cluster”.")
        return
    with st.form(f"block-{studio.table.digest}-{len(taken)}", border=False):
        columns = st.multiselect(
            "Numeric columns that rise and fall together within a group", free, select_all=True
        )
        left, right = st.columns(2)
        name = left.text_input("Name of the block", f"block {len(joined) + 1}")
        family = right.selectbox("Likelihood", list(BLOCK_LABELS), format_func=BLOCK_LABELS.get)
        if st.form_submit_button("Join them", icon=":material/join:"):
            studio.join(name, columns, family)
            st.rerun()


def _rows(studio: Session) -> pd.DataFrame:
    seen = studio.results.latest("columns seen", studio.table.digest, lambda: _seen(studio))
    schema, specs = studio.schema, studio.schema.values()
    rows = pd.DataFrame(
        {
            "Look": ["" if spec.role == "id" else ":material/search:" for spec in specs],
            "Column": list(schema),
            "Spread": [None if spec.role == "id" else seen[spec.name][0] for spec in specs],
            "Role": [spec.role for spec in specs],
            "Likelihood": [FAMILY_LABELS[spec.family] for spec in specs],
            "Missing": [100 * seen[name][1] for name in schema],
            "Why": [_why(studio, spec) for spec in specs],
        }
    )
    if schema.blocks:
        of = {name: block.name for block in schema.blocks.values() for name in block.columns}
        rows.insert(5, "Block", [of.get(name, "") for name in schema])
    return rows


def _seen(studio: Session) -> dict[str, tuple[list[float], float]]:
    """Of each column: how often values occur, and the share of its missing cells."""
    frame = studio.table.frame
    some = frame.iloc[:: -(-len(frame) // COUNTED)]
    together, seen = np.zeros(len(some), dtype=np.int64), {}
    for name in frame:
        spread = distribution(column_of_table(some[name]), together)
        counts = spread.counts[0] if spread.kind != CATEGORY else spread.counts[0, :BARS]
        # A few of thousands of words tell nothing of the others.
        tells = 2 * counts.sum() >= some[name].count()
        bars = (counts / max(counts.max(initial=0), 1)).tolist() if tells else []
        seen[name] = bars, float(frame[name].isna().mean())
    return seen


def _why(studio: Session, spec: ColumnSpec) -> str:
    if spec.name not in studio.refused:
        return why(spec, studio.schema.chosen)
    return f"Not changed. {studio.refused[spec.name]}"


@in_visit
def _take_edits(key: str, names: Sequence[str]) -> None:
    """Take over what was edited in the editor of that key, of whose columns some may be gone."""
    studio, changes = session(), {}
    for row, edit in st.session_state[key]["edited_rows"].items():
        if (name := names[row]) not in studio.schema:
            continue
        if "Column" in edit:
            studio.rename({name: edit["Column"] or ""})
            return
        changes[name] = {"role": edit["Role"]} if "Role" in edit else {}
        if "Likelihood" in edit:
            changes[name]["family"] = FAMILY_KEYS[edit["Likelihood"]]
    if changes:  # the editor says so after each edit that was taken over, too
        studio.change(changes)
