"""Any partition of a table's rows, seen by MAP-DP's model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..engine.columns import Columns
from ..engine.partition import Partition
from ..inference.clusters import Cluster, describe_clusters
from ..inference.merge_path import MergePath, merge_path
from ..inference.prediction import Predictions
from ..inference.row_scores import RowScores
from ..models.mapdp import MAPDP
from ..schema.encoded import Encoded
from ..schema.schema import Schema


@dataclass(frozen=True, eq=False)
class JudgedPartition(Predictions):
    """What MAP-DP's model says of K-means' clusters, or of clusters merged by hand.

    Predicts, fills cells and explains rows as MAP-DP does, with these clusters in the place of its
    own.
    """

    #: Fitted to the same rows of a frame: its columns, priors and concentration are used.
    judge: MAPDP
    partition_: Partition

    @classmethod
    def of(cls, judge: MAPDP, labels: np.ndarray) -> JudgedPartition:
        """Take over labels 0..K-1 of the rows that the judge was fitted to."""
        if np.array_equal(labels, judge.labels_):
            return cls(judge, judge.partition_)
        partition = Partition.at_rest(judge.columns_, judge.concentration, labels)
        return cls(judge, partition)

    @property
    def columns_(self) -> Columns:
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

    def labels_at(self, k: int) -> np.ndarray:
        """Labels with k clusters on the merge path, 0 the largest, shape (N,)."""
        return self.merge_path_.labels_at(k)

    def get_params(self) -> dict[str, Any]:
        """The judge's settings, for a model file."""
        return self.judge.get_params()

    def _row_scores(self) -> RowScores:
        return RowScores.of(self.partition_, self.clusters_)

    def _new_rows(self, X: Any) -> Encoded:
        return self.schema_.encode(X, allow_new_levels=True)
