"""The roles as they are locked: the certificate, what happened since, and the way back."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.clinical.lock import JUDGED, PARTS, Lock
from mapdp_studio.core.clinical.study import Study
from mapdp_studio.core.clinical.tables import versions
from mapdp_studio.core.wording import counted, escaped
from mapdp_studio.pages import in_visit, session
from mapdp_studio.pages.parts.shared.kit import download


@in_visit
def _unlock() -> None:
    session().study.unlock()


def locked(study: Study) -> None:
    """The lock's certificate and the way to take it back."""
    lock = study.lock
    st.success(f"Locked {lock.time}.", icon=":material/lock:")
    places = st.columns([1, 1, 3])
    places[0].metric("Patients", f"{lock.n_rows:,}")
    places[1].metric("Searches", f"{lock.plan.restarts:,}")
    places[2].caption(f"Groups to be judged: {JUDGED[lock.plan.judged].lower()}")
    places[2].caption(escaped(lock.adjustment))
    places[2].caption(escaped(lock.model))
    places[2].caption(escaped(lock.preparation))
    places[2].caption(f"SHA-256 of roles, likelihoods, plan and data  \n`{lock.hash}`")
    places[2].caption(f"SHA-256 of the data alone  \n`{lock.data_hash}`")
    take_lock(lock)
    for part, doing in PARTS.items():
        names = lock.titles(part)
        with st.expander(f"{counted(len(names), 'column')} {doing}", expanded=part != "cluster"):
            st.markdown(", ".join(map(escaped, names)) or "none")
    with st.expander("What happened in this study", icon=":material/history:", expanded=True):
        history(study)
    with st.popover("Unlock", icon=":material/lock_open:"):
        st.markdown(
            "Once groups were seen, roles chosen anew are chosen knowing them: **every p-value "
            "from then on is marked as chosen afterwards**, on the page and in the report."
            if study.groups_seen
            else "Nobody has seen groups yet, so nothing is marked."
        )
        st.button("Unlock all the same", on_click=_unlock)


def take_lock(lock: Lock) -> None:
    """The lock taken away by itself."""
    download(
        "Lock (JSON)",
        lambda: lock.to_json(versions()),
        "clinical-lock.json",
        "application/json",
        icon=":material/lock:",
    )
    st.caption("The lock by itself: columns, roles, likelihoods and plan. It holds nobody's data.")


def history(study: Study) -> None:
    """What happened since the first lock, a line each."""
    st.markdown("\n".join(f"- {event.time}: {escaped(event.what)}" for event in study.log))
