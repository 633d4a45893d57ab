"""The table chooses its model, in the background: when asked to, or before the first fit."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial

import streamlit as st

from mapdp_studio.core import choose_model
from mapdp_studio.core.comparing.comparison import Task, clustered_part
from mapdp_studio.core.comparing.panels import FirstLook
from mapdp_studio.core.comparing.projection import View, choose_view
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.shared.chart import chart, saving
from mapdp_studio.pages.parts.shared.compute import be_patient, job_line, pool_of
from mapdp_studio.pages.parts.shared.kit import colours

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
    """Let the table choose; what MAP-DP makes of some rows as suggested is shown first."""
    table, schema, results = studio.table, studio.schema.as_suggested(), studio.results
    wanted, about = studio.work.tasks((JUDGE,)), _about(studio)

    def choose(job: Job) -> object:
        view = choose_view(schema.encode(table.frame))
        look = FirstLook.of(table.frame, schema.completed(table.frame), view)
        look.fit(wanted[JUDGE], job)
        results.note(_LOOK, about, (view, look, wanted))
        return choose_model(table.frame, schema, callback=job).schema

    studio.asks_table = True
    return studio.jobs.start(_JOB, about, choose)


def look_of(studio: Session) -> tuple[View, FirstLook, Mapping[str, Task]] | None:
    """What MAP-DP made of some rows, as suggested, before the table chose."""
    return studio.results.known(_LOOK, _about(studio))


def choice_begun(studio: Session) -> Job | None:
    """The choice for this table, if it was begun; one for other columns, or cells, ends."""
    job = studio.jobs.get(_JOB, _about(studio)) if studio.work.is_undecided else None
    if job is None:
        studio.jobs.stop(_JOB)
    return job


def is_chosen(studio: Session) -> bool:
    """Whether it is decided what to fit; while the table chooses, how far it is, with a Stop."""
    job = running_choice(studio)
    if job is not None:
        choice_line(studio, job)
    return job is None


def running_choice(studio: Session) -> Job | None:
    """The choice of the model, begun if need be; one that ended is taken over."""
    job = choice_begun(studio)
    if job is None and studio.work.is_undecided:
        job = begin_choice(studio)
        if pool_of(studio.table.frame) == "short":
            be_patient(job)
    if job is None or job.running:
        return job
    if job.result is not None:
        studio.take_choice(job.result)
        return None
    studio.asks_table = False
    if job.failure:
        st.warning(f"As suggested: {escaped(job.failure)}", icon=":material/warning:")
    else:
        st.caption(":material/pause: Stopped: likelihoods and blocks are as suggested.")
    return None


def choice_line(studio: Session, job: Job) -> None:
    """How far the choice is; the page runs again at its end, and when there is a first look."""
    look, drawn = partial(studio.results.known, _LOOK, _about(studio)), look_of(studio)
    job_line(job, LABEL, lambda: look() is not drawn)


def first_look(studio: Session) -> None:
    """Some of the rows as they were clustered first, until there is more; nothing without them."""
    known = look_of(studio)
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
