"""How many groups are shown first, and what chance makes: found in the background after a fit."""

from __future__ import annotations

from mapdp_studio.core.comparing.comparison import Task
from mapdp_studio.core.inference.merge_path import merge_path
from mapdp_studio.core.models.mapdp import MAPDP
from mapdp_studio.core.profiling.how_many import HowMany
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.session.work import CHANCE, HOW_MANY
from mapdp_studio.core.statistics.chance import Chance, chance
from mapdp_studio.core.statistics.gains import Search
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.compute import be_patient, job_line, pool_of

LABEL = "How many groups"


def has_first_number(studio: Session, task: Task, model: MAPDP) -> bool:
    """Whether it is known how many groups to show; while it is sought, how far that is.

    Groups that are put together under somebody's eyes would be a jump. Stop goes on with the groups
    as they were fitted.
    """
    if not studio.work.seeks_number(task, model):
        return True
    job = studio.jobs.get(HOW_MANY, task) or studio.jobs.start(
        HOW_MANY, task, lambda job: HowMany.of(model, job), pool_of(studio.table.frame)
    )
    be_patient(job)
    if job.running:
        job_line(job, LABEL)
        return False
    found = job.result or HowMany(merge_path(model.partition_), None)
    studio.results.note(HOW_MANY, task, found)
    return True


def chance_so_far(studio: Session, task: Task, model: MAPDP) -> tuple[Chance | None, Job | None]:
    """What chance makes of this table, as far as is known; and the work on it, unless it is done.

    Begun here where it was not.
    """
    known = studio.results.known(CHANCE, task)
    if known is not None:
        return known, None
    job = studio.jobs.get(CHANCE, task)
    if job is None:
        job = studio.jobs.start(
            CHANCE,
            task,
            lambda job: chance(Search.of(model), callback=job, share=job.share),
            "checks",
        )
        be_patient(job)
    if job.result is None:
        return job.partial, job
    studio.results.note(CHANCE, task, job.result)
    return job.result, None
