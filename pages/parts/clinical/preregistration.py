"""The lock taken away by itself, as a pre-registration."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.clinical.methods import versions
from core.clinical.preregistration import as_json, as_text
from core.clinical.study import Study
from pages.parts.shared.kit import download


def take_preregistration(study: Study) -> None:
    """What was decided, as one page of text and as JSON."""
    lock, used = study.lock, versions()
    with st.container(horizontal=True):
        download(
            "Pre-registration (one page of text)",
            partial(as_text, lock, used),
            "pre-registration.txt",
            "text/plain",
            icon=":material/lock:",
        )
        download(
            "Pre-registration (JSON)",
            partial(as_json, lock, used),
            "pre-registration.json",
            "application/json",
            icon=":material/lock:",
        )
    st.caption(
        "The lock by itself, for a registry or an ethics committee: columns, roles, model, "
        "outcomes with their tests, covariates, and the smallest differences that so many "
        "patients can show. It holds nobody's data, and the JSON makes the same lock again."
    )
