"""The groups of a study looked up in a second table: the same columns, other patients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..inference.contributions import Assignments, assignments
from ..models.progress import Progress
from ..schema.rows import with_copies
from ..schema.schema import Schema, SchemaError
from ..statistics.compare import Associations, associations
from ..wording import percent
from .study import Lock
from .subgroups import Subgroups

#: Share of the second table's rows from which it is the first one again.
SAME = 0.05


@dataclass(frozen=True)
class SecondCohort:
    """A second table, each patient placed in the group of the first that suits him best."""

    #: int64, shape (n,). Group of the first table; K where a new group suits the patient better
    #: than any.
    labels: np.ndarray
    #: That the groups were made from.
    n_columns: int
    #: Mean log predictive density of a patient's observed cells, in nats a column: of the second
    #: table, and of the first, every patient left out in turn.
    density: float
    own_density: float
    #: The validators that the second table has, tested against the groups given to it.
    validators: Associations
    #: Validators that it does not have.
    absent: tuple[str, ...]

    def sizes(self, groups: Subgroups) -> pd.DataFrame:
        """Group sizes of both tables, ready to print."""
        names = [
            f"{title}, atypical" if k in groups.atypical else title
            for k, title in enumerate(groups.titles)
        ]
        names.append("none of these")
        first = np.append(groups.sizes, 0)
        second = np.bincount(self.labels, minlength=len(names))
        return pd.DataFrame(
            {
                "Group": names,
                "First cohort": [f"{n:,}" for n in first],
                "Share": [percent(n, first.sum()) for n in first],
                "Second cohort": [f"{n:,}" for n in second],
                "Share ": [percent(n, second.sum()) for n in second],
            }
        )


def apply_to(
    groups: Subgroups,
    lock: Lock,
    frame: pd.DataFrame,
    callback: Callable[[Progress], None] | None = None,
) -> SecondCohort:
    """Place the patients of a second table, and test its validators.

    What the callback, told of every validator, raises ends the work. A SchemaError says that a
    column which made the groups is absent, or holds what its likelihood cannot take. Rows count
    as in the first table where the column that says so is there, too, and once where it is not.
    """
    if not len(frame):
        raise SchemaError("The second table has no rows.")
    schema = weighed_as(lock.schema, frame)
    frame = with_copies(frame, schema)
    placed, own = assignments(groups.model, frame), assignments(groups.model)
    names = [name for name in lock.columns("validator") if name in frame.columns]
    absent = tuple(name for name in lock.columns("validator") if name not in frame.columns)
    inside = placed.labels < groups.model.n_clusters_
    if not inside.any():
        raise SchemaError("No patient of the second table suits any group of the first.")
    tested = associations(
        frame[inside].reset_index(drop=True),
        schema,
        placed.labels[inside],
        names,
        random_state=lock.plan.seed,
        callback=callback,
    )
    return SecondCohort(
        placed.labels,
        placed.n_columns,
        _by_column(placed),
        _by_column(own),
        tested,
        absent,
    )


def shared_rows(first: pd.DataFrame, second: pd.DataFrame) -> float:
    """Share of the second table's rows that are in the first, by the columns that both have.

    0 where those are fewer than two, or tell fewer than half of the first table's rows apart.
    """
    both = [name for name in second.columns if name in first.columns]
    if len(both) < 2 or not len(first) or not len(second):
        return 0.0
    seen, rows = (
        pd.util.hash_pandas_object(frame[both].apply(_comparable), index=False)
        for frame in (first, second)
    )
    return float(rows.isin(seen).mean()) if seen.nunique() >= 0.5 * seen.size else 0.0


def _comparable(column: pd.Series) -> pd.Series:
    """2, 2.0 and the text "2" are one."""
    numbers = pd.to_numeric(column, errors="coerce").astype(np.float64)
    words = column.astype("string").str.strip().fillna("")
    return numbers.astype(str).where(numbers.notna(), words).astype(object)


def weighed_as(schema: Schema, frame: pd.DataFrame) -> Schema:
    """The schema for a second table, whose rows count once where no column says how often."""
    for name in set(schema.names("weight")) - set(frame.columns):
        schema = schema.with_column(name, role="ignore")
    return schema


def _by_column(placed: Assignments) -> float:
    """Mean log density a cell."""
    return float(placed.log_density.sum() / max(placed.n_observed.sum(), 1))
