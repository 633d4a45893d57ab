"""How many groups: the number shown first, what chance makes, and K as tolerance rises."""

from __future__ import annotations

from mapdp_studio.core import Schema, tolerance_path
from mapdp_studio.core.comparing.comparison import Task
from mapdp_studio.core.inference.merge_path import merge_path
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.models.mapdp import MAPDP
from mapdp_studio.core.models.tolerance import TolerancePath
from mapdp_studio.core.profiling.how_many import GroupNumber, how_many
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.session.work import CHANCE, HOW_MANY
from mapdp_studio.core.statistics.chance import Chance, chance
from mapdp_studio.core.statistics.nulls import Search
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.compute import be_patient, get_result, is_asked_for

LABEL = "How many groups"
#: Seconds of one fit from which the path is measured only when it is asked for.
LONG = 10.0


def has_first_number(studio: Session, task: Task, model: MAPDP) -> bool:
    """Whether it is known how many groups to show; else how far that is, and a Stop."""
    if not studio.work.seeks_number(task, model):
        return True
    found = get_result(
        studio,
        HOW_MANY,
        task,
        LABEL,
        lambda job: how_many(model, callback=job),
        otherwise=lambda: GroupNumber(merge_path(model.partition_), None),
    )
    return found is not None


def chance_so_far(studio: Session, task: Task, model: MAPDP) -> tuple[Chance | None, Job | None]:
    """What chance makes of this table, as far as is known, and the work on it unless it is done."""
    known = studio.results.known(CHANCE, task)
    if known is not None:
        return known, None
    job = studio.jobs.find(
        CHANCE, task, lambda job: chance(Search.of(model), callback=job, share=job.share), "checks"
    )
    be_patient(job)
    if job.result is None:
        return job.partial, job
    studio.results.note(CHANCE, task, job.result)
    return job.result, None


def fit_at_one(studio: Session) -> Task:
    """MAP-DP's fit in which every deviation counts, with the sliders else as they stand."""
    return studio.work.tasks((JUDGE,), likelihood_power=1.0)[JUDGE]


def followed_path(studio: Session, encoded: Encoded, schema: Schema) -> TolerancePath | None:
    """The path of the table's schema from the fit at power 1; None while it is measured."""
    task = fit_at_one(studio)
    known = studio.results.get(task)
    fitted = known if isinstance(known, ClusterEstimator) else None
    is_long, label = fitted and fitted.result_.seconds > LONG, "Measure K against tolerance"
    if is_long and not is_asked_for((task, label), label, icon=":material/show_chart:"):
        return None

    def follow(job: Job) -> TolerancePath:
        model = fitted
        if model is None:
            estimator = METHODS[task.algorithm].estimator(**dict(task.arguments))
            model = estimator.fit_encoded(encoded, job, schema=schema)
        return tolerance_path(model, callback=job)

    return get_result(studio, "tolerance", task, "Groups as tolerance rises", follow)
