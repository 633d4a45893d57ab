"""Snapshots: results set aside under a name, two of them side by side."""

from contextlib import suppress
from itertools import count

import streamlit as st

from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.pages import NotYet, Session, in_visit, session
from mapdp_studio.pages.parts.shared.chosen import Chosen, choose_result
from mapdp_studio.pages.parts.shared.kit import heading, listing
from mapdp_studio.pages.parts.shared.what_if import snapshot_of, two_results

MOST_SNAPSHOTS = 20


def take_one(visit: Session, chosen: Chosen) -> None:
    tried = (f"Result {k}" for k in count(1))
    name = next(one for one in tried if one not in visit.snapshots)
    with (
        st.form("snapshot", border=False, clear_on_submit=True),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        given = st.text_input("Keep this result as", placeholder=name, max_chars=60, width=320)
        if not st.form_submit_button("Keep it", icon=":material/photo_camera:"):
            return
    name = " ".join(given.split()) or name
    if name not in visit.snapshots and len(visit.snapshots) >= MOST_SNAPSHOTS:
        st.error(f"There is room for {MOST_SNAPSHOTS}: remove one first.", icon=":material/error:")
        return
    visit.snapshots[name] = snapshot_of(chosen, visit.schema, visit.settings)


def list_them(visit: Session) -> None:
    """All snapshots in a table, and a way to remove one."""
    saved = visit.snapshots.values()
    columns = {
        "Name": list(visit.snapshots),
        "Method": [one.method for one in saved],
        "K": [one.groups.n_groups for one in saved],
        "E (log units)": [f"{one.objective:,.1f}" for one in saved],
        "Clustered on": [counted(len(one.schema.names("cluster")), "column") for one in saved],
    }
    listing(columns, "The results that were kept")
    with st.popover("Remove one", icon=":material/delete:", type="tertiary"):
        remove = in_visit(visit.snapshots.pop)
        for place, name in enumerate(visit.snapshots):
            st.button(escaped(name), key=f"remove {place}", on_click=remove, args=(name,))


visit = session()
with suppress(NotYet):
    take_one(visit, choose_result(visit, heading("Snapshots", visit)))
if visit.table is not None and len(visit.snapshots) < 2:
    st.info(
        "Keep this result, change something (a column's role, a slider, the method), keep the "
        "other one, and see here what it changed: “with and without income”.",
        icon=":material/photo_camera:",
    )
if visit.snapshots:
    list_them(visit)
if len(visit.snapshots) > 1:
    names = list(visit.snapshots)
    st.subheader("Side by side", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        pair = tuple(
            st.selectbox(label, names, index=len(names) + place, key=f"{label} snapshot", width=320)
            for label, place in (("First", -2), ("Second", -1))
        )
    two_results(pair, *(visit.snapshots[name] for name in pair))
