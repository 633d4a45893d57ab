"""The values of every column in a few words, looked at once a table."""

from __future__ import annotations

import streamlit as st

from core.profiling.describe import in_words
from core.session.work import Table


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def described(digest: str, _table: Table) -> dict[str, tuple[str, float]]:
    """Of each column: its values in words, and the share of its missing cells."""
    frame = _table.frame
    return {name: (in_words(frame[name]), float(frame[name].isna().mean())) for name in frame}
