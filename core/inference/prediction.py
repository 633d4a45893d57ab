"""Predictions for new rows from a fitted mixture (R16 Appendix E), and filling missing cells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import logsumexp, softmax
from sklearn.utils.validation import check_is_fitted

from ..engine.columns import Columns
from ..engine.partition import Partition
from ..schema.encoded import Encoded, Unit
from ..schema.frames import as_frame, backend_of, given_back, is_table
from ..schema.schema import Schema
from .clusters import Cluster, draw_rows
from .fit import Fit
from .imputation import METHODS, fill_cells, put_back
from .merge_path import MergePath
from .row_scores import RowScores


class Imputed(NamedTuple):
    """A table with its missing cells filled, and how sure each is.

    ``spread``, shape (n, M) of the columns clustered on, is NaN where nothing was filled, else the
    standard deviation of the predictive in the column's units (of a log or root, by the slope
    there); for names and yes/no, the probability of another level.
    """

    table: Any
    spread: Any


class Predictions:
    """Mixin: predictions of an estimator with ``partition_`` and ``clusters_``."""

    result_: Fit
    columns_: Columns
    schema_: Schema | None
    partition_: Partition
    clusters_: tuple[Cluster, ...]
    labels_: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """Most probable cluster of every row (R16 eq. 34).

        Parameters
        ----------
        X : DataFrame or array-like, shape (n, M)
            Missing cells are left out; a row of nothing else gets the most probable cluster.

        Returns
        -------
        ndarray of int64, shape (n,)
            0..K-1; K stands for a new cluster.
        """
        return self._by_blocks(X, np.argmax)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of every cluster, shape (n, K + 1); the last column is a new cluster."""
        return self._by_blocks(X, softmax)

    def score_samples(self, X: Any) -> np.ndarray:
        """Log of the mixture predictive density of every row's observed cells (R16 eq. 33).

        Returns
        -------
        ndarray of float64, shape (n,)
            Nats, in the user's units after the columns' transforms.
        """
        return self._by_blocks(X, logsumexp)

    def _by_blocks(self, X: Any, measure: Any) -> np.ndarray:
        blocks = self._row_scores().blocks(self._new_rows(X))
        return np.concatenate([measure(joint, axis=1) for joint in blocks])

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log predictive density of the rows, in nats; ``y`` is ignored."""
        return float(self.score_samples(X).mean())

    def impute(self, X: Any = None, method: str = "mode") -> Any:
        """Fill the missing cells of a table.

        Parameters
        ----------
        X : DataFrame or array-like, shape (n, M), optional
            The rows the model was fitted to when absent: of a frame, the columns clustered on.
        method : "mode" or "mean"
            Mode of the predictive of the row's cluster (0 for waiting times and long-tailed
            counts), or mean over the existing clusters by their probability (names: the most
            probable level). A log column is filled on its log scale. Fitted rows are left out of
            their cluster.

        Returns
        -------
        DataFrame or ndarray
            Like ``X``, of the same library; only cells that were missing differ.
        """
        return self.impute_with_spread(X, method).table

    def impute_with_spread(self, X: Any = None, method: str = "mode") -> Imputed:
        """Fill like ``impute``, and return how sure each filled cell is."""
        if method not in METHODS:
            raise ValueError(f"method={method!r} is not allowed: give 'mode' or 'mean'.")
        backend = getattr(self, "_backend", "") if X is None else backend_of(X)
        if is_table(X):
            X = as_frame(X)
        scores = self._row_scores()
        if X is None and not hasattr(self, "labels_"):
            raise ValueError("The model holds no rows of its own: give it a table.")
        if X is None:
            counted = self.columns_.counted(self.partition_.table)
            encoded, labels = self.columns_.encoded, self.labels_
            X = None if self.schema_ is None else pd.DataFrame(index=range(len(labels)))
        else:
            encoded, labels, counted = self._new_rows(X), None, None
        values, spread = fill_cells(scores, encoded, method, labels, counted)
        if self.schema_ is None:
            return Imputed(values, spread)
        filled = put_back(X, self.schema_, encoded, values, spread)
        return Imputed(*(given_back(table, backend) for table in filled))

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[Any, np.ndarray]:
        """Draw rows from the clusters' predictives (R16 Appendix D), clusters by their sizes.

        Returns
        -------
        X : DataFrame or ndarray, shape (n_samples, M)
            In the user's words and units, the columns clustered on; of the fitted table's library.
        y : ndarray of int64, shape (n_samples,)
            Cluster of every row, in ascending order.

        Raises
        ------
        ValueError
            ``n_samples`` is less than 1.
        """
        if not hasattr(self, "clusters_"):  # a model read from a file is no estimator, but fitted
            check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(f"n_samples={n_samples!r} is not allowed: give 1 or more.")
        random = np.random.default_rng(random_state)
        encoded, labels = draw_rows(self.clusters_, self.columns_.encoded.units, n_samples, random)
        if self.schema_ is None:
            return encoded.values, labels
        nothing = pd.DataFrame(index=range(n_samples))
        spread = np.zeros(encoded.values.shape)
        drawn = put_back(nothing, self.schema_, encoded, encoded.values, spread)[0]
        return given_back(drawn, getattr(self, "_backend", "")), labels

    def _labels_of(self, encoded: Encoded) -> np.ndarray:
        joint = self._row_scores().log_joint(replace(encoded, weights=None))
        return joint[:, :-1].argmax(axis=1)

    def _extended(self, fit: Fit, encoded: Encoded, labels: np.ndarray) -> Fit:
        """The fit with the labels of all rows, some of which were not fitted."""
        power = self.columns_.table.power
        self.columns_ = Columns.pack(encoded, self.columns_.priors, power)
        concentration = self.partition_.concentration
        self.partition_ = Partition.at_rest(self.columns_, concentration, labels)
        return replace(fit, labels=labels, partition=self.partition_)

    @property
    def merge_path_(self) -> MergePath:
        """The greedy merges from these clusters down to one, with the E of each."""
        return self.result_.merge_path_

    def labels_at(self, k: int) -> np.ndarray:
        """Labels with k clusters on the merge path, 0 the largest, shape (N,)."""
        return self.result_.labels_at(k)

    def _row_scores(self) -> RowScores:
        check_is_fitted(self)
        return RowScores.of(self.partition_, self.clusters_)

    def _new_rows(self, X: Any) -> Encoded:
        check_is_fitted(self)
        if self.schema_ is None and is_table(X):
            X = as_frame(X).to_numpy()
        encoded = self._encode(X, self.schema_, reset=False)
        return known_codes(encoded, self.columns_.encoded.units)


def known_codes(encoded: Encoded, units: tuple[Unit, ...]) -> Encoded:
    """New rows of an array; unknown codes are missing, a rating beyond its highest a ValueError."""
    values = encoded.values.copy()  # the array may be the caller's
    for unit, start in zip(units, encoded.starts, strict=True):
        column = values[:, start]
        if "levels" in unit.options:
            column[column >= len(unit.options["levels"])] = np.nan
        elif "trials" in unit.options and np.nanmax(column, initial=0) > unit.options["trials"]:
            raise ValueError(
                f"Column {unit.name!r} has a value above {unit.options['trials']}, the highest the"
                " model knows: correct it, or leave the cell empty."
            )
    return replace(encoded, values=values, units=units)
