"""The first answer to a table, as the pages come to it: model, groups, and how many are shown."""

from __future__ import annotations

from dataclasses import dataclass

from ..comparing.comparison import FitError, Task
from ..inference.merge_path import merge_path
from ..methods import JUDGE
from ..models.choice.choose import choose_model
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..partitions.naming import Groups, Naming
from ..profiling.how_many import GroupNumber, how_many
from ..profiling.judged import JudgedPartition
from ..profiling.trees import groups_at
from ..wording import counted
from .work import HOW_MANY, Work


@dataclass(frozen=True, eq=False)
class FirstAnswer:
    """MAP-DP's groups of a table."""

    task: Task
    #: As it was fitted.
    model: MAPDP
    #: As they are shown.
    groups: Groups
    #: Those groups under the model.
    partition: JudgedPartition
    #: None where it was not sought how many groups to show.
    many: GroupNumber | None


def first_answer(
    work: Work, n_groups: int | None = None, callback: Callback | None = None
) -> FirstAnswer:
    """Fit MAP-DP to the table of a work, whose model it chooses first where that is to be done.

    ``n_groups`` are shown, by default those named or merged by hand, and without such the number
    that comes back best. A ValueError says that the table cannot be clustered, or has fewer groups.
    """
    frame = work.table.frame
    if work.is_undecided:
        work.take_choice(choose_model(frame, work.schema.as_suggested(), callback=callback).schema)
    task = work.tasks((JUDGE,))[JUDGE]
    model = work.results.fit(task, frame, work.schema, callback)
    if isinstance(model, FitError):
        raise ValueError(model.reason)
    if n_groups is not None:
        work.naming[task] = _merged(model, n_groups)
    elif work.seeks_number(task, model):
        work.results.note(HOW_MANY, task, how_many(model, callback=callback))
    groups = work.naming_of(task).apply(model.labels_)
    many = work.results.known(HOW_MANY, task)
    return FirstAnswer(task, model, groups, JudgedPartition.of(model, groups.labels), many)


def _merged(model: MAPDP, n_groups: int) -> Naming:
    """So many of the fitted groups, the others put together."""
    if n_groups > model.n_clusters_:
        found = counted(model.n_clusters_, "group")
        raise ValueError(
            f"The fit has {found}, fewer than the {n_groups:,} asked for: ask for fewer."
        )
    return Naming(groups_at(merge_path(model.partition_), n_groups))
