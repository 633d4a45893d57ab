"""Outcomes of groups, corrected for classification error.

Bolck, Croon and Hagenaars 2004 (BCH); Vermunt, Political Analysis 18, 2010; Bakk, Tekle and Vermunt
2013. The error is taken as known: intervals of small samples are a little narrow.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from ..inference.prediction import Predictions
from ..models.em import Mixture, MixtureEM, em_states
from ..partitions.naming import Naming
from ..wording import counted, p_text, percent
from .description import rows_of

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class ThreeStep:
    """An outcome in every class, corrected and as it is among the rows assigned."""

    #: One row a class, or class and level: ``naive`` among the rows assigned, the corrected
    #: ``estimate`` (mean or share) with ``se``, ``low`` and ``high``.
    table: pd.DataFrame
    #: Covariance of the estimates, in the order of the table.
    covariance: np.ndarray
    #: Wald's test that all classes are alike: chi-square, degrees of freedom and p.
    chi2: float
    df: int
    p: float
    #: Rows by the class that is probable (down) and the class assigned (across).
    classification: pd.DataFrame
    n_observed: int

    @property
    def classification_error(self) -> float:
        """Expected share of rows assigned to another class than their own."""
        counts = self.classification.to_numpy()
        return 1.0 - float(np.trace(counts)) / float(counts.sum())

    @property
    def sentence(self) -> str:
        """The test, and how large the correction is for."""
        return (
            f"Corrected for an expected classification error of "
            f"{percent(self.classification_error)} (BCH, three-step, "
            f"{counted(self.n_observed, 'row')}): Wald chi-square {self.chi2:.2f} on {self.df}, "
            f"p {p_text(self.p)}."
        )

    def __repr__(self) -> str:
        return f"{self.sentence}\n{self.table}"


def three_step(model: Any, outcome: Any) -> ThreeStep:
    """Estimate an outcome in every group, corrected for classification error.

    Rows count by the inverse of the error, without assumptions, so that shares outside 0 to 1 are
    possible.

    Parameters
    ----------
    model : MixtureEM, MAPDP, CollapsedGibbs or another with a likelihood
        Fitted without the outcome.
    outcome : array-like or Series, shape (N,)
        Numbers, for means (0/1: shares), or names. A missing cell leaves its row out.

    Returns
    -------
    ThreeStep

    Raises
    ------
    ValueError
        Another length, one class only, too few observed, classes that the assignment
        cannot tell apart, or a model that holds no rows.
    TypeError
        Clusters without a likelihood.
    """
    titles, probabilities, labels, weights = _classes(model)
    values, levels = _read(outcome, labels.size)
    of_class, seen = np.eye(len(titles))[labels], ~np.isnan(values).any(axis=1)
    classification = (weights[:, None] * probabilities).T @ of_class
    if len(titles) < 2:
        raise ValueError("There is one class only: nothing to compare the outcome between.")
    with np.errstate(invalid="ignore", divide="ignore"):
        error = classification / classification.sum(axis=1, keepdims=True)
    if not np.isfinite(error).all() or np.linalg.cond(error) > 1e6:
        raise ValueError("The assignment cannot tell some classes apart: fit fewer classes.")
    if of_class[seen].sum(axis=0).min() < 2:
        raise ValueError("A class has fewer than two rows with a known outcome: fit fewer classes.")
    own = weights[seen, None] * of_class[seen]
    estimate, covariance = _corrected(values[seen], weights[seen], labels[seen], error)
    index = pd.Index(titles, name="class")
    se = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    half, middle = stats.norm.ppf(0.5 + LEVEL / 2) * se, estimate.ravel()
    found = {"naive": (own.T @ values[seen] / own.sum(axis=0)[:, None]).ravel(), "estimate": middle}
    table = pd.DataFrame(
        found | {"se": se, "low": middle - half, "high": middle + half},
        pd.MultiIndex.from_product([titles, levels], names=["class", "level"]) if levels else index,
    )
    wald = _wald(estimate, covariance, bool(levels))
    counts = pd.DataFrame(classification, index, list(titles))
    return ThreeStep(table, covariance, *wald, counts, int(seen.sum()))


def _classes(model: Any) -> tuple[tuple[str, ...], np.ndarray, np.ndarray, np.ndarray]:
    """Titles of the classes, their probabilities (N, K), assigned labels (N,), row weights (N,)."""
    encoded, is_em = rows_of(model), isinstance(model, MixtureEM)
    if is_em:
        mixture, fitted = replace(model._mixture, power=1.0), model._fitted
        titles = tuple(f"Cluster {k + 1}" for k in range(model.n_components))
        rows = mixture.read(encoded)
    elif isinstance(model, Predictions):
        titles = Naming().apply(model.result_.labels).titles
        mixture = Mixture.of(encoded, model.prior_)
        rows = mixture.read(encoded)
        *_, last = em_states(mixture, rows, np.eye(len(titles))[model.result_.labels])
        fitted = last.fitted
    else:
        raise TypeError(
            f"{type(model).__name__} has no likelihood, and so no probabilities of its clusters:"
            " fit MixtureEM or MAPDP."
        )
    probabilities = np.ascontiguousarray(mixture.expect(rows, fitted)[0].T)
    assigned = probabilities.argmax(axis=1) if is_em else model.result_.labels
    weights = np.ones(len(assigned)) if encoded.weights is None else encoded.weights
    return titles, probabilities, assigned, weights


def _read(outcome: Any, n_rows: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """Numbers (N, 1), or one indicator a level (N, L) and the levels; NaN where missing."""
    column = pd.Series(np.asarray(outcome) if not isinstance(outcome, pd.Series) else outcome)
    if len(column) != n_rows:
        raise ValueError(
            f"The outcome has {len(column):,} values where the model was fitted to {n_rows:,} rows."
        )
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(np.float64, na_value=np.nan)[:, None], ()
    codes, levels = pd.factorize(column, sort=True)
    if len(levels) < 2:
        raise ValueError("The outcome has fewer than two different values: there is no difference.")
    values = np.where(codes[:, None] < 0, np.nan, np.eye(len(levels))[codes])
    return values, tuple(map(str, levels))


def _corrected(
    values: np.ndarray, weights: np.ndarray, labels: np.ndarray, error: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Means (K, L), the inverse of the error as weights, and their robust covariance."""
    shares = weights[:, None] * np.linalg.inv(error)[labels]
    totals = shares.sum(axis=0)
    means = (shares.T @ values) / totals[:, None]
    scores = shares[:, :, None] * (values[:, None, :] - means) / totals[:, None]
    scores = scores.reshape(len(values), -1)
    return means, scores.T @ scores


def _wald(
    estimate: np.ndarray, covariance: np.ndarray, has_levels: bool
) -> tuple[float, int, float]:
    """Wald's test that all classes equal the first; of shares, the last level is left out."""
    k, n = estimate.shape
    of_class = np.column_stack([-np.ones(k - 1), np.eye(k - 1)])
    contrasts = np.kron(of_class, np.eye(n)[: n - has_levels])
    apart = contrasts @ estimate.ravel()
    spread = contrasts @ covariance @ contrasts.T
    chi2 = float(apart @ np.linalg.pinv(spread) @ apart)
    df = int(np.linalg.matrix_rank(spread))
    return chi2, df, float(stats.chi2.sf(chi2, df))
