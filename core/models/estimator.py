"""The base classes of the estimators: checked arguments, input, and fitted attributes."""

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from math import isfinite
from numbers import Integral, Real
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..engine.packed import check_sizes
from ..engine.partition import Partition
from ..inference.fit import Fit
from ..schema.encode import of_mean_one
from ..schema.encoded import Encoded
from ..schema.frames import as_frame, is_table
from ..schema.infer import infer_schema
from ..schema.rows import encode_new_rows
from ..schema.schema import Schema
from ..wording import counted
from .progress import Callback

NEW_ROWS = ("predict", "predict_proba", "score_samples")


#: Checks an argument, given its name and value: returns the value, or raises a ValueError.
Limit = Callable[[str, Any], Any]


def limit(is_allowed: Callable[[Any], bool], allowed: str) -> Limit:
    """A check of an argument, whose ValueError names it and what is allowed."""

    def check(name: str, value: Any) -> Any:
        if not is_allowed(value):
            raise ValueError(f"{name}={value!r} is not allowed: give {allowed}.")
        return value

    return check


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_) and isfinite(value)


def whole(least: int) -> Limit:
    """A whole number of at least that."""
    allowed = f"a whole number of at least {least}"
    return limit(lambda value: _is(value, Integral) and value >= least, allowed)


def number(least: float = -np.inf) -> Limit:
    """A finite number of at least that."""
    allowed = f"a finite number of at least {least:g}"
    return limit(lambda value: _is(value, Real) and value >= least, allowed)


def above(least: float) -> Limit:
    """A finite number above that."""
    allowed = f"a finite number above {least:g}"
    return limit(lambda value: _is(value, Real) and value > least, allowed)


def one_of(*choices: str) -> Limit:
    """One of some words."""
    return limit(lambda value: value in choices, " or ".join(map(repr, choices)))


def or_none(other: Limit) -> Limit:
    """The same, or None."""
    return lambda name, value: None if value is None else other(name, value)


share = limit(lambda value: _is(value, Real) and 0.0 < value <= 1.0, "a number above 0, at most 1")


class ClusterEstimator(ClusterMixin, BaseEstimator):
    """Base of the estimators; a subclass is a dataclass of its arguments, and has ``_fit``.

    Compared and printed as scikit-learn does: by identity, and by what was changed.
    """

    likelihood: str = "normal"
    weighs_rows: ClassVar[bool] = False
    limits: ClassVar[Mapping[str, Limit]] = {}

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        schema: Any = None,
        callback: Callback | None = None,
    ) -> Self:
        """Cluster the rows of a table.

        Parameters
        ----------
        X : DataFrame of pandas or polars, Arrow table, or array-like, shape (N, M)
            NaN if missing.
        y : Schema or mapping, optional
            In the place of ``schema``; anything else is ignored.
        schema : Schema or mapping, optional
            Of a frame; ``infer_schema`` guesses what is not given.
            A mapping is as for ``Schema.with_columns``: ``{"visits": "poisson"}``. The columns of
            an array all follow the ``likelihood`` argument.
        callback : callable, optional
            Called with a ``Progress``; what it raises ends the fit.
        """
        encoded = self._encode(X, schema, y)
        return self._fit_rows(encoded, callback)

    def _fit_rows(self, encoded: Encoded, callback: Callback | None, **more: Any) -> Self:
        """Cluster rows and keep them, so that descriptions of the clusters need no table."""
        self.fit_encoded(encoded, callback, **more)
        self.encoded_ = encoded
        return self

    def fit_encoded(
        self, encoded: Encoded, callback: Callback | None = None, *, schema: Any = None
    ) -> Self:
        """Cluster the rows of an encoded table, made with that completed schema."""
        if schema is not None:
            self.schema_, self.n_features_in_ = schema, len(encoded.columns)
            self.feature_names_in_ = np.array(encoded.columns, dtype=object)
        self.check_arguments()
        check_sizes(encoded.values)
        if encoded.weights is not None and not self.weighs_rows:
            raise ValueError(
                f"{type(self).__name__} counts every row once: give the column of the role 'weight'"
                " another role."
            )
        if encoded.has_silent_rows:
            return self._fit_some(encoded, counting_rows(encoded.weights), callback)
        began = time.perf_counter()
        fit = self._fit(encoded, callback or (lambda progress: None))
        self._set_result(replace(fit, seconds=time.perf_counter() - began))
        return self

    def check_arguments(self) -> None:
        """Raise a ValueError that names the first argument outside its limits."""
        for name, limit in self.limits.items():
            limit(name, getattr(self, name))

    def _fit_some(self, encoded: Encoded, rows: np.ndarray, callback: Callback | None) -> Self:
        return self.fit_encoded(encoded.rows(rows), callback).label_others(encoded, rows)

    def label_others(self, encoded: Encoded, rows: np.ndarray) -> Self:
        """After a fit to some rows of a table, give the others the labels predicted for them."""
        labels = self._labels_of(encoded)  # which every estimator has that weighs rows
        labels[rows] = self.labels_
        self._set_result(self._with_labels(self.result_, encoded, labels))
        return self

    def _with_labels(self, fit: Fit, encoded: Encoded, labels: np.ndarray) -> Fit:
        return replace(fit, labels=labels)

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        raise NotImplementedError

    def _make_fit(
        self,
        labels: np.ndarray,
        trace: ArrayLike,
        *,
        objective: float | None = None,
        n_iter: int | None = None,
        converged: bool = True,
        partition: Partition | None = None,
        **details: Any,
    ) -> Fit:
        """Make the Fit; by default its objective is the trace's last, with an iteration a step."""
        trace = np.asarray(trace, dtype=np.float64)
        objective = float(trace[-1]) if objective is None else objective
        n_iter = trace.size - 1 if n_iter is None else n_iter
        name = type(self).__name__
        return Fit(name, labels, objective, trace, n_iter, converged, 0.0, details, partition)

    def _encode(self, X: Any, schema: Any, y: Any = None, reset: bool = True) -> Encoded:
        """Numbers of a table under the schema it was fitted with (``reset=False``) or a new one."""
        if schema is None and isinstance(y, Mapping):
            schema = y  # which says what the columns are
        if is_table(X):
            X = as_frame(X)
            if not isinstance(schema, Schema):
                schema = infer_schema(X).with_columns(schema or {})
            self.schema_ = schema.completed(X)
            encoded = self.schema_.encode(X) if reset else encode_new_rows(self.schema_, X)
            self.n_features_in_ = len(encoded.columns)
            if reset:
                self.feature_names_in_ = np.array(encoded.columns, dtype=object)
        elif schema is not None:
            raise ValueError("A schema needs a DataFrame, whose columns it can find by name.")
        else:
            self.schema_ = None
            _check_is_table(X)
            how = {"dtype": np.float64, "ensure_all_finite": "allow-nan", "reset": reset}
            try:
                array = validate_data(self, X, **how)
            except ValueError:
                _check_cells(X)
                raise
            encoded = Encoded.from_array(array, self.likelihood)
        if not reset:
            check_sizes(encoded.values)
        return encoded

    def _set_result(self, fit: Fit) -> None:
        self.result_ = fit
        self.labels_ = fit.labels
        self.n_clusters_ = fit.n_clusters
        self.objective_ = fit.objective
        self.objective_trace_ = fit.objective_trace
        self.n_iter_ = fit.n_iter
        self.converged_ = fit.converged

    def __getattr__(self, name: str) -> Any:
        """Say why there is no such method where estimators of another kind have it."""
        if name in NEW_ROWS:
            raise AttributeError(no_rule(type(self).__name__, name))
        return object.__getattribute__(self, name)  # raises the usual error

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class WeighsRows(ClusterEstimator):
    """Base of the estimators whose rows may count more or less than once."""

    weighs_rows = True

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        schema: Any = None,
        sample_weight: Any = None,
        callback: Callback | None = None,
    ) -> Self:
        """Cluster the rows of a table.

        Parameters
        ----------
        X, y, schema, callback
            As ``ClusterEstimator.fit``.
        sample_weight : array-like, shape (N,), optional
            How often each row counts, 0 or more.
            Weights all below half a row are scaled to mean 1, with a warning. A row of weight 0
            only gets a predicted label. Default: the schema's column of role "weight", scaled to
            mean 1.
        """
        encoded = self._encode(X, schema, y)
        if sample_weight is not None:
            weights = checked_weights(sample_weight, len(encoded.values))
            encoded = replace(encoded, weights=weights)
        return self._fit_rows(encoded, callback)


class PredictsLabels(ClusterEstimator):
    """Base of the estimators with a rule for new rows: nearest centre, most probable component."""

    def predict(self, X: Any) -> np.ndarray:
        """Label of each row of a table with the columns of the fitted one.

        Parameters
        ----------
        X : DataFrame or array-like, shape (N, M)
            Missing cells as in the fit: filled for centres, else left out.

        Returns
        -------
        ndarray of int64, shape (N,)
        """
        return self._labels_of(self._new_rows(X))

    def _new_rows(self, X: Any) -> Encoded:
        check_is_fitted(self)
        return self._encode(X, self.schema_, reset=False)

    def _labels_of(self, encoded: Encoded) -> np.ndarray:
        raise NotImplementedError


def checked_weights(weights: Any, n_rows: int) -> np.ndarray:
    """Weights of rows, shape (N,), as counts of rows; a ValueError says what cannot be.

    Weights all below half a row, such as 1/N, are meant as shares and scaled to mean 1.
    """
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight of shape {weights.shape} is not allowed: give one weight for each of"
            f" {n_rows:,} rows."
        )
    wrong = ~np.isfinite(weights) | (weights < 0.0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"sample_weight holds {weights[row]:g} in row {row + 1:,}: a row counts 0 times or"
            " more."
        )
    n_counting, total = int(np.count_nonzero(weights)), float(weights.sum())
    if total >= 0.5 * n_counting:
        return weights
    warnings.warn(
        f"The weights sum to {total:.3g} over {counted(n_counting, 'row')}, less than half a row"
        " each, though a weight of 2 is two rows: they are scaled to a mean of 1.",
        UserWarning,
        stacklevel=3,  # whoever called fit
    )
    return of_mean_one(weights)


def counting_rows(weights: np.ndarray) -> np.ndarray:
    """Which rows count at all; a ValueError where none does."""
    rows = np.flatnonzero(weights)
    if not rows.size:
        raise ValueError("All weights are zero: give at least one row a weight above 0.")
    return rows


def _check_is_table(X: Any) -> None:
    """Raise a TypeError for what holds a table but is none, such as a path."""
    first = X[0] if isinstance(X, list) and X else X
    if hasattr(X, "shape"):  # a sparse matrix of scipy's can be a dict, too
        return
    if hasattr(X, "collect"):
        way = "a lazy one: give X.collect()"
    elif isinstance(X, str | PathLike):
        way = "the path of one: give read_table(path)"
    elif isinstance(first, Mapping):
        way = "a dict or a list of them: give pandas.DataFrame(X)"
    else:
        return
    raise TypeError(f"fit and predict take a table, not {way}.")


def _check_cells(X: Any) -> None:
    """Raise a ValueError for the first cell of an array that is text or infinite, if any."""
    cells = np.asarray(X)
    if cells.ndim != 2 or cells.dtype.kind not in "OSUf":
        return
    is_text = np.vectorize(lambda cell: isinstance(cell, str | bytes), otypes=[bool])
    wrong = np.isinf(cells) if cells.dtype.kind == "f" else is_text(cells)
    for row, column in np.argwhere(wrong)[:1]:
        what, way = "infinity", "correct that cell, or make it NaN, which is a missing cell"
        if cells.dtype.kind != "f":
            what = f"text, {str(cells[row, column])!r}"
            way = "give a DataFrame, whose columns keep their types, or numbers"
        where = f"in row {row + 1:,}"
        raise ValueError(
            f"Column {column + 1:,} of the array holds {what} {where}: {way}."
        ) from None


def no_rule(algorithm: str, method: str) -> str:
    """Why there is no such method for new rows."""
    return (
        f"{algorithm} has no {method}: its clusters are of the rows that it was fitted to, labels_,"
        " with no rule for others. Fit MAPDP, MixtureEM, KMeansBIC or DPMeans, or train a"
        " classifier on labels_."
    )
