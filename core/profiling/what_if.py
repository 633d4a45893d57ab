"""What if one column were left out, or had another likelihood: the groups then."""

import pandas as pd

from ..comparing.comparison import FitError, Results, tasks
from ..comparing.snapshots import Snapshot
from ..methods import JUDGE, METHODS
from ..methods.settings import Settings
from ..models.estimator import Callback
from ..partitions.naming import Naming
from ..schema.chosen import LEFT_OUT, Change, likelihoods
from ..schema.encode import complete, encode_column
from ..schema.schema import Schema, SchemaError
from .how_many import how_many
from .judged import JudgedPartition
from .trees import groups_at


def with_change(schema: Schema, name: str, change: Change, reason: str) -> Schema:
    """The schema with that change; a block goes on without a column that is left out."""
    return schema.with_column_apart(name).with_column(name, **change, reason=reason)


def possible_changes(schema: Schema, frame: pd.DataFrame, name: str) -> tuple[Change, ...]:
    """Changes of a clustered column that the table allows, "left out" first."""
    if schema[name].role != "cluster":
        return ()
    first = (LEFT_OUT,) if len(schema.names("cluster")) > 1 else ()
    found = []
    for change in likelihoods(schema, name):
        try:
            spec = schema.with_column(name, **change)[name]
            encode_column(frame[name], complete(frame[name], spec))
        except SchemaError:  # negative values as a count, say
            continue
        found.append(change)
    return (*first, *found)


def find_groups(
    frame: pd.DataFrame,
    schema: Schema,
    settings: Settings,
    algorithm: str,
    callback: Callback | None = None,
    puts_together: bool = False,
) -> Snapshot:
    """The groups of a method under a schema, in the words of MAP-DP's model.

    Those of MAP-DP may be put together until all come back, as the pages show them.
    """
    results, models = Results(), {}
    runs = tasks("", schema, settings, len(frame))
    for name in dict.fromkeys((JUDGE, algorithm)):
        models[name] = results.fit(runs[name], frame, schema, callback)
        if isinstance(models[name], FitError):
            raise ValueError(models[name].reason)
    judge, naming = models[JUDGE], Naming()
    if puts_together and algorithm == JUDGE and judge.n_clusters_ > 1:
        number = how_many(judge, callback=callback)
        naming = Naming(groups_at(number.path, number.n_groups))
    groups = naming.apply(models[algorithm].labels_)
    objective = JudgedPartition.of(judge, groups.labels).objective_
    title = METHODS[algorithm].title
    return Snapshot(title, groups, objective, schema, settings, judge.prior_scale_)
