"""Before the lock: what so many patients and columns can find."""

from __future__ import annotations

import streamlit as st

from core import SchemaError
from core.clinical.power import power_of
from core.schema.copies import copies
from pages import Session
from pages.parts.clinical.work import repeats_in


def show_power(studio: Session) -> None:
    """How often groups are found among so many patients, by how far they lie apart."""
    frame, schema = studio.table.frame, studio.schema
    if len(schema.names("cluster")) < 2:
        return
    repeats = repeats_in(studio)
    try:
        n = copies(frame, schema).size if repeats is None else repeats.n_patients
    except SchemaError:
        return  # weights that cannot be counted are told of where the roles are locked
    st.info(
        f"**What this study can find.** {power_of(schema, n).sentence}",
        icon=":material/query_stats:",
    )
