"""What if: columns that the model does not describe, and what would become of the groups."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.inference.misfit import CATEGORIES, Misfit, in_one_sentence, misfits
from mapdp_studio.core.schema.chosen import Change, change_in_words
from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.chosen import Chosen
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.what_if import (
    ask,
    snapshot_of,
    what_if_buttons,
    what_if_result,
)

MOST_SHOWN = 3
_PLACE = "misfit"


def misfits_of(studio: Session, chosen: Chosen) -> list[Misfit] | None:
    """The columns that do not fit, the worst first; None while they are sought."""
    return get_result(
        studio,
        "misfit",
        chosen.about,
        "Holding the columns against the model",
        lambda job: misfits(chosen.partition.partition_, chosen.judge.schema_),
    )


def notice(chosen: Chosen, found: list[Misfit] | None) -> None:
    """One thing to know before the groups are believed, if there is any."""
    if found:
        is_chosen = "the chosen model" if chosen.judge.schema_.priors else "its likelihood"
        names = listed((escaped(misfit.column) for misfit in found), MOST_SHOWN)
        st.caption(
            f":material/troubleshoot: Not quite as {is_chosen} expects: {names}. **What if** shows "
            "what another one would make of the groups."
        )


def what_if(studio: Session, chosen: Chosen) -> None:
    """Try a column without, or under another likelihood; first those that do not fit."""
    what_if_result(studio, _PLACE, before=snapshot_of(chosen, studio.schema, studio.settings))
    found = studio.results.known("misfit", chosen.about) or ()
    ratings = [misfit for misfit in found if misfit.change == CATEGORIES]
    if len(ratings) > 1:
        columns = tuple(misfit.column for misfit in ratings)
        said = in_one_sentence(ratings)
        _one_click(columns, CATEGORIES, escaped(said), said)
        found = [misfit for misfit in found if misfit not in ratings]
    for misfit in found[:MOST_SHOWN]:
        reason = f"{misfit.text} {studio.schema[misfit.column].reason}"
        _one_click((misfit.column,), misfit.change, misfit.text, reason)
    name = st.selectbox(
        "Any other column",
        chosen.partition.columns_.encoded.columns,
        key=f"what-if-{studio.table.digest}",
        persist_state="session",
        filter_mode="contains",
        width=360,
    )
    if name is not None:
        what_if_buttons(studio, name, "clusters")


def _one_click(columns: tuple[str, ...], change: Change | None, said: str, reason: str) -> None:
    """Say what does not fit, and offer the change, if any, with both results side by side."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(said, icon=":material/troubleshoot:")
        if change is not None:
            st.button(
                f"What if: {escaped(listed(columns, 1))} {change_in_words(change)}",
                key=f"misfit {columns[0]}",
                icon=":material/auto_fix_high:",
                on_click=ask,
                args=(columns, change, reason, _PLACE),
            )
