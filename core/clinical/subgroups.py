"""The groups of a locked study: the best of several searches, and which of them are described."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd
from sklearn.base import clone

from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.progress import Progress
from ..models.side_by_side import Refits
from ..models.tolerance import TolerancePath, tolerance_path
from ..profiling.survivors import Survivors
from ..schema.schema import Schema
from ..wording import percent
from .mostly_sites import mostly_sites

if TYPE_CHECKING:
    from .study import Lock

#: Groups of fewer patients are atypical patients: named as such, never profiled or tested.
SMALLEST = 5


class Work(Protocol):
    """What long work reports to: a ``Job``."""

    def __call__(self, progress: Progress) -> None:
        """Take note of a step."""

    def share(self, partial: Any) -> None:
        """Show what there is so far."""


@dataclass(frozen=True)
class Subgroups:
    """What a study found."""

    #: The search of lowest E.
    model: MAPDP
    #: Chosen by E in the first search, and kept in the others.
    prior_scale: float | None
    #: float64, shape (R,). E of every search in nats, in the order they were made.
    objectives: np.ndarray
    #: For all of them.
    seconds: float
    #: What stays as the evidence counts less, where the study judges that.
    survivors: Survivors | None = None
    #: A sentence where the groups are mostly those of a site, and "" elsewhere.
    sites: str = ""

    @property
    def labels(self) -> np.ndarray:
        """Group of every patient, 0 the largest, shape (N,)."""
        return self.model.labels_

    @property
    def sizes(self) -> np.ndarray:
        """Patients in each group, shape (K,)."""
        return self.model.result_.sizes

    @property
    def found_any(self) -> bool:
        """Whether there are two groups of more than a few patients."""
        return len(self.profiled) > 1

    @property
    def titles(self) -> tuple[str, ...]:
        """Names of the groups, "Group 1" the largest."""
        return tuple(f"Group {k + 1}" for k in range(self.model.n_clusters_))

    @property
    def profiled(self) -> tuple[int, ...]:
        """Groups large enough to be described and tested."""
        return tuple(k for k, size in enumerate(self.sizes) if size >= SMALLEST)

    @property
    def atypical(self) -> tuple[int, ...]:
        """Groups of so few patients that they are named atypical and left out of every test."""
        return tuple(k for k, size in enumerate(self.sizes) if size < SMALLEST)

    @property
    def atypical_rows(self) -> np.ndarray:
        """Rows of the atypical patients."""
        return np.flatnonzero(np.isin(self.labels, self.atypical))

    def as_frame(self) -> pd.DataFrame:
        """Group, patients, share in percent, and how the group is treated."""
        return pd.DataFrame(
            {
                "Group": self.titles,
                "Patients": self.sizes,
                "Share": [percent(size, self.labels.size) for size in self.sizes],
                "Treated as": [
                    "a group" if size >= SMALLEST else "atypical patients" for size in self.sizes
                ],
            }
        )


def find_subgroups(frame: pd.DataFrame, lock: Lock, job: Work, executor: Any = None) -> Subgroups:
    """Look for groups as the plan of a study says, in a table with one row a patient.

    The first search chooses the prior's scale by E; the others start elsewhere under that prior, so
    that all their E can be compared. Where the groups that stay as the evidence counts less are
    judged, the path of powers from the first search gives the power under which all searches are
    made. The job is told of every step and given what there is after every search; what it raises
    ends the work. The searches after the first run on the workers of an executor, as ``Refits``
    says.
    """
    began, plan = time.perf_counter(), lock.plan
    refits = Refits(plan.restarts, job, executor)

    def tell_first(progress: Progress) -> None:
        job(replace(progress, done=0, total=plan.restarts, phase="first search"))

    first = MAPDP(plan.concentration, random_state=plan.seed)
    first.fit(frame, lock.schema, callback=tell_first)
    prior, power, survivors = list(first.prior_), 1.0, None
    if plan.judged == "surviving":
        path = tolerance_path(first, callback=tell_first)
        survivors = Survivors.of(path, first.labels_)
        power = survivors.power or _power_of_one_group(path)

    twin = MAPDP(plan.concentration, prior=prior, likelihood_power=power)
    search = partial(_search, twin, frame, lock.schema)
    best = first if power == 1.0 else search(plan.seed, tell_first)
    objectives = [best.objective_]

    def found() -> Subgroups:
        best.prior_scale_ = first.prior_scale_
        seconds = time.perf_counter() - began
        sites = mostly_sites(frame, lock.schema, best.labels_)
        scores = np.array(objectives)
        return Subgroups(best, first.prior_scale_, scores, seconds, survivors, sites)

    job.share(found())
    refits.done = 1
    for model in refits.map(search, range(plan.seed + 1, plan.seed + plan.restarts), "searches"):
        objectives.append(model.objective_)
        best = min(best, model, key=lambda model: round(model.objective_, 6))
        job.share(found())
    return found()


def _search(
    twin: MAPDP, frame: pd.DataFrame, schema: Schema, seed: int, callback: Callback
) -> MAPDP:
    model = clone(twin).set_params(random_state=seed)
    return model.fit(frame, schema, callback=callback)


def _power_of_one_group(path: TolerancePath) -> float:
    """The highest power at which all rows are one group, the lowest tried where there is none."""
    alone = [labels.max() == 0 for labels in path.labels]
    return float(path.powers[alone.index(True) if any(alone) else -1])
