"""What is locked together with the roles, asked before the lock and told after it."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.clinical.lock import PARTS, Lock, Plan, possible_covariates
from mapdp_studio.core.clinical.outcomes import circular_warning
from mapdp_studio.core.clinical.report import versions
from mapdp_studio.core.clinical.study import Study
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.data.model import ASK, model_choice
from mapdp_studio.pages.parts.shared.kit import download

FOLDED, COVARIATES = "For the statistician", "study_covariates"
AS_SUGGESTED = (
    "To be locked as suggested: each column by itself, with a likelihood from its own cells."
)


def planned(studio: Session) -> Plan:
    """The plan as it is set now: the search is that of Compare, so that both find the same."""
    settings, known = studio.settings, possible_covariates(studio.schema)
    return Plan(
        settings.concentration,
        settings.effort,
        settings.seed,
        put_together=studio.work.shows_fewer_first,
        likelihood_power=settings.likelihood_power,
        covariates=tuple(n for n in st.session_state.get(COVARIATES, ()) if n in known),
    )


def ask_settings(studio: Session, choice: Job | None) -> None:
    """The settings and the model, folded; ``choice`` is under way."""
    schema = studio.schema
    with st.expander(FOLDED, icon=":material/tune:"):
        if choice is None:
            model_choice(studio, AS_SUGGESTED, ASK)
        names = possible_covariates(schema)
        st.session_state[COVARIATES] = list(planned(studio).covariates)
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
        st.caption(f"To be locked: {_search(planned(studio))}, as the sliders of Compare stand.")
        _history(studio.study)


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
        st.success(f"Locked {lock.time}: {lock.who}.", icon=":material/lock:")
        with st.popover("Unlock", icon=":material/lock_open:"):
            seen = "have been seen: every p-value from then on is marked as chosen afterwards."
            none = "have not been seen yet, so nothing is marked."
            st.markdown(f"Groups {seen if study.groups_seen else none}")
            st.button("Unlock all the same", on_click=_unlock)
    for part, doing in PARTS.items():
        names = lock.titles(part)
        with st.expander(f"{counted(len(names), 'column')} {doing}", expanded=part != "cluster"):
            st.markdown(", ".join(map(escaped, names)) or "none")
    with st.expander(FOLDED, icon=":material/tune:"):
        st.markdown(f"{_search(lock.plan)}.")
        for said in (lock.model, lock.preparation):
            st.caption(escaped(said))
        st.caption(
            f"SHA-256 of roles, likelihoods, plan and data `{lock.hash}`, of the data alone "
            f"`{lock.data_hash}`"
        )
        take_lock(lock)
        _history(study)


@in_visit
def _unlock() -> None:
    session().study.unlock()


def take_lock(lock: Lock) -> None:
    """The lock taken away by itself."""
    download(
        "Lock (JSON)",
        lambda: lock.to_json(versions()),
        "clinical-lock.json",
        "application/json",
        icon=":material/lock:",
        help="Columns, roles, likelihoods and plan. It holds nobody's data.",
    )


def _history(study: Study) -> None:
    if study.log:
        st.markdown("**What happened in this study**")
        st.markdown("\n".join(f"- {event.time}: {escaped(event.what)}" for event in study.log))
