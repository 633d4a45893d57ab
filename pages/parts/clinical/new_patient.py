"""A new patient: a few questions, what their answers say, and the form on paper."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core import SchemaError
from core.clinical.bedside import SMALLEST, Form, make_form
from core.clinical.new_patient import (
    NONE,
    Answered,
    NewRow,
    answer,
    choices,
    place_row,
    read_answer,
)
from core.clinical.paper_form import paper_form
from core.clinical.questions import Question
from core.clinical.subgroups import Subgroups
from core.exports.take_away import file_stem
from core.plots.profiles import reasons_figure
from core.statistics.suppression import THRESHOLDS
from core.wording import escaped, percent
from pages import Session
from pages.parts.clinical.work import said
from pages.parts.shared.background import in_background
from pages.parts.shared.kit import choose_one, download
from pages.parts.shared.picture import picture
from pages.parts.shared.width import beside

#: Under which the form is kept.
BEDSIDE = "clinical bedside"
FORM, ROW = "A few questions", "A whole row"
NOT_KNOWN = "not known"
REASONS = 15


def new_patient(studio: Session, found: Subgroups) -> None:
    """A patient who is not in the table: from a few answers, or from a row of a second table."""
    how = choose_one("What is known", [FORM, ROW], "new_patient_how", label_visibility="collapsed")
    if how == ROW:
        _whole_row(studio, found)
        return
    form = form_of(studio, found)
    if form is not None:
        _ask(form)
        _how_good(form)
        _on_paper(studio, form)


def about_form(studio: Session, found: Subgroups, least: int) -> tuple:
    """What a form depends on."""
    return studio.study.lock, found.objectives.size, least


def form_of(studio: Session, found: Subgroups) -> Form | None:
    """The form under the report's threshold; None, with the words why, while there is none."""
    lock, least = studio.study.lock, st.session_state.get("clinical_least", THRESHOLDS[0])
    made = in_background(
        studio,
        BEDSIDE,
        about_form(studio, found, least),
        "Looking for a few questions",
        lambda job: (make_form(found, lock.plan.seed, least, job),),
    )
    if made is None:
        return None
    (form,) = made
    if form is None:
        needed = max(SMALLEST, 2 * least)
        st.info(
            said(
                f"A form needs two groups of at least {needed} patients: ten to try it on, and "
                "twice the threshold below which counts are hidden (Report, Files)."
            ),
            icon=":material/info:",
        )
    return form


def _ask(form: Form) -> None:
    """The questions on the left, what their answers say on the right."""
    left, right = beside([2, 3])
    with left:
        answers, is_wrong = {}, False
        for place, question in enumerate(form.asked):
            try:
                answers[question.name] = _asked(form, question, place)
            except SchemaError as error:
                is_wrong = True
                st.error(escaped(str(error)), icon=":material/error:")
        st.button("Clear", icon=":material/backspace:", on_click=_clear, args=(len(form.asked),))
    with right:
        if is_wrong:
            st.info("What is marked in red comes first.", icon=":material/edit_note:")
            return
        if all(value is None for value in answers.values()):
            st.info(
                "Answer one question or more; leave blank what is not known.",
                icon=":material/edit_note:",
            )
            return
        _answered(answer(form, answers))


def _asked(form: Form, question: Question, place: int) -> Any:
    """A list of words, or a number to type; None where it is not known."""
    words, key = choices(form, question), f"new_patient_{place}"
    if words:
        word = st.selectbox(
            escaped(question.title),
            list(words),
            index=None,
            placeholder=NOT_KNOWN,
            key=key,
            persist_state="session",
        )
        return words.get(word)
    text = st.text_input(
        escaped(question.name),
        placeholder=NOT_KNOWN,
        key=key,
        persist_state="session",
    )
    return read_answer(form, question, text)


def _clear(count: int) -> None:
    for place in range(count):
        key = f"new_patient_{place}"
        st.session_state[key] = "" if isinstance(st.session_state.get(key), str) else None


def _answered(found: Answered) -> None:
    for warning in found.warnings:
        st.warning(escaped(warning), icon=":material/straighten:")
    st.markdown(f"**{escaped(said(found.sentence))}**")
    _probabilities(found.titles, found.probabilities)
    st.caption(
        f"{found.n_answered} of {found.n_asked} questions answered. For patients like those of the "
        "table, with groups as common as there."
    )


def _probabilities(titles: tuple[str, ...], probabilities: Any) -> None:
    st.dataframe(
        {"Group": titles, "Probability": [100.0 * p for p in probabilities]},
        hide_index=True,
        column_config={
            "Probability": st.column_config.ProgressColumn(
                format="%.1f %%", min_value=0, max_value=100
            )
        },
    )


def _how_good(form: Form) -> None:
    """Sensitivity and predictive value, and what was tried."""
    st.markdown(f"**{escaped(said(form.sentence))}**")
    left, right = beside([3, 2])
    with left:
        st.dataframe(form.of_groups(), hide_index=True)
        st.caption(
            said(
                "Sensitivity: of the group's patients, the share told to be in it. Predictive "
                "value: of those told to be in it, the share that are. Patients of groups too "
                f"small for the form are counted as {NONE}."
            )
        )
    with right:
        st.dataframe(form.trial.reliability(), hide_index=True)
        st.caption(said("How sure the form was, and how often it was right, each patient held out"))
    st.markdown(said(form.none_sentence))
    with st.expander("What was tried, and the points", icon=":material/table:"):
        st.dataframe(form.compared(), hide_index=True)
        st.caption(
            "The Brier score is the mean squared distance of the probabilities from what is true: "
            "0 is perfect. Points or tree, whichever agreed more, are the form on paper; where the "
            "model agrees more with the same answers, it answers here. The best of three is a "
            "little flattered by the choice."
        )
        if form.points is not None:
            st.dataframe(form.points, hide_index=True)
        else:
            lines = form.rule.lines(form.questions, form.titles)
            st.table(dict(zip(("Question", "Yes", "No"), zip(*lines, strict=True), strict=True)))
        st.caption(
            said(
                f"Groups of fewer than {SMALLEST} patients are left out of it. It gives back the "
                "groups that were found here; it does not show that they are subtypes."
            )
        )


def _on_paper(studio: Session, form: Form) -> None:
    lock, name = studio.study.lock, studio.table.name
    download(
        "The form on paper (HTML, one sheet)",
        lambda: paper_form(form, lock, name),
        f"{file_stem(name)}-form.html",
        "text/html",
        icon=":material/print:",
    )
    st.caption(
        said(
            f"No count of patients below {form.least} can be worked out from the sheet: its figures"
            " are told in bands, so they are rounder than those above. The threshold is chosen "
            "under Report, Files."
            if form.least
            else "Hiding small counts is off (Report, Files): the sheet tells them all."
        )
    )


def _whole_row(studio: Session, found: Subgroups) -> None:
    """A patient of the second table, placed by all columns."""
    table = studio.study.second
    if table is None:
        st.info(
            "With all columns known, the whole model places the patient: bring a table of one row "
            "or more under “More”, “A second cohort”, and choose the row here.",
            icon=":material/table_rows:",
        )
        return
    row = st.columns(3)[0].number_input(
        said(f"Patient of {escaped(table.name)}"), 1, len(table.frame), 1, key="new_patient_row"
    )
    try:
        placed = place_row(found, table.frame.iloc[[int(row) - 1]])
    except SchemaError as error:
        st.error(escaped(str(error)), icon=":material/error:")
        return
    left, right = beside([2, 3])
    with left:
        _probabilities(placed.titles, placed.probabilities)
        st.caption(
            said(
                f"{placed.placed_using.capitalize()}. {_how_strange(placed)} With many columns a "
                "probability is nearly always near 0 or 1: do not go by it alone."
            )
        )
    with right:
        _reasons(placed)


def _how_strange(placed: NewRow) -> str:
    return (
        f"{percent(placed.stranger)} of the patients of the first table fit their groups as badly "
        "as this one, or worse."
    )


def _reasons(placed: NewRow) -> None:
    reasons = placed.reasons.head(REASONS)
    named, second = placed.titles[placed.named], placed.titles[placed.second]
    n_groups = len(placed.titles) - 1
    st.markdown(f"**What spoke for {named}, and what for {second}**")
    picture(
        reasons_figure(
            [f"{c} = {v}" for c, v in zip(reasons["column"], reasons["value"], strict=True)],
            list(reasons["nats"]),
            (named, placed.named if placed.named < n_groups else None),
            (second, placed.second if placed.second < n_groups else None),
        ),
        "clinical-new-reasons",
        f"Columns that spoke for {named} and for {second}",
        "new-patient",
    )
