"""Prepare: the steps that make the table ready, in a list, with a preview of the next one."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.prepare import STEPS
from mapdp_studio.core.prepare.cells import emptying
from mapdp_studio.core.prepare.recipe import Entry, Recipe, Record
from mapdp_studio.core.prepare.step import PrepareError, Step
from mapdp_studio.core.profiling.suggestions import Suggestion, suggestions
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.data.forms import Draft, form
from mapdp_studio.pages.parts.shared.kit import halves, listing

PREVIEW_ROWS, PREVIEW_COLUMNS = 10, 8
ROWS_BEFORE = 3  # the first that is left out
#: In the session: the step that the form begins with, and how often it began anew.
_DRAFT, _ROUND = "prepare_draft", "prepare_round"


def found_suggestions(visit: Session) -> tuple[Suggestion, ...]:
    """What the table seems to need, looked at once."""
    table = visit.table
    return visit.results.cached(
        "preparation", table.digest, lambda: suggestions(table.frame, visit.suggested)
    )


def point_to_suggestions(visit: Session) -> None:
    """One line: what Prepare would suggest, and the way there."""
    reasons = [suggestion.why for suggestion in found_suggestions(visit)]
    broken = sum(bool(record.problem) for record in visit.table.records)
    sentences = [f"{counted(broken, 'step')} of Prepare cannot be carried out."] * bool(broken)
    sentences += reasons[:1] + [f"And {len(reasons) - 1:,} more."] * (len(reasons) > 1)
    if sentences:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(f":material/build: {escaped(' '.join(sentences))}", width="content")
            to_prepare = {"data_tab": "Prepare"}
            st.button("Open Prepare", on_click=st.session_state.update, args=(to_prepare,))


def prepare(visit: Session) -> None:
    """The list of steps, what is suggested, and a form with its preview."""
    table, is_locked = visit.table, visit.study.lock is not None
    if is_locked:
        text = "The roles are locked, and so is the table: unlock them on Clinical first."
        st.info(text, icon=":material/lock:")
    if not table.records:
        st.caption(
            "No step yet. Steps are applied in order, kept with the project and the script, and "
            "each can be switched off, moved and taken away."
        )
    for place, record in enumerate(table.records):
        _line(table.recipe, place, record, is_locked)
    if is_locked:
        return
    for place, suggestion in enumerate(found_suggestions(visit)):
        key = f"look-{table.digest}-{place}"
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f":material/lightbulb: {escaped(suggestion.why)}", width="content")
            st.button("Look at it", key=key, on_click=_begin, args=(suggestion.step,))
    _new_step(visit)


def _line(recipe: Recipe, place: int, record: Record, is_locked: bool) -> None:
    entry, last, key = record.entry, len(recipe.entries) - 1, f"{place}-{len(recipe.entries)}"
    switch, line, tools = st.columns([1, 14, 4], vertical_alignment="center")
    turn = {"on_change": _take, "args": (recipe.switched(place),), "disabled": is_locked}
    turn |= {"key": f"step-on-{key}-{entry.is_on}", "label_visibility": "collapsed"}
    switch.toggle(f"Step {place + 1}", entry.is_on, **turn)
    text = f"{place + 1}\\. {_text(record)}"
    line.markdown(text if entry.is_on else f":gray[{text}]")
    with tools.container(horizontal=True, gap="small", horizontal_alignment="right"):
        for icon, tip, after, can in (
            ("arrow_upward", "Earlier", recipe.moved(place, -1), place > 0),
            ("arrow_downward", "Later", recipe.moved(place, 1), place < last),
            ("delete", "Take this step away", recipe.without(place), True),
        ):
            does = {"on_click": _take, "args": (after,), "disabled": is_locked or not can}
            does |= {"key": f"step-{icon}-{key}", "type": "tertiary", "help": tip}
            st.button(f":material/{icon}:", **does)
    if record.problem:
        st.warning(f"Not carried out. {escaped(record.problem)}", icon=":material/warning:")


def _text(record: Record) -> str:
    """What a step does or did, its effect, and what one should know of it."""
    parts = escaped(record.entry.step.sentence), record.effect and f"**{record.effect}**"
    return " \u00b7 ".join(filter(None, (*parts, escaped(record.remark))))


def _begin(step: Step | None = None) -> None:
    """Begin the form anew, with a step or empty."""
    state = st.session_state
    state[_DRAFT], state[_ROUND] = step, state.get(_ROUND, 0) + 1


def _new_step(visit: Session) -> None:
    """Choose what to do, fill in its form, and see what it would change before it is taken."""
    table, frame, draft = visit.table, visit.table.frame, st.session_state.get(_DRAFT)
    keys, key = [None, *STEPS], f"{st.session_state.get(_ROUND, 0)}-{table.digest}"
    chosen = st.selectbox(
        "Add a step",
        keys,
        index=keys.index(draft and draft.key),
        format_func=lambda key: "Choose what to do" if key is None else STEPS[key].title,
        key=f"step-kind-{key}",
    )
    if chosen is None:
        return
    offer = st.container()  # above the form, however long that is
    initial, problem = draft if draft is not None and draft.key == chosen else None, ""
    try:
        step = form(Draft(STEPS[chosen], frame, initial, f"step-{chosen}-{key}", visit.schema))
    except PrepareError as error:
        step, problem = None, str(error)
    if step is not None:
        codes = {n: spec.missing_codes for n, spec in visit.schema.items() if n in frame}
        # What is declared missing is made empty before a step that would compute with it.
        added = Recipe(tuple(map(Entry, (*emptying(frame, codes, step), step))))
        step_key = table.digest, added
        prepared = visit.results.cached("next step", step_key, lambda: added.apply(frame))
        problem = next((record.problem for record in prepared.records if record.problem), "")
    with offer:
        if problem:
            st.error(escaped(problem), icon=":material/error:")
        with st.container(horizontal=True, vertical_alignment="center"):
            if step is not None and not problem:
                after = Recipe((*table.recipe.entries, *added.entries))
                if len(added.steps) == 1:
                    after = table.with_step(added.steps[0])
                # Not in a callback, which would have what this run began with, not what was typed.
                if st.button("Add this step", type="primary", icon=":material/check:"):
                    _take(after)
                    st.rerun()
                st.markdown("  \n".join(map(_text, prepared.records)), width="stretch")
            st.button("Leave it", key="leave step", on_click=_begin)
            if step is None and not problem:
                st.caption("Fill in what is asked: what it would change is shown here first.")
    if step is not None and not problem:
        _preview(frame, prepared.frame, step)


def _preview(before: pd.DataFrame, after: pd.DataFrame, step: Step) -> None:
    rows = _rows_to_show(before, after, step)
    for place, title, frame, other in zip(
        halves(), ("Before", "After"), (before, after), (after, before), strict=True
    ):
        new = [name for name in frame.columns if name not in other.columns]
        ordered = dict.fromkeys([*new, *step.writes, *step.needs, *frame.columns])
        names = [name for name in ordered if name in frame.columns][:PREVIEW_COLUMNS]
        place.caption(f"{title}, {counted(len(frame), 'row')}")
        some = [row for row in rows if row < len(frame)]
        listing(frame[names].iloc[some], f"Rows {title.lower()} the step", place)


def _rows_to_show(before: pd.DataFrame, after: pd.DataFrame, step: Step) -> Sequence[int]:
    """Rows that change, or from a little before the first that is left out; else the first."""
    compared = step.writes if len(before) == len(after) else [*step.needs, *before.columns]
    shared = [name for name in compared if name in before and name in after][:PREVIEW_COLUMNS]
    n = min(len(before), len(after))
    one, other = (frame[shared][:n].astype("string").fillna("") for frame in (before, after))
    changed = np.flatnonzero((one.to_numpy() != other.to_numpy()).any(axis=1))
    if len(before) > len(after):
        first = max(min([*changed[:1], n]) - ROWS_BEFORE, 0)
        return range(first, first + PREVIEW_ROWS)
    return changed[:PREVIEW_ROWS].tolist() or range(PREVIEW_ROWS)


@in_visit
def _take(recipe: Recipe) -> None:
    """Go on with other steps; undone like every decision."""
    with st.spinner("Preparing the table"):
        session().prepare(recipe)
    _begin()
