"""Any partition of a table's rows under MAP-DP's model: its clusters, where every row stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from ..engine.packed import PackedTable
from ..engine.partition import Partition
from ..inference.clusters import Cluster, RowScores, describe_clusters
from ..inference.contributions import assignments
from ..inference.merge_path import MergePath, merge_path
from ..inference.prediction import Predictions
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.progress import Progress
from ..schema.encoded import Encoded
from ..schema.schema import Schema

#: Rows at a time, so that a large table needs little room beside the answer.
BLOCK = 65_536


@dataclass(frozen=True, eq=False)
class JudgedPartition(Predictions):
    """What MAP-DP's model says of K-means' clusters, or of clusters merged by hand."""

    #: Fitted to the same rows of a frame: its columns, priors and concentration are used.
    judge: MAPDP
    partition_: Partition

    @classmethod
    def of(cls, judge: MAPDP, labels: np.ndarray) -> Self:
        """Take over labels 0..K-1 of the rows that the judge was fitted to."""
        if np.array_equal(labels, judge.labels_):
            return cls(judge, judge.partition_)
        partition = Partition.of_labels(judge.columns_, judge.concentration, labels)
        return cls(judge, partition)

    @property
    def columns_(self) -> PackedTable:
        """Columns and priors of the judge."""
        return self.judge.columns_

    @property
    def schema_(self) -> Schema:
        """Schema of the judge, with every option that was read from the table."""
        return self.judge.schema_

    @property
    def labels_(self) -> np.ndarray:
        """Cluster of each row, shape (N,)."""
        return self.partition_.labels

    @property
    def n_clusters_(self) -> int:
        """Number of clusters K."""
        return self.partition_.n_clusters

    @cached_property
    def objective_(self) -> float:
        """Exact negative log joint E of the partition in nats."""
        return self.partition_.objective()

    @cached_property
    def clusters_(self) -> tuple[Cluster, ...]:
        """The clusters in the user's units."""
        own = self.partition_ is self.judge.partition_
        return self.judge.clusters_ if own else describe_clusters(self.partition_)

    @cached_property
    def merge_path_(self) -> MergePath:
        """The greedy merges from these clusters down to one, with the E of each."""
        return merge_path(self.partition_)

    def get_params(self) -> dict[str, Any]:
        """The judge's settings, for a model file."""
        return self.judge.get_params()

    def _row_scores(self) -> RowScores:
        return RowScores.of(self.partition_, self.clusters_)

    def _new_rows(self, X: Any) -> Encoded:
        return self.schema_.encode(X, allow_new_levels=True)


@dataclass(frozen=True)
class RowAssignments:
    """Every row among the groups."""

    #: int64, (N,). The row's group, and the likeliest other; K is a new group.
    labels: np.ndarray
    second: np.ndarray
    #: float64, shape (N,). Of the two.
    probability: np.ndarray
    second_probability: np.ndarray
    #: float64, shape (N,). Probability of a new group.
    none_of_these: np.ndarray
    #: float64, (N,). Log predictive density of observed cells, nats; low for atypical rows.
    log_density: np.ndarray
    #: float64, shape (N,). Of the probabilities, in nats; high for rows between groups.
    entropy: np.ndarray
    #: int64, shape (N,). Columns that the row has.
    n_observed: np.ndarray
    n_columns: int


def row_assignments(
    model: Predictions, callback: Callback, frame: pd.DataFrame | None = None
) -> RowAssignments:
    """Look at every row of the fitted table, given the others, or of another one."""
    n = len(model.labels_) if frame is None else len(frame)
    parts = []
    for first in range(0, n, BLOCK):
        rows = slice(first, first + BLOCK)
        if frame is None:
            some = assignments(model, rows=rows)
        else:
            some = assignments(model, frame.iloc[rows])
        each = np.arange(some.labels.size)
        first_and_second = (some.probabilities[each, of] for of in (some.labels, some.second))
        none_of_these = some.probabilities[:, -1]
        scores = some.log_density, some.entropy, some.n_observed
        parts.append((some.labels, some.second, *first_and_second, none_of_these, *scores))
        done = first + each.size
        callback(Progress(done, n, 0.0, model.n_clusters_, f"{done:,} of {n:,} rows"))
    joined = map(np.concatenate, zip(*parts, strict=True))
    return RowAssignments(*joined, len(model.columns_.encoded.columns))


def find_rows(frame: pd.DataFrame, id_columns: Sequence[str], text: str) -> np.ndarray:
    """Rows whose id reads like a text; without such a row, the one of that number, from 1 on."""
    query = text.strip().casefold()
    found = np.zeros(len(frame), dtype=bool)
    for name in id_columns:
        words = frame[name].astype(str).str.strip().str.casefold()
        found |= (words == query).to_numpy() & frame[name].notna().to_numpy()
    if not found.any() and query.isdecimal() and 1 <= int(query) <= len(frame):
        found[int(query) - 1] = True
    return np.flatnonzero(found)
