"""The column table: role, family and reason of every column, to accept or to change."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core import FAMILIES
from core.profiling.describe import in_words
from core.schema.spec import ROLES, TIME_TO_EVENT, ColumnSpec
from core.session.work import Table
from pages import Session, session
from pages.parts.shared.kit import show_refused

NO_FAMILY = "none"
FAMILY_LABELS = {
    **{key: family.label for key, family in FAMILIES.items() if not family.is_block},
    TIME_TO_EVENT: "time to an event",
    None: NO_FAMILY,
}
FAMILY_KEYS = {label: key for key, label in FAMILY_LABELS.items()}
ROLES_HELP = (
    "cluster: the groups are made from it. label: a known answer, used for scores only. "
    "validator: an outcome kept out. control: should not differ between groups. "
    "group: the data set of every row, such as a site, for methods that share clusters. "
    "id: names a row, never shown. ignore: left aside."
)


def column_table(studio: Session) -> None:
    """Draw the table; an edit is tried at once, and refused with its reason if it cannot be."""
    show_refused(studio)
    st.data_editor(
        _rows(studio),
        key=_editor_key(studio),
        on_change=_take_edits,
        hide_index=True,
        height=min(38 + 35 * len(studio.schema), 560),
        disabled=["Column", "Why", "Values", "Missing", "Block"],
        column_config={
            "Column": st.column_config.TextColumn(width=220, pinned=True),
            "Role": st.column_config.SelectboxColumn(
                options=list(ROLES), required=True, width=95, help=ROLES_HELP
            ),
            "Likelihood": st.column_config.SelectboxColumn(
                options=list(FAMILY_KEYS), required=True, width=190, help=_families_help()
            ),
            "Why": st.column_config.TextColumn(width=490),
            "Values": st.column_config.TextColumn(width=130),
            "Missing": st.column_config.NumberColumn(format="%.1f %%", width=90),
        },
        alt="Role, likelihood and reason of every column",
    )


def change_several(studio: Session) -> None:
    """Set the role or the likelihood of many columns at once."""
    with st.form("several", border=False):
        names = st.multiselect("Columns", list(studio.schema), select_all=True)
        left, right = st.columns(2)
        keep = "leave as it is"
        role = left.selectbox("Role", ROLES, index=None, placeholder=keep, help=ROLES_HELP)
        family = right.selectbox(
            "Likelihood", list(FAMILY_KEYS), index=None, placeholder=keep, help=_families_help()
        )
        if st.form_submit_button("Change them", icon=":material/done_all:"):
            studio.change(dict.fromkeys(names, _changes(role, family)))
            st.rerun()


def _rows(studio: Session) -> pd.DataFrame:
    described = _described(studio.table.digest, studio.table)
    specs = studio.schema.values()
    rows = pd.DataFrame(
        {
            "Column": list(studio.schema),
            "Role": [spec.role for spec in specs],
            "Likelihood": [FAMILY_LABELS[spec.family] for spec in specs],
            "Why": [_why(studio, spec) for spec in specs],
            "Values": [
                "not shown" if spec.role == "id" else described[name][0]
                for name, spec in studio.schema.items()
            ],
            "Missing": [100 * described[name][1] for name in studio.schema],
        }
    )
    if studio.schema.blocks:
        of = {name: block.name for block in studio.schema.blocks.values() for name in block.columns}
        rows.insert(3, "Block", [of.get(name, "") for name in studio.schema])
    return rows


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def _described(digest: str, _table: Table) -> dict[str, tuple[str, float]]:
    frame = _table.frame
    return {name: (in_words(frame[name]), float(frame[name].isna().mean())) for name in frame}


def _why(studio: Session, spec: ColumnSpec) -> str:
    if spec.name not in studio.refused:
        return spec.reason
    return f"Not changed. {studio.refused[spec.name]}"


def _editor_key(studio: Session) -> str:
    # The editor would go on showing an edit that was refused or undone: then it is made anew.
    return f"columns-{studio.table.digest}-{studio.renewals}"


def _take_edits() -> None:
    studio = session()
    names = list(studio.schema)
    edited = st.session_state[_editor_key(studio)]["edited_rows"]
    if not edited:  # the editor says so after each edit that was taken over
        return
    studio.change(
        {
            names[row]: _changes(edit.get("Role"), edit.get("Likelihood"))
            for row, edit in edited.items()
        }
    )


def _changes(role: str | None, family: str | None) -> dict[str, object]:
    changes: dict[str, object] = {} if role is None else {"role": role}
    return changes if family is None else changes | {"family": FAMILY_KEYS[family]}


def _families_help() -> str:
    return "  \n".join(
        f"{family.label}: {family.help}" for family in FAMILIES.values() if not family.is_block
    )
