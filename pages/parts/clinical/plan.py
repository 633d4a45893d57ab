"""Step 1, Plan: three questions, what to settle first, and the lock."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import streamlit as st

from mapdp_studio.core import SchemaError
from mapdp_studio.core.clinical.concerns import MARK, MOST_SITES, concerns, is_site
from mapdp_studio.core.schema.questions import Question
from mapdp_studio.core.schema.spec import TIME_TO_EVENT
from mapdp_studio.core.statistics.variables import unnamed_codes
from mapdp_studio.core.wording import counted, escaped, times
from mapdp_studio.pages import NotYet, Session, in_visit, session
from mapdp_studio.pages.parts.clinical.study import ask_settings, go_to, locked, planned, repeats_in
from mapdp_studio.pages.parts.data.columns import column_table, event_form
from mapdp_studio.pages.parts.data.reading import ask
from mapdp_studio.pages.parts.shared.chosen import is_chosen
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import need_engine, show_refused, takes

LOCK = "Lock and find groups"
#: Questions about columns that the groups are to be tested against.
ASKED = ("label", "outcome", "treatment")
FAILURE, OUTCOME = "lock_failure", {"role": "validator"}


def plan(visit: Session) -> None:
    if visit.study.lock is not None:
        locked(visit.study)
        return
    top = st.container(horizontal=True, vertical_alignment="center")
    top.markdown("**What makes the groups, and what is kept out to test them?**", width="stretch")
    _questions(visit)
    may_go_on = _notices(visit)
    is_ready = has_model = False
    with suppress(NotYet):
        need_engine("The table chooses its model")
        has_model = is_chosen(visit)
        is_ready = has_model and may_go_on and len(visit.schema.names("cluster")) > 1
    n_all, n_used = len(visit.schema), len(visit.schema.names("cluster"))
    with st.expander(f"All {counted(n_all, 'column')}, of which {n_used:,} make the groups"):
        column_table(visit)
    ask_settings(visit, has_model)
    top.button(
        LOCK,
        type="primary",
        icon=":material/lock:",
        on_click=_lock,
        disabled=not is_ready,
        help="From here on, roles and settings stay as they are, with the time and a hash. "
        "Unlocking later is possible and stays on record.",
    )


@in_visit
def _lock() -> None:
    visit = session()
    try:
        visit.study.lock_in(
            visit.table.frame,
            visit.schema,
            planned(visit),
            visit.results.fitted.total(),
            as_rows=bool(st.session_state.get(_as_rows_key(visit))),
        )
    except SchemaError as error:
        st.session_state[FAILURE] = str(error)
        return
    st.session_state[FAILURE] = ""
    visit.asks_table = False  # what is locked is decided
    go_to("groups")


def _questions(visit: Session) -> None:
    frame, schema = visit.table.frame, visit.schema
    named = st.session_state.setdefault(f"sites {visit.table.digest}", set())
    controls, free = schema.names("control"), list(schema.names("cluster"))
    sites = [name for name in controls if name in named or is_site(frame, name)]
    treated = [name for name in controls if name not in sites]
    label = () if schema.label_column is None else (schema.label_column,)

    def patient_or_site(name: str) -> str:
        named.add(name)
        return "id" if frame[name].nunique() > MOST_SITES else "control"

    grid = st.grid(3, min_column_width=300, gap="medium")
    first, *_ = places = [grid.cell() for _ in range(3)]
    asked = [
        (
            "1 Which columns are outcomes?",
            schema.names("validator"),
            [*label, *free],
            lambda name: "validator",
            "Kept out of the search, so that tests are valid. Columns from which an outcome "
            "follows, and a known answer, belong with it.",
        ),
        (
            "2 Which are treatments, or other controls?",
            treated,
            free,
            lambda name: "control",
            "Kept out, as groups that describe the illness should not differ in them.",
        ),
        (
            "3 Which name a patient or a site?",
            [*schema.names("id"), *sites],
            free,
            patient_or_site,
            "An id is not shown. A site, of which there are few, is a control: groups should not "
            "follow it.",
        ),
    ]
    for place, question in zip(places, asked, strict=True):
        with place:
            _columns_of(*question)
    with first:
        _survival(visit)
    ask(visit, [_as_outcome(question) for question in schema.questions if question.about in ASKED])


def _columns_of(
    label: str,
    chosen: Sequence[str],
    others: Sequence[str],
    role: Callable[[str], str],
    meaning: str,
) -> None:
    """Ask which columns have a role: those that have it, and those that may be given it."""
    schema = session().schema
    key = f"{label} {session().table.digest} {hash(schema)}"

    def take(after: list[str]) -> None:
        edits = {name: {"role": role(name)} for name in {*after} - {*chosen}}
        session().change(edits | {name: {"role": "cluster"} for name in {*chosen} - {*after}})

    kwargs = {"filter_mode": "contains", "placeholder": "None", "help": meaning, "wrap": True}
    kwargs |= {"format_func": lambda name: schema[name].title} | takes(key, take)
    st.multiselect(label, [*chosen, *others], list(chosen), **kwargs)


def _as_outcome(question: Question) -> Question:
    """What may be known beforehand is kept out here to test the groups against it."""
    if question.about != "label":
        return question
    first, *_, none = question.answers
    answers = [
        replace(first, text=f"Keep “{name}” out, as an outcome", changes={name: OUTCOME})
        for name in question.columns
    ]
    return replace(question, answers=(*answers, none))


def _survival(visit: Session) -> None:
    """Name a time to an event; in the open while its codes are not settled."""
    frame, schema = visit.table.frame, visit.schema
    timed = [name for name, spec in schema.items() if spec.family == TIME_TO_EVENT]
    unsettled = [
        name for name in timed if not schema[name].event_codes or unnamed_codes(frame, schema, name)
    ]
    amounts = [name for name in schema if name in timed or frame[name].dtype.kind in "iuf"]
    if not amounts:
        return
    first = next(iter([*unsettled, *timed]), None)
    label = "Survival: who had the event, and when?"
    with st.container(border=True) if unsettled else st.popover(label, type="tertiary"):
        time = st.selectbox(
            "Time until the event, or until last seen",
            amounts,
            index=None if first is None else amounts.index(first),
            key=f"survival time {visit.table.digest}",
            filter_mode="contains",
        )
        event_form(visit, time, OUTCOME)


def _notices(visit: Session) -> bool:
    """One notice at a time, the others a click away; whether the plan can be locked so."""
    frame, schema = visit.table.frame, visit.schema
    show_refused(visit)
    if st.session_state.get(FAILURE):
        st.error(escaped(st.session_state[FAILURE]), icon=":material/error:")
    fits = visit.results.fitted.total()
    if fits > 0 and not visit.study.groups_seen:
        # Warn before the lock, not after.
        st.warning(
            f"Groups of this table have been found {times(fits)} on other pages. Locked now, "
            "**every p-value will be marked as chosen afterwards**.",
            icon=":material/history:",
        )
    repeats = repeats_in(visit)
    if repeats is not None:
        st.error(
            f"**{escaped(repeats.sentence)}** Tests take rows for different people, so p-values "
            "would be too small. Make one row a patient (Prepare, on Data); or, if the column "
            "names no patients, take it out of question 3.",
            icon=":material/groups:",
        )
        text = f"Go on with rows: counts are then of rows, and every p-value is marked “{MARK}”"
        return st.checkbox(text, key=_as_rows_key(visit))
    key = visit.table.digest, schema
    doubts: list[str] = []
    with suppress(NotYet):
        doubts += get_result(visit, "Checking the roles", key, lambda job: concerns(frame, schema))
    asked = any(question.about == "outcome" for question in schema.questions)
    if not (schema.names("validator") or asked):
        known = schema.label_column
        text = f" Is “{known}” one? Then name it in question 1." if known else ""
        doubts.append(f"No outcome is named: the groups can be described, but not tested.{text}")
    if doubts:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.warning(escaped(doubts[0]), icon=":material/warning:")
            if doubts[1:]:
                with st.popover(f"{len(doubts) - 1:,} more", type="tertiary"):
                    st.markdown("\n".join(f"- {escaped(one)}" for one in doubts[1:]))
    return True


def _as_rows_key(visit: Session) -> str:
    return f"study as rows {visit.table.digest} {repeats_in(visit)}"
