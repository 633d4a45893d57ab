"""Step "Groups": at a glance, how far they can be trusted, and what distinguishes them."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.clinical.groups import BY_CONSTRUCTION, SMALLEST, Subgroups
from mapdp_studio.core.clinical.verdict import Light
from mapdp_studio.core.inference.misfit import CATEGORIES, in_one_sentence, misfits
from mapdp_studio.core.wording import escaped, listed
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.clinical.checks import check_line, checks_of
from mapdp_studio.pages.parts.clinical.differences import cards, overview, pair, shares_and_scores
from mapdp_studio.pages.parts.clinical.work import distinctions_of, groups_of
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_one, halves

COLOURS = {"grey": "gray", "green": "green", "amber": "orange", "red": "red"}
SIGNS = {
    "grey": ":material/radio_button_unchecked:",
    "green": ":material/check_circle:",
    "amber": ":material/error:",
    "red": ":material/block:",
}
#: Atypical patients whose rows are named.
MOST_ROWS = 20


GLANCE = "At a glance"
VIEWS = {
    "Profiles": overview,
    "Two groups": pair,
    "Yes/no and scores": shares_and_scores,
    "Profile cards": cards,
}


def groups(studio: Session) -> None:
    """The groups at a glance, or what distinguishes them."""
    found = groups_of(studio, unfinished=True)
    if found is None:
        return
    view = GLANCE
    if found.found_any:
        view = choose_one("View", [GLANCE, *VIEWS], "groups_view", label_visibility="collapsed")
    if view == GLANCE:
        _glance(studio, found)
        return
    st.caption(f":material/info: {BY_CONSTRUCTION}")
    VIEWS[view](distinctions_of(studio, found))


def _glance(studio: Session, found: Subgroups) -> None:
    """Sizes, the light with its reasons, and patients who belong to no group worth a name."""
    checks = checks_of(studio, found)
    _numbers(found)
    left, right = halves()
    with left:
        st.dataframe(checks.group_table(), hide_index=True)
        _atypical(studio, found)
        _misfit(studio, found)
    with right:
        if found.objectives.size < studio.study.lock.plan.restarts:
            # Another search may yet find better groups: nothing is judged before the last.
            st.caption("The best so far. All searches come first, then the verdict and its checks.")
            return
        show_light(checks.light)
        if found.sites:
            st.warning(escaped(found.sites), icon=":material/location_on:")
        if found.found_any:
            check_line(studio, found)
        else:
            _nothing_found()


def show_light(light: Light) -> None:
    """The colour in words and every clause it rests on."""
    colour = COLOURS[light.colour]
    name = f"{light.colour}, provisional" if light.provisional else light.colour
    with st.container(border=True):
        st.badge(name.capitalize(), icon=SIGNS[light.colour], color=colour)
        st.markdown(f"**{escaped(light.headline)}**")
        st.markdown(f":material/directions: {light.advice}")
        for clause in light.clauses:
            sign = f":{COLOURS[clause.colour]}[{SIGNS[clause.colour]}]"
            st.markdown(f"{sign} **{clause.name}.** {escaped(clause.sentence)}")


def _numbers(found: Subgroups) -> None:
    places = st.columns(4)
    places[0].metric("Patients", f"{found.labels.size:,}")
    places[1].metric("Groups (5 or more)", f"{len(found.profiled):,}")
    places[2].metric("Atypical patients", f"{found.atypical_rows.size:,}")
    reached = int((found.objectives < found.objectives.min() + 0.01).sum())
    places[3].metric("Searches that agree", f"{reached:,} of {found.objectives.size:,}")


def _atypical(studio: Session, found: Subgroups) -> None:
    if not found.atypical:
        return
    n = found.atypical_rows.size
    noun, place = ("patient is", "row") if n == 1 else ("patients are", "rows")
    rows = listed((f"{row + 1:,}" for row in found.atypical_rows), MOST_ROWS)
    st.markdown(f"**{n:,} atypical {noun} in no group** ({place} {rows})")
    st.caption(
        f"They resemble nobody enough, in groups of fewer than {SMALLEST}. They are worth "
        "reading one by one, under “A patient”; no average is shown for them, and no test has "
        "them."
    )


def _misfit(studio: Session, found: Subgroups) -> None:
    """Ratings whose likelihood may be what made so many groups."""
    model = found.model
    columns = get_result(
        studio,
        "clinical misfit",
        (studio.study.lock, found.objectives.size),
        "Holding the columns against the model",
        lambda job: misfits(model.partition_, model.schema_),
    )
    ratings = [misfit for misfit in columns or () if misfit.change == CATEGORIES]
    if ratings:
        st.info(
            f"{escaped(in_one_sentence(ratings))} That is tried in the table of columns; the roles "
            "have to be unlocked for it, which stays on record.",
            icon=":material/tune:",
        )


def _nothing_found() -> None:
    st.markdown(
        "One group describes these patients best. There is nothing to profile or to test, and "
        "that is a result worth reporting: with these columns and this many patients, no "
        "subtypes can be told apart."
    )
