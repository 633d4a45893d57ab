"""scikit-learn's base of a clusterer; for type checkers, to whom it is anything, spelled out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:

    class Clusterer:
        """What scikit-learn gives: a base without types would let every misspelt name pass."""

        n_features_in_: int
        feature_names_in_: np.ndarray

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...  # noqa: D102

        def set_params(self, **params: Any) -> Self: ...  # noqa: D102

        def fit_predict(self, X: Any, y: Any = None, **told: Any) -> np.ndarray: ...  # noqa: D102

        def _html_repr(self) -> str: ...

        def __sklearn_tags__(self) -> Any: ...

else:
    from sklearn.base import BaseEstimator, ClusterMixin

    class Clusterer(ClusterMixin, BaseEstimator):
        """Without its own comparison and print: those are by identity, and of what was changed."""
