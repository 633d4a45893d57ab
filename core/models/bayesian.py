"""What the estimators share whose clusters are posteriors under a Dirichlet process."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..engine.partition import Partition
from ..inference.clusters import Cluster
from ..inference.fit import Fit
from ..inference.prediction import Predictions
from ..schema.encoded import Encoded
from .arguments import above
from .estimator import Callback, ClusterEstimator
from .priors import PriorChoice, Trial, choose_prior
from .search import scale_trial


class BayesianEstimator(Predictions, ClusterEstimator):
    """Base of the estimators with a prior count ``concentration`` and a ``prior`` of every unit."""

    concentration: float
    prior: Any
    random_state: Any
    limits: ClassVar = {"concentration": above(0.0)}

    @property
    def clusters_(self) -> tuple[Cluster, ...]:
        """Posterior of every unit in every cluster, worked out when first asked for."""
        return self.result_.clusters

    def _chosen(
        self, encoded: Encoded, callback: Callback
    ) -> tuple[PriorChoice, np.random.Generator]:
        """The table under its chosen prior, and the generator that the search goes on with."""
        random = np.random.default_rng(self.random_state)
        trial = self._trial(encoded, random, callback)
        return choose_prior(self.prior, encoded, trial, random), random

    def _trial(self, encoded: Encoded, random: np.random.Generator, callback: Callback) -> Trial:
        return scale_trial(self.concentration, random, callback)

    def _found_partition(
        self, partition: Partition, scale: float | None, trace: ArrayLike, **rest: Any
    ) -> Fit:
        self.partition_, self.columns_ = partition, partition.columns
        self.prior_, self.prior_scale_ = partition.columns.priors, scale
        labels = partition.labels
        return self._found(labels, trace, partition=partition, prior_scale=scale, **rest)
