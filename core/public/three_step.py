"""Outcomes of groups, corrected for classification error.

Bolck, Croon and Hagenaars 2004 (BCH); Vermunt, Political Analysis 18, 2010; Bakk, Tekle and Vermunt
2013. The error is taken as known: intervals of small samples are a little narrow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.linalg import block_diag

from ..inference.prediction import Predictions
from ..models.em import MixtureEM, em_states
from ..models.mixture import Mixture
from ..partitions.naming import Naming
from ..wording import counted, p_text, percent
from .description import rows_of

METHODS = ("bch", "ml")
LEVEL = 0.95
MAX_ITER, TOL = 2_000, 1e-10


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
    method: str
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
        error = percent(self.classification_error)
        return (
            f"Corrected for an expected classification error of {error} ({self.method.upper()}, "
            f"three-step, {counted(self.n_observed, 'row')}): Wald chi-square {self.chi2:.2f} on "
            f"{self.df}, p {p_text(self.p)}."
        )

    def _repr_html_(self) -> str:
        return f"<p>{self.sentence}</p>{self.table.to_html(border=0)}"

    def __repr__(self) -> str:
        return f"{self.sentence}\n{self.table}"


def three_step(model: Any, outcome: Any, method: str = "bch") -> ThreeStep:
    """Estimate an outcome in every group, corrected for classification error.

    Parameters
    ----------
    model : MixtureEM, MAPDP, CollapsedGibbs or another with a likelihood
        Fitted without the outcome.
    outcome : array-like or Series, shape (N,)
        Numbers, for means (0/1: shares), or names. A missing cell leaves its row out.
    method : {"bch", "ml"}
        Weights, without assumptions but with shares outside 0 to 1 possible; or maximum likelihood
        of normal or multinomial outcomes.

    Returns
    -------
    ThreeStep

    Raises
    ------
    ValueError
        Another method or length, one class only, too few observed, classes that the assignment
        cannot tell apart, or a model that holds no rows.
    TypeError
        Clusters without a likelihood.
    """
    if method not in METHODS:
        raise ValueError(f"method={method!r} is not allowed: give {' or '.join(METHODS)}.")
    titles, probabilities, assigned, counts = _classes(model)
    values, levels = _read(outcome, assigned.size)
    seen = ~np.isnan(values).any(axis=1)
    classification = (counts[:, None] * probabilities).T @ np.eye(len(titles))[assigned]
    error = _error(classification)
    weights, labels, values = counts[seen], assigned[seen], values[seen]
    if np.bincount(labels, minlength=len(error)).min() < 2:
        raise ValueError("A class has fewer than two rows with a known outcome: fit fewer classes.")
    by_likelihood = _multinomial if levels else _normal
    solve = _bch if method == "bch" else by_likelihood
    estimate, covariance = solve(values, weights, labels, error)
    naive = np.array(
        [
            np.average(values[labels == k], axis=0, weights=weights[labels == k])
            for k in range(len(error))
        ]
    )
    table = _table(titles, levels, naive, estimate, covariance)
    chi2, df, p = _wald(estimate, covariance, bool(levels))
    counted_rows = pd.DataFrame(classification, pd.Index(titles, name="class"), list(titles))
    return ThreeStep(table, covariance, chi2, df, p, method, counted_rows, int(seen.sum()))


def _classes(model: Any) -> tuple[tuple[str, ...], np.ndarray, np.ndarray, np.ndarray]:
    """Titles of the classes, their probabilities (N, K), assigned labels (N,), row weights (N,)."""
    encoded = rows_of(model)
    if isinstance(model, MixtureEM):
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
    is_em = isinstance(model, MixtureEM)
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


def _error(counts: np.ndarray) -> np.ndarray:
    """Probability of every assigned class (across) given the true one (down), shape (K, K)."""
    if len(counts) < 2:
        raise ValueError("There is one class only: nothing to compare the outcome between.")
    with np.errstate(invalid="ignore", divide="ignore"):
        error = counts / counts.sum(axis=1, keepdims=True)
    if not np.isfinite(error).all() or np.linalg.cond(error) > 1e6:
        raise ValueError("The assignment cannot tell some classes apart: fit fewer classes.")
    return error


def _bch(
    values: np.ndarray, weights: np.ndarray, labels: np.ndarray, error: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Means (K, L) with the inverse of the error as weights, and their robust covariance."""
    shares = weights[:, None] * np.linalg.inv(error)[labels]
    totals = shares.sum(axis=0)
    means = (shares.T @ values) / totals[:, None]
    scores = shares[:, :, None] * (values[:, None, :] - means) / totals[:, None]
    scores = scores.reshape(len(values), -1)
    return means, scores.T @ scores


def _steps(
    density: Any,
    weights: np.ndarray,
    labels: np.ndarray,
    error: np.ndarray,
    fitted: Any,
    m_step: Any,
) -> tuple[Any, np.ndarray, np.ndarray]:
    """E-M for the outcome's parameters, the classification error fixed."""
    shares, before = np.linalg.solve(error.T, np.bincount(labels, weights) / weights.sum()), -np.inf
    shares = np.clip(shares, 1e-3, None) / np.clip(shares, 1e-3, None).sum()
    for _ in range(MAX_ITER):
        joint = shares * error[:, labels].T * density(fitted)
        total = joint.sum(axis=1)
        found, objective = joint / total[:, None], float(weights @ np.log(total))
        if objective - before < TOL * len(labels):
            break
        before = objective
        counted_rows = weights[:, None] * found
        shares, fitted = counted_rows.sum(axis=0) / weights.sum(), m_step(counted_rows)
    return fitted, shares, found


def _normal(
    values: np.ndarray, weights: np.ndarray, labels: np.ndarray, error: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Means (K, 1) of normal outcomes of own variances, and their covariance."""
    y = values[:, 0]
    least = 1e-9 * max(float(np.var(y)), 1e-300)

    def m_step(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n = rows.sum(axis=0)
        mean = rows.T @ y / n
        return mean, np.maximum((rows * np.square(y[:, None] - mean)).sum(axis=0) / n, least)

    def density(fitted: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        return stats.norm.pdf(y[:, None], fitted[0], np.sqrt(fitted[1]))

    start = m_step(weights[:, None] * np.eye(len(error))[labels])
    (mean, variance), shares, found = _steps(density, weights, labels, error, start, m_step)
    away = y[:, None] - mean
    by_mean = found * away / variance
    by_spread = 0.5 * found * (np.square(away) / variance - 1.0)
    scores = np.hstack([by_mean, by_spread, found[:, :-1] - shares[:-1]])
    return mean[:, None], _inverse_information(scores, weights)[: mean.size, : mean.size]


def _multinomial(
    values: np.ndarray, weights: np.ndarray, labels: np.ndarray, error: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Shares (K, L) of the levels, and their covariance."""
    k = len(error)

    def m_step(rows: np.ndarray) -> np.ndarray:
        return rows.T @ values / rows.sum(axis=0)[:, None]

    start = m_step(weights[:, None] * (0.9 * np.eye(k)[labels] + 0.1 / k))
    chance, shares, found = _steps(
        lambda fitted: values @ fitted.T, weights, labels, error, start, m_step
    )
    # In logits, with the delta method back: a share near 0 or 1 has no normal error of its own.
    scores = found[:, :, None] * (values[:, None, :] - chance)
    logits = scores[:, :, :-1].reshape(len(values), -1)
    inverse = _inverse_information(np.hstack([logits, found[:, :-1] - shares[:-1]]), weights)
    slopes = block_diag(*((np.diag(p) - np.outer(p, p))[:, :-1] for p in chance))
    of_logits = inverse[: slopes.shape[1], : slopes.shape[1]]
    return chance, slopes @ of_logits @ slopes.T


def _inverse_information(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Covariance of maximum likelihood from the rows' scores (N, P)."""
    return np.linalg.pinv(scores.T @ (weights[:, None] * scores))


def _table(
    titles: tuple[str, ...],
    levels: tuple[str, ...],
    naive: np.ndarray,
    estimate: np.ndarray,
    covariance: np.ndarray,
) -> pd.DataFrame:
    index = pd.Index(titles, name="class")
    if levels:
        index = pd.MultiIndex.from_product([titles, levels], names=["class", "level"])
    se = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    half = stats.norm.ppf(0.5 + LEVEL / 2) * se
    found = {"naive": naive.ravel(), "estimate": estimate.ravel(), "se": se}
    found |= {"low": estimate.ravel() - half, "high": estimate.ravel() + half}
    return pd.DataFrame(found, index=index)


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
