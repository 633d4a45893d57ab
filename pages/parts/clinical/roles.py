"""The role of every column, the plan, and the lock on both."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from mapdp_studio.core import SchemaError
from mapdp_studio.core.clinical.concerns import MARK, concerns, unexplained
from mapdp_studio.core.clinical.lock import JUDGED, Plan
from mapdp_studio.core.schema.questions import Question
from mapdp_studio.core.schema.spec import TIME_TO_EVENT
from mapdp_studio.core.statistics.variables import unnamed_codes
from mapdp_studio.core.wording import counted, escaped, times
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.clinical.covariates import ask_covariates
from mapdp_studio.pages.parts.clinical.locked import history, locked
from mapdp_studio.pages.parts.clinical.work import find_groups, go_to, repeats_in
from mapdp_studio.pages.parts.compare.settings import CONCENTRATIONS
from mapdp_studio.pages.parts.data.column_table import change_several, column_table
from mapdp_studio.pages.parts.data.model import ASK, model_choice
from mapdp_studio.pages.parts.data.questions import ask
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.model_choice import choice_under_way, forget_choice

START = Plan()
AS_SUGGESTED = (
    "To be locked as suggested: each column by itself, with a likelihood from its own cells."
)
#: Questions about columns that the groups are to be tested against.
ASKED = ("label", "outcome", "treatment")
#: Columns whose codes are asked for.
MOST_CODES = 8
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
        locked(studio.study)
        return
    _told_before(studio)
    _outcomes(studio)
    _codes(studio)
    _counts(studio)
    if studio.study.log:
        with st.expander("What happened in this study so far", icon=":material/history:"):
            history(studio.study)
    _concerns(studio)
    _survival(studio)
    model_choice(studio, AS_SUGGESTED, ASK)
    choice = choice_under_way(studio)
    column_table(studio)
    with st.expander("Change several columns at once", icon=":material/done_all:"):
        change_several(studio)
    plan = replace(_plan(), covariates=ask_covariates(studio))
    goes_on = _one_row_a_patient(studio)
    if st.session_state.get("lock_failure"):
        st.error(escaped(st.session_state["lock_failure"]), icon=":material/error:")
    st.button(
        "Lock the roles and find groups",
        type="primary",
        icon=":material/lock:",
        on_click=_lock,
        args=(plan,),
        disabled=len(studio.schema.names("cluster")) < 2
        or not goes_on
        or (choice is not None and choice.running),
        help="From here on, roles and settings stay as they are. Unlocking later is possible and "
        "stays on record.",
    )


def _one_row_a_patient(studio: Session) -> bool:
    """Whether rows are patients, or somebody chose to go on with rows all the same."""
    repeats = repeats_in(studio)
    if repeats is None:
        return True
    st.error(
        f"**{escaped(repeats.sentence)}** Tests take rows for different people, so p-values would "
        "be too small. Make one row a patient (Prepare, on Data); or, if the column names no "
        "patients, give it another role above.",
        icon=":material/groups:",
    )
    return st.checkbox(
        f"Go on with rows: counts are then of rows, and every p-value is marked “{MARK}”",
        key=_as_rows_key(studio),
    )


def _as_rows_key(studio: Session) -> str:
    return f"study as rows {studio.table.digest} {repeats_in(studio)}"


def _told_before(studio: Session) -> None:
    """Who has seen groups of these patients is told before the lock, not after."""
    study = studio.study
    fits = studio.results.fitted.total() - study.declared_unseen
    if fits <= 0 or study.groups_seen:
        return
    st.warning(
        f"Groups of this table have been found {times(fits)} on other pages. Locked now, **every "
        "p-value will be marked as chosen afterwards**, on the page and in the report.",
        icon=":material/history:",
    )
    with st.popover("Start clean", icon=":material/restart_alt:"):
        st.markdown(
            "To start clean means that **nobody has looked** at those groups: the page takes your "
            "word for it, and your word goes on record and into the report. Who has looked leaves "
            "this alone and reads the p-values as chosen afterwards."
        )
        st.button(
            "Nobody has looked at them",
            on_click=in_visit(study.declare_unseen),
            args=(studio.results.fitted.total(),),
        )


def _outcomes(studio: Session) -> None:
    """Ask for the outcomes before anything is locked."""
    schema = studio.schema
    ask(studio, [_as_outcome(q) for q in schema.questions if q.about in ASKED])
    known = () if schema.label_column is None else (schema.label_column,)
    names = [*schema.names("validator"), *known, *schema.names("cluster")]
    key = f"outcomes {studio.table.digest} {hash(schema)}"
    st.multiselect(
        "Which columns are outcomes?",
        names,
        list(schema.names("validator")),
        format_func=lambda name: schema[name].title,
        key=key,
        on_change=lambda: _take_outcomes(key),
        filter_mode="contains",
        placeholder="None so far",
        help="What happened later, or what the groups are to be tested against: kept out of the "
        "search, so that its tests are valid. Columns from which an outcome follows belong with "
        "it.",
    )
    if not schema.names("validator"):
        st.warning(
            "No outcome is named: the groups can then be described, but not tested against "
            "anything that did not make them.",
            icon=":material/science:",
        )


def _as_outcome(question: Question) -> Question:
    """What may be known beforehand is kept out here to test the groups against it."""
    if question.about != "label":
        return question
    first, *_, none = question.answers
    kept_out = [
        replace(
            first, text=f"Keep “{name}” out, as an outcome", changes={name: {"role": "validator"}}
        )
        for name in question.columns
    ]
    return replace(question, answers=(*kept_out, none))


@in_visit
def _take_outcomes(key: str) -> None:
    studio = session()
    before, after = set(studio.schema.names("validator")), set(st.session_state[key])
    edits = {name: {"role": "validator"} for name in after - before}
    edits |= {name: {"role": "cluster"} for name in before - after}
    studio.change(edits)


def _codes(studio: Session) -> None:
    """Ask which of two codes is counted, where they do not explain themselves."""
    frame, schema = studio.table.frame, studio.schema
    found = studio.results.latest("codes", schema, lambda: unexplained(frame, schema))
    if not found:
        return
    with st.expander(
        f"Which code is counted? {counted(len(found), 'column')} with codes that do not explain "
        "themselves",
        icon=":material/help:",
        expanded=any(schema[name].role == "validator" for name in found),
    ):
        st.caption("Every share, test and figure names the code that is counted.")
        for name, levels in list(found.items())[:MOST_CODES]:
            key = f"code {studio.table.digest} {name}"
            st.segmented_control(
                f"{escaped(name)}: count",
                sorted(levels, key=str),
                default=levels[1],
                required=True,
                key=key,
                on_change=lambda name=name, levels=levels, key=key: _count_code(name, levels, key),
            )


@in_visit
def _count_code(name: str, levels: tuple, key: str) -> None:
    counts = st.session_state[key]
    other = next(level for level in levels if level != counts)
    session().change({name: {"levels": (other, counts)}})


def _counts(studio: Session) -> None:
    places = st.columns(len(MEANINGS))
    for place, (role, (title, meaning)) in zip(places, MEANINGS.items(), strict=True):
        place.metric(title, f"{len(studio.schema.names(role)):,}")
        place.caption(meaning)
    for name in studio.schema.names("weight"):
        st.caption(
            f":material/info: “{escaped(name)}” says how many patients each row is (role "
            "“weight”): in the search, every count and every test a row is so many patients alike. "
            "Other pages scale it to mean 1, so their groups can differ. Weights of a survey count "
            "people whom nobody examined: set such a column to “ignore” for a study."
        )
    label = studio.schema.label_column
    if label is not None:
        st.caption(
            f":material/info: “{escaped(label)}” is a known answer (role “label”): it takes no "
            "part here. Name it among the outcomes to test the groups against it."
        )


def _concerns(studio: Session) -> None:
    frame, schema = studio.table.frame, studio.schema
    found = get_result(
        studio,
        "clinical concerns",
        (studio.table.digest, schema),
        "Checking the roles",
        lambda job: concerns(frame, schema),
    )
    for sentence in found or ():
        st.warning(escaped(sentence), icon=":material/warning:")
    if found == [] and schema.names("validator") and repeats_in(studio) is None:
        st.caption(
            ":material/check: No patient recurs, every event is named, and no validator can be "
            "worked out from the columns that make the groups."
        )


def _survival(studio: Session) -> None:
    """Name a time to an event, its status column and the codes that mean it happened."""
    frame, schema = studio.table.frame, studio.schema
    timed = [name for name, spec in schema.items() if spec.family == TIME_TO_EVENT]
    unsettled = [name for name in timed if not schema[name].event_codes]
    named = [name for name in timed if name not in unsettled]
    unsettled += [name for name in named if unnamed_codes(frame, schema, name)]
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
            help="A single other value counts as: not yet, when last seen.",
        )
        others = [value for value in values if value not in codes]
        censored: list = []
        if codes and len(others) > 1:
            known = schema[time].censored_codes or ()
            censored = st.multiselect(
                f"Which of the other values of “{escaped(status)}” mean “not yet, when last seen”?",
                others,
                [code for code in known if code in others],
                format_func=str,
                key=f"survival censored {studio.table.digest} {status} {codes}",
                help="What is left is another event that rules this one out, such as a transplant "
                "before death. Cumulative incidences are shown then, not Kaplan-Meier curves.",
            )
        if st.button("Use as a validator", icon=":material/check:", disabled=not (time and codes)):
            outcome = {"family": TIME_TO_EVENT, "role": "validator", "event": status}
            outcome["event_codes"] = tuple(codes)
            outcome["censored_codes"] = tuple(censored) or None
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
        judged = st.radio(
            "Groups to be judged",
            list(JUDGED),
            format_func=JUDGED.__getitem__,
            key="study_judged",
            persist_state="session",
            horizontal=True,
            help="With many patients every deviation of a column from its model can make a group "
            "of its own. The others are the groups that stay while the weight of the evidence is "
            "lowered; the verdict and every check then are about them alone.",
        )
    return Plan(concentration, restarts, int(seed), purpose.strip(), why.strip(), judged)


@in_visit
def _lock(plan: Plan) -> None:
    studio = session()
    elsewhere = studio.results.fitted.total()
    try:
        studio.study.lock_in(
            studio.table.frame,
            studio.schema,
            plan,
            elsewhere,
            as_rows=bool(st.session_state.get(_as_rows_key(studio))),
        )
    except SchemaError as error:
        st.session_state["lock_failure"] = str(error)
        return
    st.session_state["lock_failure"] = ""
    forget_choice(studio)  # what is locked is decided
    studio.asks_table = False
    find_groups(studio)
    go_to("groups")
