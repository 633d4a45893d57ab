"""The path of falling powers of the current table, measured once for all pages that show it."""

from __future__ import annotations

from mapdp_studio.core import Schema, tolerance_path
from mapdp_studio.core.comparing.comparison import Task
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.models.tolerance import TolerancePath
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.compute import get_result, is_asked_for

#: Seconds of one fit from which the path is measured only when it is asked for.
LONG = 10.0
_JOB = "tolerance"


def fit_at_one(studio: Session) -> Task:
    """MAP-DP's fit in which every deviation counts, with the sliders else as they stand."""
    return studio.work.tasks((JUDGE,), likelihood_power=1.0)[JUDGE]


def stop_stale_path(studio: Session) -> None:
    """Before fits: a path of other settings takes no time from them."""
    if studio.jobs.get(_JOB, fit_at_one(studio)) is None:
        studio.jobs.stop(_JOB)


def followed_path(studio: Session, encoded: Encoded, schema: Schema) -> TolerancePath | None:
    """The path from the fit at power 1; None while it is measured, as then shown.

    The schema is that of the encoded table.
    """
    task = fit_at_one(studio)
    known = studio.results.get(task)
    fitted = known if isinstance(known, ClusterEstimator) else None
    is_long = fitted is not None and fitted.result_.seconds > LONG
    label = "Measure K against tolerance"
    if is_long and not is_asked_for((task, label), label, icon=":material/show_chart:"):
        return None

    def follow(job: Job) -> TolerancePath:
        model = fitted
        if model is None:
            estimator = METHODS[task.algorithm].estimator(**dict(task.arguments))
            model = estimator.fit_encoded(encoded, job, schema=schema)
        return tolerance_path(model, callback=job)

    return get_result(studio, _JOB, task, "Groups as tolerance rises", follow)
