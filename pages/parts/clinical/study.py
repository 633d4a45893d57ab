"""The study: what is found while its lock lasts, and what is locked together with the roles."""

from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from mapdp_studio.core.clinical.concerns import Repeats, repeats_of
from mapdp_studio.core.clinical.groups import Subgroups, find_subgroups
from mapdp_studio.core.clinical.lock import PARTS, Lock, Plan, possible_covariates
from mapdp_studio.core.clinical.outcomes import Validation, circular_warning, validate
from mapdp_studio.core.clinical.report import versions
from mapdp_studio.core.clinical.study import Study
from mapdp_studio.core.clinical.t_tests import TTests, leave_out
from mapdp_studio.core.clinical.verdict import Checks, run_checks
from mapdp_studio.core.schema.rows import with_copies
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.pages import NotYet, Session, in_visit
from mapdp_studio.pages.parts.data.columns import model_choice
from mapdp_studio.pages.parts.shared.compute import get_result, so_far
from mapdp_studio.pages.parts.shared.kit import download, need_engine

GROUPS, CHECKS = "Looking for groups", "Checking the groups"
LEFT_OUT = "Finding the groups again without each column"
STEP = "clinical_section"
FOLDED, COVARIATES = "For the statistician", "study_covariates"
AS_SUGGESTED = (
    "To be locked as suggested: each column by itself, with a likelihood from its own cells."
)


def go_to(step: str) -> None:
    st.session_state[STEP] = step


def to_the_plan() -> None:
    st.button("Go to the plan", icon=":material/lock:", on_click=go_to, args=("plan",))


def repeats_in(visit: Session) -> Repeats | None:
    """The patient's id that recurs in the table, as its roles are now."""
    frame, schema = visit.table.frame, visit.schema
    key = visit.table.digest, schema
    return visit.results.cached("repeats", key, lambda: repeats_of(frame, schema))


def cohort_of(visit: Session) -> pd.DataFrame:
    """The table of the study, one row a patient: each row as often as it counts."""
    lock, frame = visit.study.lock, visit.table.frame
    return visit.results.cached("cohort", lock, lambda: with_copies(frame, lock.schema))


def groups_of(visit: Session) -> Subgroups:
    """The groups under the lock, looked for on first need."""
    lock = visit.study.lock
    if lock is None:
        st.info(
            "Groups come after the plan is locked: that is what makes the tests honest.",
            icon=":material/lock_open:",
        )
        to_the_plan()
        raise NotYet
    need_engine("The search begins")
    work = partial(find_subgroups, cohort_of(visit), lock)
    subgroups = get_result(visit, GROUPS, lock, work)
    visit.study.note_groups()
    if subgroups.found_any:
        subgroups = checks_of(visit, subgroups).groups
    return subgroups


def groups_to_compare(visit: Session) -> Subgroups:
    """The groups under the lock; NotYet, with the words why, where there is nothing to compare."""
    subgroups = groups_of(visit)
    if not subgroups.found_any:
        st.info(
            "**No groups found.** One group describes these patients best, a few atypical ones "
            "apart, so there is nothing to compare here. With these columns and this many "
            "patients, no subtypes can be told apart: a result worth reporting.",
            icon=":material/filter_1:",
        )
        raise NotYet
    return subgroups


def tests_of(visit: Session, subgroups: Subgroups) -> TTests:
    """The columns and groups of the study, with those left out until now."""
    tests = long_work(visit, LEFT_OUT, subgroups)[0] if subgroups.found_any else None
    lock, frame = visit.study.lock, cohort_of(visit)
    key = lock, subgroups.n_groups
    return tests or visit.results.cached("t-tests", key, lambda: TTests.of(frame, lock, subgroups))


def checks_of(visit: Session, subgroups: Subgroups) -> Checks:
    """As much as has been checked, with the t-tests."""
    checks = long_work(visit, CHECKS, subgroups)[0] or Checks(subgroups)
    return replace(checks, tests=tests_of(visit, checks.groups))


def validation_of(visit: Session, subgroups: Subgroups) -> Validation:
    lock = visit.study.lock
    work = partial(validate, cohort_of(visit), lock, subgroups.labels)
    return get_result(visit, "Testing", (lock, subgroups.n_groups), work)


def long_work(visit: Session, name: str, subgroups: Subgroups) -> tuple[Any, Job | None]:
    """What ``CHECKS`` or ``LEFT_OUT`` have found, and the job that goes on, or was stopped."""
    lock, frame = visit.study.lock, cohort_of(visit)

    def work(job: Job) -> Checks | TTests:
        if name == CHECKS:
            return run_checks(frame, lock, subgroups, True, job, job.share)
        return leave_out(TTests.of(frame, lock, subgroups), subgroups, job, job.share)

    return so_far(visit, name, lock, work)


def planned(visit: Session) -> Plan:
    """The plan as it is set now: the search is that of Compare, so that both find the same."""
    settings, possible = visit.settings, possible_covariates(visit.schema)
    return Plan(
        settings.concentration,
        settings.effort,
        settings.seed,
        put_together=visit.project.shows_fewer_first,
        likelihood_power=settings.likelihood_power,
        covariates=tuple(n for n in st.session_state.get(COVARIATES, ()) if n in possible),
    )


def ask_settings(visit: Session, has_model: bool) -> None:
    schema = visit.schema
    with st.expander(FOLDED, icon=":material/tune:"):
        if has_model:
            model_choice(visit, AS_SUGGESTED)
        names = possible_covariates(schema)
        before = [*planned(visit).covariates]
        if st.session_state.get(COVARIATES, before) != before:  # else a choice on its way is lost
            st.session_state[COVARIATES] = before
        chosen = st.multiselect(
            "Adjust the outcomes for",
            names,
            key=COVARIATES,
            persist_state="session",
            format_func=lambda name: schema[name].title,
            filter_mode="contains",
            placeholder="Nothing: such as age, sex, site, duration of illness",
            help="By analysis of covariance, logistic, Poisson or Cox regression, beside the "
            "unadjusted effect on the same complete cases.",
        )
        if warning := circular_warning(chosen, schema.names("cluster")):
            st.warning(escaped(warning), icon=":material/warning:")
        st.caption(f"To be locked: {_search(planned(visit))}, as the sliders of Compare stand.")
        _history(visit.study)


def _search(plan: Plan) -> str:
    clusters = "put together until all come back" if plan.merges else "as fitted"
    return (
        f"N₀ = {plan.concentration:g}, {counted(plan.restarts, 'run')} with seed {plan.seed}, "
        f"tolerance {plan.likelihood_power:g}, clusters {clusters}"
    )


def locked(study: Study) -> None:
    """When and what was locked, and the way back; hashes and history folded."""
    lock = study.lock
    with st.container(horizontal=True, vertical_alignment="center"):
        st.success(f"Locked {lock.time}: {lock.participants}.", icon=":material/lock:")
        with st.popover("Unlock", icon=":material/lock_open:"):
            seen = "have been seen: every p-value from then on is marked as chosen afterwards."
            none = "have not been seen yet, so nothing is marked."
            st.markdown(f"Groups {seen if study.groups_seen else none}")
            st.button("Unlock all the same", on_click=in_visit(study.unlock))
    for part, doing in PARTS.items():
        names = lock.titles(part)
        with st.expander(f"{counted(len(names), 'column')} {doing}", expanded=part != "cluster"):
            st.markdown(", ".join(map(escaped, names)) or "none")
    with st.expander(FOLDED, icon=":material/tune:"):
        st.markdown(f"{_search(lock.plan)}.")
        for text in (lock.model, lock.preparation):
            st.caption(escaped(text))
        st.caption(
            f"SHA-256 of roles, likelihoods, plan and data `{lock.hash}`, of the data alone "
            f"`{lock.data_hash}`"
        )
        take_lock(lock)
        _history(study)


def take_lock(lock: Lock) -> None:
    download(
        "Lock (JSON)",
        lambda: lock.to_json(versions()),
        "clinical-lock.json",
        icon=":material/lock:",
        help="Columns, roles, likelihoods and plan. It holds nobody's data.",
    )


def _history(study: Study) -> None:
    if study.log:
        st.markdown("**What happened in this study**")
        st.markdown("\n".join(f"- {event.time}: {escaped(event.what)}" for event in study.log))
