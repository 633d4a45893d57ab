"""Snapshots: results set aside under a name, two of them side by side."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.shared.chosen import Chosen, choose_result
from mapdp_studio.pages.parts.shared.kit import heading
from mapdp_studio.pages.parts.shared.what_if import snapshot_of, two_results

MOST_SNAPSHOTS = 20


def take_one(studio: Session, chosen: Chosen) -> None:
    """Set the current result aside."""
    name = f"Result {len(studio.snapshots) + 1}"
    with (
        st.form("snapshot", border=False, clear_on_submit=True),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        given = st.text_input("Keep this result as", placeholder=name, max_chars=60, width=320)
        kept = st.form_submit_button("Keep it", icon=":material/photo_camera:")
    if not kept:
        return
    name = " ".join(given.split()) or name
    if name not in studio.snapshots and len(studio.snapshots) >= MOST_SNAPSHOTS:
        st.error(f"There is room for {MOST_SNAPSHOTS}: remove one first.", icon=":material/error:")
        return
    studio.snapshots[name] = snapshot_of(chosen, studio.schema, studio.settings)


def list_them(studio: Session) -> None:
    """All snapshots in a table."""
    st.dataframe(
        pd.DataFrame(
            {
                "Name": list(studio.snapshots),
                "Method": [kept.method for kept in studio.snapshots.values()],
                "K": [kept.groups.n_groups for kept in studio.snapshots.values()],
                "E (log units)": [f"{kept.objective:,.1f}" for kept in studio.snapshots.values()],
                "Clustered on": [
                    f"{len(kept.schema.names('cluster')):,} columns"
                    for kept in studio.snapshots.values()
                ],
            }
        ),
        hide_index=True,
        alt="The results that were kept",
    )


def remove_one(studio: Session) -> None:
    """Remove a snapshot."""
    with st.popover("Remove one", icon=":material/delete:", type="tertiary"):
        for place, name in enumerate(studio.snapshots):
            st.button(
                escaped(name),
                key=f"remove {place}",
                icon=":material/delete:",
                on_click=in_visit(studio.snapshots.pop),
                args=(name,),
            )


def compare_two(studio: Session) -> None:
    """Two snapshots: what was decided otherwise, what came out otherwise."""
    names = list(studio.snapshots)
    st.subheader("Side by side", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = [
            st.selectbox(label, names, index=index, key=f"{label} snapshot", width=320)
            for label, index in (("First", len(names) - 2), ("Second", len(names) - 1))
        ]
    first, second = (studio.snapshots[name] for name in chosen)
    two_results((chosen[0], chosen[1]), first, second, "snapshots-contingency")


studio = session()
row = heading("Snapshots", studio)
chosen = choose_result(studio, row)
if chosen is not None:
    take_one(studio, chosen)
if studio.table is not None and len(studio.snapshots) < 2:
    st.info(
        "Keep this result, change something (a column's role, a slider, the method), keep the "
        "other one, and see here what it changed: “with and without income”.",
        icon=":material/photo_camera:",
    )
others = sum(map(len, studio.set_aside.values())) - len(studio.snapshots)
if others:
    st.caption(
        f"{counted(others, 'snapshot')} of other rows, set aside while other steps of Prepare were "
        "on: with those steps they are here again."
    )
if studio.snapshots:
    list_them(studio)
    remove_one(studio)
if len(studio.snapshots) > 1:
    compare_two(studio)
