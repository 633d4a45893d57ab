"""What estimators of several data sets share: which data set every row belongs to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ...schema.encoded import Encoded
from ..estimator import Callback, ClusterEstimator, as_schema


class GroupedEstimator(ClusterEstimator):
    """Base of the estimators of several data sets.

    A data set is a value of the column of role "group", or of ``groups``; without either, all
    rows are one. Rows whose data set is missing are one data set together.
    """

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        groups: ArrayLike | None = None,
        schema: Any = None,
        callback: Callback | None = None,
    ) -> GroupedEstimator:
        """Cluster the rows of several data sets together.

        Parameters
        ----------
        X : DataFrame or array-like, shape (N, M)
            All data sets, one below the other in any order; NaN is a missing cell.
        y : Schema, optional
            ``fit(frame, schema)``; anything else is ignored (scikit-learn's convention).
        groups : array-like, shape (N,), optional
            The data set of every row; the schema's column of role "group" when absent.
        schema : Schema, optional
        callback : callable, optional
            Called with a ``Progress`` between steps; what it raises ends the fit.

        Returns
        -------
        self
        """
        encoded = self._encode(X, schema if schema is not None else as_schema(y))
        names = () if self.schema_ is None else self.schema_.names("group")
        if groups is None and names:
            groups = X[names[0]]
        return self._fit_rows(encoded, callback, groups=groups)

    def fit_encoded(
        self,
        encoded: Encoded,
        callback: Callback | None = None,
        *,
        schema: Any = None,
        groups: ArrayLike | None = None,
    ) -> GroupedEstimator:
        """Cluster the rows of a table that is numbers already.

        Parameters
        ----------
        encoded : Encoded
        callback : callable, optional
        schema : Schema, optional
            The completed one that the numbers were made with, to read new rows by.
        groups : array-like, shape (N,), optional
            The data set of every row.

        Returns
        -------
        self
        """
        n_rows = len(encoded.values)
        values = np.zeros(n_rows) if groups is None else np.asarray(groups)
        if values.shape != (n_rows,):
            raise ValueError(
                f"groups has shape {values.shape}: give the data set of each of {n_rows} rows."
            )
        names = np.array([_name(value) for value in values.tolist()], dtype=object)
        self.group_names_, self._groups = np.unique(names.astype(str), return_inverse=True)
        return super().fit_encoded(encoded, callback, schema=schema)


def local_labels(groups: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Number the clusters of every data set from 0 on, in the order of the labels, shape (N,)."""
    local = np.empty(labels.size, dtype=np.int64)
    for group in np.unique(groups):
        rows = groups == group
        local[rows] = np.unique(labels[rows], return_inverse=True)[1]
    return local


def _name(value: Any) -> str:
    return "missing" if pd.isna(value) else str(value)
