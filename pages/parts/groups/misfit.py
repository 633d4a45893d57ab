"""Columns that the model does not describe, and one click to the likelihood that would."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.inference.misfit import CATEGORIES, in_one_sentence, misfits
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.profiling.outcome_split import outcome_split
from mapdp_studio.core.profiling.profiles import natural_columns
from mapdp_studio.core.schema.chosen import Change, change_in_words
from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.chosen import Chosen
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.what_if import ask, snapshot_of, what_if_result

MOST_SHOWN = 3
_PLACE = "misfit"


def group_misfit(studio: Session, chosen: Chosen) -> None:
    """Say which columns do not fit, the worst first, and what would become of the groups."""
    what_if_result(studio, _PLACE, before=snapshot_of(chosen, studio.schema, studio.settings))
    _outcome_alone(studio, chosen)
    schema = chosen.judge.schema_
    found = get_result(
        studio,
        "misfit",
        chosen.about,
        "Holding the columns against the model",
        lambda job: misfits(chosen.partition.partition_, schema),
    )
    if schema.priors:
        _left_over([misfit.column for misfit in found or ()])
        return
    ratings = [misfit for misfit in found or () if misfit.change == CATEGORIES]
    if len(ratings) > 1:
        columns = tuple(misfit.column for misfit in ratings)
        one_click(columns, CATEGORIES, in_one_sentence(ratings))
        found = [misfit for misfit in found if misfit not in ratings]
    for misfit in (found or ())[:MOST_SHOWN]:
        reason = f"{misfit.text} {studio.schema[misfit.column].reason}"
        one_click((misfit.column,), misfit.change, misfit.text, reason)
    more = len(found or ()) - MOST_SHOWN
    if more > 0:
        st.caption(f"{more:,} more columns are described less well than they could be.")


def _left_over(columns: list[str]) -> None:
    """Of a model that the table chose: which columns it still does not describe, in one line."""
    if columns:
        st.caption(
            f":material/troubleshoot: Not quite as the chosen model expects: "
            f"{escaped(listed(columns, MOST_SHOWN))}. What else to try is on **Data**, in "
            "the column's line."
        )


def _outcome_alone(studio: Session, chosen: Chosen) -> None:
    if chosen.algorithm != JUDGE:
        return
    columns = natural_columns(chosen.judge.columns_.encoded)
    said = studio.results.latest(
        "outcome split", chosen.about, lambda: outcome_split(columns, chosen.groups.labels)
    )
    if said:
        st.warning(said, icon=":material/call_split:")


def one_click(columns: tuple[str, ...], change: Change | None, said: str, reason: str = "") -> None:
    """Say what does not fit, and offer the change, if any, with both results side by side."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(escaped(said) if not reason else said, icon=":material/troubleshoot:")
        if change is not None:
            st.button(
                f"What if: {escaped(listed(columns, 1))} {change_in_words(change)}",
                key=f"misfit {columns[0]}",
                icon=":material/auto_fix_high:",
                on_click=ask,
                args=(columns, change, reason or said, _PLACE),
            )
