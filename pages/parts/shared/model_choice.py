"""The table chooses its model, in the background: when asked to, or before the first fit."""

from __future__ import annotations

from collections.abc import Hashable

import streamlit as st

from mapdp_studio.core import choose_model
from mapdp_studio.core.comparing.comparison import clustered_part
from mapdp_studio.core.comparing.panels import FirstLook
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.shared.chart import chart, saving
from mapdp_studio.pages.parts.shared.compute import be_patient, job_line, pool_of
from mapdp_studio.pages.parts.shared.theme import colours

LABEL = "The table chooses its model"
WHY_CHOSEN = (
    "Likelihoods, logarithms and which measurements vary together, chosen with the groups and once "
    "for all pages: several times as long as one clustering. **Stop** goes on at once, with what "
    "was suggested. What came of it is on **Data**, each change with its way back."
)
_JOB, _LOOK = "model choice", "look while the model is chosen"


def _about(studio: Session) -> Hashable:
    return studio.table.digest, clustered_part(studio.schema.as_suggested())


@in_visit
def begin_choice(studio: Session) -> Job:
    """Let the table choose; what MAP-DP makes of some rows as suggested is shared first."""
    frame, schema = studio.table.frame, studio.schema.as_suggested()
    wanted = studio.work.tasks((JUDGE,))

    def choose(job: Job) -> object:
        view = choose_view(schema.encode(frame))
        look = FirstLook.of(frame, schema.completed(frame), view)
        look.fit(wanted[JUDGE], job)
        job.share((view, look, wanted))
        return choose_model(frame, schema, callback=job).schema

    return studio.jobs.start(_JOB, _about(studio), choose)


def choice_under_way(studio: Session) -> Job | None:
    """The choice for this table: it runs, or ended without one; a result is taken over."""
    job = studio.jobs.get(_JOB, _about(studio))
    if job is not None and job.result is None:
        return job
    if job is not None:
        studio.take_choice(job.result)
    forget_choice(studio)  # or that of the table as it was prepared before
    return None


def forget_choice(studio: Session) -> None:
    studio.jobs.stop(_JOB)


def running_choice(studio: Session) -> Job | None:
    """The choice of the model, begun if need be; None once it is decided what to fit."""
    job = choice_under_way(studio) if studio.work.is_undecided else None
    if studio.work.is_undecided and job is None:
        job = begin_choice(studio)
        if pool_of(studio.table.frame) == "short":
            be_patient(job)
        job = choice_under_way(studio)
    if job is None or job.running:
        return job
    if job.failure:
        st.warning(f"As suggested: {escaped(job.failure)}", icon=":material/warning:")
    forget_choice(studio)
    studio.keep_suggested()
    return None


def choice_line(studio: Session, job: Job) -> None:
    """How far the choice is, with a way around it."""
    drawn = job.partial
    job_line(job, LABEL, lambda: job.partial is not drawn)
    if drawn is not None:
        studio.results.note(_LOOK, studio.table.digest, drawn)


def has_model(studio: Session) -> bool:
    """Whether it is decided what to fit; while the table chooses, how far it is, and a picture."""
    job = running_choice(studio)
    if job is not None:
        choice_line(studio, job)
        st.caption(WHY_CHOSEN)
        first_look(studio)
    return job is None


def first_look(studio: Session) -> None:
    """Some of the rows as they were clustered first, until there is more; nothing without them."""
    known = studio.results.known(_LOOK, studio.table.digest)
    if known is None:
        return
    view, look, wanted = known
    panel = look.panel(JUDGE, view, wanted)
    st.caption(
        f"Meanwhile a first look: {len(look.frame):,} rows, the columns as suggested. What is "
        "chosen, and the answer for all rows, may differ."
    )
    figure = panels_figure(view, [panel], 1, 380, **colours()).to_json()
    alt = f"{METHODS[JUDGE].title}: {panel.remark}, coloured by cluster"
    chart(figure, "first-look", alt, saving("first look"))
