"""The groups as short rules, in a Python function for new rows."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.exports.rule_file import rules_in_python
from mapdp_studio.core.exports.take_away import file_stem
from mapdp_studio.core.profiling.rules import ShortRules, TableRules
from mapdp_studio.core.wording import counted, percent
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.chosen import Chosen
from mapdp_studio.pages.parts.shared.kit import download


def rule_files(studio: Session, chosen: Chosen, rules: TableRules | None) -> None:
    """The rules that give new rows a group, and how often they are right."""
    with st.container(border=True):
        st.subheader("Rules for new rows", anchor=False)
        if rules is None or not rules.found.whole.rules:
            st.caption("No rule of three conditions tells any of these groups.")
            return
        table = studio.table
        prepared = bool(table.recipe.steps)
        text = rules_in_python(rules, chosen.groups.titles, table.name, prepared)
        with st.container(horizontal=True):
            name = f"{file_stem(table.name)}-rules.py"
            download("Python", text, name, "text/x-python", key="Python rules")
            with st.popover("Read them", icon=":material/code:", type="tertiary"):
                st.code(text, height=420)
        st.caption(_said(rules.found, len(table.frame)))


def _said(found: ShortRules, n_rows: int) -> str:
    """What the rules are, and how often they are right."""
    agreement, largest = (
        percent(share).replace(" ", "\u00a0") for share in (found.agreement, found.largest)
    )
    said = (
        f"{counted(len(found.whole.rules), 'rule')} of at most three conditions, and one group for "
        f"all other rows. Of rows that they were not made from, {agreement} are given their own "
        f"group (cross-validated); the largest group has {largest} of all rows."
    )
    never = len(found.whole.never(len(found.rules)))
    if never:
        said += f" No row is given to {counted(never, 'group')} without a rule."
    if found.n_searched < n_rows:
        said += f" They were sought among {found.n_searched:,} rows drawn from all."
    return said
