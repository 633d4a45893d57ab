"""What if one column were left out or had another likelihood: how well others are predicted."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from ..comparing.comparison import FitError, Results, tasks
from ..comparing.snapshots import Snapshot
from ..inference.clusters import RowScores
from ..methods import JUDGE, METHODS
from ..methods.settings import Settings
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.progress import Stages
from ..partitions.naming import Naming
from ..schema.chosen import LEFT_OUT, Change, likelihoods
from ..schema.encode import complete, encode_column
from ..schema.encoded import Encoded
from ..schema.rows import set_aside
from ..schema.schema import Schema, SchemaError
from ..wording import counted
from .how_many import how_many
from .judged import JudgedPartition

#: Parts that the rows are held out in, and the most rows that are fitted for it.
FOLDS, MOST_ROWS = 5, 2_000
#: A difference of so many standard errors is one.
CLEAR = 2.0


def changed(schema: Schema, name: str, change: Change, reason: str) -> Schema:
    """The schema with that change; a block goes on without a column that is left out."""
    if change.get("role") == "ignore":
        return set_aside(schema, name, reason)
    return schema.with_column(name, **change, reason=reason)


def possible(schema: Schema, frame: pd.DataFrame, name: str) -> tuple[Change, ...]:
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


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Log densities of the other columns of rows held out of two fits."""

    #: Shape (n,). Of each row, in nats, under the model as it is and with the change.
    before: np.ndarray
    after: np.ndarray
    #: The other columns.
    n_columns: int

    @cached_property
    def difference(self) -> float:
        """Mean of after minus before, in nats a row."""
        return float((self.after - self.before).mean())

    @cached_property
    def standard_error(self) -> float:
        """Of the difference, over rows."""
        return float((self.after - self.before).std(ddof=1) / np.sqrt(self.before.size))

    @property
    def sentence(self) -> str:
        """What it says of the change."""
        difference, error = self.difference, self.standard_error
        said = (
            f"Predicting the other {counted(self.n_columns, 'column')} of rows held out: mean log "
            f"density {self.before.mean():.2f} before and {self.after.mean():.2f} after"
        )
        if abs(difference) <= CLEAR * error:
            return f"{said}; no clear difference ({difference:+.2f} ± {error:.2f})."
        better = "better with the change" if difference > 0 else "worse with the change"
        return f"{said}; {better} ({difference:+.2f} ± {error:.2f})."


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
    wanted = tasks("", schema, settings, len(frame))
    for name in dict.fromkeys((JUDGE, algorithm)):
        models[name] = results.fit(wanted[name], frame, schema, callback)
        if isinstance(models[name], FitError):
            raise ValueError(models[name].reason)
    judge, naming = models[JUDGE], Naming()
    if puts_together and algorithm == JUDGE and judge.n_clusters_ > 1:
        number = how_many(judge, callback=callback)
        naming = Naming(number.merged(number.n_groups))
    groups = naming.apply(models[algorithm].labels_)
    objective = JudgedPartition.of(judge, groups.labels).objective_
    title = METHODS[algorithm].title
    return Snapshot(title, groups, objective, schema, settings, judge.prior_scale_)


def held_out(
    frame: pd.DataFrame,
    before: Schema,
    after: Schema,
    names: Collection[str],
    settings: Settings,
    callback: Callback,
) -> HeldOut | None:
    """Compare two schemas by the columns that they share but for some, on rows held out."""
    rows = np.unique(np.linspace(0, len(frame) - 1, min(len(frame), MOST_ROWS)).astype(np.int64))
    others = [column for column in before.names("cluster") if column not in names]
    if not others or rows.size < 2 * FOLDS:
        return None
    fold = np.random.default_rng(settings.seed).permutation(rows.size) % FOLDS
    densities, stages = np.empty((2, rows.size)), Stages(callback, 2 * FOLDS)
    for side, schema in enumerate((before, after)):
        completed = schema.completed(frame)
        encoded = completed.encode(frame).rows(rows)
        unseen = _without(encoded, names)
        for f in range(FOLDS):
            model = MAPDP(
                concentration=settings.concentration,
                **settings.tempering,
                random_state=settings.seed,
            )
            phase = f"fit {stages.done + 1} of {2 * FOLDS} to four fifths of the rows"
            model.fit_encoded(encoded.rows(fold != f), stages.begin(phase))
            stages.end()
            joint = RowScores.of(model.partition_).log_joint(unseen.rows(fold == f))
            densities[side, fold == f] = logsumexp(joint, axis=1)
    return HeldOut(densities[0], densities[1], len(others))


def _without(encoded: Encoded, names: Collection[str]) -> Encoded:
    """The same rows with the cells of some columns missing, their special outcomes among them."""
    values = encoded.values.copy()
    for unit, start in zip(encoded.units, encoded.starts, strict=True):
        for d, column in enumerate(unit.columns):
            if column in names or (unit.is_outcome and unit.of in names):
                values[:, start + d] = np.nan
    return Encoded(values, encoded.units, encoded.weights)
