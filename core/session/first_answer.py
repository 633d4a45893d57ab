"""The first answer to a table, as the pages come to it: model, groups, and how many are shown."""

from typing import NamedTuple

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
from .project import HOW_MANY, Project


class FirstAnswer(NamedTuple):
    """MAP-DP's groups of a table: as fitted, as shown, under the model, and how many, if sought."""

    task: Task
    model: MAPDP
    groups: Groups
    partition: JudgedPartition
    many: GroupNumber | None


def first_answer(
    project: Project, n_groups: int | None = None, callback: Callback | None = None
) -> FirstAnswer:
    """Fit MAP-DP to the table of a work, whose model it chooses first where that is to be done.

    ``n_groups`` are shown, by default those named or merged by hand, and without such the number
    that comes back best. A ValueError says that the table cannot be clustered, or has fewer groups.
    """
    frame = project.table.frame
    if project.is_undecided:
        project.take_choice(
            choose_model(frame, project.schema.as_suggested(), callback=callback).schema
        )
    task = project.tasks((JUDGE,))[JUDGE]
    model = project.results.fit(task, frame, project.schema, callback)
    if isinstance(model, FitError):
        raise ValueError(model.reason)
    if n_groups is None and project.seeks_number(task, model):
        project.results.store(HOW_MANY, task, how_many(model, callback=callback))
    elif n_groups is not None and n_groups > model.n_clusters_:
        fitted = counted(model.n_clusters_, "group")
        raise ValueError(
            f"The fit has {fitted}, fewer than the {n_groups:,} asked for: ask for fewer."
        )
    elif n_groups is not None:
        project.naming[task] = Naming(groups_at(merge_path(model.partition_), n_groups))
    groups = project.naming_of(task).apply(model.labels_)
    many = project.results.peek(HOW_MANY, task)
    return FirstAnswer(task, model, groups, JudgedPartition.of(model, groups.labels), many)
