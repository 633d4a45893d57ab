"""The role of every column, the plan, and the lock on both."""

from __future__ import annotations

import streamlit as st

from core import SchemaError
from core.clinical.concerns import concerns
from core.clinical.study import PARTS, Plan, Study
from core.schema.spec import TIME_TO_EVENT
from core.wording import counted, escaped
from pages import Session, session
from pages.parts.clinical.work import find_groups, go_to
from pages.parts.compare.settings import CONCENTRATIONS
from pages.parts.data.column_table import change_several, column_table
from pages.parts.shared.background import in_background

START = Plan()
MEANINGS = {
    "cluster": (
        "Make the groups",
        "What describes the illness. Groups will differ on these by construction.",
    ),
    "validator": (
        "Validators",
        "Outcomes and measurements kept out, to test the groups against.",
    ),
    "control": (
        "Negative controls",
        "What no illness explains (site, randomised arm): should show nothing.",
    ),
    "id": ("Name a patient", "Never shown, never exported unless you ask."),
    "ignore": ("Left aside", "Read by nothing, or only together with a time to an event."),
}


def roles(studio: Session) -> None:
    """Decide and lock, or see what is locked."""
    if studio.study.lock is not None:
        _locked(studio.study)
        return
    _counts(studio)
    if studio.study.log:
        with st.expander("What happened in this study so far", icon=":material/history:"):
            _history(studio.study)
    _concerns(studio)
    _survival(studio)
    column_table(studio)
    with st.expander("Change several columns at once", icon=":material/done_all:"):
        change_several(studio)
    plan = _plan()
    if st.session_state.get("lock_failure"):
        st.error(escaped(st.session_state["lock_failure"]), icon=":material/error:")
    st.button(
        "Lock the roles and find groups",
        type="primary",
        icon=":material/lock:",
        on_click=_lock,
        args=(plan,),
        disabled=len(studio.schema.names("cluster")) < 2,
        help="From here on, roles and settings stay as they are. Unlocking later is possible and "
        "stays on record.",
    )


def _counts(studio: Session) -> None:
    places = st.columns(len(MEANINGS))
    for place, (role, (title, meaning)) in zip(places, MEANINGS.items(), strict=True):
        place.metric(title, f"{len(studio.schema.names(role)):,}")
        place.caption(meaning)
    label = studio.schema.label_column
    if label is not None:
        st.caption(
            f":material/info: “{escaped(label)}” is a known answer (role “label”): it takes no "
            "part here. Give it the role “validator” to test the groups against it."
        )


def _concerns(studio: Session) -> None:
    frame, schema = studio.table.frame, studio.schema
    found = in_background(
        studio,
        "clinical concerns",
        (studio.table.digest, schema),
        "Checking the roles",
        lambda job: concerns(frame, schema),
    )
    for sentence in found or ():
        st.warning(escaped(sentence), icon=":material/warning:")
    if found == []:
        st.caption(
            ":material/check: No patient recurs, every event is named, and no validator can be "
            "worked out from the columns that make the groups."
        )


def _survival(studio: Session) -> None:
    """Name a time to an event, its status column and the codes that mean it happened."""
    frame, schema = studio.table.frame, studio.schema
    timed = [name for name, spec in schema.items() if spec.family == TIME_TO_EVENT]
    unsettled = [name for name in timed if not schema[name].event_codes]
    label = "Survival: who had the event, and when?"
    with st.expander(label, expanded=bool(unsettled), icon=":material/timeline:"):
        amounts = [name for name in schema if name in timed or _is_amount(frame, name)]
        if not amounts:
            st.caption("This table has no column of numbers that could be a time.")
            return
        first = (unsettled or timed or [None])[0]
        places = st.columns(3)
        time = places[0].selectbox(
            "Time until the event, or until last seen",
            amounts,
            index=None if first is None else amounts.index(first),
            key=f"survival time {studio.table.digest}",
            filter_mode="contains",
        )
        others = [name for name in schema if name != time]
        known = schema[time].event if time is not None else None
        status = places[1].selectbox(
            "Column that says what happened",
            others,
            index=others.index(known) if known in others else None,
            key=f"survival status {studio.table.digest} {time}",
            filter_mode="contains",
        )
        values = [] if status is None else sorted(frame[status].dropna().unique(), key=str)[:50]
        chosen = [code for code in schema[time].event_codes or () if code in values] if time else []
        codes = places[2].multiselect(
            "Its values that mean the event happened",
            values,
            chosen,
            format_func=str,
            key=f"survival codes {studio.table.digest} {status}",
            help="All other values count as: not yet, when last seen.",
        )
        if st.button("Use as a validator", icon=":material/check:", disabled=not (time and codes)):
            outcome = {"family": TIME_TO_EVENT, "role": "validator", "event": status}
            outcome["event_codes"] = tuple(codes)
            aside = {"role": "ignore", "reason": f"Read together with '{time}'."}
            studio.change({time: outcome, status: aside})
            st.rerun()


def _is_amount(frame, name: str) -> bool:
    kind = frame[name].dtype.kind
    return kind in "iuf" and frame[name].nunique() > 10


def _plan() -> Plan:
    """The settings that are locked with the roles."""
    with st.expander("The plan, locked together with the roles", icon=":material/tune:"):
        purpose = st.text_area(
            "What is this study for?", key="study_purpose", persist_state="session", height=70
        )
        why = st.text_area(
            "Why do these columns make the groups?",
            key="study_why",
            persist_state="session",
            height=70,
        )
        places = st.columns(3)
        concentration = places[0].select_slider(
            "Concentration N₀",
            CONCENTRATIONS,
            START.concentration,
            format_func=lambda value: f"{value:g}",
            key="study_n0",
            persist_state="session",
            help="The prior count: how readily a patient founds a group. Up: more groups. 3 is "
            "weak for cohorts of any usual size.",
        )
        restarts = places[1].slider(
            "Searches",
            1,
            50,
            START.restarts,
            key="study_restarts",
            persist_state="session",
            help="Independent searches; the best one gives the groups. 10, as in R16.",
        )
        seed = places[2].number_input(
            "Seed",
            0,
            999_999,
            START.seed,
            key="study_seed",
            persist_state="session",
            help="The same seed gives the same groups.",
        )
    return Plan(concentration, restarts, int(seed), purpose.strip(), why.strip())


def _lock(plan: Plan) -> None:
    studio = session()
    elsewhere = studio.results.fitted.total()
    try:
        studio.study.lock_in(studio.table.frame, studio.schema, plan, elsewhere)
    except SchemaError as error:
        st.session_state["lock_failure"] = str(error)
        return
    st.session_state["lock_failure"] = ""
    find_groups(studio)
    go_to("groups")


def _unlock() -> None:
    session().study.unlock()


def _locked(study: Study) -> None:
    """The lock's certificate and the way to take it back."""
    lock = study.lock
    st.success(f"Locked {lock.time}.", icon=":material/lock:")
    places = st.columns([1, 1, 3])
    places[0].metric("Patients", f"{lock.n_rows:,}")
    places[1].metric("Searches", f"{lock.plan.restarts:,}")
    places[2].caption(f"SHA-256 of roles, likelihoods, plan and data  \n`{lock.hash}`")
    places[2].caption(f"SHA-256 of the data alone  \n`{lock.data_hash}`")
    for part, doing in PARTS.items():
        names = lock.columns(part)
        with st.expander(f"{counted(len(names), 'column')} {doing}", expanded=part != "cluster"):
            st.markdown(", ".join(map(escaped, names)) or "none")
    with st.expander("What happened in this study", icon=":material/history:", expanded=True):
        _history(study)
    with st.popover("Unlock", icon=":material/lock_open:"):
        st.markdown(
            "Once groups were seen, roles chosen anew are chosen knowing them: **every p-value "
            "from then on is marked as chosen afterwards**, on the page and in the report."
            if study.groups_seen
            else "Nobody has seen groups yet, so nothing is marked."
        )
        st.button("Unlock all the same", on_click=_unlock)


def _history(study: Study) -> None:
    st.markdown("\n".join(f"- {event.time}: {escaped(event.what)}" for event in study.log))
