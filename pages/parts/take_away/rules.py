"""The groups as short rules for other programs: SQL, Excel, Python."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.exports.rule_file import LANGUAGES, RuleFileError, written_rules
from core.exports.take_away import file_stem
from core.profiling.rules import rules_of_table
from core.wording import counted, escaped, percent
from pages import Session
from pages.parts.shared.background import in_background
from pages.parts.shared.chosen import Chosen
from pages.parts.shared.kit import download


def rule_files(studio: Session, chosen: Chosen) -> None:
    """The rules that give new rows a group, and how often they are right."""
    if chosen.groups.n_groups == 1:
        return
    frame, encoded = studio.table.frame, chosen.partition.columns_.encoded
    work = partial(rules_of_table, frame, encoded, chosen.groups.labels)
    with st.container(border=True):
        st.subheader("Rules for new rows", anchor=False)
        made = in_background(
            studio, "rules", chosen.about, "Looking for short rules", lambda job: (work(),)
        )
        if made is None:
            return
        (rules,) = made
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
        found = rules.found
        st.caption(
            f"{counted(len(found.whole.rules), 'rule')} of at most three conditions, and one group "
            f"for all other rows. They give {percent(found.agreement)} of the rows that they were "
            f"not made from their own group (cross-validated); the largest group has "
            f"{percent(found.largest)}. The model above is right more often."
            + _sought(found.n_searched, len(frame))
        )


def _sought(n_searched: int, n_rows: int) -> str:
    if n_searched == n_rows:
        return ""
    return f" They were sought among {n_searched:,} rows drawn from all."
