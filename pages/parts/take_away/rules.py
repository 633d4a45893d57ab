"""The groups as short rules for other programs: SQL, Excel, Python."""

from __future__ import annotations

import streamlit as st

from core.exports.rule_file import LANGUAGES, RuleFileError, written_rules
from core.exports.take_away import file_stem
from core.profiling.rules import ShortRules, TableRules
from core.wording import counted, escaped, percent
from pages import Session
from pages.parts.shared.chosen import Chosen
from pages.parts.shared.kit import download


def rule_files(studio: Session, chosen: Chosen, rules: TableRules | None) -> None:
    """The rules that give new rows a group, and how often they are right."""
    frame = studio.table.frame
    with st.container(border=True):
        st.subheader("Rules for new rows", anchor=False)
        if rules is None or not rules.found.whole.rules:
            st.caption("No rule of three conditions tells any of these groups.")
            return
        table = studio.table
        written = written_rules(
            rules, chosen.groups.titles, tuple(frame.columns), table.name, bool(table.recipe.steps)
        )
        stem, texts = f"{file_stem(table.name)}-rules", {}
        with st.container(horizontal=True):
            for label, language in LANGUAGES.items():
                try:
                    texts[label] = language.write(written)
                except RuleFileError as error:
                    st.caption(escaped(error))
                    continue
                name = f"{stem}.{language.ending}"
                download(label, texts[label], name, language.mime, key=f"{label} rules")
            with st.popover("Read them", icon=":material/code:", type="tertiary"):
                for text, tab in zip(texts.values(), st.tabs(list(texts)), strict=True):
                    tab.code(text, language=None, height=420)
        st.caption(_said(rules.found, len(frame)))


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
