"""Clinical: patient subgroups in five steps, from a plan that is locked to a report."""

from collections.abc import Callable, Mapping
from contextlib import suppress

import streamlit as st

from mapdp_studio.core.wording import CAVEAT
from mapdp_studio.pages import NotYet, Session, session
from mapdp_studio.pages.parts.clinical.outcomes import groups, outcomes
from mapdp_studio.pages.parts.clinical.plan import plan
from mapdp_studio.pages.parts.clinical.report import for_the_statistician, report
from mapdp_studio.pages.parts.clinical.study import STEP, go_to
from mapdp_studio.pages.parts.clinical.t_tests import t_tests
from mapdp_studio.pages.parts.shared.kit import choose_one, heading, need_table

STUDY = "clinical_study"
STEPS: Mapping[str, tuple[str, Callable[[Session], None]]] = {
    "plan": ("1 Plan", plan),
    "groups": ("2 Groups", groups),
    "t_tests": ("3 t-tests", t_tests),
    "outcomes": ("4 Outcomes", outcomes),
    "report": ("5 Report", report),
}


visit = session()
row = heading("Clinical", visit)
with suppress(NotYet):
    need_table(visit)
    if st.session_state.get(STUDY) is not visit.study:
        # Another table came since: its study begins with a plan.
        st.session_state[STUDY] = visit.study
        go_to("plan")
    kwargs = {"format_func": lambda key: STEPS[key][0], "label_visibility": "collapsed"}
    with row:
        chosen = choose_one("Step", list(STEPS), STEP, wrap=True, **kwargs)
    if visit.study.reservation:
        st.warning(visit.study.reservation, icon=":material/history:")
    with suppress(NotYet):
        STEPS[chosen][1](visit)
    for_the_statistician(visit, chosen)
st.caption(CAVEAT)
