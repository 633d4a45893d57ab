"""What the effects on outcomes are adjusted for: asked before the lock, told after it."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.clinical.lock import possible_covariates
from mapdp_studio.core.clinical.outcomes import circular_warning
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session

KEY = "study_covariates"


def ask_covariates(studio: Session) -> tuple[str, ...]:
    """Columns to adjust for; of those chosen before, the ones that still can be."""
    schema = studio.schema
    names = possible_covariates(schema)
    st.session_state[KEY] = [name for name in st.session_state.get(KEY, ()) if name in names]
    chosen = tuple(
        st.multiselect(
            "Adjust the outcomes for",
            names,
            key=KEY,
            persist_state="session",
            format_func=lambda name: schema[name].title,
            filter_mode="contains",
            placeholder="Nothing: such as age, sex, site, duration of illness",
            help="Analysis of covariance, logistic, Poisson or Cox regression, beside the "
            "unadjusted effect on the same complete cases. Locked with the roles: chosen after "
            "the outcomes were seen, they could be chosen for what they show.",
        )
    )
    warning = circular_warning(chosen, schema.names("cluster"))
    if warning:
        st.warning(escaped(warning), icon=":material/warning:")
    return chosen
