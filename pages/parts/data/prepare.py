"""Prepare: the steps that make the table ready, in a list, with a preview of the next one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.prepare import STEPS
from mapdp_studio.core.prepare.cells import MergeLevels, emptying
from mapdp_studio.core.prepare.recipe import Entry, Recipe, Record
from mapdp_studio.core.prepare.step import PrepareError, Step
from mapdp_studio.core.profiling.suggestions import Suggestion, suggestions
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.wording import counted, escaped, listed
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.data.forms import Draft, form
from mapdp_studio.pages.parts.shared.kit import halves

PREVIEW_ROWS, PREVIEW_COLUMNS = 10, 8
#: In the session: the form's first step and present one, each with its place; how often anew.
_DRAFT, _MADE, _ROUND = "prepare_draft", "prepare_made", "prepare_round"
_NONE = None, None
#: Codes and columns that a line names.
_CODES = 3


def found_suggestions(studio: Session) -> tuple[Suggestion, ...]:
    """What the table seems to need, looked at once."""
    table = studio.table
    found = studio.results.latest(
        "preparation", table.digest, lambda: suggestions(table.frame, studio.suggested)
    )
    return tuple(suggestion for suggestion in found if suggestion.why not in studio.declined)


def point_to_suggestions(studio: Session) -> None:
    """One line: what Prepare would suggest, and the way there."""
    found = found_suggestions(studio)
    broken = sum(bool(record.problem) for record in studio.table.records)
    said = [f"{counted(broken, 'step')} of Prepare cannot be carried out."] * bool(broken)
    said += [suggestion.why for suggestion in found[:1]]
    said += [f"And {counted(len(found) - 1, 'more suggestion')}."] * (len(found) > 1)
    if not said or studio.study.lock is not None:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f":material/build: {escaped(' '.join(said))}", width="content")
        st.button("Open Prepare", on_click=_open_tab)


def _open_tab() -> None:
    st.session_state["data_tab"] = "Prepare"


def prepare(studio: Session) -> None:
    """The list of steps, what is suggested, and a form with its preview."""
    is_locked = studio.study.lock is not None
    if is_locked:
        said = "The roles are locked, and so is the table: unlock them on Clinical first."
        st.info(said, icon=":material/lock:")
    _steps(studio.table, is_locked)
    if is_locked:
        return
    if st.session_state.get(_DRAFT, _NONE)[1] is None:  # else its form stands by the list
        _suggested(studio)
    _new_step(studio)


def _steps(table: Table, is_locked: bool) -> None:
    if not table.records:
        st.caption(
            "No step yet: the table is as it was read. Steps are applied in order, kept with the "
            "project and the script, and each can be switched off, moved and taken away."
        )
        return
    st.caption(f"As it was read: {_shape(table.as_read)}.")
    for place, record in enumerate(table.records):
        _line(table.recipe, place, record, is_locked)
    st.caption(f"After all steps: {_shape(table.frame)}.")


def _shape(frame: pd.DataFrame) -> str:
    return f"{counted(len(frame), 'row')}, {counted(frame.shape[1], 'column')}"


def _line(recipe: Recipe, place: int, record: Record, is_locked: bool) -> None:
    last, key = len(recipe.entries) - 1, f"{place}-{len(recipe.entries)}"
    switch, said, tools = st.columns([1, 14, 4], vertical_alignment="center")
    switch.toggle(
        f"Step {place + 1}",
        record.entry.is_on,
        key=f"step-on-{key}-{record.entry.is_on}",
        label_visibility="collapsed",
        disabled=is_locked,
        on_change=_rearrange,
        args=(recipe.switched(place),),
    )
    effect = f" \u00b7 **{record.effect}**" if record.effect else ""
    remark = f" \u00b7 {escaped(record.remark)}" if record.remark else ""
    text = f"{place + 1}\\. {escaped(record.entry.step.sentence)}{effect}{remark}"
    said.markdown(text if record.entry.is_on else f":gray[{text}]")
    with tools.container(horizontal=True, gap="small", horizontal_alignment="right"):
        for icon, tip, act, arguments, can in (
            ("arrow_upward", "Earlier", _rearrange, (recipe.moved(place, -1),), place > 0),
            ("arrow_downward", "Later", _rearrange, (recipe.moved(place, 1),), place < last),
            ("edit", "Change this step", _begin, (record.entry.step, place), True),
            ("delete", "Take this step away", _rearrange, (recipe.without(place),), True),
        ):
            st.button(
                f":material/{icon}:",
                key=f"step-{icon}-{key}",
                type="tertiary",
                help=tip,
                disabled=is_locked or not can,
                on_click=act,
                args=arguments,
            )
    if record.problem:
        st.warning(f"Not carried out. {escaped(record.problem)}", icon=":material/warning:")


def _suggested(studio: Session) -> None:
    """What the table seems to need, each to look at or to decline."""
    for place, suggestion in enumerate(found_suggestions(studio)):
        key = f"{studio.table.digest}-{place}"
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f":material/lightbulb: {escaped(suggestion.why)}", width="content")
            begin = suggestion.step, None
            st.button("Look at it", key=f"look-{key}", on_click=_begin, args=begin)
            given = {"type": "tertiary", "on_click": _decline, "args": (suggestion.why,)}
            st.button("Not needed", key=f"decline-{key}", **given)


@in_visit
def _decline(why: str) -> None:
    session().declined |= {why}


def _begin(step: Step, place: int | None) -> None:
    """Fill the form with a step: a suggested one, or the one in a place of the list."""
    _end()
    st.session_state[_DRAFT] = step, place


def _end() -> None:
    for kept in (_DRAFT, _MADE):
        st.session_state.pop(kept, None)
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1


def _new_step(studio: Session) -> None:
    table, state = studio.table, st.session_state
    turn = state.get(_ROUND, 0)
    kind = f"step-kind-{turn}-{table.digest}"
    if kind not in state and _MADE in state:  # the list changed, or another tab was looked at
        state[_DRAFT] = state[_MADE]
    draft, place = state.get(_DRAFT, _NONE)
    if place is not None and place >= len(table.recipe.entries):
        draft = place = None
    keys = [None, *STEPS]
    chosen = st.selectbox(
        "Add a step" if place is None else f"Change step {place + 1}",
        keys,
        index=keys.index(draft.key) if draft is not None else 0,
        format_func=lambda key: "Choose what to do" if key is None else STEPS[key].title,
        key=kind,
        disabled=place is not None,
    )
    state.pop(_MADE, None)
    if chosen is None:
        return
    offer = st.container()  # above the form, however long that is
    frame = table.frame if place is None else _before(studio, place)
    prefix = f"step-{turn}-{chosen}-{table.digest}"
    told = draft if draft is not None and draft.key == chosen else None
    try:
        step = form(Draft(STEPS[chosen], frame, told, prefix, studio.schema))
    except PrepareError as error:
        _refuse(offer, str(error))
        return
    if step is None:
        with offer.container(horizontal=True, vertical_alignment="center"):
            _leave_it()
            st.caption("Choose what is asked below: what it would change is shown here first.")
        return
    state[_MADE] = step, place
    steps = tuple(map(Entry, (*_emptying(studio, frame, step, prefix), step)))
    about = table.digest, place, steps
    prepared = studio.results.latest("next step", about, lambda: Recipe(steps).apply(frame))
    problem = next((record.problem for record in prepared.records if record.problem), "")
    if problem:
        _refuse(offer, problem)
        return
    with offer:
        _offer(table, place, prepared.records)
    _preview(frame, prepared.frame, step)


def _before(studio: Session, place: int) -> pd.DataFrame:
    table = studio.table
    earlier, as_read = Recipe(table.recipe.entries[:place]), table.as_read
    about = table.digest, earlier
    return studio.results.latest("before a step", about, lambda: earlier.apply(as_read).frame)


def _emptying(
    studio: Session, frame: pd.DataFrame, step: Step, prefix: str
) -> tuple[MergeLevels, ...]:
    """Steps that empty what was said to be missing, before one that would compute with it."""
    codes = {n: spec.missing_codes for n, spec in studio.schema.items() if n in frame}
    steps = emptying(frame, codes, step)
    if not steps:
        return ()
    told = "; ".join(
        f"{listed([old for old, _ in one.pairs], _CODES)} in {listed(one.columns, _CODES)}"
        for one in steps
    )
    label = "First make empty what counts as missing"
    is_wanted = st.checkbox(label, value=True, key=f"{prefix}-empties")
    st.caption(f"{escaped(told)}.")
    return steps if is_wanted else ()


def _offer(table: Table, place: int | None, records: Sequence[Record]) -> None:
    recipe, made = table.recipe, tuple(record.entry for record in records)
    if place is not None:
        entry = replace(recipe.entries[place], step=made[-1].step)
        after, label = recipe.replacing(place, *made[:-1], entry), "Change the step"
    else:
        after, label = Recipe((*recipe.entries, *made)), "Add this step"
        after = table.with_step(made[0].step) if len(made) == 1 else after
    with st.container(horizontal=True, vertical_alignment="center"):
        # Not in a callback, which would have what this run began with, not what was being typed.
        if st.button(label, type="primary", icon=":material/check:"):
            _take(after)
            st.rerun()
        _leave_it()
        said = " ".join(map(_said, records))
        st.markdown(f"Once done: {said[0].lower()}{said[1:]}", width="stretch")


def _refuse(offer: DeltaGenerator, why: str) -> None:
    with offer:
        st.error(escaped(why), icon=":material/error:")
        _leave_it()


def _leave_it() -> None:
    st.button("Leave it", key="leave step", on_click=_end)


def _said(record: Record) -> str:
    effect = f" **{record.effect}.**" if record.effect else ""
    remark = f" {escaped(record.remark)}" if record.remark else ""
    return f"{escaped(record.entry.step.sentence)}.{effect}{remark}"


def _preview(before: pd.DataFrame, after: pd.DataFrame, step: Step) -> None:
    rows = _telling_rows(before, after, step)
    for where, title, frame, other in zip(
        halves(), ("Before", "After"), (before, after), (after, before), strict=True
    ):
        with where:
            st.caption(f"{title}, {counted(len(frame), 'row')}")
            st.dataframe(
                frame[_telling_columns(frame, step, other)].iloc[rows],
                hide_index=True,
                placeholder="\u2013",
                alt=f"Ten rows {title.lower()} the step",
            )


def _telling_rows(before: pd.DataFrame, after: pd.DataFrame, step: Step) -> Sequence[int]:
    """Places of rows to show: those that change, first one of each length."""
    shown = list(range(min(PREVIEW_ROWS, len(before), len(after))))
    if len(before) != len(after):
        return shown
    differs, length = pd.Series(False, before.index), pd.Series(0, before.index)
    for name in (name for name in step.writes if name in before and name in after):
        one, other = before[name].astype(str), after[name].astype(str)
        differs |= (one != other) & ~(before[name].isna() & after[name].isna())
        length += one.str.len().fillna(0).astype(int)
    longest = length[differs].drop_duplicates().nlargest(PREVIEW_ROWS).index
    first = list(dict.fromkeys([*longest, *length[differs].index]))[:PREVIEW_ROWS]
    return sorted(first) or shown


def _telling_columns(frame: pd.DataFrame, step: Step, other: pd.DataFrame) -> list[str]:
    """Names of columns to show first: new or gone ones, then what the step reads and writes."""
    new = [name for name in frame.columns if name not in other.columns]
    first = [*new, *step.writes, *step.needs]
    if len(frame) != len(other):
        first = [*step.needs, *step.writes, *new]
    told = [name for name in dict.fromkeys(first) if name in frame.columns]
    others = [name for name in frame.columns if name not in told]
    return (told + others)[: max(PREVIEW_COLUMNS, len(told))]


def _take(recipe: Recipe) -> None:
    """Go on with other steps; undone like every decision."""
    with st.spinner("Preparing the table"):
        session().prepare(recipe)
    _end()


@in_visit
def _rearrange(recipe: Recipe) -> None:
    """Go on with the list in another way; what the form makes stays, a change of a step ends."""
    made = st.session_state.get(_MADE, _NONE)
    _take(recipe)
    if made[0] is not None and made[1] is None:
        st.session_state[_MADE] = made
